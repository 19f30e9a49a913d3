//! Handlers of forks: the child begins without a folder, and records the cycles on the live page that its
//! parent followed, which is the parent's own if the parent is a leader.

#![allow(unsafe_code, reason = "registers handlers of forks with the C library")]

use std::cell::Cell;
use std::sync::Once;

use super::step_lock::STEP_LOCK;
use crate::clock;
use crate::device;
use crate::errno::keep;
use crate::guard;
use crate::live;
use crate::lock::Held;
use crate::process::PROCESS;
use crate::ranges;
use crate::spool;

thread_local! {
    /// True during a fork if this thread holds the lock of the process's state.
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

/// Registers the handlers of forks with the C library; later calls do nothing.
pub(super) fn watch() {
    static ONCE: Once = Once::new();
    // SAFETY: the handlers use only atomics, the clock and memory of our own, which is allowed there. The
    // library stays loaded.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(prepare), Some(parent), Some(child));
    });
}

/// Runs before a fork: takes the lock of the process's state, if it is free within about two seconds.
extern "C" fn prepare() {
    guard::shield((), || {
        let held = keep(|| PROCESS.take());
        IS_HELD.set(held.map(Held::keep).is_some());
    });
}

/// Runs after the fork in the parent: frees the lock of the process's state, if [`prepare`] took it.
extern "C" fn parent() {
    guard::shield((), || {
        if IS_HELD.replace(false) {
            // SAFETY: this thread took it in `prepare`.
            drop(unsafe { PROCESS.resume() });
        }
    });
}

/// Runs after a fork in the child: gives up the parent's device recorder, chunks and ranges, and adapts the
/// process's state. Switches the recorder off if [`prepare`] did not lock that.
extern "C" fn child() {
    guard::shield((), || {
        live::count_nowhere();
        device::abandon();
        // SAFETY: this is the only thread here, and it does not end a step.
        unsafe { STEP_LOCK.free() };
        spool::abandon();
        ranges::forget();
        if IS_HELD.replace(false) {
            // SAFETY: this thread took it in `prepare`, and it is the only one here.
            let mut process = unsafe { PROCESS.resume() };
            if let Some(process) = process.as_mut() {
                process.forked(clock::now());
            }
        } else {
            // Another thread may have been changing the state.
            live::switch_off();
            live::follow_none();
        }
    });
}
