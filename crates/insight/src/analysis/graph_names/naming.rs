//! From partners to names: what the nodes that a piece of work may stand for have in common, and the level of
//! that.
//!
//! Never guessed: where partners differ, only what they agree in is a name. Must not know how partners were
//! found.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_trace::model::{GraphLevel, GraphRecord};

use super::captures::Graph;
use super::key::Key;
use super::pairing::{Fit, Pairs, Partner};
use super::replays::Sequence;

/// The names found for the device work of one launch of a graph, with the counts for its `GraphLaunch`.
#[derive(Debug)]
pub(super) struct Named {
    /// The surest level that a name of this launch may have.
    pub level: GraphLevel,
    /// The name of each piece of work with its level, in order of time; `None` for work without a name. Texts
    /// are numbers in the strings of the captures.
    pub names: Vec<Option<(GraphLevel, GraphRecord)>>,
    pub pairs: u32,
    pub ambiguous: u32,
    pub without: u32,
    pub left_over: u32,
    /// The indices, ascending, of the pieces of work directly after which the launch certainly lacks work of
    /// the capture.
    pub lost_after: Vec<usize>,
}

impl Named {
    /// Names the work of a launch by `graphs`, which all have the same keys and agree with the launch as
    /// `fit` states. Without `has_shapes`, no name has input shapes.
    pub(super) fn of(sequence: &Sequence, graphs: &[&Graph], fit: Fit, has_shapes: bool) -> Self {
        let keys = graphs.first().map_or(&[][..], |graph| graph.keys.as_slice());
        let found = Pairs::of(sequence, keys, fit);
        let is_one = graphs.len() == 1;
        let paired = match fit {
            Fit::InOrder => GraphLevel::InOrder,
            _ if !is_one || !has_shapes => GraphLevel::Class,
            Fit::Equal => GraphLevel::Exact,
            _ => GraphLevel::Aligned,
        };
        let keeps = Keeps { shapes: has_shapes && shapes_are_of_one_size(graphs) };
        let mut named = Self {
            level: paired,
            names: Vec::with_capacity(found.partners.len()),
            pairs: 0,
            ambiguous: 0,
            without: 0,
            left_over: saturate::<u32>(found.left_over),
            lost_after: found.lost_after,
        };
        let mut by_key = ByKey::default();
        let mut common = Common::default();
        for (partner, &key) in found.partners.iter().zip(&sequence.keys) {
            let name = match partner {
                Partner::Certain(node) if is_one => {
                    named.pairs += 1;
                    Some(keeps.of(graphs[0].records[*node]))
                }
                Partner::Certain(node) => {
                    named.ambiguous += 1;
                    keeps.common(graphs.iter().map(|graph| graph.records[*node]))
                }
                Partner::Possible(nodes) => {
                    named.ambiguous += 1;
                    common.of(nodes, graphs, keeps)
                }
                Partner::None => {
                    named.without += 1;
                    None
                }
            };
            let is_certain = matches!(partner, Partner::Certain(_));
            let level = if is_certain { paired } else { GraphLevel::Class };
            let mut by_name = || by_key.of(key, graphs).filter(|_| fit != Fit::InOrder);
            let name = name.filter(|record| record.operator != StrId::EMPTY || is_certain && is_one);
            let name = name.map(|record| (level, record));
            named.names.push(name.or_else(|| Some((GraphLevel::Name, by_name()?))));
        }
        named
    }
}

/// True if the captures state the same size, or state none and have the same input shapes.
fn shapes_are_of_one_size(graphs: &[&Graph]) -> bool {
    let Some((first, others)) = graphs.split_first() else { return true };
    let is_stated = first.size.is_some() && others.iter().all(|graph| graph.size == first.size);
    let same = |graph: &&Graph| {
        graph.size == first.size
            && graph.records.iter().zip(&first.records).all(|(one, other)| one.shapes == other.shapes)
    };
    is_stated || others.iter().all(same)
}

/// Leaves the input shapes out of records where `shapes` is false.
#[derive(Clone, Copy)]
struct Keeps {
    shapes: bool,
}

impl Keeps {
    fn of(self, record: GraphRecord) -> GraphRecord {
        GraphRecord { shapes: if self.shapes { record.shapes } else { StrId::EMPTY }, ..record }
    }

    /// What all `records` have in common, as one record; `None` if there are none, or if their operators or
    /// classes differ.
    fn common(self, records: impl Iterator<Item = GraphRecord>) -> Option<GraphRecord> {
        let common = records.map(Some).reduce(|one, other| both(one?, other?)).flatten()?;
        Some(self.of(common))
    }
}

/// What two records have in common, as one record with empty texts where they differ; `None` if their
/// operators or classes differ.
fn both(one: GraphRecord, other: GraphRecord) -> Option<GraphRecord> {
    let same = |of: fn(&GraphRecord) -> StrId| if of(&one) == of(&other) { of(&one) } else { StrId::EMPTY };
    (one.operator == other.operator && one.class == other.class).then(|| GraphRecord {
        operator: one.operator,
        class: one.class,
        shapes: same(|record| record.shapes),
        module: same(|record| record.module),
        frame: same(|record| record.frame),
        annotation: same(|record| record.annotation),
        file: one.file.filter(|_| one.file == other.file),
    })
}

/// What possible partners have in common in all captures of a launch, by the address of their list.
#[derive(Default)]
struct Common(FxHashMap<*const usize, Option<GraphRecord>>);

