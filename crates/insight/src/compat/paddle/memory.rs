//! Paddle's memory view: allocations and releases by place and by the event that made them.

#[cfg(test)]
mod tests;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::compat::bounds::Names;
use proftui_base::intern::StrId;
use proftui_trace::model::{Category, Trace};

use super::context::Context;
use super::tally::Tally;

/// The allocations and releases of one event name.
#[derive(Default)]
struct Item {
    allocations: u64,
    frees: u64,
    /// Bytes allocated.
    allocated: i64,
    /// Bytes freed.
    freed: i64,
}

impl Item {
    /// Bytes allocated minus bytes freed.
    fn increase(&self) -> i64 {
        self.allocated.saturating_sub(self.freed)
    }
}

/// The allocations and releases by the program, by place (such as `Place(gpu:0)`) and event name. Paddle
/// prints the places in the order of their first event of this kind.
type Allocated = Tally<StrId, Tally<StrId, Item>>;

/// What else is known of one place.
#[derive(Default)]
struct Rest {
    /// Allocations and releases by the allocator (reserved memory), by event name.
    reserved: Tally<StrId, Item>,
    /// Most bytes that the program had allocated at once.
    peak_allocated: i64,
    /// Most bytes that the allocator had reserved at once.
    peak_reserved: i64,
}

/// Builds the table: a row per place, with child rows per event name: first for memory of the program, then
/// for memory that the allocator reserved. Memory events of an operator's child nodes count for the operator
/// and, except those of inner phases, once more for the child; those of the children come first. All of it is
/// Paddle's rule, and decides the order of places and of equal rows. None if the program neither got memory
/// from the allocator nor gave any back.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    let forest = &context.forest;
    let mut held = Vec::new();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category == Category::OperatorInner {
            continue;
        }
        let name = forest.trace.slices.name[node.slice];
        let inside = if category == Category::Operator { forest.children(id) } else { &[] };
        let events = inside.iter().chain([&id]).flat_map(|&holder| forest.memory(holder));
        held.extend(events.map(|&event| (name, event)));
    }
    sums(forest.trace, held)
}

/// Builds the table from pairs of an event name and a memory event (its index) that counts for this name.
/// None if the program neither got memory from the allocator nor gave any back.
pub(in crate::compat) fn sums(trace: &Trace, held: impl IntoIterator<Item = (StrId, u32)>) -> Option<Table> {
    let mut allocated = Allocated::default();
    let mut rests: Tally<StrId, Rest> = Tally::default();
    for (name, event) in held {
        let event = &trace.memory[event as usize];
        let place = rests.of(event.place);
        let peak = |peak: Option<i64>, now: Option<i64>| peak.or(now).unwrap_or_default();
        place.peak_allocated =
            place.peak_allocated.max(peak(event.peak_allocated.get(), event.allocated.get()));
        place.peak_reserved = place.peak_reserved.max(peak(event.peak_reserved.get(), event.reserved.get()));
        let items = if event.kind.is_reserved() { &mut place.reserved } else { allocated.of(event.place) };
        let item = items.of(name);
        if event.kind.takes() {
            item.allocations += 1;
            item.allocated = item.allocated.saturating_add(event.bytes);
        } else {
            item.frees += 1;
            item.freed = item.freed.saturating_sub(event.bytes);
        }
    }
    if allocated.is_empty() {
        return None;
    }
    let mut names = Names::new(trace);
    let row = |(name, allocated): (StrId, Tally<StrId, Item>)| {
        let place = std::mem::take(rests.of(name));
        let mut cells = vec![Value::Text(trace.string_or(name, "(no place)").into_owned())];
        cells.extend([Value::Empty, Value::Empty, Value::Empty, Value::Empty, Value::Empty, Value::Empty]);
        cells.extend([Value::Bytes(place.peak_allocated), Value::Bytes(place.peak_reserved)]);
        let mut row = TableRow::new(cells);
        for (kind, items) in [("Allocated", allocated), ("Reserved", place.reserved)] {
            let mut items = items.into_items();
            items.sort_by_key(|(_, item)| std::cmp::Reverse(item.increase()));
            row.children.extend(items.into_iter().map(|(name, item)| {
                TableRow::new(vec![
                    names.cell(name, "(unnamed)"),
                    Value::text(kind),
                    Value::Count(item.allocations),
                    Value::Count(item.frees),
                    Value::Bytes(item.allocated),
                    Value::Bytes(item.freed),
                    Value::Bytes(item.increase()),
                    Value::Empty,
                    Value::Empty,
                ])
            }));
        }
        row
    };
    Some(Table {
        view: "memory",
        title: "Memory Summary",
        columns: columns(),
        rows: allocated.into_items().into_iter().map(row).collect(),
        notes: Vec::new(),
        ..Table::default()
    })
}

fn columns() -> Vec<Column> {
    use ColumnKind::{Bytes, Count, Text};
    vec![
        Column::new(
            "name",
            "Name",
            Text,
            "Place (device) of the memory; the rows below are the events that allocated or freed memory",
        ),
        Column::new(
            "type",
            "Type",
            Text,
            "Allocated: memory that the program got from the allocator; Reserved: memory that the \
             allocator got from the system",
        ),
        Column::new("allocations", "Allocation Count", Count, "Number of allocations"),
        Column::new("frees", "Free Count", Count, "Number of releases"),
        Column::new("allocated", "Allocation Size", Bytes, "Allocated bytes"),
        Column::new("freed", "Free Size", Bytes, "Freed bytes"),
        Column::new("increased", "Increased Size", Bytes, "Allocated bytes minus freed bytes"),
        Column::new("peak_allocated", "Peak Allocated Memory", Bytes, "Most bytes allocated at once"),
        Column::new("peak_reserved", "Peak Reserved Memory", Bytes, "Most bytes reserved at once"),
    ]
}
