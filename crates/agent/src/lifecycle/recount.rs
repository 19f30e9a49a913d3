//! Has the current step begin at another moment, and the count of steps begin anew, with the cycles that this
//! ends and begins.

use super::processor;
use super::step_end::{StepChange, end_step_with};
use super::step_lock::STEP_LOCK;
use crate::clock;
use crate::errno::keep;
use crate::live;
use crate::process::{self, Past, Process, with};

/// A moment that is longer ago than this, ns, is not the present one: the clocks of the processor time say
/// nothing of it.
const PRESENT: u64 = 100_000;

/// Moves the beginning of the current step to `past.at`, ns, as [`process::begin_step`] does.
pub(crate) fn begin_step(past: Past) {
    process::begin_step(past);
    if clock::now().saturating_sub(past.at) < PRESENT && with(|process| process.step_began()) == Some(past.at)
    {
        processor::step_begins(past.at);
    }
}

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
