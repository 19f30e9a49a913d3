//! Calls what a hook stands for: `before`, the function, `after`. Must not know how a hook is made or what
//! attributes it has.
//!
//! No Rust value that has to be dropped lives across a call: Python ends threads of its own by unwinding
//! them.

#![allow(unsafe_code, reason = "calls functions of Python with pointers to its objects")]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use super::super::api::Ref;
use super::api::{HookApi, Vectorcall, api};

/// The fields of a hook, as its Python object has them in memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Hook {
    /// `PyObject`: count of references, type.
    pub head: [usize; 2],
    pub call: Option<Vectorcall>,
    /// The list of weak references to the hook, which Python keeps; null for an empty one.
    pub weak: Ref,
    pub function: Ref,
    pub before: Ref,
    pub after: Ref,
    pub failed: Ref,
    /// The bit of the hook's phase; 0 for none.
    pub phase: u32,
}

/// A pointer to the fields of a hook.
pub(super) fn fields(hook: Ref) -> *mut Hook {
    hook.cast::<c_void>().cast()
}

thread_local! {
    /// The bits of the phases that this thread is in: a further hook of such a phase just calls its function.
    static PHASES: Cell<u32> = const { Cell::new(0) };
}

/// Clears this thread's phases, as if it were in no call of a hook.
pub(super) fn leave_phases() {
    PHASES.set(0);
}

/// An exception that was taken from the interpreter: type, value and traceback.
#[derive(Clone, Copy)]
struct Taken(Ref, Ref, Ref);

/// The [`super::api::Vectorcall`] of hooks: usually calls `before`, the function, and then `after`.
pub(super) unsafe extern "C-unwind" fn call(
    hook: Ref,
    arguments: *const Ref,
    count: usize,
    names: Ref,
) -> Ref {
    let Some(api) = api() else { return ptr::null_mut() };
    // SAFETY: Python passes an object of our type, which lives as long as the call, and the arguments of
    // `PyObject_Vectorcall`.
    unsafe {
        let Hook { function, before, after, phase, .. } = *fields(hook);
        if PHASES.get() & phase != 0 {
            return api.vectorcall(function, arguments, count, names);
        }
        let begun = api.vectorcall(before, arguments, count, names);
        if begun.is_null() {
            if !is_forgiven(api, hook, before) {
                return ptr::null_mut();
            }
            return api.vectorcall(function, arguments, count, names);
        }
        if begun == api.none {
            (api.release)(begun);
            return api.vectorcall(function, arguments, count, names);
        }
        PHASES.set(PHASES.get() | phase);
        let result = api.vectorcall(function, arguments, count, names);
        PHASES.set(PHASES.get() & !phase);
        finish(api, hook, after, begun, result)
    }
}

/// Calls `after` when the function has returned `result`, or raised if that is null; returns what the hook
/// returns. Takes over the references `begun` and `result`.
unsafe fn finish(api: &HookApi, hook: Ref, after: Ref, begun: Ref, result: Ref) -> Ref {
    // SAFETY: references that the caller owns, to live objects.
    unsafe {
        let error = result.is_null().then(|| take(api));
        let outcome = match error {
            None => [begun, api.yes, result],
            Some(Taken(kind, ..)) => [begun, api.no, if kind.is_null() { api.none } else { kind }],
        };
        let said = api.vectorcall(after, outcome.as_ptr(), outcome.len(), ptr::null_mut());
        (api.release)(begun);
        let goes_on = !said.is_null() || is_forgiven(api, hook, after);
        if !said.is_null() {
            (api.release)(said);
        }
        if let Some(Taken(kind, value, trace)) = error {
            if goes_on {
                (api.raise)(kind, value, trace);
            } else {
                release(api, &[kind, value, trace]);
            }
        } else if !goes_on {
            (api.release)(result);
            return ptr::null_mut();
        }
        result
    }
}

/// Passes an `Exception` that `culprit` (`before` or `after`) raised to the hook's `failed`, and drops it.
/// Returns false for any other exception, which is set again.
#[cold]
unsafe fn is_forgiven(api: &HookApi, hook: Ref, culprit: Ref) -> bool {
    // SAFETY: an exception is set, and the hook is alive.
    unsafe {
        let Taken(mut kind, mut value, mut trace) = take(api);
        if (api.is_of)(kind, *api.exception) == 0 {
            release(api, &[trace]);
            (api.raise)(kind, value, ptr::null_mut());
            return false;
        }
        (api.make_error)(&raw mut kind, &raw mut value, &raw mut trace);
        let failed = (*fields(hook)).failed;
        let said = api.vectorcall(failed, [culprit, value].as_ptr(), 2, ptr::null_mut());
        if said.is_null() {
            (api.forgive)();
        }
        release(api, &[kind, value, trace, said]);
        true
    }
}

/// Drops references, some of which may be null.
unsafe fn release(api: &HookApi, objects: &[Ref]) {
    for &object in objects.iter().filter(|object| !object.is_null()) {
        // SAFETY: a reference of the caller's.
        unsafe { (api.release)(object) };
    }
}

/// Takes the exception that is set: none is set afterwards. Three null pointers if none was set.
unsafe fn take(api: &HookApi) -> Taken {
    let mut taken = Taken(ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: three variables of our own.
    unsafe { (api.take_error)(&raw mut taken.0, &raw mut taken.1, &raw mut taken.2) };
    taken
}
