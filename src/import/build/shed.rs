//! Keeping what is staged within a bound: when it is reached, the latest quarter goes, and nothing as late is let in again.
//!
//! So what stays is the earliest stretch of time, whole on every lane, whatever the order of the file. Must not know where
//! the bound comes from.

use crate::base::time::Ns;
use crate::import::budget::BASE;

use super::gate::Gate;
use super::stage::Stage;

/// Bytes at the peak of loading for each slice: staged, placed, sorted.
const SLICE: u64 = 90;
/// The same for each of the others.
const MEMORY: u64 = 180;
const BEGIN_END: u64 = 150;
const POINT: u64 = 80;
const BRANCH: u64 = 60;
/// And for each byte of a name: held by the clerk that met it, by the stage, by its table.
const NAME_BYTE: u64 = 4;
/// A bound below this many bytes would show nothing.
const LEAST: u64 = 4 << 20;
/// Times looked at to find where to cut.
const SAMPLE: usize = 50_000;

/// What is let in, and how much of it.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Bound {
    pub gate: Gate,
    /// Most bytes that loading may take.
    pub limit: Option<u64>,
    /// Events that were not let in, or put out again.
    pub outside: u64,
    /// The first instant that did not fit; [`Ns::MIN`] when nothing more did.
    pub until: Option<Ns>,
}

impl Stage {
    /// About how many bytes loading takes at its peak for what is staged now.
    pub(in crate::import) fn footprint(&self) -> u64 {
        let n = |len: usize| len as u64;
        self.slices * SLICE
            + n(self.memory.len()) * MEMORY
            + n(self.begin_ends.len() + self.async_points.len()) * BEGIN_END
            + n(self.instants.len() + self.samples.len() + self.flows.len()) * POINT
            + n(self.branches.len() + self.trees.len()) * BRANCH
            + n(self.strings.size() + self.ids.size()) * NAME_BYTE
    }

    /// True when a part of the trace was asked for, or is all that fits.
    pub(super) fn is_part(&self) -> bool {
        self.bound.until.is_some() || self.bound.gate.from() != Ns::MIN || self.bound.gate.last() != Ns::MAX
    }

    /// Puts out what is too late, if what is staged has come to the limit.
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
            self.bound.gate.narrow(until);
            self.put_out();
        }
        // All at one time, or names alone: nothing more fits.
        if self.footprint() > limit / 10 * 9 {
            self.bound.until = self.bound.until.or(Some(Ns::MIN));
            self.bound.gate.narrow(Ns::MIN);
        }
    }

    fn sample_times(&self) -> Vec<Ns> {
        let zero = self.zero();
        let slices = self.tracks.iter().flat_map(|pile| &pile.slices).map(|slice| slice.ts(zero));
        let points = self.begin_ends.iter().map(|p| p.ts).chain(self.async_points.iter().map(|p| p.ts));
        let marks = self.instants.iter().map(|i| i.ts).chain(self.memory.iter().map(|m| m.ts));
        let others = self.samples.iter().map(|s| s.ts).chain(self.flows.iter().map(|f| f.ts));
        let all =
            self.slices as usize + self.begin_ends.len() + self.async_points.len() + self.instants.len();
        let all = all + self.memory.len() + self.samples.len() + self.flows.len();
        slices.chain(points).chain(marks).chain(others).step_by(all / SAMPLE + 1).collect()
    }

    /// Puts out everything from the gate's end on: also what came through before it was narrowed.
    pub(super) fn put_out(&mut self) {
        let Some(until) = self.bound.until.filter(|&until| until != Ns::MIN) else { return };
        let zero = self.zero();
        let mut gone = 0;
        let mut count = |before: usize, after: usize| gone += (before - after) as u64;
        for pile in &mut self.tracks {
            let before = pile.slices.len();
            pile.slices.retain(|slice| slice.ts(zero) < until);
            count(before, pile.slices.len());
            self.slices -= (before - pile.slices.len()) as u64;
        }
        macro_rules! put_out {
            ($($field:ident),+) => {$(
                let before = self.$field.len();
                self.$field.retain(|record| record.ts < until);
                count(before, self.$field.len());
            )+};
        }
        put_out!(begin_ends, async_points, instants, memory, samples, flows);
        self.bound.outside += gone;
    }

    /// The start of Paddle's trace as far as it is known; other slices do not count from it.
    fn zero(&self) -> Ns {
        self.clock.map_or(0, super::batch::ClockBounds::zero)
    }
}
