//! The text of Paddle's benchmark timer, to the letter, for the workers of a trace.
//!
//! Must not know how the numbers are made.

use proftui_wire::perf::Summary;

use super::Timed;

/// Prints each worker's line of `step_info` and the Perf Summary, if any; of several workers, first the name.
pub fn render(timed: &[Timed]) -> String {
    let of_worker = |one: &Timed| {
        let name = if timed.len() > 1 { format!("{}\n", one.worker) } else { String::new() };
        let summary = one.summary.as_ref().map(Summary::text).unwrap_or_default();
        format!("{name}{}\n{summary}", one.info.text())
    };
    timed.iter().map(of_worker).collect()
}
