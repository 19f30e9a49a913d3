//! The functions of `_proftui` that a program's own profiler calls: those of `lifecycle::control`, by which
//! it selects the recorded steps, and what it asks for. `schedule_state` saves a second implementation of
//! schedules in Python.

#![allow(unsafe_code, reason = "has functions that Python calls with pointers to its objects")]

use std::ffi::c_void;

use proftui_wire::schedule::{Schedule, State};

use super::api::{Api, Method, Ref};
use super::binding::{
    FAST, Fast, NONE, ONE, One, aside, call, list, method, none, number, text, text_of, truth, whole, wrong,
};
use crate::lifecycle::{self, control};
use crate::process;

/// The descriptions of the functions for a program's own profiler, for the definition of the module
/// `_proftui`.
pub(super) fn methods() -> [Method; 11] {
    [
        method(
            c"change_options",
            change_options as One as *const c_void,
            ONE,
            c"change_options(lines of key=value) -> bool: False while a cycle is open",
        ),
        method(c"may_start", may_start as One as *const c_void, NONE, c"may_start() -> bool"),
        method(
            c"start_steps",
            start_steps as Fast as *const c_void,
            FAST,
            c"start_steps(state, has_steps, number of the first step) -> bool",
        ),
        method(c"step_to", step_to as Fast as *const c_void, FAST, c"step_to(samples, state) -> state"),
        method(c"restart_step", restart_step as One as *const c_void, ONE, c"restart_step(state) -> state"),
        method(c"stop_steps", stop_steps as One as *const c_void, NONE, c"stop_steps()"),
        method(
            c"last_cycle",
            last_cycle as One as *const c_void,
            NONE,
            c"last_cycle() -> the number of the cycle that ended last",
        ),
        method(
            c"process_key",
            process_key as One as *const c_void,
            NONE,
            c"process_key() -> the name of the process's folder",
        ),
        method(
            c"schedule_state",
            schedule_state as Fast as *const c_void,
            FAST,
            c"schedule_state(schedule, step) -> state",
        ),
        method(c"step_info", step_info as One as *const c_void, ONE, c"step_info(unit) -> text"),
        method(c"perf", perf as One as *const c_void, ONE, c"perf(unit) -> text"),
    ]
}

unsafe extern "C" fn change_options(_: Ref, lines: Ref) -> Ref {
    call(|api| Some(truth(api, process::change_options(&text_of(api, lines)?))))
}

unsafe extern "C" fn may_start(_: Ref, _: Ref) -> Ref {
    call(|api| Some(truth(api, control::may_start())))
}

unsafe extern "C" fn start_steps(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[state, has_steps, first] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"start_steps(state, has_steps, first)");
        };
        let (state, has_steps) = (state_of(api, state)?, number(api, has_steps)? != 0);
        let first = number(api, first)?;
        Some(truth(api, aside(api, || control::start_steps(state, has_steps, first))))
    })
}

unsafe extern "C" fn step_to(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[samples, state] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"step_to(samples, state)");
        };
        let (samples, state) = (number(api, samples)?, state_of(api, state)?);
        Some(whole(api, aside(api, || lifecycle::step(samples, Some(state)))))
    })
}

unsafe extern "C" fn restart_step(_: Ref, state: Ref) -> Ref {
    call(|api| {
        let state = state_of(api, state)?;
        Some(whole(api, aside(api, || control::restart_step(state))))
    })
}

unsafe extern "C" fn stop_steps(_: Ref, _: Ref) -> Ref {
    call(|api| {
        aside(api, control::stop_steps);
        Some(none(api))
    })
}

unsafe extern "C" fn last_cycle(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, process::last_cycle())))
}

unsafe extern "C" fn process_key(_: Ref, _: Ref) -> Ref {
    call(|api| Some(text(api, &process::process_key())))
}

/// `schedule_state(schedule, step)`: returns the number of a step's state in a schedule that is given as
/// text.
unsafe extern "C" fn schedule_state(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[schedule, step] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"schedule_state(schedule, step)");
        };
        let (schedule, step) = (text_of(api, schedule)?, number(api, step)?);
        let Ok(schedule) = schedule.parse::<Schedule>() else { return wrong(api, c"not a valid schedule") };
        Some(whole(api, schedule.state(step) as u64))
    })
}

unsafe extern "C" fn step_info(_: Ref, unit: Ref) -> Ref {
    call(|api| Some(text(api, &process::step_info(&text_of(api, unit)?))))
}

unsafe extern "C" fn perf(_: Ref, unit: Ref) -> Ref {
    call(|api| Some(text(api, &process::summary(&text_of(api, unit)?))))
}

/// Converts a Python integer to the state with this number; `None`, with an exception set, if it is not from
/// 0 to 3.
fn state_of(api: &Api, state: Ref) -> Option<State> {
    match u8::try_from(number(api, state)?).ok().and_then(State::of) {
        None => wrong(api, c"a state is a number from 0 to 3").and(None),
        found => found,
    }
}
