//! Memory by place: what was allocated and given back, the peaks, and the operators that did it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::model::{Category, MemoryEvent, SliceId, Trace};

use super::allocation::OUTSIDE;
use super::scope::Scope;
use super::table::{Column, ColumnKind, Table, TableRow, Value};

#[derive(Clone, Copy, Default)]
struct Sums {
    allocations: u64,
    releases: u64,
    allocated: i64,
    released: i64,
    largest: i64,
    peak: Option<i64>,
    reserved: Option<i64>,
}

impl Sums {
    fn add(&mut self, event: &MemoryEvent) {
        if event.bytes >= 0 {
            self.allocations += 1;
            self.allocated = self.allocated.saturating_add(event.bytes);
            self.largest = self.largest.max(event.bytes);
        } else {
            self.releases += 1;
            self.released = self.released.saturating_sub(event.bytes);
        }
        self.peak = self.peak.max(event.allocated.get());
        self.reserved = self.reserved.max(event.reserved.get());
    }

    fn cells(&self, name: Value) -> Vec<Value> {
        let bytes = |n: Option<i64>| n.map_or(Value::Empty, Value::Bytes);
        vec![
            name,
            bytes(self.peak),
            Value::Bytes(self.allocated),
            Value::Count(self.allocations),
            Value::Bytes(self.allocated.saturating_sub(self.released)),
            Value::Bytes(self.largest),
            Value::Bytes(self.released),
            Value::Count(self.releases),
            bytes(self.reserved),
        ]
    }
}

/// A row a place, below it the operators whose time on their own thread holds the events.
pub fn memory(trace: &Trace, scope: &Scope) -> Table {
    let mut places: BTreeMap<StrId, (Sums, FxHashMap<Option<StrId>, Sums>)> = BTreeMap::new();
    let is_inside = |event: &&MemoryEvent| scope.has_time(event.ts) && scope.has_lane(event.lane);
    for event in trace.memory.iter().filter(is_inside) {
        let (sums, owners) = places.entry(event.place).or_default();
        sums.add(event);
        owners.entry(owner(trace, event).map(|id| trace.slices.name[id as usize])).or_default().add(event);
    }
    let row = |(place, (sums, owners)): (StrId, (Sums, FxHashMap<Option<StrId>, Sums>))| {
        let mut owners: Vec<(Option<StrId>, Sums)> = owners.into_iter().collect();
        let name = |name: Option<StrId>| name.map_or(b"".as_slice(), |name| trace.strings.bytes(name));
        owners.sort_by(|(a, one), (b, other)| {
            other.allocated.cmp(&one.allocated).then_with(|| name(*a).cmp(name(*b)))
        });
        let child = |(owner, sums): (Option<StrId>, Sums)| {
            let title = owner.map_or(Value::text(OUTSIDE), |name| {
                Value::Text(trace.string_or(name, "(unnamed)").into_owned())
            });
            TableRow::new(sums.cells(title))
        };
        TableRow {
            cells: sums.cells(Value::Text(trace.string_or(place, "(no place)").into_owned())),
            children: owners.into_iter().map(child).collect(),
            longest: None,
        }
    };
    let rows: Vec<TableRow> = places.into_iter().map(row).collect();
    let note = if rows.is_empty() {
        NOTHING
    } else {
        "An event belongs to the innermost operator around it on its own thread, once; \"in use\" totals are those that the producer wrote beside its events."
    };
    Table { view: "memory", title: "Memory by place", columns: columns(), rows, notes: vec![note.into()] }
}

/// Why there is nothing to tell.
pub(super) const NOTHING: &str =
    "The trace has no memory events; the profiler records them when asked to (profile_memory).";

/// The innermost operator of the event's thread around it.
pub(super) fn owner(trace: &Trace, event: &MemoryEvent) -> Option<SliceId> {
    let lane = &trace.lanes[event.lane as usize];
    let at = |row: u32| {
        let ids = trace.rows[row as usize].slices();
        let starts = &trace.slices.start[ids.start as usize..ids.end as usize];
        let id = (ids.start + starts.partition_point(|&start| start <= event.ts) as u32).checked_sub(1)?;
        (id >= ids.start && event.ts <= trace.slices.end(id)).then_some(id)
    };
    let is_operator =
        |&id: &SliceId| matches!(trace.slices.category(id), Category::Operator | Category::PythonOp);
    lane.rows.clone().rev().filter_map(at).find(is_operator)
}

fn columns() -> Vec<Column> {
    use ColumnKind::{Bytes, Count, Text};
    vec![
        Column::new("place", "Place", Text, "Where; below it the operators"),
        Column::new(
            "peak",
            "Peak in use",
            Bytes,
            "Most bytes in use at one of these events, as the producer wrote beside them",
        ),
        Column::new("allocated", "Allocated", Bytes, "Bytes taken in all"),
        Column::new("allocations", "Times", Count, "How often memory was taken"),
        Column::new("increase", "Increase", Bytes, "Taken less given back"),
        Column::new("largest", "Largest", Bytes, "The largest single allocation"),
        Column::extra("released", "Released", Bytes, "Bytes given back in all"),
        Column::extra("releases", "Releases", Count, "How often it was given back"),
        Column::extra(
            "reserved",
            "Peak reserved",
            Bytes,
            "Most bytes that the allocator held at one of these events",
        ),
    ]
}
