//! The names of device work that graphs launched: the operator, module and shapes by which a program created
//! each node of a graph.
//!
//! A replayed graph is one launch on the host, so the operators of its kernels are not in the trace. They are
//! known from a trace of the graph's capture, or from our own recorder. Must not know how names were found.

use std::collections::BTreeMap;

use proftui_base::ids::Ids;
use proftui_base::intern::StrId;

use super::SliceId;

/// How sure it is that the name of a piece of device work is the right one; the surest level first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphLevel {
    /// The recorder noted the operator or range in which the node was created.
    Recorded,
    /// The launch has the same work in the same order as the capture.
    Exact,
    /// This work has one certain partner in the capture, though the launch as a whole may differ.
    Aligned,
    /// The name has only what holds for every possible partner in the captures, such as the operator.
    Class,
    /// The name has only what holds for all nodes of the launch's captures whose work is of the same name or
    /// kind, such as the operator.
    Name,
    /// The launch's work and the capture's nodes are paired by their order: the kernels of some nodes are not
    /// known.
    InOrder,
}

impl GraphLevel {
    /// All levels, the surest first.
    pub const ALL: [Self; 6] =
        [Self::Recorded, Self::Exact, Self::Aligned, Self::Class, Self::Name, Self::InOrder];

    /// The level's name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Exact => "exact",
            Self::Aligned => "aligned",
            Self::Class => "class",
            Self::Name => "name",
            Self::InOrder => "place",
        }
    }
}

/// Why no capture names the work of a launch of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unnamed {
    /// No capture was read that may be of the launch's rank.
    NoCapture,
    /// No capture agrees closely enough with the launch's work.
    Unlike,
    /// Several captures, whose work differs, agree with the launch equally well.
    Ambiguous,
}

impl Unnamed {
    /// The reason as a text for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::NoCapture => "no capture of this rank",
            Self::Unlike => "no capture agrees with its work closely enough",
            Self::Ambiguous => "several different captures agree equally well",
        }
    }
}

/// What is known of a node of a graph. A text is empty where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GraphRecord {
    /// The name of the innermost operator around the call that created the node.
    pub operator: StrId,
    /// The input shapes, such as `[[32, 4096], [4096, 4096]]`, of an operator around the call that created
    /// the node.
    pub shapes: StrId,
    /// The name of the innermost module around the call that created the node, such as `Linear_3`.
    pub module: StrId,
    /// The class of the innermost module around the call that created the node, such as `Linear`.
    pub class: StrId,
    /// The name of the innermost Python function around the call that created the node, other than a module's
    /// call.
    pub frame: StrId,
    /// The name of the innermost annotated range around the call that created the node.
    pub annotation: StrId,
    /// The trace of the capture, an index into [`GraphNames::files`]; `None` where no single trace gave the
    /// record.
    pub file: Option<u32>,
}

/// The name of one piece of device work inside a graph: what is known of its node, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphName {
    /// The device work that the name is for.
    pub work: SliceId,
    /// How sure the name is.
    pub level: GraphLevel,
    /// The index in [`GraphNames::records`] of what is known of the work's node.
    pub record: u32,
}

/// What was found for one launch of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphLaunch {
    /// The launch call; `None` where it is not in the trace.
    pub launch: Option<SliceId>,
    /// The piece of the launch's device work that started first.
    pub first: SliceId,
    /// How many pieces of device work the launch has.
    pub work: u32,
    /// The surest level that a name from the recorder, or from captures, can have; or why captures give none.
    pub outcome: Result<GraphLevel, Unnamed>,
    /// How many pieces of the work have one partner in the capture, or a name from our recorder.
    pub pairs: u32,
    /// How many pieces of the work have possible partners in captures, none of which is certain.
    pub ambiguous: u32,
    /// How many pieces of the work have no partner in the capture, or, where our recorder noted names, no
    /// name.
    pub without: u32,
    /// How many nodes of the capture have no device work in this launch; 0 without a capture.
    pub left_over: u32,
    /// The trace of the capture, an index into [`GraphNames::files`]; `None` without a capture, or with
    /// captures of several traces.
    pub file: Option<u32>,
}

/// The names of device work that graphs launched, as far as they are known.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct GraphNames {
    /// The paths of the traces that were searched for captured graphs, safe to show.
    pub files: Vec<String>,
    /// What is known of nodes of graphs; [`GraphName::record`] is an index into it.
    pub records: Vec<GraphRecord>,
    /// What was found for launches of graphs; not every launch has an entry.
    pub launches: Vec<GraphLaunch>,
    /// The pieces of device work, ascending by number, directly after which their launch certainly lacks work
    /// of its capture.
    pub lost_after: Vec<SliceId>,
    /// The names, ascending by the number of their device work.
    names: Vec<GraphName>,
}

impl GraphNames {
    /// Adds `names`, in any order. Of several names of one piece of work only the surest is kept.
    pub fn add(&mut self, names: impl IntoIterator<Item = GraphName>) {
        self.names.extend(names);
        self.names.sort_by_key(|name| (name.work, name.level));
        self.names.dedup_by_key(|name| name.work);
    }

    /// True if no work has a name, and `launches` is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.launches.is_empty()
    }

    /// The number of pieces of work that have a name.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a piece of device work; `None` where none is known.
    pub fn of(&self, work: SliceId) -> Option<GraphName> {
        let at = self.names.binary_search_by_key(&work, |name| name.work).ok()?;
        Some(self.names[at])
    }

    /// The level and the record of the name of a piece of device work; `None` where it has no name.
    pub fn record(&self, work: SliceId) -> Option<(GraphLevel, &GraphRecord)> {
        let name = self.of(work)?;
        Some((name.level, self.records.get(name.record as usize)?))
    }

    /// The names of the device work whose slice numbers are in the range `work`, ascending by number.
    pub fn within(&self, work: Ids<SliceId>) -> &[GraphName] {
        let from = self.names.partition_point(|name| name.work < work.start);
        let to = self.names.partition_point(|name| name.work < work.end);
        &self.names[from..to.max(from)]
    }

    /// The first entry in `launches` for the launch call `call`; `None` without one.
    pub fn launch(&self, call: SliceId) -> Option<&GraphLaunch> {
        self.launches.iter().find(|launch| launch.launch == Some(call))
    }

    /// How many pieces of work have a name of each level; levels without any are left out.
    pub fn counts(&self) -> BTreeMap<GraphLevel, u64> {
        let mut counts = BTreeMap::new();
        for name in &self.names {
            *counts.entry(name.level).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(work: u32, level: GraphLevel, record: u32) -> GraphName {
        GraphName { work: SliceId::new(work), level, record }
    }

    #[test]
    fn work_is_found_by_number_and_the_surest_name_stays() {
        let mut names = GraphNames { records: vec![GraphRecord::default(); 3], ..GraphNames::default() };
        assert!(names.is_empty());
        names.add([name(7, GraphLevel::Class, 0), name(3, GraphLevel::Exact, 1)]);
        names.add([name(7, GraphLevel::Recorded, 2)]);
        assert_eq!(names.of(SliceId::new(7)), Some(name(7, GraphLevel::Recorded, 2)));
        assert_eq!((names.of(SliceId::new(4)), names.len(), names.within(Ids::below(4)).len()), (None, 2, 1));
        assert!(names.record(SliceId::new(3)).is_some());
        let counts: Vec<(&str, u64)> = names.counts().into_iter().map(|(l, n)| (l.name(), n)).collect();
        assert_eq!(counts, [("recorded", 1), ("exact", 1)]);
    }
}
