//! A process's steps: their times, and the sums over them. Knows neither the process nor what a step opens
//! and closes.

use proftui_wire::schedule::State;
use proftui_wire::scheduler::{Scheduler, Transition};
use proftui_wire::timer::{Sum, Timer};

use super::outside::Outside;
use super::recent::Recent;
use crate::live;

/// The current step, and the sums over the times of the steps before it.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) scheduler: Scheduler,
    pub(super) timer: Timer,
    /// The lengths of the last steps.
    pub(super) recent: Recent,
    /// The number of the current step, from 0.
    pub(super) step: u64,
    /// When the current step began, ns.
    pub(super) began: u64,
    /// The number of the cycle that was open when the current step began; 0 for none.
    pub(super) began_in: u64,
    /// The time around the steps that is no step.
    pub(super) outside: Outside,
    /// The number of this process's own cycle that began last; 0 before the first.
    pub(super) cycle: u64,
    /// The number of this process's own cycle that ended last; 0 before one has.
    pub(super) last_cycle: u64,
    /// The timer's sums over the steps that [`Steps::take_unreported`] has returned already.
    reported: Sum,
    /// True if the program profiles without steps: the trace gets no slices of steps.
    pub(super) is_stepless: bool,
    /// True if steps are calls, which may overlap: no step is the current one.
    pub(super) are_calls: bool,
    /// The moment at which the current step was paused; none if it was not.
    pub(super) pause: Option<ClockStop>,
    /// True once the proftui process was found to have ended: no further cycle begins.
    pub(super) is_orphan: bool,
}

/// The moment at which the clock of a step stops, with the values taken then.
pub(crate) struct ClockStop {
    /// When the clock stops, ns.
    pub now: u64,
    /// For how long the step waited for data, ns.
    pub waited: u64,
    /// The number of the cycle that was paused then; 0 for none.
    pub cycle: u64,
}

/// The end of a step, of all steps or of the process: decided, but its actions are still to be performed.
pub(crate) struct StepEnd {
    /// When the step ended, ns.
    pub now: u64,
    /// The scheduler's transition, whose actions are to be performed.
    pub transition: Transition,
    /// The number of the cycle that the transition ends, into which nothing is recorded any more; 0 for none.
    pub closed: u64,
    /// The number of the step that is to begin, from 0.
    pub step: u64,
}

/// The end of a step that was found to be one only later.
#[derive(Clone, Copy)]
pub(crate) struct Past {
    /// When the step ended, ns.
    pub at: u64,
    /// For how long the step had waited for data then, ns.
    pub waited: u64,
}

impl ClockStop {
    /// Makes the stop of a clock at `now`, ns, without time waited and without a paused cycle.
    pub(crate) fn at(now: u64) -> Self {
        Self { now, waited: 0, cycle: 0 }
    }
}

impl Steps {
    /// Begins the first step at `now`, ns, in the cycle that the process records.
    pub(super) fn begun(now: u64) -> Self {
        Self { began: now, began_in: live::cycle(), outside: Outside::since(now), ..Self::default() }
    }

    /// The number of the current step, from 0.
    pub(super) fn number(&self) -> u64 {
        self.step
    }

    /// When the current step began, ns.
    pub(super) fn began(&self) -> u64 {
        self.began
    }

    /// True if the program profiles without steps: the trace gets no slices of steps, nor of what is no step.
    pub(super) fn is_stepless(&self) -> bool {
        self.is_stepless
    }

    /// Makes the current step begin at `time`, ns, in the cycle that is open.
    pub(super) fn begin_at(&mut self, time: u64) {
        (self.began, self.began_in) = (time, live::cycle());
    }

    /// Makes the current step a call that began at `time`, ns, in the cycle with this number.
    pub(super) fn begin_call(&mut self, time: u64, cycle: u64) {
        // The first call that ends is not always the first one that began.
        self.outside.begins_until(self.began.min(time));
        (self.began, self.began_in, self.are_calls) = (time, cycle, true);
    }

    /// Makes the current step one that was not recorded from its beginning.
    pub(super) fn is_unrecorded_from(&mut self, began: u64) {
        (self.began, self.began_in) = (began, 0);
    }

    /// The state of the current step.
    pub(super) fn state(&self) -> State {
        self.scheduler.state()
    }

    /// The number of the cycle that ended last; 0 before one has.
    pub(super) fn last_cycle(&self) -> u64 {
        self.last_cycle
    }

    /// The sums over the times of all steps that ended.
    pub(super) fn timer(&self) -> &Timer {
        &self.timer
    }

    /// The sums over the steps that ended since this was last called.
    pub(super) fn take_unreported(&mut self) -> Sum {
        let before = std::mem::replace(&mut self.reported, self.timer.all);
        self.timer.all.since(&before)
    }

    /// Continues with this step, in this state, in a process that has begun so many cycles.
    pub(super) fn continue_at(&mut self, step: u64, state: State, cycles: u64) {
        (self.step, self.cycle, self.scheduler) = (step, cycles, Scheduler::at(state));
    }

    /// Numbers steps from 0 again and clears the timer; without `has_steps` the trace gets no slices of
    /// steps.
    pub(super) fn count_anew(&mut self, has_steps: bool) {
        self.is_stepless = !has_steps;
        (self.step, self.are_calls) = (0, false);
        (self.timer, self.reported) = (Timer::default(), Sum::default());
        self.recent = Recent::default();
        self.outside.expect_first_step();
    }
}
