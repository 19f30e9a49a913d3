//! What is no step: the time before the first step, after the last one, and passes of validation between
//! them. Each is a slice on the thread that ends steps, in the cycle that was open all the time. A process
//! whose steps are in its leader's cycle has no time before and after them: it begins and ends while the
//! program runs.

use proftui_wire::chunk::Tag;

use crate::live;

/// The slice of a step, of the start-up, of a validation or of the teardown, recorded from its beginning to
/// its end.
pub(crate) struct StepSlice {
    /// The number of the cycle that the slice belongs to.
    pub cycle: u64,
    /// The slice's kind and name.
    pub tag: Tag,
    /// When the slice begins, ns.
    pub start: u64,
    /// When the slice ends, ns.
    pub end: u64,
    /// The step's number; 0 for the start-up, a validation and the teardown.
    pub number: u32,
}

/// A moment, and the cycle that was open then.
#[derive(Clone, Copy, Default)]
pub(super) struct Moment {
    /// The time of the moment, ns of the monotonic clock.
    pub time: u64,
    /// The number of the cycle that was open then; 0 for none.
    pub cycle: u64,
}

/// The times of the start-up before a process's first step and of the teardown after its last one.
#[derive(Clone, Copy, Default)]
pub(super) struct Outside {
    /// When the recorder began in the process, and the cycle that was open or began then: the beginning of
    /// the start-up.
    since: Moment,
    /// When the start-up ended, ns; 0 if it ends where the current step begins.
    until: u64,
    /// True once a step has ended since steps were last counted from 0.
    has_step: bool,
    /// When the last step ended and the next one began, with the cycle that was open for the next one; all 0
    /// before.
    last: Moment,
    /// The number of the cycle in which the last slice of a step was written; 0 before there is one.
    written_in: u64,
}

impl Outside {
    /// Begins the start-up at `now`, ns, in the cycle that is open.
    pub(super) fn since(now: u64) -> Self {
        Self { since: Moment::at(now), ..Self::default() }
    }

    /// Makes the next step that ends the first one of a new count: the time before that step is start-up
    /// again.
    pub(super) fn expect_first_step(&mut self) {
        (self.has_step, self.until) = (false, 0);
    }

    /// Sets the end of the start-up to `time`, ns, unless it is set already.
    pub(super) fn begins_until(&mut self, time: u64) {
        if self.until == 0 {
            self.until = time;
        }
    }

    /// Notes that a step has ended since steps were last counted from 0, so the start-up is over.
    pub(super) fn has_first_step(&mut self) {
        self.has_step = true;
    }

    /// The earliest time at which the current step may begin, ns: the end of the last one, or the beginning
    /// of the start-up.
    pub(super) fn earliest(&self) -> u64 {
        self.since.time.max(self.last.time)
    }

    /// The number of the cycle in which the start-up began; 0 for none.
    pub(super) fn first_cycle(&self) -> u64 {
        self.since.cycle
    }

    /// Notes that the slice of a step is written in the cycle with the number `cycle`.
    pub(super) fn step_is_written(&mut self, cycle: u64) {
        self.written_in = cycle;
    }

    /// Notes that a step has ended, and that the next one begins at `now`, ns, in the cycle that is open.
    pub(super) fn step_ended(&mut self, now: u64) {
        self.last = Moment::at(now);
    }

    /// The beginning of the start-up, and its end, ns, which is when the current step `began` unless another
    /// end was set. `None` once a step has ended since steps were last counted from 0.
    pub(super) fn start_up(&self, began: u64) -> Option<(Moment, u64)> {
        let end = if self.until == 0 { began } else { self.until };
        (!self.has_step).then_some((self.since, end))
    }

    /// The beginning of the teardown, which is the end of the last step. `None` if no step has ended, or if
    /// the last slice of a step is not in the cycle that was open after that step.
    pub(super) fn teardown(&self) -> Option<Moment> {
        // A cycle without a step has no teardown, either.
        (self.has_step && self.written_in == self.last.cycle).then_some(self.last)
    }
}

impl Moment {
    /// The moment `time`, ns, with the number of the cycle that is open now.
    pub(super) fn at(time: u64) -> Self {
        Self { time, cycle: live::cycle() }
    }
}
