//! Events that have a time but no duration: samples of counters, instants, memory events.
//!
//! Must not know where they are shown.

use proftui_base::intern::StrId;
use proftui_base::sparse::{self, Hint, Sparse};
use proftui_base::time::Ns;

use super::{LaneId, Origin, StackId};

/// A counter: one series of values over time. A value holds until the next sample.
#[derive(Debug, Default)]
pub struct Counter {
    /// The counter's name (its number in `Trace::strings`).
    pub name: StrId,
    /// The name of the series within the counter, such as `allocated` (its number in `Trace::strings`).
    pub series: StrId,
    /// The unit of the values.
    pub unit: CounterUnit,
    /// The times of the samples, ns, ascending.
    pub ts: Vec<Ns>,
    /// The values of the samples, in the order of `ts`.
    pub value: Vec<f64>,
    /// The smallest and the largest value; `None` without samples, and until [`Counter::seal`] sets it.
    range: Option<(f64, f64)>,
    /// Largest value of each block of [`BLOCK`] samples; set by [`Counter::seal`].
    peaks: Vec<f64>,
    /// Every 64th time of `ts`; set by [`Counter::seal`].
    sparse: Sparse,
}

/// Number of consecutive samples in a block.
const BLOCK: usize = sparse::BLOCK;

/// The unit of a counter's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say all")]
pub enum CounterUnit {
    /// The unit is not known: plain numbers.
    #[default]
    Number,
    Bytes,
}

impl Counter {
    /// Makes a counter without samples.
    pub fn new(name: StrId, series: StrId, unit: CounterUnit) -> Self {
        Self { name, series, unit, ..Self::default() }
    }

    /// The value that holds at `t` (ns); `None` before the first sample.
    pub fn at(&self, t: Ns) -> Option<f64> {
        let after = self.ts.partition_point(|&ts| ts <= t);
        after.checked_sub(1).map(|i| self.value[i])
    }

    /// How many samples have a time less than `t`, ns. To be called after [`Counter::seal`].
    pub fn before(&self, t: Ns) -> usize {
        self.sparse.before(&self.ts, t, &mut Hint::default())
    }

    /// Like [`Counter::before`], but usually faster, for a time at most `within` ns from `t`. The caller
    /// keeps `hint`, at first the default, from one search to the next.
    pub fn near(&self, t: Ns, within: Ns, hint: &mut Hint) -> usize {
        let near = self.sparse.block_near(t, within, hint).map(|block| block * BLOCK);
        near.unwrap_or_else(|| self.sparse.before(&self.ts, t, hint))
    }

    /// Prepares the counter for queries such as [`Counter::before`]. To be called after the last sample was
    /// added.
    pub fn seal(&mut self) {
        let larger = |all: f64, &value: &f64| all.max(value);
        self.peaks = self.value.chunks(BLOCK).map(|block| block.iter().fold(f64::MIN, larger)).collect();
        self.sparse = Sparse::of(&self.ts);
        self.range = self.value.first().map(|&first| {
            self.value.iter().fold((first, first), |(lo, hi), &value| (lo.min(value), hi.max(value)))
        });
    }

    /// The smallest and the largest value of all samples; `None` without samples, and before
    /// [`Counter::seal`].
    pub fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// The largest value of samples `from..to` (indices); `None` if there are no such samples. To be called
    /// after [`Counter::seal`].
    pub fn peak(&self, from: usize, to: usize) -> Option<f64> {
        let (from, to) = (from.min(self.value.len()), to.min(self.value.len()));
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        let parts = if first < last {
            [&self.value[from..first * BLOCK], &self.peaks[first..last], &self.value[last * BLOCK..to]]
        } else {
            [self.value.get(from..to).unwrap_or(&[]), &[], &[]]
        };
        // No value is NaN, and `f64::max` is slower since it allows for that.
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        parts.into_iter().filter_map(|part| part.iter().copied().reduce(larger)).reduce(larger)
    }
}

/// An instant: an event without a length, shown as a mark on its lane.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    /// The time of the instant, ns.
    pub ts: Ns,
    /// The number of the lane that the instant is on.
    pub lane: LaneId,
    /// The instant's name (its number in `Trace::strings`).
    pub name: StrId,
    /// Where the event is in the files.
    pub origin: Origin,
}

/// A number of bytes that may be unknown, in 8 bytes where `Option<i64>` takes 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaybeBytes(i64);

impl From<Option<i64>> for MaybeBytes {
    fn from(bytes: Option<i64>) -> Self {
        Self(bytes.unwrap_or(i64::MIN))
    }
}

impl MaybeBytes {
    /// The number of bytes; `None` if it is unknown.
    pub fn get(self) -> Option<i64> {
        (self.0 != i64::MIN).then_some(self.0)
    }
}

/// What a memory event does, and between whom: program and allocator, or allocator and system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// The allocator gives memory to the program.
    #[default]
    Allocate,
    /// The program gives memory back to the allocator.
    Free,
    /// The allocator takes memory from the system.
    ReservedAllocate,
    /// The allocator gives memory back to the system.
    ReservedFree,
}

impl MemoryKind {
    /// True where memory passes between the allocator and the system, false between the program and the
    /// allocator.
    pub fn is_reserved(self) -> bool {
        matches!(self, Self::ReservedAllocate | Self::ReservedFree)
    }

    /// True for an allocation, false for a release.
    pub fn takes(self) -> bool {
        matches!(self, Self::Allocate | Self::ReservedAllocate)
    }
}

/// A memory event: an allocation or a release of memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryEvent {
    /// The time of the allocation or release, ns.
    pub ts: Ns,
    /// The lane of the thread that allocated or released the memory.
    pub lane: LaneId,
    /// Whether memory was allocated or released, and whether by the program or by the allocator.
    pub kind: MemoryKind,
    /// Number of bytes as the file states it, usually negative for a release; 0 where unknown.
    pub bytes: i64,
    /// The address of the memory; 0 where unknown.
    pub address: u64,
    /// The memory's place (its number in `Trace::strings`), such as `Place(gpu:0)`, `device 0` or `CPU`.
    pub place: StrId,
    /// Bytes that the program has from the allocator at the place after this event, where stated.
    pub allocated: MaybeBytes,
    /// Bytes that the allocator has from the system at the place after this event, where stated.
    pub reserved: MaybeBytes,
    /// The largest value of `allocated` at the place up to this event, bytes, where stated.
    pub peak_allocated: MaybeBytes,
    /// The largest value of `reserved` at the place up to this event, bytes, where stated.
    pub peak_reserved: MaybeBytes,
    /// Where the event is in the files.
    pub origin: Origin,
    /// The call stack that the file states for the event, in `Trace::stacks`.
    pub stack: StackId,
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
        assert_eq!([10, 11, 20, 21].map(|t| counter.before(t)), [0, 1, 1, 2]);
        assert_eq!([10, 11, 20, 21].map(|t| counter.near(t, 1, &mut Hint::default())), [0, 0, 1, 2]);
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
