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

/// True if the program's own profiler may select the recorded steps: the command line gives neither a
/// schedule nor `--window` nor `--timer-only`, and the recorder is set up and not off.
pub(crate) fn may_start() -> bool {
    with(|process| process.may_control()).unwrap_or_default()
}

/// Hands control to the program's own profiler: an open cycle of this process's own ends, and the program's
/// first step, number 0, begins now in `state`. Without `has_steps` the trace gets no slices of steps,
/// start-up, validation or teardown. Returns false, without any effect, if the program may not select the
/// recorded steps, or another thread holds `STEP_LOCK` for too long.
pub(crate) fn start_steps(state: State, has_steps: bool) -> bool {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return false };
    if !may_start() {
        return false;
    }
    // The time up to now counts for none of the program's steps.
    end_step_with(clock::now(), &StepChange::Stop { is_step: false });
    with(|process| process.take_over(has_steps));
    end_step_with(clock::now(), &StepChange::Restart(state));
    true
}

/// Begins the current step again, now and in the state `to`; the change of state may end or begin a cycle.
/// The time since the previous step ended counts for no step. Returns the number of the state that then
/// holds.
pub(crate) fn restart_step(to: State) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    end_step_with(clock::now(), &StepChange::Restart(to));
    live::state()
}

/// Ends all steps: the current step ends now, or ended when it was paused; it gets a slice, but is not added
/// to the timer's sums. An open cycle of this process's own ends with it and is complete. Nothing is recorded
/// until the program starts steps again.
pub(crate) fn stop_steps() {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    end_step_with(clock::now(), &StepChange::Stop { is_step: true });
}
