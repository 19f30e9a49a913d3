//! Closes the recorder: when a program without Python exits; in Python programs the hooks close it by
//! Python's `atexit`.

#![allow(unsafe_code, reason = "registers a function with the C library")]

use std::sync::Once;

use super::step_end::{StepChange, end_step_with};
use super::step_lock::STEP_LOCK;
use crate::clock;
use crate::device;
use crate::errno::keep;
use crate::guard::shield;
use crate::live;

/// Ends all recording in this process for good, and shuts down the device recorder.
pub(crate) fn close() {
    if let Some(_held) = keep(|| STEP_LOCK.take()) {
        end_step_with(clock::now(), &StepChange::Exit);
    }
    live::switch_off();
    live::follow_none();
    // Our libraries are unloaded next: no thread may still be in them.
    keep(device::end);
}

/// Has the C library call [`close`] when the process exits. The recorder's library must never be unloaded.
pub(crate) fn close_at_exit() {
    static ONCE: Once = Once::new();
    // SAFETY: the function stays loaded as long as the library, and does not unwind.
    ONCE.call_once(|| unsafe {
        // If this fails, only the log's last entry is missing.
        libc::atexit(at_exit);
    });
}

extern "C" fn at_exit() {
    shield((), close);
}
