//! Catches panics of the recorder before they unwind into the program: a panic switches the recorder off and
//! has no other effect.

use std::panic::{self, AssertUnwindSafe};

use crate::process;

/// Runs `body`; if it panics, switches the recorder off and returns `otherwise`. Every function that foreign
/// code calls runs its body by this function, since a panic must not unwind into foreign code.
#[inline]
pub fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            // Reporting the panic may panic for the same reason.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| process::give_up(&text)));
            otherwise
        }
    }
}

/// Keeps panics of the recorder from being printed on the program's stderr; [`shield`] logs them. (This sets
/// the panic hook of the standard library inside this shared library; other Rust code in the process has its
/// own.)
pub fn silence() {
    panic::set_hook(Box::new(|_| {}));
}
