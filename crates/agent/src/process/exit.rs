//! Closes the recorder when a program without Python exits; in Python programs the hooks close it by Python's
//! `atexit`.

#![allow(unsafe_code, reason = "registers a function with the C library")]

use std::sync::Once;

use super::close;
use crate::guard::shield;

/// Has the C library call [`close`] when the process exits. Only to be called where the recorder's library is
/// never unloaded; later calls do nothing.
pub fn close_at_exit() {
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
