//! Allocations and releases by place and event, as in the old profiler's memory report.
//!
//! A memory event belongs to the innermost event around it on its thread. Must not know columns.

use std::collections::BTreeMap;

use super::events::event;
use crate::analysis::Scope;
use crate::analysis::memory_owner::enclosing;
use crate::model::{MemoryEvent, Trace};

/// One line of the memory report.
#[allow(missing_docs, reason = "the other names say all")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRow {
    /// The place and the name of the event around: `Place(cpu):conv2d`; `Place(cpu):` for memory events outside of all
    /// events.
    pub name: String,
    pub allocations: u64,
    /// Bytes allocated.
    pub allocated: i64,
    pub releases: u64,
    /// Bytes released.
    pub released: i64,
}

/// Builds the lines, sorted by place, then by bytes allocated, largest first. (The old profiler lists a place's events in no
/// order.)
pub fn rows(trace: &Trace, scope: &Scope) -> Vec<MemoryRow> {
    let mut places: BTreeMap<String, BTreeMap<String, MemoryRow>> = BTreeMap::new();
    let is_inside = |memory: &&MemoryEvent| {
        !memory.kind.is_reserved() && scope.has_time(memory.ts) && scope.has_lane(memory.lane)
    };
    for memory in trace.memory.iter().filter(is_inside) {
        let owner = enclosing(trace, memory).find_map(|id| event(trace, id));
        let place = trace.string_or(memory.place, "(no place)").to_string();
        let owner = owner.map_or_else(String::new, |name| name.text(trace));
        let name = format!("{place}:{owner}");
        let row = places.entry(place).or_default().entry(owner).or_default();
        row.name = name;
        if memory.kind.takes() {
            row.allocations += 1;
            row.allocated = row.allocated.saturating_add(memory.bytes.saturating_abs());
        } else {
            row.releases += 1;
            row.released = row.released.saturating_add(memory.bytes.saturating_abs());
        }
    }
    let of_place = |rows: BTreeMap<String, MemoryRow>| {
        let mut rows: Vec<MemoryRow> = rows.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.allocated));
        rows
    };
    places.into_values().flat_map(of_place).collect()
}
