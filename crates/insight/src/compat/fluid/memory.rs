//! Allocations and releases by place and event, as in the old profiler's memory report.
//!
//! A memory event belongs to the innermost event around it on its thread. Must not know columns.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::events::{EventName, names};
use crate::analysis::Scope;
use crate::compat::bounds::TEXT_WIDTH;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{LaneId, MemoryEvent, RowId, SliceId, Trace};

/// One line of the memory report of Paddle's old profiler.
#[allow(missing_docs, reason = "the other names say all")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRow {
    /// The place and the name of the innermost event around, such as `Place(cpu):conv2d`; outside of all
    /// events, only `Place(cpu):`.
    pub name: String,
    pub allocations: u64,
    /// Bytes allocated.
    pub allocated: i64,
    pub releases: u64,
    /// Bytes released.
    pub released: i64,
}

impl MemoryRow {
    /// Adds the counts and bytes of another row.
    fn add(&mut self, other: &Self) {
        self.allocations += other.allocations;
        self.allocated = self.allocated.saturating_add(other.allocated);
        self.releases += other.releases;
        self.released = self.released.saturating_add(other.released);
    }
}

/// Finds the innermost event of a lane around each of several times, asked for in ascending order.
struct Owners<'a> {
    trace: &'a Trace,
    /// The old profiler's names of the lane's slices, in their order; `None` for a slice that it does not
    /// record.
    names: Vec<Option<EventName>>,
    /// The lane's first slice.
    first: SliceId,
    /// The lane's slices that start after the time asked for last, in descending order of start.
    next: Vec<SliceId>,
    /// For each row of the lane, the event that may still run at the time asked for last.
    open: BTreeMap<RowId, SliceId>,
}

impl<'a> Owners<'a> {
    fn new(trace: &'a Trace, lane: LaneId) -> Self {
        let ids = trace.lanes[lane].slices;
        let first = ids.start;
        let mut next: Vec<SliceId> = ids.iter().collect();
        next.sort_unstable_by_key(|&id| std::cmp::Reverse((trace.slices.start[id], id)));
        Self { trace, names: names(trace, lane), first, next, open: BTreeMap::new() }
    }

    /// The name of the innermost event around the time `ts`, ns, among those that the old profiler records;
    /// `None` if there is none. `ts` must not be before the time that was asked for last.
    fn at(&mut self, ts: Ns) -> Option<EventName> {
        let slices = &self.trace.slices;
        while let Some(id) = self.next.pop_if(|id| slices.start[*id] <= ts) {
            let row = self.trace.row_of(id);
            match self.names[(id - self.first) as usize] {
                Some(_) => self.open.insert(row, id),
                None => self.open.remove(&row),
            };
        }
        while let Some(last) = self.open.last_entry() {
            if ts <= slices.end(*last.get()) {
                return self.names[(*last.get() - self.first) as usize];
            }
            last.remove();
        }
        None
    }
}

/// Builds the lines of the memory report from the program's allocations and releases in `scope`, sorted by
/// place, then by bytes allocated, largest first.
pub fn rows(trace: &Trace, scope: &Scope) -> Vec<MemoryRow> {
    let is_inside = |memory: &&MemoryEvent| {
        !memory.kind.is_reserved() && scope.has_time(memory.ts) && scope.has_lane(memory.lane)
    };
    let mut owners: FxHashMap<LaneId, Owners<'_>> = FxHashMap::default();
    let mut sums: FxHashMap<(StrId, Option<EventName>), MemoryRow> = FxHashMap::default();
    for memory in trace.memory.iter().filter(is_inside) {
        let of_lane = owners.entry(memory.lane).or_insert_with(|| Owners::new(trace, memory.lane));
        let row = sums.entry((memory.place, of_lane.at(memory.ts))).or_default();
        let bytes = memory.bytes.saturating_abs();
        row.add(&if memory.kind.takes() {
            MemoryRow { allocations: 1, allocated: bytes, ..MemoryRow::default() }
        } else {
            MemoryRow { releases: 1, released: bytes, ..MemoryRow::default() }
        });
    }
    let mut places: BTreeMap<String, BTreeMap<String, MemoryRow>> = BTreeMap::new();
    for ((place, owner), sum) in sums {
        let place = trace.string_or(place, "(no place)").elide_middle(TEXT_WIDTH).to_string();
        let owner = owner.map_or_else(String::new, |name| name.text(trace));
        let owner = SafeText::new(&owner).elide_middle(TEXT_WIDTH).to_string();
        let name = format!("{place}:{owner}");
        let row = places.entry(place).or_default().entry(owner).or_default();
        row.name = name;
        row.add(&sum);
    }
    let of_place = |rows: BTreeMap<String, MemoryRow>| {
        let mut rows: Vec<MemoryRow> = rows.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.allocated));
        rows
    };
    places.into_values().flat_map(of_place).collect()
}
