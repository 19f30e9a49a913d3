//! The id of the calling thread.

#![allow(unsafe_code, reason = "calls gettid, which the standard library does not have")]

/// The id of the calling thread, as the operating system numbers threads.
pub(crate) fn tid() -> u32 {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}
