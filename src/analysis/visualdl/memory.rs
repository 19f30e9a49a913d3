//! Memory: each allocation with its release, and sums by the event that made them.

use rustc_hash::FxHashMap;

use crate::analysis::paddle::forest::NodeId;
use crate::analysis::paddle::memory::sums;
use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, NONE};

use super::Ground;
use super::place::is_known;

/// One allocation: who made it and when, who gave it back and when.
struct Pair {
    place: StrId,
    address: u64,
    is_reserved: bool,
    taken: Option<(StrId, Ns)>,
    freed: Option<(StrId, Ns)>,
    /// Bytes.
    size: i64,
}

/// The events that memory held by a node counts for: the one around it that VisualDL knows and that is no inner stage of an
/// operator; and the operator directly around that one, for which sums count it once more.
fn owners(ground: &Ground<'_>, id: NodeId) -> (Option<StrId>, Option<StrId>) {
    let forest = &ground.forest;
    let parent = |id: NodeId| ground.places.parent[id as usize];
    let mut owner = if is_known(forest.node(id).1) { id } else { parent(id) };
    let mut is_inner = false;
    while owner != NONE && forest.node(owner).1 == Category::OperatorInner {
        owner = parent(owner);
        is_inner = true;
    }
    if owner == NONE {
        return (None, None);
    }
    let name = |id: NodeId| forest.trace.slices.name[forest.node(id).0.slice as usize];
    let around = Some(parent(owner))
        .filter(|&around| !is_inner && around != NONE && forest.node(around).1 == Category::Operator);
    (Some(name(owner)), around.map(name))
}

/// Allocations by address, in order of time: a release closes the last open one of its address.
fn pairs(ground: &Ground<'_>) -> Vec<Pair> {
    let forest = &ground.forest;
    let trace = forest.trace;
    let mut events: Vec<(Ns, u32, StrId)> = Vec::new();
    for &id in &forest.visit {
        let Some(name) = owners(ground, id).0 else { continue };
        let own = forest.memory(id).iter();
        events.extend(own.map(|&event| (trace.memory[event as usize].ts, event, name)));
    }
    events.sort_by_key(|&(ts, event, _)| (ts, trace.memory[event as usize].origin));
    let mut pairs: Vec<Pair> = Vec::new();
    let mut open: FxHashMap<(StrId, u64, bool), Vec<usize>> = FxHashMap::default();
    for (ts, event, name) in events {
        let event = &trace.memory[event as usize];
        let is_reserved = event.kind.is_reserved();
        let at = ts.saturating_sub(trace.span.start);
        let key = (event.place, event.address, is_reserved);
        let size = event.bytes.saturating_abs();
        let pair =
            Pair { place: event.place, address: event.address, is_reserved, taken: None, freed: None, size };
        if event.kind.takes() {
            open.entry(key).or_default().push(pairs.len());
            pairs.push(Pair { taken: Some((name, at)), ..pair });
        } else if let Some(taken) = open.get_mut(&key).and_then(Vec::pop) {
            pairs[taken].freed = Some((name, at));
        } else {
            pairs.push(Pair { freed: Some((name, at)), ..pair });
        }
    }
    pairs.sort_by_key(|pair| pair.size);
    pairs
}

fn allocations(ground: &Ground<'_>) -> Option<Table> {
    use ColumnKind::{Bytes, Duration, Text};
    let trace = ground.forest.trace;
    let row = |pair: Pair| {
        let end = |end: Option<(StrId, Ns)>| match end {
            Some((name, at)) => {
                [Value::Text(trace.string_or(name, "(unnamed)").into_owned()), Value::Duration(at)]
            }
            None => [Value::Empty, Value::Empty],
        };
        let dur = pair.taken.zip(pair.freed).map(|(taken, freed)| freed.1.saturating_sub(taken.1));
        let own = [
            Value::text(&format!("{:#x}", pair.address)),
            Value::text(if pair.is_reserved { "Reserved" } else { "Allocated" }),
            Value::Text(trace.string_or(pair.place, "(no place)").into_owned()),
        ];
        let rest = [dur.map_or(Value::Empty, Value::Duration), Value::Bytes(pair.size)];
        TableRow::new(own.into_iter().chain(end(pair.taken)).chain(end(pair.freed)).chain(rest).collect())
    };
    let rows: Vec<TableRow> = pairs(ground).into_iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        view: "memory",
        title: "Allocations",
        columns: vec![
            Column::new("address", "Address", Text, "Where the memory is"),
            Column::new("type", "Type", Text, "Allocated for the program, or reserved by the allocator"),
            Column::new("place", "Place", Text, "The device or host"),
            Column::new("taken_by", "Allocated by", Text, "The event that took it"),
            Column::new("taken_at", "Allocated at", Duration, "When, after the trace's start"),
            Column::new("freed_by", "Freed by", Text, "The event that gave it back"),
            Column::new("freed_at", "Freed at", Duration, "When, after the trace's start"),
            Column::new("duration", "Duration", Duration, "For how long it was held"),
            Column::new("size", "Size", Bytes, "Bytes"),
        ],
        rows,
        notes: vec![
            "A release belongs to the last allocation of its address that is still open; one without was made before the trace began. VisualDL reads times in whole µs and may name the event beside.".into(),
        ], ..Table::default() })
}

/// Each allocation, and the sums; nothing when there are no memory events.
pub(super) fn tables(ground: &Ground<'_>) -> Vec<Table> {
    let forest = &ground.forest;
    let of_node = |&id: &NodeId| {
        let (owner, around) = owners(ground, id);
        let names = owner.into_iter().chain(around);
        names.flat_map(move |name| forest.memory(id).iter().map(move |&event| (name, event)))
    };
    let sums = sums(forest.trace, forest.visit.iter().flat_map(of_node));
    allocations(ground).into_iter().chain(sums).collect()
}
