//! The functions of `_proftui` by which a program's own profiler says what is recorded.

#![allow(unsafe_code, reason = "these functions are called by Python, with pointers to its objects")]

use std::ffi::c_void;

use proftui_wire::schedule::State;

use super::api::{Api, Method, Ref};
use super::module::{
    FAST, Fast, NONE, ONE, One, aside, call, list, method, none, number, text, text_of, truth, whole, wrong,
};
use crate::process::steering;

/// They, for the module.
pub fn methods() -> [Method; 9] {
    [
        method(c"may_start", may_start as One as *const c_void, NONE, c"may_start() -> bool"),
        method(c"start", start as Fast as *const c_void, FAST, c"start(state, has_steps) -> bool"),
        method(c"step_to", step_to as Fast as *const c_void, FAST, c"step_to(samples, state) -> state"),
        method(c"turn", turn as One as *const c_void, ONE, c"turn(state) -> state"),
        method(c"stop", stop as One as *const c_void, NONE, c"stop()"),
        method(c"ended", ended as One as *const c_void, NONE, c"ended() -> the cycle that ended last"),
        method(c"place", place as One as *const c_void, NONE, c"place() -> the process's folder"),
        method(c"step_info", step_info as One as *const c_void, ONE, c"step_info(unit) -> text"),
        method(c"perf", perf as One as *const c_void, ONE, c"perf(unit) -> text"),
    ]
}

unsafe extern "C" fn may_start(_: Ref, _: Ref) -> Ref {
    call(|api| Some(truth(api, steering::may_start())))
}

unsafe extern "C" fn start(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[state, has_steps] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"start(state, has_steps)");
        };
        let (state, has_steps) = (state_of(api, state)?, number(api, has_steps)? != 0);
        Some(truth(api, aside(api, || steering::start(state, has_steps))))
    })
}

unsafe extern "C" fn step_to(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[samples, state] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"step_to(samples, state)");
        };
        let (samples, state) = (number(api, samples)?, state_of(api, state)?);
        Some(whole(api, aside(api, || steering::step(samples, state))))
    })
}

unsafe extern "C" fn turn(_: Ref, state: Ref) -> Ref {
    call(|api| {
        let state = state_of(api, state)?;
        Some(whole(api, aside(api, || steering::turn(state))))
    })
}

unsafe extern "C" fn stop(_: Ref, _: Ref) -> Ref {
    call(|api| {
        aside(api, steering::stop);
        Some(none(api))
    })
}

unsafe extern "C" fn ended(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, steering::ended())))
}

unsafe extern "C" fn place(_: Ref, _: Ref) -> Ref {
    call(|api| Some(text(api, &steering::place())))
}

unsafe extern "C" fn step_info(_: Ref, unit: Ref) -> Ref {
    call(|api| Some(text(api, &steering::step_info(&text_of(api, unit)?))))
}

unsafe extern "C" fn perf(_: Ref, unit: Ref) -> Ref {
    call(|api| Some(text(api, &steering::summary(&text_of(api, unit)?))))
}

/// The state of a number; none with an exception.
fn state_of(api: &Api, state: Ref) -> Option<State> {
    match u8::try_from(number(api, state)?).ok().and_then(State::of) {
        None => wrong(api, c"a state is a number from 0 to 3").and(None),
        found => found,
    }
}
