//! Control by the program: the program's own profiler starts the steps, sets the state of each step, and
//! stops them.
//!
//! The program has control only if the command line gives neither a schedule nor `--window` nor
//! `--timer-only`.

use proftui_wire::perf;
use proftui_wire::schedule::{Schedule, State};

use super::step_end::{StepChange, end_step_with};
use super::{Process, STEP_LOCK, with};
use crate::clock;
use crate::errno::keep;
use crate::live;

/// True if the program may select the recorded steps.
pub fn may_start() -> bool {
    with(|process| process.may_control()).unwrap_or_default()
}

/// Hands control to the program: a cycle that is open ends, and the program's first step begins now, in
/// `state`. Steps are numbered from 0; without `has_steps` the trace shows no steps, and the whole time
/// counts as one. Returns false, without any effect, if the program may not select the recorded steps.
pub fn start_steps(state: State, has_steps: bool) -> bool {
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

/// Restarts the current step, now and in the state `to`: the time since the previous step ended counts for no
/// step. Returns the number of the state.
pub fn restart_step(to: State) -> u64 {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return live::state() };
    end_step_with(clock::now(), &StepChange::Restart(to));
    live::state()
}

/// Ends the steps: the current step and cycle end now and are complete. Nothing is recorded until the program
/// starts steps again.
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

/// Average times of the steps that ended since the last call, as a line of text; `unit` names a sample.
pub fn step_info(unit: &str) -> String {
    let sum = with(|process| process.steps.take_unreported()).unwrap_or_default();
    perf::step_info(&sum, unit).text()
}

/// Table of the times of all steps after the warm-up, as text; empty before there is such a step. `unit`
/// names a sample.
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
        self.publish_ring();
        if self.leader.is_some() {
            self.become_leader();
        }
        self.steps.count_anew(has_steps);
    }
}
