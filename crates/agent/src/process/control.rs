//! Control by the program: its own profiler decides what is recorded. It starts the steps, gives the state of each, and stops them.
//!
//! The program may do so only where the command line gives neither a schedule nor recording windows by time, and asks for more than
//! the timer.

use proftui_wire::perf;
use proftui_wire::schedule::{Schedule, State};

use super::step_end::{StepChange, end_step_with};
use super::{Process, STEP_LOCK, state, with};
use crate::clock;
use crate::errno::keep;

/// True if the program may control what is recorded.
pub fn may_start() -> bool {
    with(|process| process.may_control()).unwrap_or_default()
}

/// Hands control to the program: a cycle that is open ends, and the program's first step begins now, in `state`. Steps are numbered
/// from 0; without `has_steps` the trace shows no steps, and the whole time counts as one. False, without any effect, where the program
/// may not control what is recorded.
pub fn start_steps(state: State, has_steps: bool) -> bool {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return false };
    if !may_start() {
        return false;
    }
    // The time up to now belongs to none of the program's steps.
    end_step_with(clock::now(), &StepChange::Stop { is_step: false });
    with(|process| process.take_over(has_steps));
    end_step_with(clock::now(), &StepChange::Restart(state));
    true
}

/// Begins the current step anew, now and in the state `to`: the time since the step before it ended belongs to no step. Returns the
/// number of the state.
pub fn restart_step(to: State) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return state() };
    end_step_with(clock::now(), &StepChange::Restart(to));
    state()
}

/// Ends the steps: the current step and cycle end now and are whole. Nothing is recorded until the program starts steps again.
pub fn stop_steps() {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    end_step_with(clock::now(), &StepChange::Stop { is_step: true });
}

/// The number of this process's own cycle that ended last; 0 before one has.
pub fn last_cycle() -> u64 {
    with(|process| process.steps.last_cycle()).unwrap_or_default()
}

/// The key of this process, which is its folder's name; empty if it can have no folder.
pub fn process_key() -> String {
    let key = |process: &mut Process| Some(process.folder()?.key.to_string());
    with(key).flatten().unwrap_or_default()
}

/// The averages over the steps that ended since this was last called, as the timer's line of text; `unit` is the name of a sample.
pub fn step_info(unit: &str) -> String {
    let sum = with(|process| process.steps.take_unreported()).unwrap_or_default();
    perf::step_info(&sum, unit).text()
}

/// The timer's table over all steps after the warm-up, as text; empty before there is such a step. `unit` is the name of a sample.
pub fn summary(unit: &str) -> String {
    let timer = with(|process| *process.steps.timer()).unwrap_or_default();
    perf::summary(&timer, unit).map_or_else(String::new, |summary| summary.text())
}

impl Process {
    fn may_control(&self) -> bool {
        self.is_scheduled() && matches!(self.options.schedule, Schedule::All | Schedule::Manual)
    }

    fn take_over(&mut self, has_steps: bool) {
        self.options.schedule = Schedule::Manual;
        if self.leader.is_some() {
            self.become_leader();
        }
        self.steps.count_anew(has_steps);
    }
}
