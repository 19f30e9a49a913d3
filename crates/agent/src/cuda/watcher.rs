//! Cycles that others open and close: a thread that looks at the page, fifty times a second. Where a process's own steps do it,
//! there is none.

#![allow(unsafe_code, reason = "the program's signals are not for this thread")]

use std::thread;
use std::time::Duration;

use super::session::is_over;
use crate::clock;
use crate::guard::shield;
use crate::process;
use crate::process::device::{self, Recorder};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of the thread's stack.
const STACK: usize = 256 << 10;

/// Begins to look, where somebody else says what is recorded.
pub fn begin(recorder: &'static dyn Recorder) {
    if !process::is_led() {
        return;
    }
    let body = move || shield((), || watch(recorder));
    // A thread has the mask of the one that makes it.
    // SAFETY: sets of our own; the mask is put back.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        // Without the thread nothing is recorded: there is nobody to tell either.
        let _ = thread::Builder::new().name("proftui".into()).stack_size(STACK).spawn(body);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
    }
}

fn watch(recorder: &dyn Recorder) {
    let mut open = 0;
    while !is_over() {
        let is_led = process::is_led();
        let cycle = if is_led { process::cycle() } else { 0 };
        if open != 0 && cycle != open {
            if let Some(counts) = recorder.close(open, clock::now()) {
                device::closed(counts);
            }
            if is_led {
                recorder.rest();
            }
            open = 0;
        }
        if cycle != open {
            recorder.open(cycle, clock::now());
            recorder.prepare();
            open = cycle;
        }
        if !is_led {
            // Its own steps open and close cycles from here on.
            return;
        }
        thread::sleep(PAUSE);
    }
}
