//! Has the count of steps begin anew, with the cycles that this ends and begins.

use super::step_end::{StepChange, end_step_with};
use super::step_lock::STEP_LOCK;
use crate::clock;
use crate::errno::keep;
use crate::live;
use crate::process::{Process, with};

/// Counts this process's own steps anew from the current one, which becomes step 0, and usually begins the
/// schedule anew. Returns the state's number afterwards ([`live::state`]).
pub(crate) fn restart_steps() -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    let began = with(|process| process.step_began()).unwrap_or_default();
    let Some((is_dropped, state)) = with(Process::count_from_zero) else { return 0 };
    if is_dropped {
        end_step_with(clock::now(), &StepChange::Stop { is_step: false });
    }
    if let Some(state) = state {
        end_step_with(clock::now(), &StepChange::Restart(state));
        // The step is timed from its beginning, but a cycle that opens now has not recorded it from there.
        with(|process| process.step_is_unrecorded_from(began));
    }
    live::state()
}
