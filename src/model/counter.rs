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
    /// Smallest and largest value; set by [`Counter::seal`].
    range: Option<(f64, f64)>,
    /// Largest value of each block of samples; set by [`Counter::seal`].
    peaks: Vec<f64>,
}

/// Samples a block.
const BLOCK: usize = 64;

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
    /// A counter without samples.
    pub fn new(name: StrId, series: StrId, unit: CounterUnit) -> Self {
        Self { name, series, unit, ..Self::default() }
    }

    /// The value that holds at `t`.
    pub fn at(&self, t: Ns) -> Option<f64> {
        let after = self.ts.partition_point(|&ts| ts <= t);
        after.checked_sub(1).map(|i| self.value[i])
    }

    /// Works out what drawing asks for; to be called when all samples are there.
    pub fn seal(&mut self) {
        let larger = |all: f64, &value: &f64| all.max(value);
        self.peaks = self.value.chunks(BLOCK).map(|block| block.iter().fold(f64::MIN, larger)).collect();
        self.range = self.value.first().map(|&first| {
            self.value.iter().fold((first, first), |(lo, hi), &value| (lo.min(value), hi.max(value)))
        });
    }

    /// Smallest and largest value.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// Largest of samples `from..to`, in time that grows with the number of blocks between them.
    pub fn peak(&self, from: usize, to: usize) -> Option<f64> {
        let (from, to) = (from.min(self.value.len()), to.min(self.value.len()));
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        let values = if first < last {
            let ends = self.value[from..first * BLOCK].iter().chain(&self.value[last * BLOCK..to]);
            ends.chain(&self.peaks[first..last])
        } else {
            self.value.get(from..to).unwrap_or(&[]).iter().chain(&[]).chain(&[])
        };
        values.copied().reduce(f64::max)
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

/// A number of bytes that may not be known, without the room that an [`Option`] takes: there can be millions of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaybeBytes(i64);

impl From<Option<i64>> for MaybeBytes {
    fn from(bytes: Option<i64>) -> Self {
        Self(bytes.unwrap_or(i64::MIN))
    }
}

impl MaybeBytes {
    /// The number.
    pub fn get(self) -> Option<i64> {
        (self.0 != i64::MIN).then_some(self.0)
    }
}

/// What a memory event does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// Memory is given to the program.
    #[default]
    Allocate,
    /// The program gives memory back.
    Free,
    /// The allocator takes memory from the system.
    ReservedAllocate,
    /// The allocator gives memory back to the system.
    ReservedFree,
}

impl MemoryKind {
    /// True for memory that the allocator keeps, whether or not the program has it.
    pub fn is_reserved(self) -> bool {
        matches!(self, Self::ReservedAllocate | Self::ReservedFree)
    }

    /// True where memory is taken.
    pub fn takes(self) -> bool {
        matches!(self, Self::Allocate | Self::ReservedAllocate)
    }
}

/// An allocation (positive bytes) or a release (negative).
#[derive(Clone, Copy, Debug)]
pub struct MemoryEvent {
    /// When, ns.
    pub ts: Ns,
    /// The thread's lane.
    pub lane: LaneId,
    /// What it does.
    pub kind: MemoryKind,
    /// Bytes allocated; negative for a release.
    pub bytes: i64,
    /// Address.
    pub address: u64,
    /// The place, as the producer names it (`Place(gpu:0)`, `CPU`, `CUDA 0`).
    pub place: StrId,
    /// Bytes allocated in all after this event, where known.
    pub allocated: MaybeBytes,
    /// Bytes reserved in all after this event, where known.
    pub reserved: MaybeBytes,
    /// Most bytes allocated at once up to this event, where known.
    pub peak_allocated: MaybeBytes,
    /// Most bytes reserved at once up to this event, where known.
    pub peak_reserved: MaybeBytes,
    /// Where the event stands in its file.
    pub origin: Origin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next_sample() {
        let mut counter = Counter { ts: vec![10, 20], value: vec![1.0, 5.0], ..Counter::default() };
        counter.seal();
        assert_eq!(counter.at(9), None);
        assert_eq!(counter.at(10), Some(1.0));
        assert_eq!(counter.at(19), Some(1.0));
        assert_eq!(counter.at(99), Some(5.0));
        assert_eq!(counter.range(), Some((1.0, 5.0)));
    }

    #[test]
    fn peaks_are_exact() {
        let value: Vec<f64> = (0..1000).map(|i| f64::from(i * 7919 % 1000)).collect();
        let mut counter = Counter { ts: (0..1000).collect(), value, ..Counter::default() };
        counter.seal();
        for (from, to) in [(0, 1000), (5, 6), (60, 70), (63, 64), (64, 128), (1, 999), (7, 7), (990, 5000)] {
            let want = counter.value[from..to.min(1000)].iter().copied().reduce(f64::max);
            assert_eq!(counter.peak(from, to), want, "{from}..{to}");
        }
    }
}
