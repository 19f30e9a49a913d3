//! VisualDL's memory page: each allocation with its release, and sums by event.

use rustc_hash::FxHashMap;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::views::allocation::{Pair, pairs};
use crate::analysis::{Table, TableRow, Value};
use crate::compat::bounds::Names;
use crate::compat::paddle::forest::{NO_NODE, NodeId};
use crate::compat::paddle::memory::sums;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_trace::model::Category;

use super::context::Context;
use super::step_phase::is_known;

/// The innermost node, from the node `id` outwards, whose category VisualDL reads; None if there is none.
fn holder(context: &Context<'_>, id: NodeId) -> Option<NodeId> {
    let known = is_known(context.forest.node(id).1);
    let holder = if known { id } else { context.step_phases.parent[id as usize] };
    (holder != NO_NODE).then_some(holder)
}

/// For each node, the name of the event to which VisualDL assigns the node's memory events; None if there is
/// none.
fn owners(context: &Context<'_>) -> Vec<Option<StrId>> {
    let forest = &context.forest;
    // Parents come before their children.
    let mut owners: Vec<Option<StrId>> = Vec::with_capacity(forest.nodes.len());
    for id in 0..saturate::<NodeId>(forest.nodes.len()) {
        let owner = holder(context, id).and_then(|holder| {
            let (node, category) = forest.node(holder);
            let around = context.step_phases.parent[holder as usize];
            match category {
                Category::OperatorInner => owners.get(around as usize).copied().flatten(),
                _ => Some(forest.trace.slices.name[node.slice]),
            }
        });
        owners.push(owner);
    }
    owners
}

/// Builds the table of allocations and their releases, the smallest first. None if it would have no rows.
fn allocations(context: &Context<'_>) -> Option<Table> {
    use ColumnKind::{Bytes, Duration, Text};
    let forest = &context.forest;
    let trace = forest.trace;
    let mut names: FxHashMap<u32, StrId> = FxHashMap::default();
    for (id, owner) in (0..).zip(owners(context)) {
        let Some(name) = owner else { continue };
        names.extend(forest.memory(id).iter().map(|&event| (event, name)));
    }
    let mut events: Vec<u32> = names.keys().copied().collect();
    events.sort_unstable();
    let memory = |event: u32| &trace.memory[event as usize];
    let mut pairs = pairs(trace, events);
    pairs.sort_by_key(|pair| pair.size(trace));
    let (mut owners, mut places) = (Names::new(trace), Names::new(trace));
    let row = |pair: &Pair| {
        let mut end = |event: Option<u32>| {
            let known = event.and_then(|event| Some((*names.get(&event)?, memory(event).ts)));
            known.map_or([Value::Empty, Value::Empty], |(name, ts)| {
                let since_start = ts.saturating_sub(trace.span.start);
                [owners.cell(name, "(unnamed)"), Value::Duration(since_start)]
            })
        };
        let ends = pair.taken.zip(pair.freed);
        let dur = ends.map(|(taken, freed)| memory(freed).ts.saturating_sub(memory(taken).ts));
        let own = pair.first(trace).map_or([Value::Empty, Value::Empty, Value::Empty], |event| {
            [
                Value::text(&format!("{:#x}", event.address)),
                Value::text(if event.kind.is_reserved() { "Reserved" } else { "Allocated" }),
                places.cell(event.place, "(no place)"),
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
            Column::new("address", "Address", Text, "Start address of this allocation"),
            Column::new(
                "type",
                "Type",
                Text,
                "Allocated: memory that the program got from the allocator; Reserved: memory that the \
                 allocator got from the system",
            ),
            Column::new("place", "Place", Text, "Place of this allocation: a device or the host"),
            Column::new("taken_by", "Allocated by", Text, "Event that allocated the memory"),
            Column::new(
                "taken_at",
                "Allocated at",
                Duration,
                "Time of the allocation, measured from the earliest event loaded",
            ),
            Column::new("freed_by", "Freed by", Text, "Event that freed the memory"),
            Column::new(
                "freed_at",
                "Freed at",
                Duration,
                "Time of the release, measured from the earliest event loaded",
            ),
            Column::new("duration", "Duration", Duration, "Time from the allocation to its release"),
            Column::new("size", "Size", Bytes, "Size of this allocation"),
        ],
        rows,
        notes: vec![
            "Each release is matched with the most recent open allocation in this table of the same address, \
             process, place and type. VisualDL reads times in whole µs and may name a neighboring event."
                .into(),
        ],
        ..Table::default()
    })
}

/// Pairs of an event's name and a memory event that counts for the event, in VisualDL's order. For an
/// operator also those directly in its children count.
fn held(context: &Context<'_>) -> Vec<(StrId, u32)> {
    let forest = &context.forest;
    let mut own: FxHashMap<NodeId, Vec<u32>> = FxHashMap::default();
    for id in (0..saturate::<NodeId>(forest.nodes.len())).filter(|&id| !forest.memory(id).is_empty()) {
        if let Some(holder) = holder(context, id) {
            own.entry(holder).or_default().extend(forest.memory(id));
        }
    }
    let mut holders: Vec<NodeId> = own.keys().copied().collect();
    holders.sort_unstable();
    let mut inside: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    for id in holders {
        inside.entry(context.step_phases.parent[id as usize]).or_default().push(id);
    }
    let mut held = Vec::new();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category == Category::OperatorInner || !is_known(category) {
            continue;
        }
        let children = inside.get(&id).filter(|_| category == Category::Operator);
        let name = forest.trace.slices.name[node.slice];
        let nodes = children.into_iter().flatten().chain([&id]);
        let events = nodes.filter_map(|node| own.get(node)).flatten();
        held.extend(events.map(|&event| (name, event)));
    }
    held
}

/// Builds the table of allocations and the table of sums by place and event, each only if it has rows.
pub(super) fn tables(context: &Context<'_>) -> Vec<Table> {
    let sums = sums(context.forest.trace, held(context));
    allocations(context).into_iter().chain(sums).collect()
}
