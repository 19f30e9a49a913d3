//! What the C library calls when a program ends that nothing else closes us in: one without Python.

#![allow(unsafe_code, reason = "the C library is told what to call at the end")]

use std::sync::Once;

use super::close;
use crate::guard::shield;

/// Has everything closed when the process ends in order, once. To be called by whoever is sure that the file stays loaded.
pub fn close_at_exit() {
    static ONCE: Once = Once::new();
    // SAFETY: the function is there as long as the file, and unwinds nowhere.
    ONCE.call_once(|| unsafe {
        // Where there is no room for it, nothing is lost but the word that the process ended in order.
        libc::atexit(at_exit);
    });
}

extern "C" fn at_exit() {
    shield((), close);
}
