//! What is no step: the time before the first step, after the last one, and passes of validation between
//! them. Each is a slice on the thread that ends steps, in the cycle that was open all the time. A process
//! whose steps are in its leader's cycle has no time before and after them: it begins and ends while the
//! program runs.

use proftui_wire::chunk::Tag;
use proftui_wire::outside::{KIND, START_UP, TEARDOWN, VALIDATION};

use super::{Process, with};
use crate::live;
use crate::spool;

/// The slice of a step, or of what is no step, that was recorded from its beginning to its end.
pub struct StepSlice {
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
struct Moment {
    /// The time of the moment, ns of the monotonic clock.
    time: u64,
    /// The cycle's number; 0 for none.
    cycle: u64,
}

/// The time around the steps.
#[derive(Clone, Copy, Default)]
pub struct Outside {
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
    pub fn since(now: u64) -> Self {
        Self { since: Moment::at(now), ..Self::default() }
    }

    /// The next step that ends is the first one of the count.
    pub fn expect_first_step(&mut self) {
        (self.has_step, self.until) = (false, 0);
    }

    /// The start-up ended at `time`, ns, unless its end is known already.
    pub fn begins_until(&mut self, time: u64) {
        if self.until == 0 {
            self.until = time;
        }
    }

    /// A step of the count has ended.
    pub fn has_first_step(&mut self) {
        self.has_step = true;
    }

    /// The earliest time at which the current step may begin, ns: the end of the last one, or the beginning
    /// of the start-up.
    pub fn earliest(&self) -> u64 {
        self.since.time.max(self.last.time)
    }

    /// The cycle that was open when the process began; 0 for none.
    pub fn first_cycle(&self) -> u64 {
        self.since.cycle
    }

    /// The slice of a step is written in this cycle.
    pub fn step_is_written(&mut self, cycle: u64) {
        self.written_in = cycle;
    }

    /// A step has ended, and the next one begins at `now`, ns, in the cycle that is open.
    pub fn step_ended(&mut self, now: u64) {
        self.last = Moment::at(now);
    }
}

impl Moment {
    fn at(time: u64) -> Self {
        Self { time, cycle: live::cycle() }
    }
}

/// Records a pass of validation from `start` to `end`, ns.
pub fn validation(start: u64, end: u64) {
    let slice = with(|process| {
        // Not before the open cycle, which began with the last step's end or before.
        let start = start.max(process.steps.outside.earliest());
        process.slice(VALIDATION, Moment::at(start), end)
    });
    let slice = slice.flatten();
    slice.iter().for_each(record);
}

/// Writes the slice of the time since the last step ended, which is over at `now`, ns: the process ends.
pub fn end_teardown(now: u64) {
    with(|process| process.teardown_slice(now)).flatten().iter().for_each(record);
}

/// Writes a slice on this thread.
pub fn record(slice: &StepSlice) {
    spool::record_numbered(slice.cycle, slice.tag, slice.number, slice.start, slice.end);
}

impl Process {
    /// Makes the slice of the start-up, if the current step is the first one and did not begin with the
    /// process.
    pub fn start_up_slice(&mut self) -> Option<StepSlice> {
        let Outside { since, until, has_step, .. } = self.steps.outside;
        if has_step || self.steps_for_leader() {
            return None;
        }
        let end = if until == 0 { self.steps.began() } else { until };
        self.slice(START_UP, since, end)
    }

    fn teardown_slice(&mut self, now: u64) -> Option<StepSlice> {
        let Outside { last, has_step, written_in, .. } = self.steps.outside;
        // A cycle without a step has no teardown, either.
        let is_own = !self.steps_for_leader();
        if is_own && has_step && written_in == last.cycle { self.slice(TEARDOWN, last, now) } else { None }
    }

    /// Makes a slice of what is no step; none if it is empty, or the cycle that is open was not open at its
    /// start.
    fn slice(&mut self, name: &str, start: Moment, end: u64) -> Option<StepSlice> {
        let cycle = live::cycle();
        if cycle == 0 || cycle != start.cycle || end <= start.time || self.steps.is_stepless() {
            return None;
        }
        let tag = Tag::new(KIND, self.names.number(name));
        Some(StepSlice { cycle, tag, start: start.time, end, number: 0 })
    }
}
