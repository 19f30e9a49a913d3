//! Intel's ITT: the operators that PyTorch tells to whoever asks for them. Knows nothing of Python.
//!
//! Each library that has ITT within loads the file that `INTEL_LIBITTNOTIFY64` names and calls it, at its first call of ITT, with a
//! list of where its functions are kept; we put ours there.
//!
//! - `calls`: these functions.
//! - `handles`: texts, which clients hold by pointer.
//!
//! Only PyTorch's domain is listened to. oneDNN tells each primitive on each of its workers all the time, and OpenMP renames the
//! main thread: both find a domain that is off, and no function for the rest. What tells here never opens the process: many
//! programs have ITT within that are none of ours.

#![allow(unsafe_code, reason = "clients of ITT are C, and find us by this name")]

mod calls;
mod handles;

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};

use crate::guard::{self, shield};

/// What a client's memory of ITT begins with.
const MAGIC: [u8; 8] = [0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30];
/// The only version that there has been of what follows.
const VERSION: c_ulong = 3;

/// `__itt_global`, as far as it is looked at.
#[repr(C)]
pub struct Client {
    magic: [u8; 8],
    version: [c_ulong; 3],
    states: [c_long; 3],
    mutex: libc::pthread_mutex_t,
    library: *mut c_void,
    error: *mut c_void,
    path: *mut *const c_char,
    functions: *mut Function,
}

/// `__itt_api_info`: a function by name, and where the pointer to it is kept.
#[repr(C)]
struct Function {
    name: *const c_char,
    place: *mut *const c_void,
    first: *const c_void,
    /// What stands for it where there is no tool, mostly nothing.
    none: *const c_void,
    group: c_int,
}

/// A client asks for our functions.
///
/// # Safety
/// Called by a client of ITT, with its own memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __itt_api_init(client: *mut Client, _groups: c_int) {
    shield((), || {
        guard::silence();
        // SAFETY: the caller's promise; what it begins with is looked at before the rest.
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
                if !(*function).place.is_null() {
                    (*function).place.write(ours.map_or((*function).none, |(_, ours)| ours.0));
                }
                function = function.add(1);
            }
        }
    });
}
