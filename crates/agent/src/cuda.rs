//! Records the work of CUDA devices and the CUDA calls, by CUPTI. The CUDA driver loads this library when the
//! program first calls CUDA.
//!
//! ```text
//! driver ──> InitializeInjection ──> session ──> CUPTI ──> buffers ──> sink (records, names) ──> spool
//!                                       ▲
//!            process (steps) ───────────┴─── watcher (cycles of other processes; a flush every second)
//! ```
//!
//! - `library` finds a CUPTI that works; `functions` is the table of its functions; `driver` calls the CUDA
//!   driver's.
//! - `session` sets CUPTI up and has it record per cycle. Knows cycles, not records.
//! - `aside`: whether CUPTI is left to the script's own profiler.
//! - `subscriber` subscribes to CUPTI, `settings` sets what records contain and where CUPTI keeps them,
//!   `kinds` enables kinds of records.
//! - `errors` maps CUPTI's error codes to reasons and notes; `answers` logs its answers.
//! - `callbacks` are the program's calls at which CUPTI calls the recorder: `captures` counts stream
//!   captures, `graphs` notes graphs' nodes.
//! - `handles` finds the ids of contexts and streams that the program names.
//! - `buffers` is the memory for CUPTI's records; `lent` counts what is in the buffers that CUPTI holds.
//!   `losses` reports what a cycle lost.
//! - `flush` has CUPTI deliver; `waiting` limits how long the program waits for devices and records. Both by
//!   `helper`, threads that make calls which may not return.
//! - `sink` writes records to files; `records` decodes them; `call_filter` decides which calls are kept;
//!   `names` looks names up.
//! - `interval` decides which records belong to a cycle.
//! - `watcher` is a thread that follows the cycles of other processes, and flushes CUPTI every second.
//!
//! Unless `--cupti` names a file, the CUPTI that the program has loaded already is preferred. Functions are
//! found by name, and records are read by a table of NVIDIA's fields and their offsets (`records/layouts`):
//! records only ever grew at their ends, so one agent serves all versions from CUDA 11.8 on. Tests compare
//! the table with `cudarc`'s structures, and a script with the headers of all releases.
//!
//! Most kinds of records are enabled from the step before a cycle to its end (`kinds`); versions of CUPTI
//! that would lose records keep them enabled until the last cycle that is due. Before a cycle of steps
//! begins, and at its end, the device is waited for (never while a graph is captured, and not for longer than
//! `--gpu-wait`), so that the cycle has the work of its own steps. At the end CUPTI is flushed, and only then
//! the end is logged; the process's state is not locked meanwhile, and other Python threads run. Device work
//! belongs to the cycle in which it began. Names that NVTX gives to handles are looked up when they are
//! given, since the handle may be gone later.
//!
//! `cuptiFinalize` is never called: programs that use CUDA graphs crash in it. A forked process makes no call
//! of CUPTI.

#![allow(unsafe_code, reason = "exports a function that the driver finds by name; registers an exit handler")]

mod answers;
mod aside;
mod buffers;
mod call_filter;
mod callbacks;
mod captures;
mod driver;
mod errors;
mod flush;
mod functions;
mod graphs;
mod handles;
mod helper;
mod interval;
mod kinds;
mod library;
mod losses;
mod names;
mod records;
mod session;
mod sink;
mod waiting;
mod watcher;

use std::env;
use std::ffi::c_int;
use std::sync::Once;

use crate::errno::keep;
use crate::guard::{self, shield};
use crate::lifecycle;

pub(crate) use library::remember as folders;
pub(crate) use session::leaving::{is_subscribed, left, stand_aside};
#[cfg(test)]
pub(crate) use session::tests::shutting_down_waits_for_threads_in_cupti;
#[cfg(test)]
pub(crate) use sink::tests::records_of_the_interval_are_on_disk;

/// Environment variable that names the library which the CUDA driver loads when it initializes. `none`
/// switches the recording of devices off.
const VARIABLE: &str = "CUDA_INJECTION64_PATH";

/// Usually called by the CUDA driver while it initializes, to begin the recording of devices. Returns 1, so
/// that the library stays loaded.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn InitializeInjection() -> c_int {
    static ONCE: Once = Once::new();
    guard::silence();
    shield((), || keep(|| ONCE.call_once(begin)));
    1
}

/// Opens the process's recorder, begins the session with CUPTI and its thread if possible, and registers the
/// exit handler. Does nothing if [`VARIABLE`] is `none` or the recorder cannot be opened.
fn begin() {
    let is_unwanted = env::var_os(VARIABLE).is_some_and(|path| path == "none");
    if is_unwanted || !lifecycle::open(false) {
        return;
    }
    let session = session::begin();
    // Exit handlers run in reverse order: CUPTI registers its own when it is loaded, so ours is registered
    // after that, and calls a CUPTI that still works. If Python closes the recorder earlier, the handler does
    // nothing. SAFETY: the handler is a function of this library, which stays loaded.
    unsafe { libc::atexit(end) };
    if let Some(session) = session {
        watcher::begin(session);
    }
}

/// Exit handler: closes the process's recorder.
extern "C" fn end() {
    shield((), || keep(lifecycle::close));
}
