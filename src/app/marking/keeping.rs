//! What is kept of a trace from one session to the next: marks, what of the lines was pinned and folded, and
//! what the screen showed.
//!
//! Must not know how it is gathered or restored, nor files.

use serde::{Deserialize, Serialize};

use proftui_trace::model::Trace;

use super::marks::KeptMark;
use crate::app::view::lines::KeptLines;

/// What is kept of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The marks; they hold for any trace that has their locations.
    pub marks: Vec<KeptMark>,
    /// Of which trace the numbers in `lines` and `view` are.
    pub numbers: Numbers,
    /// What of the lines is pinned, folded, merged and hidden; none if the user changed nothing of it.
    pub lines: Option<KeptLines>,
    /// What the screen showed; none if it showed what it shows at first.
    pub view: Option<KeptView>,
}

/// What the numbers of groups, lanes and slices depend on: the version that read the trace, and how much of
/// it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    version: String,
    groups: usize,
    lanes: usize,
    slices: usize,
}

impl Numbers {
    /// The numbers of this trace, as this version reads it.
    pub(crate) fn of(trace: &Trace) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            groups: trace.groups.len(),
            lanes: trace.lanes.len(),
            slices: trace.slices.len(),
        }
    }
}

/// What the screen showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptView {
    /// The time range of the timeline, ns.
    pub start: i64,
    /// The end of the time range, ns; not within it.
    pub end: i64,
    /// The time of the cursor, ns.
    pub cursor: i64,
    /// The index of the line with the focus.
    pub line: usize,
    /// The number of the selected slice, if one was selected.
    pub slice: Option<u32>,
    /// The name of the pane, as on its tab.
    pub pane: String,
}
