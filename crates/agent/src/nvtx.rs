//! NVTX: ranges, marks and names that libraries and programs tell to any tool that asks for them. Knows nothing of Python.
//!
//! Each library that has NVTX within loads the file that `NVTX_INJECTION64_PATH` names and calls it, at its first call of NVTX; it
//! hands out tables of its functions, and we put ours into them.
//!
//! - `tables`: those tables, and which of our functions belongs where.
//! - `calls`: these functions.
//! - `texts`: what a text says; `names`: the number that it has; `domains`: whose it is; `emitted`: PyTorch's operators.
//!
//! What streams and contexts are called goes to whoever records devices. Categories, colours, payloads and names of devices are
//! passed over: a trace has no place for the first two, what a payload means only the program knows, and a device has a name.

#![allow(unsafe_code, reason = "clients of NVTX are C, and find us by this name")]

mod calls;
mod domains;
mod emitted;
mod names;
mod tables;
#[cfg(test)]
mod tests;
mod texts;

use std::ffi::c_int;

use crate::guard::{self, shield};
use crate::process;

use tables::{Export, Tables};

/// A client asks whether there is a tool. 1: it is given its functions; 0: it lets go of us.
///
/// # Safety
/// Called by a client of NVTX 3, with the function by which it hands out its tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtx2(export: Option<Export>) -> c_int {
    shield(0, || {
        guard::silence();
        // SAFETY: the caller's promise.
        let Some(tables) = export.and_then(|export| unsafe { Tables::of(export) }) else { return 0 };
        if !process::open(false) {
            return 0;
        }
        process::close_at_exit();
        tables.fill();
        1
    })
}
