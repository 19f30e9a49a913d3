//! A program that says itself what is recorded: its own profiler starts, steps from state to state, and stops.
//!
//! It takes over where nobody said anything else; a schedule of the command line, and windows by time, stay in force.

use proftui_wire::perf;
use proftui_wire::schedule::{Schedule, State};

use super::steps::Halt;
use super::{Process, TURN, device, state, step_to, stop_clock, with};
use crate::clock;
use crate::errno::keep;
use crate::ranges;

/// True where nobody but the program says what is recorded.
pub fn may_start() -> bool {
    with(|process| process.may_steer()).unwrap_or_default()
}

/// From now on the program says what is recorded, and its first step has this state; what is recorded up to now is a cycle that ends.
/// Steps are counted from 0; without `has_steps` all that is done is one, and no step in the trace. False, and nothing, where it has no
/// say.
pub fn start(state: State, has_steps: bool) -> bool {
    let Some(_turn) = keep(|| TURN.take()) else { return false };
    if !may_start() {
        return false;
    }
    // What is under way is none of the program's steps.
    rest(|now| Halt { now, waited: 0, cycle: 0 });
    with(|process| process.take_over(has_steps));
    turn_to(state);
    true
}

/// A step ends on this thread, and the next one has this state; returns what state that is.
pub fn step(samples: u64, to: State) -> u64 {
    step_to(samples, Some(to))
}

/// The step under way begins now, in this state: what was done since the last one ended is no step's time.
pub fn turn(to: State) -> u64 {
    let Some(_turn) = keep(|| TURN.take()) else { return state() };
    turn_to(to);
    state()
}

/// Steps end, in mid-step: it and the cycle are whole. Nothing is recorded until somebody starts again.
pub fn stop() {
    let Some(_turn) = keep(|| TURN.take()) else { return };
    rest(stop_clock);
}

/// The cycle that ended last; 0 for none.
pub fn ended() -> u64 {
    with(|process| process.steps.ended()).unwrap_or_default()
}

/// What the process's folder is called; nothing where it has none.
pub fn place() -> String {
    let name = |process: &mut Process| Some(process.folder()?.key.to_string());
    with(name).flatten().unwrap_or_default()
}

/// The timer's line on the steps since this was last called.
pub fn step_info(unit: &str) -> String {
    let sum = with(|process| process.steps.take_asked()).unwrap_or_default();
    perf::step_info(&sum, unit).text()
}

/// The timer's table; nothing before it has enough steps.
pub fn summary(unit: &str) -> String {
    let timer = with(|process| *process.steps.timer()).unwrap_or_default();
    perf::summary(&timer, unit).map_or_else(String::new, |summary| summary.text())
}

/// Ends what is open, as of now or of when it was halted.
fn rest(stop_clock: impl FnOnce(u64) -> Halt) {
    let now = clock::now();
    let halt = with(Process::take_halt).flatten().unwrap_or_else(|| stop_clock(now));
    let Some(end) = with(|process| process.rest(&halt)) else { return };
    let counts = device::turn(&end);
    with(|process| {
        process.act(&end, counts);
        process.tell();
    });
}

fn turn_to(state: State) {
    let now = clock::now();
    ranges::take_waited(now);
    let Some(end) = with(|process| process.turn_step(now, state)) else { return };
    let counts = device::turn(&end);
    with(|process| process.begin_step(&end, counts));
}

impl Process {
    fn may_steer(&self) -> bool {
        self.is_scheduled() && matches!(self.options.schedule, Schedule::All | Schedule::Manual)
    }

    fn take_over(&mut self, has_steps: bool) {
        self.options.schedule = Schedule::Manual;
        if self.leader.is_some() {
            self.lead();
        }
        self.steps.count_anew(has_steps);
    }
}
