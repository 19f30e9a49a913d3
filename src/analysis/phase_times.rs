//! The steps of one worker as a timeline of phases: how much of a span each phase has, and the phase at a time.
//!
//! Must not know how phases are found, nor what the spans are.

use crate::base::time::{Ns, Span, sum};
use crate::model::Trace;

use super::phase::{PHASES, Phases};

/// The index, instead of a phase's in [`PHASES`], for the time of steps in no phase.
const OTHER: usize = PHASES.len();
/// The number of phases, and one more for [`OTHER`].
pub(super) const PHASES_AND_OTHER: usize = OTHER + 1;

/// The times of something by phase, in the order of [`PHASES`], and last the time of steps in no phase, ns.
pub(super) type Times = [Ns; PHASES_AND_OTHER];

/// A stretch of one phase.
#[derive(Clone, Copy)]
struct Stretch {
    span: Span,
    phase: usize,
    /// The time of each phase before the stretch.
    before: Times,
}

/// The phases of one worker's steps over time. An instant has at most one phase, also where steps of several threads overlap.
#[derive(Default)]
pub(super) struct PhaseTimes {
    /// The stretches in order of time; there are none outside of steps.
    stretches: Vec<Stretch>,
}

impl PhaseTimes {
    /// The timelines of all workers, by their index.
    pub(super) fn of_workers(trace: &Trace, phases: &Phases<'_>) -> Vec<Self> {
        let workers = trace.meta.workers.len().max(1) as u16;
        (0..workers).map(|worker| Self::of(phases.of_worker(worker))).collect()
    }

    /// Builds the timeline from the spans of each phase, those of [`OTHER`] last; all of them are disjoint.
    fn of(spans: [Vec<Span>; PHASES_AND_OTHER]) -> Self {
        let labelled = |(phase, spans): (usize, Vec<Span>)| spans.into_iter().map(move |span| (span, phase));
        let mut all: Vec<(Span, usize)> = spans.into_iter().enumerate().flat_map(labelled).collect();
        all.sort_unstable_by_key(|(span, _)| span.start);
        let mut before = Times::default();
        let stretch = |(span, phase): (Span, usize)| {
            let stretch = Stretch { span, phase, before };
            before[phase] = before[phase].saturating_add(span.len());
            stretch
        };
        Self { stretches: all.into_iter().map(stretch).collect() }
    }

    /// The last stretch that starts at or before `time`.
    fn last(&self, time: Ns) -> Option<&Stretch> {
        let at = self.stretches.partition_point(|stretch| stretch.span.start <= time);
        self.stretches[..at].last()
    }

    /// The phase at a time, as its index in [`Times`]; `None` outside of all steps.
    pub(super) fn at(&self, time: Ns) -> Option<usize> {
        self.last(time).filter(|stretch| time < stretch.span.end).map(|stretch| stretch.phase)
    }

    /// The time of each phase up to a time.
    fn until(&self, time: Ns) -> Times {
        let Some(stretch) = self.last(time) else { return Times::default() };
        let mut times = stretch.before;
        let here = Span { end: time.min(stretch.span.end), ..stretch.span }.len();
        times[stretch.phase] = times[stretch.phase].saturating_add(here);
        times
    }

    /// How much of a span each phase has; the rest of the span is in no step.
    pub(super) fn within(&self, span: Span) -> Times {
        let (from, to) = (self.until(span.start), self.until(span.end));
        std::array::from_fn(|phase| to[phase].saturating_sub(from[phase]))
    }
}

/// The summed time of all phases, ns.
pub(super) fn total(times: &Times) -> Ns {
    sum(times.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans(list: &[(Ns, Ns)]) -> Vec<Span> {
        list.iter().map(|&(start, end)| Span { start, end }).collect()
    }

    #[test]
    fn a_span_is_divided_where_phases_change() {
        let times = PhaseTimes::of([
            spans(&[(0, 10)]),
            spans(&[(10, 30), (35, 40)]),
            spans(&[]),
            spans(&[]),
            spans(&[(30, 35), (60, 80)]),
        ]);
        assert_eq!(times.within(Span { start: 5, end: 70 }), [5, 25, 0, 0, 15]);
        assert_eq!(times.within(Span { start: -9, end: 0 }), [0; PHASES_AND_OTHER]);
        assert_eq!(times.within(Span { start: 40, end: 60 }), [0; PHASES_AND_OTHER], "between steps");
        assert_eq!(
            [-1, 0, 10, 34, 40, 60, 80].map(|t| times.at(t)),
            [None, Some(0), Some(1), Some(OTHER), None, Some(OTHER), None]
        );
    }

    proptest! {
        #[test]
        fn each_instant_has_its_phase(
            lengths in proptest::collection::vec((0_usize..=PHASES_AND_OTHER, 1_i64..9), 0..20),
            (start, len) in (-5_i64..90, 0_i64..90),
        ) {
            let mut lists: [Vec<Span>; PHASES_AND_OTHER] = Default::default();
            let mut at = 0;
            for (phase, len) in lengths {
                // One number more than there are phases: time in no step.
                if let Some(list) = lists.get_mut(phase) {
                    list.push(Span { start: at, end: at + len });
                }
                at += len;
            }
            let times = PhaseTimes::of(lists);
            let mut plain = Times::default();
            (start..start + len).filter_map(|t| times.at(t)).for_each(|phase| plain[phase] += 1);
            prop_assert_eq!(times.within(Span { start, end: start + len }), plain);
        }
    }
}
