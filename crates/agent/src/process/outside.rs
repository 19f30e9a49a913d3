//! What is no step: the time before the first step, after the last one, and passes of validation between
//! them. Each is a slice on the thread that ends steps, in the cycle that was open all the time. A process
//! whose steps are in its leader's cycle has no time before and after them: it begins and ends while the
//! program runs.

use proftui_wire::chunk::Tag;

use crate::live;

/// A slice that is to be written: a step, the start-up, a pass of validation, the teardown, or what the
/// recorder takes for itself between steps.
pub(crate) struct StepSlice {
    /// The number of the cycle that the slice belongs to.
    pub cycle: u64,
    /// The slice's kind and name.
    pub tag: Tag,
    /// When the slice begins, ns.
    pub start: u64,
    /// When the slice ends, ns.
    pub end: u64,
    /// The step's number, from 0; also 0 for what is no step.
    pub number: u32,
}

/// A moment, and the cycle that was open when the moment was noted.
#[derive(Clone, Copy, Default)]
pub(super) struct Moment {
    /// The time of the moment, ns of the monotonic clock.
    pub time: u64,
    /// The number of the cycle that was open when the moment was noted; 0 for none.
    pub cycle: u64,
}

/// When the start-up of a process (the time before its first step) begins and ends, and when its teardown
/// (the time after its last step) begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Outside {
    /// The beginning of the start-up: usually when the recorder began in this process, or when the process
    /// was forked.
    since: Moment,
    /// When the start-up ended, ns; 0 if it ends where the first step begins.
    until: u64,
    /// True once a step of the current count has ended.
    has_step: bool,
    /// The moment after the latest end or restart of a step after which steps went on; all 0 before the
    /// first.
    last: Moment,
    /// The number of the cycle in which the last slice of a step was written; 0 before there is one.
    written_in: u64,
}

impl Outside {
    /// Makes the times of a process whose start-up begins at `now`, ns, in the cycle that is open, if one is.
    pub(super) fn since(now: u64) -> Self {
        Self { since: Moment::at(now), ..Self::default() }
    }

    /// Makes the current step the first one of a new count: the start-up lasts until that step begins.
    pub(super) fn expect_first_step(&mut self) {
        (self.has_step, self.until) = (false, 0);
    }

    /// Sets the end of the start-up to `time`, ns, unless it is set already.
    pub(super) fn begins_until(&mut self, time: u64) {
        if self.until == 0 {
            self.until = time;
        }
    }

    /// Notes that a step has ended, so the start-up is over.
    pub(super) fn has_first_step(&mut self) {
        self.has_step = true;
    }

    /// The earliest time to which the beginning of the current step may be moved, ns.
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

    /// True if the last slice of a step was written in the cycle with the number `cycle`.
    pub(super) fn has_written_in(&self, cycle: u64) -> bool {
        self.written_in == cycle
    }

    /// Notes `now`, ns, as the moment after a step ended or was restarted.
    pub(super) fn step_ended(&mut self, now: u64) {
        self.last = Moment::at(now);
    }

    /// The beginning and the end, ns, of the start-up, which usually ends when the current step `began`.
    /// `None` once a step of the current count has ended.
    pub(super) fn start_up(&self, began: u64) -> Option<(Moment, u64)> {
        let end = if self.until == 0 { began } else { self.until };
        (!self.has_step).then_some((self.since, end))
    }

    /// The beginning of the teardown, after the last step. `None` if no step of the current count has ended,
    /// or if the cycle that was open then has no slice of a step.
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
