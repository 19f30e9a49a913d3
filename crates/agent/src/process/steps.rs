//! A process's steps: their times, and the sums over them. Knows neither the process nor what a step opens
//! and closes.

use proftui_wire::schedule::State;
use proftui_wire::scheduler::{Scheduler, Transition};
use proftui_wire::timer::{Sum, Timer};

use super::outside::Outside;
use super::recent::Recent;
use crate::live;

/// A process's steps: the scheduler, the current step, the sums over the times of the ended steps, and the
/// numbers of the process's cycles.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) scheduler: Scheduler,
    pub(super) timer: Timer,
    /// The lengths of the last steps, 50 at most, by which a step is found to be slow; empty if the run does
    /// not look for slow steps.
    pub(super) recent: Recent,
    /// The number of the current step, from 0.
    pub(super) step: u64,
    /// When the current step began, ns.
    pub(super) began: u64,
    /// The number of the cycle that was open when the current step began; 0 for none, or if that cycle lacks
    /// the step's beginning. The step's slice is written only if this cycle is still open when the step ends.
    pub(super) began_in: u64,
    /// When the start-up begins and ends, and when the teardown begins.
    pub(super) outside: Outside,
    /// The number of the latest cycle that counts as this process's own; its next one gets the number after.
    /// 0 before the first. A follower that becomes a leader counts on from the last cycle that it followed.
    pub(super) cycle: u64,
    /// The number of the cycle of its own that this process ended last; 0 before it has ended one.
    pub(super) last_cycle: u64,
    /// The timer's sums when [`Steps::take_unreported`] was last called; zeros if it was not called since the
    /// count of steps began.
    reported: Sum,
    /// True if the program's own profiler runs without steps: the trace then gets no slices of steps,
    /// start-up, validation or teardown.
    pub(super) is_stepless: bool,
    /// True if steps are calls, several of which may run at once: the live page then states no time at which
    /// the current step began.
    pub(super) are_calls: bool,
    /// When the clock of the current step was paused, with the values taken then; `None` while it is not
    /// paused.
    pub(super) pause: Option<ClockStop>,
    /// True once the proftui process was found to have ended: no further cycle begins.
    pub(super) is_orphan: bool,
}

/// The moment at which the clock of a step stops, with the values taken then.
pub(crate) struct ClockStop {
    /// When the clock stops, ns.
    pub now: u64,
    /// For how long the step had waited for data then, ns; 0 for a step that ends incomplete.
    pub waited: u64,
    /// The number of the cycle that was paused together with the clock; 0 if none was.
    pub cycle: u64,
}

/// The end or restart of a step, the end of all steps, or that of the process, which was decided, with what
/// is still to be done for it.
pub(crate) struct StepEnd {
    /// When the step ended or restarted, ns.
    pub now: u64,
    /// The scheduler's transition. Its actions are still to be performed, but not if this process ended a
    /// step of its leader: that has performed them.
    pub transition: Transition,
    /// The number of the cycle that the transition ends, into which nothing is recorded any more; 0 for none.
    pub closed: u64,
    /// The number of the step that begins next, from 0; at a restart, and at the process's end, the number of
    /// the current one.
    pub step: u64,
}

/// A moment in the past at which, as was found out only later, a step ended or began.
#[derive(Clone, Copy)]
pub(crate) struct Past {
    /// The time of the moment, ns of the monotonic clock.
    pub at: u64,
    /// For how long the thread had waited for data at the time `at`, since it last ended or restarted a step,
    /// ns.
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

    /// True if the program's own profiler runs without steps: the trace then gets no slices of steps,
    /// start-up, validation or teardown.
    pub(super) fn is_stepless(&self) -> bool {
        self.is_stepless
    }

    /// Sets the beginning of the current step to `time`, ns, and its cycle to the one that is open now, if
    /// any.
    pub(super) fn begin_at(&mut self, time: u64) {
        (self.began, self.began_in) = (time, live::cycle());
    }

    /// Makes the current step a call that began at `time`, ns, in the cycle with the number `cycle` (0: in
    /// none). The first such call of a count also sets the end of the start-up: to `time` or, if that is
    /// earlier, to the time at which the current step began before.
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

    /// The sums over the times of the steps that have ended, each with another one to follow, since steps
    /// were first counted, or last counted anew.
    pub(super) fn timer(&self) -> &Timer {
        &self.timer
    }

    /// Returns the sums over the steps that ended since the last call; the longest and shortest times in them
    /// are those of all steps.
    pub(super) fn take_unreported(&mut self) -> Sum {
        let before = std::mem::replace(&mut self.reported, self.timer.all);
        self.timer.all.since(&before)
    }

    /// Sets the number of the current step, its state, and the number of the latest cycle that began, in a
    /// leader whose steps were ended by processes that follow it.
    pub(super) fn continue_at(&mut self, step: u64, state: State, cycles: u64) {
        (self.step, self.cycle, self.scheduler) = (step, cycles, Scheduler::at(state));
    }

    /// Numbers steps from 0 again, and clears the timer and the lengths of the last steps. Without
    /// `has_steps` the trace gets no slices of steps, start-up, validation or teardown from here on.
    pub(super) fn count_anew(&mut self, has_steps: bool) {
        self.is_stepless = !has_steps;
        (self.step, self.are_calls) = (0, false);
        (self.timer, self.reported) = (Timer::default(), Sum::default());
        self.recent = Recent::default();
        self.outside.expect_first_step();
    }
}