impl Common {
    /// What the nodes with these indices have in common in all `graphs`; `None` without nodes, or if their
    /// operators, classes or kept input shapes differ.
    fn of(&mut self, nodes: &Arc<[usize]>, graphs: &[&Graph], keeps: Keeps) -> Option<GraphRecord> {
        let find = || {
            let records = || graphs.iter().flat_map(|graph| nodes.iter().map(|&node| graph.records[node]));
            let first = records().next()?;
            let is_alike = !keeps.shapes || records().all(|record| record.shapes == first.shapes);
            keeps.common(records()).filter(|_| is_alike)
        };
        *self.0.entry(nodes.as_ptr()).or_insert_with(find)
    }
}

/// What the nodes of each key have in common in the captures of a launch; found when first asked for.
#[derive(Default)]
struct ByKey(Option<FxHashMap<Key, Option<GraphRecord>>>);

impl ByKey {
    fn of(&mut self, key: Key, graphs: &[&Graph]) -> Option<GraphRecord> {
        let find = || {
            let mut found: FxHashMap<Key, Option<GraphRecord>> = FxHashMap::default();
            let nodes = graphs.iter().flat_map(|graph| graph.keys.iter().zip(&graph.records));
            for (&key, &record) in nodes {
                found
                    .entry(key)
                    .and_modify(|known| *known = known.and_then(|one| both(one, record)))
                    .or_insert(Some(record));
            }
            found
        };
        let record = (*self.0.get_or_insert_with(find).get(&key)?)?;
        let GraphRecord { operator, class, file, .. } = record;
        (operator != StrId::EMPTY).then(|| GraphRecord { operator, class, file, ..GraphRecord::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(operator: u32, module: u32, class: u32, shapes: u32) -> GraphRecord {
        let [operator, module, class, shapes] = [operator, module, class, shapes].map(StrId::new);
        GraphRecord { operator, module, class, shapes, file: Some(0), ..GraphRecord::default() }
    }

    fn graph(size: Option<u64>, nodes: &[(Key, GraphRecord)]) -> Graph {
        let (keys, records) = nodes.iter().copied().unzip();
        Graph { file: 0, size, mode: StrId::EMPTY, keys, records }
    }

    fn named(replay: &[Key], graphs: &[&Graph]) -> Named {
        let sequence = Sequence { keys: replay.to_vec(), streams: Vec::new(), names: Vec::new() };
        let fit = Fit::of(&sequence, &graphs[0].keys);
        Named::of(&sequence, graphs, fit, true)
    }

    /// Layers of two kernels: a matrix product of two operators, and a norm.
    fn layers(shapes: impl Fn(u32) -> u32) -> Graph {
        let nodes = (0..30).flat_map(|layer| {
            [(1, record(11, 100 + layer, 50, shapes(layer))), (2, record(12, 200 + layer, 51, 7))]
        });
        graph(Some(8), &nodes.collect::<Vec<_>>())
    }

    #[test]
    fn work_that_may_be_of_several_layers_has_their_operator_class_and_shapes() {
        let capture = layers(|_| 9);
        let replay: Vec<Key> = capture.keys[2..].to_vec();
        let found = named(&replay, &[&capture]);
        assert_eq!((found.level, found.pairs, found.ambiguous), (GraphLevel::Aligned, 0, 58));
        assert_eq!(found.names[0], Some((GraphLevel::Class, record(11, 0, 50, 9))));
        assert_eq!((found.left_over, found.lost_after.len()), (2, 0));
    }

    #[test]
    fn without_common_shapes_the_name_alone_gives_operator_and_class() {
        let capture = layers(|layer| 300 + layer);
        let found = named(&capture.keys[2..], &[&capture]);
        assert_eq!(found.names[0], Some((GraphLevel::Name, record(11, 0, 50, 0))));
        assert_eq!(found.names[1], Some((GraphLevel::Class, record(12, 0, 51, 7))));
    }

    #[test]
    fn a_name_of_two_operators_is_no_name() {
        let mut capture = layers(|layer| 300 + layer);
        capture.records[20].operator = StrId::new(13);
        let found = named(&capture.keys[2..], &[&capture]);
        assert_eq!(found.names[2], None);
        assert!(found.names[3].is_some());
    }

    #[test]
    fn captures_of_one_size_give_the_class_and_captures_of_several_no_shapes() {
        let (one, mut other) = (layers(|_| 9), layers(|_| 9));
        other.records.iter_mut().for_each(|record| record.module = record.module + 1_000);
        let found = named(&one.keys, &[&one, &other]);
        assert_eq!((found.level, found.pairs, found.ambiguous), (GraphLevel::Class, 0, 60));
        assert_eq!(found.names[0], Some((GraphLevel::Class, record(11, 0, 50, 9))));
        let larger = Graph { size: Some(16), ..layers(|_| 10) };
        let found = named(&one.keys, &[&one, &larger]);
        assert_eq!(
            found.names[0],
            Some((GraphLevel::Class, record(11, 100, 50, 0))),
            "the module is the same"
        );
        assert_eq!(found.names[1], Some((GraphLevel::Class, record(12, 200, 51, 0))), "none has shapes");
    }

    #[test]
    fn a_single_equal_capture_is_exact() {
        let capture = layers(|_| 9);
        let found = named(&capture.keys, &[&capture]);
        assert_eq!((found.level, found.pairs), (GraphLevel::Exact, 60));
        assert_eq!(found.names[2], Some((GraphLevel::Exact, record(11, 101, 50, 9))));
    }
}
