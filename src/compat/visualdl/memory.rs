//! VisualDL's memory page: each allocation with its release, and sums by event.

use rustc_hash::FxHashMap;

use crate::analysis::allocation::{Pair, pairs};
use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::compat::paddle::forest::NodeId;
use crate::compat::paddle::memory::sums;
use crate::model::{Category, NONE};

use super::context::Context;
use super::step_phase::is_known;

/// The names of the events for which a node's memory events count. First, the innermost event around them that VisualDL
/// reads and that is no inner part of an operator. Second, for the sums only, the operator directly around that event;
/// None if an inner part was passed.
fn owners(context: &Context<'_>, id: NodeId) -> (Option<StrId>, Option<StrId>) {
    let forest = &context.forest;
    let parent = |id: NodeId| context.step_phases.parent[id as usize];
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

/// Builds the table of allocations, the smallest first. None without memory events.
fn allocations(context: &Context<'_>) -> Option<Table> {
    use ColumnKind::{Bytes, Duration, Text};
    let forest = &context.forest;
    let trace = forest.trace;
    let mut names: FxHashMap<u32, StrId> = FxHashMap::default();
    for &id in &forest.visit {
        let Some(name) = owners(context, id).0 else { continue };
        names.extend(forest.memory(id).iter().map(|&event| (event, name)));
    }
    let mut events: Vec<u32> = names.keys().copied().collect();
    events.sort_unstable();
    let memory = |event: u32| &trace.memory[event as usize];
    let mut pairs = pairs(trace, events);
    pairs.sort_by_key(|pair| pair.size(trace));
    let row = |pair: &Pair| {
        let end =
            |event: Option<u32>| match event.and_then(|event| Some((names.get(&event)?, memory(event).ts))) {
                Some((&name, ts)) => [
                    Value::Text(trace.string_or(name, "(unnamed)").into_owned()),
                    Value::Duration(ts.saturating_sub(trace.span.start)),
                ],
                None => [Value::Empty, Value::Empty],
            };
        let ends = pair.taken.zip(pair.freed);
        let dur = ends.map(|(taken, freed)| memory(freed).ts.saturating_sub(memory(taken).ts));
        let own = pair.first(trace).map_or([Value::Empty, Value::Empty, Value::Empty], |event| {
            [
                Value::text(&format!("{:#x}", event.address)),
                Value::text(if event.kind.is_reserved() { "Reserved" } else { "Allocated" }),
                Value::Text(trace.string_or(event.place, "(no place)").into_owned()),
            ]
        });
        let last = [dur.map_or(Value::Empty, Value::Duration), Value::Bytes(pair.size(trace))];
        TableRow::new(own.into_iter().chain(end(pair.taken)).chain(end(pair.freed)).chain(last).collect())
    };
    let rows: Vec<TableRow> = pairs.iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        view: "memory",
        title: "Allocations",
        columns: vec![
            Column::new("address", "Address", Text, "Start address of the memory"),
            Column::new(
                "type",
                "Type",
                Text,
                "Allocated: memory that the program got from the allocator; Reserved: memory that the \
                 allocator got from the system",
            ),
            Column::new("place", "Place", Text, "Place of the memory: a device or the host"),
            Column::new("taken_by", "Allocated by", Text, "Event that allocated the memory"),
            Column::new(
                "taken_at",
                "Allocated at",
                Duration,
                "Time of the allocation, measured from the start of the trace",
            ),
            Column::new("freed_by", "Freed by", Text, "Event that freed the memory"),
            Column::new(
                "freed_at",
                "Freed at",
                Duration,
                "Time of the release, measured from the start of the trace",
            ),
            Column::new("duration", "Duration", Duration, "Time from the allocation to its release"),
            Column::new("size", "Size", Bytes, "Size of the allocated memory"),
        ],
        rows,
        notes: vec![
            "Each release is matched with the most recent open allocation of the same address; a release \
             without one frees memory that was allocated before the trace began. VisualDL reads times in \
             whole µs and may name a neighboring event."
                .into(),
        ],
        ..Table::default()
    })
}

/// Builds the table of allocations and that of the sums; none without memory events.
pub(super) fn tables(context: &Context<'_>) -> Vec<Table> {
    let forest = &context.forest;
    let of_node = |&id: &NodeId| {
        let (owner, around) = owners(context, id);
        let names = owner.into_iter().chain(around);
        names.flat_map(move |name| forest.memory(id).iter().map(move |&event| (name, event)))
    };
    let sums = sums(forest.trace, forest.visit.iter().flat_map(of_node));
    allocations(context).into_iter().chain(sums).collect()
}
