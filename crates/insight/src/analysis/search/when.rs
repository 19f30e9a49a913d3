//! The step and the phase of an event: device work is of those in which it was launched, where its launch is
//! known.
//!
//! Must not know queries.

use std::ops::RangeInclusive;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{SliceId, Step, Trace, WorkerId};

use super::error::{QueryError, not_there};
use crate::analysis::part::by_worker;
use crate::analysis::part::phase::times::PhaseTimes;
use crate::analysis::part::phase::worker;

/// When an event counts: its worker and start, or those of the call that launched it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The worker.
    pub worker: WorkerId,
    /// The time, ns.
    pub time: Ns,
    /// False for device work without a known launch.
    pub is_launch_known: bool,
}

impl Moment {
    /// When the event `id` counts.
    pub(super) fn of(trace: &Trace, id: SliceId) -> Self {
        let is_work = trace.slices.category(id).is_device_work();
        let launch = is_work.then(|| trace.links.launch_of(id)).flatten();
        let of = launch.unwrap_or(id);
        Self {
            worker: worker(trace, trace.lane_of(of)),
            time: trace.slices.start[of],
            is_launch_known: !is_work || launch.is_some(),
        }
    }

    /// The phase, as an index into the phases and, after them, the time of steps in no phase; `None` outside
    /// of all steps, and for device work whose launch is not known.
    pub(super) fn phase(self, workers: &[PhaseTimes]) -> Option<usize> {
        workers.get(self.worker.index()).filter(|_| self.is_launch_known)?.at(self.time)
    }
}

/// The steps with some numbers, as the worker and time of each.
pub(super) struct SomeSteps(Vec<(WorkerId, Span)>);

impl SomeSteps {
    /// The steps of a trace whose numbers are in `numbers`.
    fn of(trace: &Trace, numbers: &RangeInclusive<u64>) -> Self {
        let wanted = trace.steps.iter().filter(|step| numbers.contains(&step.number));
        Self(wanted.map(|step| (step.worker, step.span)).collect())
    }

    /// The steps of a trace whose numbers are in `numbers`.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn known(trace: &Trace, numbers: &RangeInclusive<u64>) -> Result<Self, QueryError> {
        let found = Self::of(trace, numbers);
        if !found.0.is_empty() {
            return Ok(found);
        }
        let (first, last) = (*numbers.start(), *numbers.end());
        let text = match last {
            _ if first == last => first.to_string(),
            u64::MAX => format!("{first}.."),
            _ => format!("{first}..{last}"),
        };
        let all = || trace.steps.iter().map(|step| step.number);
        let known = all().min().zip(all().max()).map(|(first, last)| format!("steps {first}..{last}"));
        Err(not_there("step", &text, known.into_iter()))
    }

    /// True if a time of a worker is in one of the steps.
    pub(super) fn has(&self, worker: WorkerId, time: Ns) -> bool {
        self.0.iter().any(|&(of, span)| of == worker && span.contains(time))
    }
}

/// Finds the step that a time of a worker is in.
pub(super) struct StepsOver<'a> {
    /// For each worker, its steps by start, each with the latest end of the steps up to it, ns.
    of_worker: Vec<Vec<(&'a Step, Ns)>>,
}

impl<'a> StepsOver<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let sorted = |mut steps: Vec<&'a Step>| {
            steps.sort_by_key(|step| step.span.start);
            let mut latest = Ns::MIN;
            let with_latest = |step: &'a Step| {
                latest = latest.max(step.span.end);
                (step, latest)
            };
            steps.into_iter().map(with_latest).collect()
        };
        Self { of_worker: by_worker(trace, trace.steps.iter()).into_iter().map(sorted).collect() }
    }

    /// The number of the step that has a time of a worker, of several the one that began last; `None` in no
    /// step.
    pub(super) fn number(&self, worker: WorkerId, time: Ns) -> Option<u64> {
        let steps = self.of_worker.get(worker.index())?;
        let begun = steps.partition_point(|(step, _)| step.span.start <= time);
        let open = steps[..begun].iter().rev().take_while(|&&(_, latest)| latest > time);
        open.map(|(step, _)| step).find(|step| step.span.contains(time)).map(|step| step.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_that_began_last_has_a_time() {
        let span = |start, end| Span { start, end };
        let step = |number, span| Step { number, span, ..Step::default() };
        let steps = vec![
            step(1, span(0, 100)),
            step(2, span(10, 20)),
            step(3, span(120, 130)),
            Step { worker: WorkerId::new(7), ..step(9, span(0, 200)) },
        ];
        let trace = Trace { steps, ..Trace::default() };
        let over = StepsOver::of(&trace);
        let at = |time| over.number(WorkerId::new(0), time);
        assert_eq!([-1, 5, 15, 50, 110, 125].map(at), [None, Some(1), Some(2), Some(1), None, Some(3)]);
        assert_eq!(over.number(WorkerId::new(7), 5), None, "no such worker");
    }
}
