//! What CUDA's devices do, as CUPTI tells it. The driver loads this file when a program first calls CUDA.
//!
//! ```text
//! driver ──> InitializeInjection ──> session ──> CUPTI ──> buffers ──> sink (records, calls, texts) ──> spool
//!                                       ▲
//!            process (steps) ───────────┴─── watcher (windows by time, and every second)
//! ```
//!
//! - `library`: where CUPTI is; `table`: its functions; `driver`: waiting for devices.
//! - `session`: what CUPTI is asked for, and when. Knows cycles, not records.
//! - `place`: the one that CUPTI has for a tool; `refusal`: what CUPTI refuses, in words.
//! - `handles`: what is named by its handle.
//! - `buffers`: memory for CUPTI's records.
//! - `sink`: records into files; `records`: what CUPTI writes; `calls`: which calls are kept; `texts`: names by their place.
//! - `interval`: which records belong to a cycle.
//! - `watcher`: a thread for cycles that others open and close, and for what is to be on disk soon.
//!
//! CUPTI is never asked to end: programs with graphs do not outlive that. A forked process makes no call of it.

#![allow(unsafe_code, reason = "the driver calls a function by its name; the end of the process is watched")]

mod buffers;
mod call_filter;
mod driver;
mod errors;
mod functions;
mod handles;
mod interval;
mod library;
mod names;
mod records;
mod session;
mod sink;
mod subscriber;
mod watcher;

use std::env;
use std::ffi::c_int;
use std::sync::Once;

use crate::errno::keep;
use crate::guard::{self, shield};
use crate::process;

pub use library::remember as folders;
#[cfg(test)]
pub use session::tests::the_end_waits_for_who_is_in_cupti;
#[cfg(test)]
pub use sink::tests::what_is_in_the_interval_is_on_disk;

/// The variable by which the driver comes here; some say `none` in it, and mean it.
const VARIABLE: &str = "CUDA_INJECTION64_PATH";

/// The driver has loaded this file, and is about to be ready. 1: it is to stay.
#[unsafe(no_mangle)]
pub extern "C" fn InitializeInjection() -> c_int {
    static ONCE: Once = Once::new();
    guard::silence();
    shield((), || keep(|| ONCE.call_once(begin)));
    1
}

fn begin() {
    let is_unwanted = env::var_os(VARIABLE).is_some_and(|path| path == "none");
    if is_unwanted || !process::open(false) {
        return;
    }
    // Where Python ends the recorder before, this finds nothing to do. Registered here, and not once for all, since what was
    // registered before the driver was ready is called when the driver is gone.
    // SAFETY: the handler is a function of this file, which stays loaded.
    unsafe { libc::atexit(end) };
    if let Some(session) = session::begin() {
        watcher::begin(session);
    }
}

extern "C" fn end() {
    shield((), || keep(process::close));
}
