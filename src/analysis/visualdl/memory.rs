//! Memory: each allocation with its release, and sums by the event that made them.

use rustc_hash::FxHashMap;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::base::time::Ns;

use super::Ground;

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

/// Allocations by address, in order of time: a release closes the last open one of its address.
fn pairs(ground: &Ground<'_>) -> Vec<Pair> {
    let forest = &ground.forest;
    let trace = forest.trace;
    let mut events: Vec<(Ns, u32, StrId)> = Vec::new();
    for &id in &forest.visit {
        let name = trace.slices.name[forest.node(id).0.slice as usize];
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
            "A release belongs to the last allocation of its address that is still open; one without was made before the trace began.".into(),
        ],
    })
}

/// Each allocation, and the sums; nothing when there are no memory events.
pub(super) fn tables(ground: &Ground<'_>) -> Vec<Table> {
    allocations(ground)
        .into_iter()
        .chain(crate::analysis::paddle::memory::of_forest(&ground.forest))
        .collect()
}
