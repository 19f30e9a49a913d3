//! The protocol for the end of a step, of all steps, and of the process. All callers go through
//! [`end_step_with`]:
//!
//! 1. The step's clock stops, unless [`pause_step`] stopped it before: the step's slice is written, for the
//!    first step also that of the start-up, and the times that the thread was on a processor in the step and
//!    waited for data are taken.
//! 2. The scheduler decides the transition. From here on nothing is recorded into a cycle that the transition
//!    ends.
//! 3. The device recorder prepares, or flushes the cycle that ended.
//! 4. The transition's actions are logged, and the next step begins.
//!
//! The caller holds `STEP_LOCK` throughout. The process's state stays locked in 2 and 4 only: slices need it
//! for chunks, and the device recorder waits for devices.

use proftui_wire::log::DeviceCounts;
use proftui_wire::schedule::State;

use super::step_lock::STEP_LOCK;
use super::{devices, outside, processor};
use crate::clock;
use crate::device;
use crate::errno::keep;
use crate::live::{self, waiting};
use crate::process::{self, ClockStop, Past, Process, StepEnd, with};

/// The events at which steps end or begin.
pub(super) enum StepChange {
    /// The current step ends, and the next one begins.
    Next {
        /// How many samples the step that ends processed; 0 if not known.
        samples: u64,
        /// The state of the next step; `None` for the state that the schedule gives it.
        to: Option<State>,
        /// When the step ended and how long it had waited for data, if it ended in the past.
        past: Option<Past>,
    },
    /// The current step restarts in this state: the time since the previous step ended counts for no step.
    Restart(State),
    /// All steps end; an open cycle of the process's own ends with them and is complete.
    Stop {
        /// True if the current step may get a slice; false if its time belongs to no step.
        is_step: bool,
    },
    /// The process ends, and the current step is not counted.
    Exit,
}

/// Performs a change of steps at `now`, ns (of a paused step usually at the pause), and returns the state
/// that then holds; `None` if the process's state is not available. To be called with `STEP_LOCK` held.
pub(super) fn end_step_with(now: u64, change: &StepChange) -> Option<State> {
    let claim = if matches!(change, StepChange::Next { .. }) { process::claim_step() } else { None };
    let stop = change.stop_clock(now);
    let end = with(|process| decide(process, change, &stop))?;
    drop(claim);
    let mut counts = devices::flush_for(&end);
    if matches!(change, StepChange::Exit) {
        counts = counts.or_else(|| devices::finish(end.now));
    }
    let (state, began) = with(|process| (settle(process, change, &end, counts), process.step_began()))?;
    if matches!(change, StepChange::Next { .. } | StepChange::Restart(_)) {
        processor::step_begins(began);
    }
    Some(state)
}

/// Ends the current step with `samples` samples (0: not known; ignored if the options set the number), and
/// begins the next one, usually in the state `to` or, if `None`, the schedule's. Returns the number of the
/// state that then holds.
pub(crate) fn step(samples: u64, to: Option<State>) -> u64 {
    let now = clock::now();
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    end_step_with(now, &StepChange::Next { samples, to, past: None }).map_or(0, |state| state as u64)
}

/// Ends the current step as [`step`] does, but at the earlier moment `past.at`, ns. Does nothing if the
/// moment is not between the step's beginning and now.
pub(crate) fn step_at(samples: u64, past: Past) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    let began = with(|process| process.step_began()).unwrap_or_default();
    if past.at <= began || past.at > clock::now() {
        return live::state();
    }
    let change = StepChange::Next { samples, to: None, past: Some(past) };
    end_step_with(past.at, &change).map_or(0, |state| state as u64)
}

/// Stops the clock of the current step and suspends recording. Does nothing unless a cycle of this process's
/// own is open; without `is_step` the step gets no slice.
pub(crate) fn pause_step(is_step: bool, past: Option<Past>) {
    let now = clock::now();
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    if !with(|process| process.may_pause()).unwrap_or_default() {
        return;
    }
    let cycle = live::cycle();
    let stop = if is_step { end_slice(now, past) } else { end_process(now) };
    if let Some(cycle) = with(|process| process.pause(ClockStop { cycle, ..stop })) {
        device::pause(cycle, now);
    }
}

/// In a leader with scheduled steps, or a process that ends its leader's steps, restarts the current step's
/// clock: the time since the previous step ended counts for no step. Usually writes a slice from `since`, ns,
/// when the recorder began with its own work, to now.
pub(crate) fn resume_step(since: u64) {
    let now = clock::now();
    let its_own = with(|process| {
        let is_resumed = process.is_leader_by_steps() || process.steps_for_leader();
        is_resumed.then(|| {
            let its_own = process.recorder_slice(since, now);
            waiting::take(now);
            process.resume(now);
            its_own
        })
    });
    if let Some(its_own) = its_own.flatten() {
        its_own.iter().for_each(outside::record);
        processor::step_begins(now);
    }
}

impl StepChange {
    /// Returns the stop of the current step's clock: that of an earlier [`pause_step`], unless the step
    /// restarts, else `now`, ns. Writes the slices that are due, if any.
    fn stop_clock(&self, now: u64) -> ClockStop {
        if let Self::Restart(_) = self {
            waiting::take(now);
            return ClockStop::at(now);
        }
        if let Some(paused) = with(Process::take_pause).flatten() {
            return paused;
        }
        match self {
            Self::Next { past, .. } => end_slice(now, *past),
            Self::Stop { is_step: true } => end_slice(now, None),
            Self::Exit => end_process(now),
            Self::Restart(_) | Self::Stop { is_step: false } => ClockStop::at(now),
        }
    }
}

/// Writes the slices of the start-up and the current step, if due; the step's ends at `now`, ns, or in the
/// `past`. Returns the clock's stop; the process's state must be unlocked.
fn end_slice(now: u64, past: Option<Past>) -> ClockStop {
    let (end, waited) = match past {
        Some(Past { at, waited }) => (at, waiting::take_part(waited)),
        None => (now, waiting::take(now)),
    };
    with(Process::start_up_slice).flatten().iter().for_each(outside::record);
    let step = with(|process| process.step_slice(end)).flatten();
    step.iter().for_each(outside::record);
    // The clocks are not those of the past.
    step.iter().filter(|_| past.is_none()).for_each(processor::record);
    ClockStop { waited, ..ClockStop::at(end) }
}

/// Writes the slice of the teardown, if there is one, and stops the clock of the current step at `now`, ns;
/// the step gets no slice.
fn end_process(now: u64) -> ClockStop {
    outside::end_teardown(now);
    ClockStop::at(now)
}

/// Decides what follows from a change of steps, and returns it. From then on no range is recorded into a
/// cycle that the change ends.
fn decide(process: &mut Process, change: &StepChange, stop: &ClockStop) -> StepEnd {
    match *change {
        StepChange::Next { samples, to, .. } => process.end_step(stop, samples, to),
        StepChange::Restart(state) => process.restart_step(stop, state),
        StepChange::Stop { .. } => process.stop_steps(stop),
        StepChange::Exit => process.end_steps(stop),
    }
}

/// Performs the remaining actions of the transition in `end`, and begins a step, if one follows. Returns the
/// state that then holds.
fn settle(process: &mut Process, change: &StepChange, end: &StepEnd, counts: Option<DeviceCounts>) -> State {
    match change {
        StepChange::Next { .. } | StepChange::Restart(_) => process.begin_step(end, counts),
        StepChange::Stop { .. } => {
            process.act(end, counts);
            process.update_page();
        }
        StepChange::Exit => process.close(end, counts),
    }
    process.state()
}
