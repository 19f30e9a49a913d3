//! Keeps the builder within the memory limit. When the limit is exceeded, drops the latest quarter of the events and refuses later
//! events as late as those.
//!
//! So the earliest time range is kept, complete on every lane, whatever the order of the file. Must not know where the limit comes
//! from.

use crate::base::time::Ns;
use crate::import::budget::BASE;

use super::builder::TraceBuilder;

/// Bytes that each slice takes at the peak of loading: in the builder, in the columns, while sorting.
const SLICE: u64 = 90;
/// Bytes that each allocation takes at the peak of loading.
const ALLOCATION: u64 = 180;
/// Bytes that each begin or end event, of a thread or asynchronous, takes at the peak of loading.
const BEGIN_END: u64 = 150;
/// Bytes that each instant, counter sample and end of a flow takes at the peak of loading.
const POINT: u64 = 80;
/// Bytes that the byte count of each copy or memset takes at the peak of loading.
const COPIED: u64 = 40;
/// Bytes that each tree and each event in it takes at the peak of loading.
const BRANCH: u64 = 60;
/// Bytes that each byte of a string takes at the peak of loading: the event builder that read it, the trace
/// builder and a hash table hold it.
const NAME_BYTE: u64 = 4;
/// The smallest limit for the memory of events, bytes: with less, too few events would be left to show.
const LEAST: u64 = 4 << 20;
/// Approximate number of event times that are sampled to find the time from which events are dropped.
const SAMPLE: usize = 50_000;

impl TraceBuilder {
    /// An estimate of the bytes that loading takes at its peak for the events absorbed so far.
    pub(in crate::import) fn footprint(&self) -> u64 {
        let n = |len: usize| len as u64;
        self.slices * SLICE
            + n(self.allocations.len()) * ALLOCATION
            + n(self.begin_ends.len() + self.async_points.len()) * BEGIN_END
            + n(self.instants.len() + self.samples.len() + self.flows.len()) * POINT
            + n(self.copied.len()) * COPIED
            + n(self.branches.len() + self.trees.len()) * BRANCH
            + n(self.strings.size() + self.ids.size()) * NAME_BYTE
    }

    /// True when the trace may lack events: a time range was requested, or only the earliest events fit into memory.
    pub(super) fn is_partial(&self) -> bool {
        self.bound.until.is_some()
            || self.bound.range.first() != Ns::MIN
            || self.bound.range.last() != Ns::MAX
    }

    /// Drops the latest quarter of the events if the estimate of memory exceeds the limit, and ends the loaded time
    /// range before them.
    pub(super) fn shed(&mut self) {
        let Some(limit) = self.bound.limit.map(|limit| limit.saturating_sub(BASE).max(LEAST)) else { return };
        if self.footprint() <= limit {
            return;
        }
        let mut times = self.sample_times();
        let at = times.len() / 4 * 3;
        let earliest = times.iter().min().copied().unwrap_or_default();
        let until = if times.is_empty() { earliest } else { *times.select_nth_unstable(at).1 };
        if until > earliest {
            self.bound.until = Some(until);
            self.bound.range.narrow(until);
            self.drop_late();
        }
        // Everything is at one time, or strings alone exceed the limit: no further event fits.
        if self.footprint() > limit / 10 * 9 {
            self.bound.until = self.bound.until.or(Some(Ns::MIN));
            self.bound.range.narrow(Ns::MIN);
        }
    }

    /// Times of a sample of all events, ns.
    fn sample_times(&self) -> Vec<Ns> {
        let zero = self.zero();
        let slices = self.lanes.iter().flat_map(|lane| &lane.slices).map(|slice| slice.ts(zero));
        let points = self.begin_ends.iter().map(|p| p.ts).chain(self.async_points.iter().map(|p| p.ts));
        let marks = self.instants.iter().map(|i| i.ts).chain(self.allocations.iter().map(|a| a.ts));
        let others = self.samples.iter().map(|s| s.ts).chain(self.flows.iter().map(|f| f.ts));
        let all =
            self.slices as usize + self.begin_ends.len() + self.async_points.len() + self.instants.len();
        let all = all + self.allocations.len() + self.samples.len() + self.flows.len();
        slices.chain(points).chain(marks).chain(others).step_by(all / SAMPLE + 1).collect()
    }

    /// Drops the events from `bound.until` on, which may have been admitted before the range was narrowed, and counts
    /// them as left out.
    pub(super) fn drop_late(&mut self) {
        let Some(until) = self.bound.until.filter(|&until| until != Ns::MIN) else { return };
        let zero = self.zero();
        let mut gone = 0;
        let mut count = |before: usize, after: usize| gone += (before - after) as u64;
        for lane in &mut self.lanes {
            let before = lane.slices.len();
            lane.slices.retain(|slice| slice.ts(zero) < until);
            count(before, lane.slices.len());
            self.slices -= (before - lane.slices.len()) as u64;
        }
        macro_rules! drop_late {
            ($($field:ident),+) => {$(
                let before = self.$field.len();
                self.$field.retain(|record| record.ts < until);
                count(before, self.$field.len());
            )+};
        }
        drop_late!(begin_ends, async_points, instants, allocations, samples, flows);
        self.bound.outside += gone;
        self.drop_copied();
    }

    /// The start of Paddle's trace by the bounds known so far, ns; 0 in files without relative slices.
    fn zero(&self) -> Ns {
        self.clock.map_or(0, super::clock::ClockBounds::zero)
    }
}
