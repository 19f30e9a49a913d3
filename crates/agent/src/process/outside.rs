//! What is no step: the time before the first step, after the last one, and passes of validation between
//! them. Each is a slice on the thread that ends steps, in the cycle that was open all the time. A process
//! whose steps are in its leader's cycle has no time before and after them: it begins and ends while the
//! program runs.

use proftui_wire::chunk::Tag;

use crate::live;

/// The slice of a step, or of what is no step, that was recorded from its beginning to its end.
pub(crate) struct StepSlice {
    /// The number of the cycle that the slice belongs to.
    pub cycle: u64,
    /// The slice's kind and name.
    pub tag: Tag,
    /// When the slice begins, ns.
    pub start: u64,
    /// When the slice ends, ns.
    pub end: u64,
    /// The number of a step; 0 for what is no step.
    pub number: u32,
}

/// A moment, and the cycle that was open then.
#[derive(Clone, Copy, Default)]
pub(super) struct Moment {
    /// The time of the moment, ns of the monotonic clock.
    pub time: u64,
    /// The cycle's number; 0 for none.
    pub cycle: u64,
}

/// The time around the steps.
#[derive(Clone, Copy, Default)]
pub(super) struct Outside {
    /// When the process began, or its first cycle: the beginning of the start-up.
    since: Moment,
    /// When the start-up ended, ns; 0 if with the beginning of the current step.
    until: u64,
    /// True once a step has ended in the present count.
    has_step: bool,
    /// When the last step ended.
    last: Moment,
    /// The cycle in which the last slice of a step was written; 0 before there is one.
    written_in: u64,
}

impl Outside {
    /// Begins the start-up at `now`, ns.
    pub(super) fn since(now: u64) -> Self {
        Self { since: Moment::at(now), ..Self::default() }
    }

    /// The next step that ends is the first one of the count.
    pub(super) fn expect_first_step(&mut self) {
        (self.has_step, self.until) = (false, 0);
    }

    /// The start-up ended at `time`, ns, unless its end is known already.
    pub(super) fn begins_until(&mut self, time: u64) {
        if self.until == 0 {
            self.until = time;
        }
    }

    /// A step of the count has ended.
    pub(super) fn has_first_step(&mut self) {
        self.has_step = true;
    }

    /// The earliest time at which the current step may begin, ns: the end of the last one, or the beginning
    /// of the start-up.
    pub(super) fn earliest(&self) -> u64 {
        self.since.time.max(self.last.time)
    }

    /// The cycle that was open when the process began; 0 for none.
    pub(super) fn first_cycle(&self) -> u64 {
        self.since.cycle
    }

    /// The slice of a step is written in this cycle.
    pub(super) fn step_is_written(&mut self, cycle: u64) {
        self.written_in = cycle;
    }

    /// A step has ended, and the next one begins at `now`, ns, in the cycle that is open.
    pub(super) fn step_ended(&mut self, now: u64) {
        self.last = Moment::at(now);
    }

    /// When the start-up began and ended, ns, given when the current step `began`; none once a step of the
    /// count has ended.
    pub(super) fn start_up(&self, began: u64) -> Option<(Moment, u64)> {
        let end = if self.until == 0 { began } else { self.until };
        (!self.has_step).then_some((self.since, end))
    }

    /// When the time after the last step began; none without a step, and where no step was written in its
    /// cycle.
    pub(super) fn teardown(&self) -> Option<Moment> {
        // A cycle without a step has no teardown, either.
        (self.has_step && self.written_in == self.last.cycle).then_some(self.last)
    }
}

impl Moment {
    /// Makes the moment at `time`, ns, in the cycle that is open.
    pub(super) fn at(time: u64) -> Self {
        Self { time, cycle: live::cycle() }
    }
}
