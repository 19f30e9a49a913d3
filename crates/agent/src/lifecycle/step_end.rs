//! The protocol for the end of a step, of all steps, and of the process. All callers go through
//! [`end_step_with`]:
//!
//! 1. The step's clock stops, unless [`pause_step`] stopped it before: the step's slice is written, for the
//!    first step also that of the start-up, and the time that the step waited for data is taken.
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
use super::{devices, outside};
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
        /// When the step ended and how long it had waited for data, if it ended before now; `None` if it ends
        /// now.
        past: Option<Past>,
    },
    /// The current step restarts in this state: the time since the previous step ended counts for no step.
    Restart(State),
    /// All steps end; an open cycle of the process's own ends with them and is complete.
    Stop {
        /// True if the current step gets a slice, up to now; false if its time counts for no step.
        is_step: bool,
    },
    /// The process ends, in the middle of a step.
    Exit,
}

/// Performs a change of steps at `now`, ns: stops the current step's clock, decides which cycle ends, has the
/// device recorder flush that, and begins the next step, if any. Returns the state that then holds; `None` if
/// the recorder is off or not set up, or the process's state stays locked. To be called with `STEP_LOCK`
/// held.
pub(super) fn end_step_with(now: u64, change: &StepChange) -> Option<State> {
    let claim = if matches!(change, StepChange::Next { .. }) { process::claim_step() } else { None };
    let stop = change.stop_clock(now);
    let end = with(|process| decide(process, change, &stop))?;
    drop(claim);
    let mut counts = devices::flush_for(&end);
    if matches!(change, StepChange::Exit) {
        counts = counts.or_else(|| devices::finish(end.now));
    }
    with(|process| settle(process, change, &end, counts))
}

/// Ends the current step on the calling thread, now or when it was paused, and begins the next one in the
/// state `to` (`None`: that of the schedule). `samples` is how many samples the step processed, 0 if not
/// known. Returns the number of the state that then holds; 0 if the recorder is off or not set up.
pub(crate) fn step(samples: u64, to: Option<State>) -> u64 {
    let now = clock::now();
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    end_step_with(now, &StepChange::Next { samples, to, past: None }).map_or(0, |state| state as u64)
}

/// Ends the current step as [`step`] does, but at the moment `past.at`, ns; the next step begins there, or
/// now if the change of state takes actions. Does nothing if the current step began at that moment or later,
/// or the moment is in the future.
pub(crate) fn step_at(samples: u64, past: Past) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    let began = with(|process| process.step_began()).unwrap_or_default();
    if past.at <= began || past.at > clock::now() {
        return live::state();
    }
    let change = StepChange::Next { samples, to: None, past: Some(past) };
    end_step_with(past.at, &change).map_or(0, |state| state as u64)
}

/// Stops the clock of the current step, now or at its end in the `past`, and suspends recording until the
/// current step, all steps or the process ends; waits for the cycle's device work for a limited time, unless
/// the run forbids that. Without `is_step` the step gets no slice, but the teardown up to now does. Does
/// nothing if no cycle of this process's own is open, or it is paused already.
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

/// Restarts the clock of the current step now: the time since the previous step ended, and the time that this
/// thread waited for data in it, count for no step. Does nothing with recording windows by time or
/// `--timer-only`, and in a follower whose steps are not its leader's.
pub(crate) fn resume_step() {
    let now = clock::now();
    with(|process| {
        if process.is_leader_by_steps() || process.steps_for_leader() {
            waiting::take(now);
            process.resume(now);
        }
    });
}

impl StepChange {
    /// Stops the clock of the current step at `now`, ns, and returns that stop; writes the step's slice if
    /// the step is complete, and that of the teardown if the process ends. If [`pause_step`] stopped the
    /// clock before, only returns that earlier stop, except for a restart.
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

/// Writes the slice of the current step, which ends at `now`, ns, or in the `past`, if the step was recorded
/// from its beginning; with the first step also the slice of the start-up. Returns the stop of the step's
/// clock. Called with the process's state unlocked, since a full chunk may have to be replaced, for which the
/// state is locked.
fn end_slice(now: u64, past: Option<Past>) -> ClockStop {
    let (end, waited) = match past {
        Some(Past { at, waited }) => (at, waiting::take_part(waited)),
        None => (now, waiting::take(now)),
    };
    for slice in [with(Process::start_up_slice), with(|process| process.step_slice(end))] {
        slice.flatten().iter().for_each(outside::record);
    }
    ClockStop { waited, ..ClockStop::at(end) }
}

/// Writes the slice of the teardown, if there is one, and stops the clock of the current step at `now`, ns;
/// the step gets no slice.
fn end_process(now: u64) -> ClockStop {
    outside::end_teardown(now);
    ClockStop::at(now)
}

/// Advances the scheduler for a change of steps, after the step's clock stopped at `stop`, and adds a step
/// that ended to the timer. Returns the transition, which is still to be performed, and the cycle that it
/// ends. Only a cycle of the leader, whose steps the process ends, is opened or closed already.
fn decide(process: &mut Process, change: &StepChange, stop: &ClockStop) -> StepEnd {
    match *change {
        StepChange::Next { samples, to, .. } => process.end_step(stop, samples, to),
        StepChange::Restart(state) => process.restart_step(stop, state),
        StepChange::Stop { .. } => process.stop_steps(stop),
        StepChange::Exit => process.end_steps(stop),
    }
}

/// Performs the actions of the transition in `end`; then begins the next step, or the current one again, or,
/// if the process ends, writes the last entries of the log. `counts` are those of the device records of the
/// cycle that ended. Returns the state that then holds.
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
