//! Catches panics of the recorder before they unwind into the program: a panic switches the recorder off and
//! has no other effect.
//!
//! Must not know the process's state: whoever has a log sets the function by which a panic is noted there.

use std::panic::{self, AssertUnwindSafe};
use std::sync::OnceLock;

use crate::live;

/// The function that notes the message of a panic in the log; empty before [`report_by`] is called.
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// Runs `body` and returns its result; if it panics, switches the recorder off for good and returns
/// `otherwise`.
#[inline]
pub(crate) fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            // Reporting the panic may panic for the same reason.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| give_up(&text)));
            otherwise
        }
    }
}

/// Keeps panics of the recorder from being printed on the program's stderr.
pub(crate) fn silence() {
    panic::set_hook(Box::new(|_| {}));
}

/// Sets the function that [`shield`] calls with the message of a panic. Only the first function is kept.
pub(crate) fn report_by(report: fn(&str)) {
    // A later call brings the same function.
    let _ = REPORT.set(report);
}

/// Stops recording, reports a panic with the message `why`, and switches the recorder off for good.
fn give_up(why: &str) {
    live::follow_none();
    if let Some(report) = REPORT.get() {
        report(why);
    }
    live::switch_off();
}
