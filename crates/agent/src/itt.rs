//! Intel's ITT: records the operators that PyTorch reports by ITT. Must not know Python.
//!
//! ITT is compiled into each library that uses it (a client). At its first call a client loads the library
//! that `INTEL_LIBITTNOTIFY64` names and calls its `__itt_api_init` with a list of its pointers to functions;
//! the recorder writes its own functions into them.
//!
//! - `calls` is the recorder's functions.
//! - `handles` is the table of string handles: texts that clients hold by pointer.
//!
//! Only PyTorch's domain is enabled. Others are disabled, and their clients call no function: oneDNN would
//! report each primitive on each of its threads, and OpenMP would rename the main thread. ITT never opens the
//! process's recorder, since many programs contain ITT that are not to be recorded.

#![allow(unsafe_code, reason = "exports a function that clients of ITT, which are C, find by name")]

mod calls;
mod handles;

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};

use crate::guard::{self, shield};

/// Magic number at the start of a client's `__itt_global`.
const MAGIC: [u8; 8] = [0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30];
/// The only major version of `__itt_global` whose layout is known here.
const VERSION: c_ulong = 3;

/// ITT's structure `__itt_global`, up to its list of functions.
#[repr(C)]
pub(crate) struct Client {
    magic: [u8; 8],
    version: [c_ulong; 3],
    states: [c_long; 3],
    mutex: libc::pthread_mutex_t,
    library: *mut c_void,
    error: *mut c_void,
    path: *mut *const c_char,
    functions: *mut Function,
}

/// ITT's structure `__itt_api_info`, which describes a function of ITT.
#[repr(C)]
struct Function {
    name: *const c_char,
    pointer: *mut *const c_void,
    first: *const c_void,
    /// The value that the client's pointer gets if the recorder does not have the function.
    none: *const c_void,
    group: c_int,
}

/// Called by a client of ITT when it initializes: sets its pointers to the functions that the recorder has,
/// the others to the client's null functions. Leaves a client of an unknown version as it is.
///
/// # Safety
/// `client` is the client's `__itt_global`, or null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn __itt_api_init(client: *mut Client, _groups: c_int) {
    shield((), || {
        guard::silence();
        // SAFETY: the caller's promise; magic number and version are checked before the rest is read.
        unsafe {
            if client.is_null()
                || (&raw const (*client).magic).read() != MAGIC
                || (&raw const (*client).version).read()[0] != VERSION
            {
                return;
            }
            let mut function = (&raw const (*client).functions).read();
            while !function.is_null() && !(*function).name.is_null() {
                let name = CStr::from_ptr((*function).name);
                let ours = calls::FUNCTIONS.iter().find(|(known, _)| *known == name);
                if !(*function).pointer.is_null() {
                    (*function).pointer.write(ours.map_or((*function).none, |(_, ours)| ours.0));
                }
                function = function.add(1);
            }
        }
    });
}
