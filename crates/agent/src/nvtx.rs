//! NVTX: records the ranges, marks and names with which libraries and programs annotate their work. Must not
//! know Python.
//!
//! NVTX is compiled into each library that uses it (a client). At its first call a client loads the library
//! that `NVTX_INJECTION64_PATH` names and calls its `InitializeInjectionNvtx2`; the client hands out tables
//! of pointers to functions, and the recorder writes its own functions into them.
//!
//! - `tables` reads a client's tables and fills them.
//! - `calls` is the recorder's functions, and their numbers in the tables.
//! - `texts` reads a client's texts; `names` maps them to names of ranges; `domains` numbers domains;
//!   `emit_nvtx` recognises PyTorch's operators.
//!
//! Names of streams and contexts go to the recorder of devices. Categories, colours, payloads and names of
//! devices are ignored: a trace cannot hold the first two, only the program knows what a payload means, and a
//! device has a name already.

#![allow(unsafe_code, reason = "exports a function that clients of NVTX, which are C, find by name")]

mod calls;
mod domains;
mod emit_nvtx;
mod names;
mod tables;
#[cfg(test)]
mod tests;
mod texts;

use std::ffi::c_int;

use crate::guard::{self, shield};
use crate::lifecycle;

use tables::{Export, Tables};

/// Called by a client of NVTX when it initializes. Returns 1 if the recorder's functions were written into
/// the client's tables, 0 if nothing is recorded, or the client has no usable tables: then the client unloads
/// this library.
///
/// # Safety
/// Called by a client of NVTX 3, with the function by which it hands out its tables.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn InitializeInjectionNvtx2(export: Option<Export>) -> c_int {
    shield(0, || {
        guard::silence();
        // SAFETY: the caller's promise.
        let Some(tables) = export.and_then(|export| unsafe { Tables::of(export) }) else { return 0 };
        if !lifecycle::open(false) {
            return 0;
        }
        lifecycle::close_at_exit();
        tables.fill();
        1
    })
}
