//! What Paddle's benchmark timer prints, to the letter, for the workers of a trace.
//!
//! Must not know how the numbers come about.

use proftui_wire::perf::Summary;

use super::Timed;

/// The line of a step and the summary, for each worker; the workers are named where there are several.
pub fn render(timed: &[Timed]) -> String {
    let of_worker = |one: &Timed| {
        let name = if timed.len() > 1 { format!("{}\n", one.worker) } else { String::new() };
        let summary = one.summary.as_ref().map(Summary::text).unwrap_or_default();
        format!("{name}{}\n{summary}", one.info.text())
    };
    timed.iter().map(of_worker).collect()
}
