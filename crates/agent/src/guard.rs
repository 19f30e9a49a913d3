//! What stands between the recorder and the program: a panic ends recording, and nothing else.

use std::panic::{self, AssertUnwindSafe};

use crate::process;

/// Calls what must not panic into foreign frames. After a panic there is no recording any more.
#[inline]
pub fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            // What is reported may be what is broken.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| process::give_up(&text)));
            otherwise
        }
    }
}

/// Panics are told in the log; the program's own output is not ours to write to. (The hook is that of the standard library
/// inside this file: other Rust in the process has its own.)
pub fn silence() {
    panic::set_hook(Box::new(|_| {}));
}
