//! A process's steps: their times, and the sums over them. Knows neither the process nor what a step opens
//! and closes.

use proftui_wire::schedule::State;
use proftui_wire::scheduler::{Scheduler, Transition};
use proftui_wire::timer::{Sum, Timer};

use super::outside::Outside;
use super::recent::Recent;
use crate::live;

/// The state of a process's steps.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) scheduler: Scheduler,
    pub(super) timer: Timer,
    /// The lengths of the last steps, by which slow steps are found; empty if none are to be found.
    pub(super) recent: Recent,
    /// The number of the current step, from 0.
    pub(super) step: u64,
    /// When the current step began, ns.
    pub(super) began: u64,
    /// The number of the cycle that has the beginning of the current step; 0 for none.
    pub(super) began_in: u64,
    /// When the start-up begins and ends, and when the teardown begins.
    pub(super) outside: Outside,
    /// The number of the latest cycle that counts as this process's own; its next one gets the number after.
    pub(super) cycle: u64,
    /// The number of the cycle of its own that this process ended last; 0 before it has ended one.
    pub(super) last_cycle: u64,
    /// The earlier sums of the timer that [`Steps::take_unreported`] subtracts from the present ones.
    reported: Sum,
    /// True if the program's own profiler runs without steps: slices of steps are not written.
    pub(super) is_stepless: bool,
    /// True if each step is a call or a range of the program, several of which may run at once.
    pub(super) are_calls: bool,
    /// The stop of the current step's clock while the step is paused; else `None`.
    pub(super) pause: Option<ClockStop>,
    /// True once the proftui process was found to have ended: no further cycle begins.
    pub(super) is_orphan: bool,
}

/// The stop of a step's clock: the moment, the time waited for data, and the paused cycle.
pub(crate) struct ClockStop {
    /// When the clock stops, ns.
    pub now: u64,
    /// For how long the step is known to have waited for data, ns.
    pub waited: u64,
    /// The number of the cycle that was paused together with the clock; 0 if none was.
    pub cycle: u64,
}

/// What was decided at the end or restart of a step, or at the end of all steps.
pub(crate) struct StepEnd {
    /// When the step ended or restarted, ns.
    pub now: u64,
    /// The transition of the scheduler, with the actions that it asks for.
    pub transition: Transition,
    /// The number of the cycle that the transition ends; 0 for none.
    pub closed: u64,
    /// The number of the next step, from 0; at a restart and at the process's end, that of the current step.
    pub step: u64,
    /// True if the schedule records no step from `step` on.
    pub is_over: bool,
}

/// A past moment at which a step ended or began.
#[derive(Clone, Copy)]
pub(crate) struct Past {
    /// The time of the moment, ns of the monotonic clock.
    pub at: u64,
    /// For how long the thread had waited for data by then, ns, without what was taken before.
    pub waited: u64,
}

impl ClockStop {
    /// Makes the stop of a clock at `now`, ns, without time waited and without a paused cycle.
    pub(crate) fn at(now: u64) -> Self {
        Self { now, waited: 0, cycle: 0 }
    }
}

impl Steps {
    /// Makes the state of steps whose first one begins at `now`, ns, in the cycle that is open, if one is.
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

    /// True if the program's own profiler runs without steps: slices of steps are not written.
    pub(super) fn is_stepless(&self) -> bool {
        self.is_stepless
    }

    /// Sets the beginning of the current step to `time`, ns, and its cycle to the one that is open now, if
    /// any.
    pub(super) fn begin_at(&mut self, time: u64) {
        (self.began, self.began_in) = (time, live::cycle());
    }

    /// Makes the current step a call that began at `time`, ns, in the cycle with the number `cycle` (0: in
    /// none). The first one also ends the start-up.
    pub(super) fn begin_call(&mut self, time: u64, cycle: u64) {
        // The first call that ends is not always the first one that began.
        self.outside.begins_until(self.began.min(time));
        (self.began, self.began_in, self.are_calls) = (time, cycle, true);
    }

    /// Sets the beginning of the current step to `began`, ns, and its cycle to none: the step gets no slice.
    pub(super) fn is_unrecorded_from(&mut self, began: u64) {
        (self.began, self.began_in) = (began, 0);
    }

    /// The scheduler's state in the current step.
    pub(super) fn state(&self) -> State {
        self.scheduler.state()
    }

    /// The number of the cycle of its own that this process ended last; 0 before it has ended one.
    pub(super) fn last_cycle(&self) -> u64 {
        self.last_cycle
    }

    /// The running sums over the times of the process's steps.
    pub(super) fn timer(&self) -> &Timer {
        &self.timer
    }

    /// Returns the sums over the steps that ended since the last call; the longest and shortest times in them
    /// are those of all steps.
    pub(super) fn take_unreported(&mut self) -> Sum {
        let before = std::mem::replace(&mut self.reported, self.timer.all);
        self.timer.all.since(&before)
    }

    /// Sets the current step's number and state, and the number of the latest cycle.
    pub(super) fn continue_at(&mut self, step: u64, state: State, cycles: u64) {
        (self.step, self.cycle, self.scheduler) = (step, cycles, Scheduler::at(state));
    }

    /// Counts steps from 0 again, with the timer and the lengths of the last steps cleared; without
    /// `has_steps` the steps get no slices.
    pub(super) fn count_anew(&mut self, has_steps: bool) {
        self.is_stepless = !has_steps;
        (self.step, self.are_calls) = (0, false);
        (self.timer, self.reported) = (Timer::default(), Sum::default());
        self.recent = Recent::default();
        self.outside.expect_first_step();
    }
}
