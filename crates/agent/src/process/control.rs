//! The program itself says what is recorded: its own profiler starts, steps from state to state, and stops.
//!
//! It takes over only where nobody else said anything: a schedule of the command line, and recording windows by time, stay in force.

use proftui_wire::perf;
use proftui_wire::schedule::{Schedule, State};

use super::step_end::{StepChange, end_step_with};
use super::{Process, STEP_LOCK, state, with};
use crate::clock;
use crate::errno::keep;

/// True where the program may say what is recorded.
pub fn may_start() -> bool {
    with(|process| process.may_control()).unwrap_or_default()
}

/// Hands control to the program: its first step begins now, in this state, and a cycle that is open ends. Steps are numbered from 0;
/// without `has_steps` the trace has no steps, and all that is done counts as one. False, without any effect, where the program may
/// not start.
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

/// Begins the step under way now, in this state: the time since the last one ended belongs to no step. Returns the number of the
/// state.
pub fn restart_step(to: State) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return state() };
    end_step_with(clock::now(), &StepChange::Restart(to));
    state()
}

/// Ends the steps, and with them the step and the cycle under way, which are whole. Nothing is recorded until a profiler starts again.
pub fn stop_steps() {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    end_step_with(clock::now(), &StepChange::Stop { is_step: true });
}

/// The number of the cycle that ended last; 0 before one has.
pub fn last_cycle() -> u64 {
    with(|process| process.steps.last_cycle()).unwrap_or_default()
}

/// The key of this process, which is its folder's name; empty where it can have no folder.
pub fn process_key() -> String {
    let key = |process: &mut Process| Some(process.folder()?.key.to_string());
    with(key).flatten().unwrap_or_default()
}

/// The timer's line on the steps since this was last called; `unit` is the name of a sample.
pub fn step_info(unit: &str) -> String {
    let sum = with(|process| process.steps.take_unreported()).unwrap_or_default();
    perf::step_info(&sum, unit).text()
}

/// The timer's table of all steps; empty before there are enough of them. `unit` is the name of a sample.
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
