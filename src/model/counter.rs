//! What has a time but no duration: counters, instants, memory events.

use crate::base::intern::StrId;
use crate::base::time::Ns;

use super::{LaneId, Origin};

/// One series of values over time; a value holds until the next sample.
#[derive(Debug, Default)]
pub struct Counter {
    /// The counter's name.
    pub name: StrId,
    /// The series' name within the counter, or empty.
    pub series: StrId,
    /// What the values are.
    pub unit: CounterUnit,
    /// Sample times, ns, ascending.
    pub ts: Vec<Ns>,
    /// Sample values.
    pub value: Vec<f64>,
}

/// What a counter's values are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CounterUnit {
    /// Not known.
    #[default]
    Number,
    /// Bytes.
    Bytes,
}

impl Counter {
    /// The value that holds at `t`.
    pub fn at(&self, t: Ns) -> Option<f64> {
        let after = self.ts.partition_point(|&ts| ts <= t);
        after.checked_sub(1).map(|i| self.value[i])
    }

    /// Smallest and largest value.
    pub fn range(&self) -> Option<(f64, f64)> {
        let first = *self.value.first()?;
        Some(self.value.iter().fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v))))
    }
}

/// A mark in time on a lane.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    /// When, ns.
    pub ts: Ns,
    /// The lane.
    pub lane: LaneId,
    /// Its name.
    pub name: StrId,
    /// Where the event stands in its file.
    pub origin: Origin,
}

/// An allocation (positive bytes) or a release (negative).
#[derive(Clone, Copy, Debug)]
pub struct MemoryEvent {
    /// When, ns.
    pub ts: Ns,
    /// The thread's lane.
    pub lane: LaneId,
    /// Bytes allocated; negative for a release.
    pub bytes: i64,
    /// Address.
    pub address: u64,
    /// The place, as the producer names it (`Place(gpu:0)`, `CPU`, `CUDA 0`).
    pub place: StrId,
    /// Bytes allocated in all after this event, where known.
    pub allocated: Option<i64>,
    /// Bytes reserved in all after this event, where known.
    pub reserved: Option<i64>,
    /// Where the event stands in its file.
    pub origin: Origin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next_sample() {
        let counter = Counter { ts: vec![10, 20], value: vec![1.0, 5.0], ..Counter::default() };
        assert_eq!(counter.at(9), None);
        assert_eq!(counter.at(10), Some(1.0));
        assert_eq!(counter.at(19), Some(1.0));
        assert_eq!(counter.at(99), Some(5.0));
        assert_eq!(counter.range(), Some((1.0, 5.0)));
    }
}
