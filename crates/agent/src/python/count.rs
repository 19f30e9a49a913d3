//! The functions of `_proftui` by which the hooks count steps: they end steps, now or in the past, say when
//! a step begins, pause its clock, and record validations.

#![allow(unsafe_code, reason = "has functions that Python calls with pointers to its objects")]

use std::ffi::c_void;

use super::api::{Method, Ref};
use super::binding::{FAST, Fast, NONE, ONE, One, aside, call, list, method, none, number, whole, wrong};
use crate::lifecycle;
use crate::live::waiting;
use crate::process::{self, Past};

/// The descriptions of the functions by which the hooks count and time steps, and record validations, for the
/// definition of the module `_proftui`.
pub(super) fn methods() -> [Method; 10] {
    [
        method(c"step", step as One as *const c_void, ONE, c"step(samples) -> state"),
        method(
            c"step_at",
            step_at as Fast as *const c_void,
            FAST,
            c"step_at(samples, time, waited) -> state",
        ),
        method(
            c"pause_step",
            pause_step as Fast as *const c_void,
            FAST,
            c"pause_step([is_step[, time, waited]])",
        ),
        method(c"resume_step", resume_step as One as *const c_void, ONE, c"resume_step(since)"),
        method(c"begin_step", begin_step as Fast as *const c_void, FAST, c"begin_step(time, waited)"),
        method(c"begin_call", begin_call as Fast as *const c_void, FAST, c"begin_call(time, cycle)"),
        method(c"read_clocks", read_clocks as One as *const c_void, ONE, c"read_clocks(time)"),
        method(c"restart_steps", restart_steps as One as *const c_void, NONE, c"restart_steps() -> state"),
        method(c"validation", validation as Fast as *const c_void, FAST, c"validation(start, end)"),
        method(
            c"waited",
            waited as One as *const c_void,
            NONE,
            c"waited() -> for how long this thread has waited for data in the current step, ns",
        ),
    ]
}

unsafe extern "C" fn step(_: Ref, samples: Ref) -> Ref {
    call(|api| {
        let samples = number(api, samples)?;
        Some(whole(api, aside(api, || lifecycle::step(samples, None))))
    })
}

unsafe extern "C" fn step_at(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[samples, at, waited] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"step_at(samples, time, waited)");
        };
        let past = Past { at: number(api, at)?, waited: number(api, waited)? };
        let samples = number(api, samples)?;
        Some(whole(api, aside(api, || lifecycle::step_at(samples, past))))
    })
}

unsafe extern "C" fn pause_step(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let (is_step, past) = match unsafe { list(arguments, count) } {
            [] => (true, None),
            &[is_step] => (number(api, is_step)? != 0, None),
            &[is_step, at, waited] => {
                let past = Past { at: number(api, at)?, waited: number(api, waited)? };
                (number(api, is_step)? != 0, Some(past))
            }
            _ => return wrong(api, c"pause_step([is_step[, time, waited]])"),
        };
        aside(api, || lifecycle::pause_step(is_step, past));
        Some(none(api))
    })
}

unsafe extern "C" fn resume_step(_: Ref, since: Ref) -> Ref {
    call(|api| {
        lifecycle::resume_step(number(api, since)?);
        Some(none(api))
    })
}

unsafe extern "C" fn begin_step(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[at, waited] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"begin_step(time, waited)");
        };
        lifecycle::begin_step(Past { at: number(api, at)?, waited: number(api, waited)? });
        Some(none(api))
    })
}

unsafe extern "C" fn begin_call(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[at, cycle] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"begin_call(time, cycle)");
        };
        process::begin_call(number(api, at)?, number(api, cycle)?);
        Some(none(api))
    })
}

unsafe extern "C" fn read_clocks(_: Ref, at: Ref) -> Ref {
    call(|api| {
        lifecycle::read_clocks(number(api, at)?);
        Some(none(api))
    })
}

unsafe extern "C" fn restart_steps(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, aside(api, lifecycle::restart_steps))))
}

unsafe extern "C" fn validation(_: Ref, arguments: *const Ref, count: isize) -> Ref {
    call(|api| {
        // SAFETY: what Python passes.
        let &[start, end] = (unsafe { list(arguments, count) }) else {
            return wrong(api, c"validation(start, end)");
        };
        lifecycle::validation(number(api, start)?, number(api, end)?);
        Some(none(api))
    })
}

unsafe extern "C" fn waited(_: Ref, _: Ref) -> Ref {
    call(|api| Some(whole(api, waiting::sum())))
}
