//! Control by the program: the program's own profiler starts the steps, sets the state of each step, and
//! stops them.
//!
//! The program has control only if the command line gives neither a schedule nor `--window` nor
//! `--timer-only`.

use proftui_wire::schedule::State;

use super::step_end::{StepChange, end_step_with};
use super::step_lock::STEP_LOCK;
use crate::clock;
use crate::errno::keep;
use crate::live;
use crate::process::with;

/// True if the program's own profiler may select the recorded steps.
pub(crate) fn may_start() -> bool {
    with(|process| process.may_control()).unwrap_or_default()
}

/// Lets the program's own profiler select the steps, and begins a step of it now in `state`, with the number
/// `first`; false if not possible. Without `has_steps` its steps get no slices.
pub(crate) fn start_steps(state: State, has_steps: bool, first: u64) -> bool {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return false };
    if !may_start() {
        return false;
    }
    // The time up to now counts for none of the program's steps.
    end_step_with(clock::now(), &StepChange::Stop { is_step: false });
    with(|process| process.take_over(has_steps, first));
    end_step_with(clock::now(), &StepChange::Restart(state));
    true
}

/// Begins the current step again, now and in the state `to`, which may end or begin a cycle. Returns the
/// number of the state that then holds.
pub(crate) fn restart_step(to: State) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    end_step_with(clock::now(), &StepChange::Restart(to));
    live::state()
}

/// Ends all steps; an open cycle of this process's own ends with them and is complete.
pub(crate) fn stop_steps() {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    end_step_with(clock::now(), &StepChange::Stop { is_step: true });
}
