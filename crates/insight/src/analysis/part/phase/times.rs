//! The steps of one worker as a timeline of phases: how much of a span each phase has, and the phase at a
//! time.
//!
//! Must not know how phases are found, nor what the spans are.

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::Trace;

use crate::analysis::part::by_worker;
use crate::analysis::part::phase::{PHASES, Phases};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::stretches::Stretches;

/// The index in [`Times`] of the time of steps that is in no phase.
const OTHER: usize = PHASES.len();
/// The number of entries of [`Times`]: one for each phase, and one for the time of steps that is in no phase.
pub(crate) const PHASES_AND_OTHER: usize = OTHER + 1;

/// How much of some time lies in each phase, in the order of [`PHASES`], and last how much lies in steps but
/// in no phase, ns.
pub(crate) type Times = [Ns; PHASES_AND_OTHER];

/// The phases of one worker's steps over time. An instant has at most one phase, also where steps of several
/// threads overlap.
#[derive(Default)]
pub(crate) struct PhaseTimes {
    /// Stretches of time in steps, each labelled with its index in [`Times`].
    stretches: Stretches<PHASES_AND_OTHER>,
}

/// The phases over time of each worker of a trace, by the worker's index.
struct OfWorkers(Vec<PhaseTimes>);

impl PhaseTimes {
    /// The phases over time of each worker of a trace, by the worker's index, from the steps of all its
    /// threads.
    pub(crate) fn of_workers(trace: &Trace) -> &[Self] {
        let of_workers = || {
            let phases = Phases::of(trace, &Scope::default());
            let steps = by_worker(trace, trace.steps.iter());
            OfWorkers(steps.iter().map(|steps| Self::of(phases.of_steps(steps))).collect())
        };
        &trace.kept.get(of_workers).0
    }

    /// Builds the timeline from the spans of each entry of [`Times`]; all spans must be disjoint.
    fn of(spans: [Vec<Span>; PHASES_AND_OTHER]) -> Self {
        let labelled = |(phase, spans): (usize, Vec<Span>)| spans.into_iter().map(move |span| (span, phase));
        let mut all: Vec<(Span, usize)> = spans.into_iter().enumerate().flat_map(labelled).collect();
        all.sort_unstable_by_key(|(span, _)| span.start);
        Self { stretches: Stretches::of(all) }
    }

    /// The phase at a time, as its index in [`Times`]: [`OTHER`] in a step but in no phase, `None` outside of
    /// all steps.
    pub(crate) fn at(&self, time: Ns) -> Option<usize> {
        self.stretches.at(time)
    }

    /// The phase around `time` in a step that lasts `step`, as its index in [`PHASES`], from its start to its
    /// end; `None` between two phases. Time of no phase between two stretches of one phase is part of it: a
    /// step that accumulates gradients has several forward passes, with a backward pass between them.
    pub(crate) fn around(&self, time: Ns, step: Span) -> Option<(usize, Span)> {
        let phases = self.stretches.starting_in(step).filter(|&(_, phase)| phase != OTHER);
        let mut last: Option<(usize, Span)> = None;
        for (span, phase) in phases {
            last = match last {
                Some((before, so_far)) if before == phase => Some((phase, so_far.union(span))),
                // The phase before this one is whole.
                Some((_, whole)) if time < whole.end => break,
                _ => Some((phase, span)),
            };
        }
        last.filter(|(_, span)| span.start <= time && time < span.end)
    }

    /// How much of a span lies in each phase, and in steps but in no phase, ns; the rest of the span is in no
    /// step.
    pub(crate) fn within(&self, span: Span) -> Times {
        self.stretches.within(span)
    }
}

/// The sum of all entries of `times`, ns: time in steps, whether in a phase or not.
pub(crate) fn total(times: &Times) -> Ns {
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

    #[test]
    fn the_phase_around_a_time_ends_where_another_begins() {
        let times = PhaseTimes::of([
            spans(&[(0, 5)]),
            spans(&[(10, 20), (50, 60)]),
            spans(&[(20, 30), (35, 40), (110, 120)]),
            spans(&[]),
            spans(&[(5, 10), (30, 35), (40, 50), (60, 100)]),
        ]);
        let around = |time| times.around(time, Span { start: 0, end: 100 });
        let found = |phase, start, end| Some((phase, Span { start, end }));
        assert_eq!([0, 4].map(around), [found(0, 0, 5); 2]);
        assert_eq!([10, 19].map(around), [found(1, 10, 20); 2], "the first of two forward passes");
        assert_eq!([20, 32, 39].map(around), [found(2, 20, 40); 3], "with what is between its parts");
        assert_eq!([5, 45, 60, 99].map(around), [None; 4], "between two phases and after the last");
        assert_eq!([50, 59].map(around), [found(1, 50, 60); 2]);
        assert_eq!(around(115), None, "of the next step");
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
