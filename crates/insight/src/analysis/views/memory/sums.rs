//! Sums over memory events, by place and operator.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::analysis::Value;
use crate::analysis::part::memory_owner::Owner;
use proftui_base::intern::StrId;
use proftui_trace::model::MemoryEvent;

/// The sums over the memory events of a place, or of one operator name at a place.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    pub allocations: u64,
    pub releases: u64,
    /// Bytes of all allocations by the program, added up.
    pub allocated: i64,
    /// Bytes of all releases by the program, added up, as a positive number.
    pub released: i64,
    /// Bytes of the largest single allocation by the program; 0 without one.
    pub largest: i64,
    /// Most bytes that a process had in use at the place, for an operator during its calls; `None` if not
    /// recorded.
    pub peak: Option<i64>,
    /// Largest rise of the bytes in use during one call of the operator; `None` if unknown
    /// or not of an operator.
    pub rise: Option<i64>,
    /// Most bytes that the allocator had reserved at once, as recorded with these events; `None` if not
    /// recorded.
    pub reserved: Option<i64>,
}

impl Sums {
    /// Adds one memory event. An event about memory that the allocator reserves or gives back changes only
    /// `peak` and `reserved`.
    pub(super) fn add(&mut self, event: &MemoryEvent) {
        self.peak = self.peak.max(event.allocated.get());
        self.reserved = self.reserved.max(event.reserved.get());
        if event.kind.is_reserved() {
            // Reserved memory counts once the program allocates it.
            return;
        }
        if event.kind.takes() {
            self.allocations += 1;
            self.allocated = self.allocated.saturating_add(event.bytes);
            self.largest = self.largest.max(event.bytes);
        } else {
            self.releases += 1;
            self.released = self.released.saturating_sub(event.bytes);
        }
    }

    /// The cells of the row of these sums, one per column of the table of memory; the first is `name`.
    pub(super) fn cells(&self, name: Value) -> Vec<Value> {
        let bytes = |n: Option<i64>| n.map_or(Value::Empty, Value::Bytes);
        vec![
            name,
            bytes(self.peak),
            bytes(self.rise),
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

/// The sums of the memory events of each operator name; the key `None` is for events outside of all
/// operators.
pub(super) type Owners = FxHashMap<Option<Owner>, Sums>;
/// For each place, such as `Place(gpu:0)`: the sums of all its memory events, and the sums by operator name.
pub(super) type Places = BTreeMap<StrId, (Sums, Owners)>;
