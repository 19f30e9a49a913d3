//! What a process reports of its cycles: when each began and ended, that it got no more room, and slow steps.
//! Must not know files.

/// A cycle of a leader: consecutive recorded steps, or a time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Number of the cycle among its leader's cycles, from 1.
    pub number: u64,
    /// When the cycle began, ns of the monotonic clock.
    pub start: u64,
    /// Number of the first step that is recorded, from 0.
    pub first_step: u64,
    /// When and how the cycle ended; `None` while it is open, and if its end is not known.
    pub end: Option<CycleEnd>,
    /// True if the cycle is not to be written, since steps were counted from 0 again in it.
    pub is_dropped: bool,
}

impl Cycle {
    /// An open cycle that began at `start`, ns of the monotonic clock, with step number `first_step`.
    pub(super) fn begun(number: u64, start: u64, first_step: u64) -> Self {
        Self { number, start, first_step, end: None, is_dropped: false }
    }
}

/// When and how a cycle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleEnd {
    /// When the cycle ended, ns of the monotonic clock.
    pub time: u64,
    /// Usually the number of the last step that ended before the cycle did, from 0; for a time window, or a
    /// cycle that may go on, the number of steps that had ended.
    pub last_step: u64,
    /// False if recording stopped before the schedule ended the cycle.
    pub is_whole: bool,
}

/// A process's report that it got no further chunk for a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Number of the cycle.
    pub cycle: u64,
    /// Number of the step, usually of the leader, in which the process got no further chunk, from 0.
    pub step: u64,
    /// The cause, with advice if there is any, as text for the user.
    pub why: String,
}

/// A step that took longer than the factor of `--slow-step` times the median of recent steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStep {
    /// The step's number, from 0.
    pub step: u64,
    /// When the step ended, ns of the monotonic clock.
    pub end: u64,
    /// How long the step took, ns.
    pub length: u64,
    /// The median length of recent steps before the slow step, ns.
    pub median: u64,
    /// When the trace of the slow step is to begin, ns of the monotonic clock; 0 for all steps that the ring
    /// has.
    pub since: u64,
}
