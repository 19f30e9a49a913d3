//! The summaries of device work over time: busy and idle time, kinds of work, overlap of communication and
//! computation, launches, queues.
//!
//! The views' figures are those that Holistic Trace Analysis (HTA) introduced, exact and for any trace.
//! `columns` has the busy time for the minimap. `part::work` collects the device work; each file here makes
//! one summary of it. The tests (`tests/library/hta`) feed work collected by HTA's rules into these functions
//! and get HTA's numbers. Must not know how a table is shown.

pub mod busy;
pub mod columns;
pub mod idle;
pub mod kinds;
pub mod launches;
pub mod overlap;
pub mod queue;

use crate::analysis::table::TableRow;

/// The note under a table of device work: `note`, or none if `rows` is empty.
fn notes(rows: &[TableRow], note: &str) -> Vec<String> {
    if rows.is_empty() { Vec::new() } else { vec![note.into()] }
}
