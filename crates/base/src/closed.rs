//! Whether standard output was closed when the program was started (`>&-`).
//!
//! Rust opens `/dev/null` for a closed stream before `main`, so that what is printed would be lost without an
//! error. A function that the system calls before that looks at the stream. Must not know what is printed.

#![allow(unsafe_code, reason = "names the section of functions that run before `main`")]

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::{Errno, fcntl_getfd};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// True if standard output was closed when the program was started; false on systems other than Linux.
pub fn is_stdout_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

// SAFETY: the entries of the section `.init_array` are addresses of functions, which the system calls once,
// on the only thread. Such a function gets the arguments of `main`, which one without parameters leaves
// alone.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    let is_closed = fcntl_getfd(rustix::stdio::stdout()) == Err(Errno::BADF);
    IS_CLOSED.store(is_closed, Ordering::Relaxed);
}
