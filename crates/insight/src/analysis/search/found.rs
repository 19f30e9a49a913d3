//! What the tables of queries have in common: what was found in all, the rows that are shown, columns.
//!
//! Must not know what the rows are.

use std::cmp::Reverse;

use proftui_base::fmt;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{LaneId, SliceId, Trace};

use super::query::Query;
use crate::analysis::table::Column;
use crate::analysis::table::ColumnKind::{Count, Duration};

/// The name of the tables of queries in JSON, where a table of a view has the view's.
pub(super) const VIEW: &str = "query";

/// How many rows a table of a query has at most, unless the query says so itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
    /// The most rows; `None` for all.
    pub most: Option<usize>,
    /// Advice on how to see all rows, for the note below a table that was cut; empty for no advice.
    pub advice: &'static str,
}

/// What a query found in all.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// How many were found.
    pub count: usize,
    /// Their summed time, ns.
    pub total: Ns,
    /// What was found, in the singular: `event` or `gap`.
    pub what: &'static str,
    /// True if events of the host that were found are known to lie in each other: the sum has time twice.
    pub is_nested: bool,
}

impl Found {
    /// The events found.
    pub fn events(trace: &Trace, found: &[SliceId]) -> Self {
        let total = sum(found.iter().map(|&id| trace.slices.dur[id]));
        Self { count: found.len(), total, what: "event", is_nested: false }
    }

    /// The same, with whether events lie in each other.
    pub(super) fn nested(self, trace: &Trace, found: &[SliceId]) -> Self {
        let slices = &trace.slices;
        let of_host = found.iter().filter(|&&id| !slices.category(id).is_device_work());
        // Of equal starts the outer event comes first.
        let key = |&id: &SliceId| (trace.lane_of(id), slices.start[id], Reverse(slices.span(id).end));
        let mut in_time: Vec<(LaneId, Ns, Reverse<Ns>)> = of_host.map(key).collect();
        in_time.sort_unstable();
        let is_within = |pair: &[(LaneId, Ns, Reverse<Ns>)]| {
            let [(lane, _, outer), (other, start, inner)] = pair else { return false };
            lane == other && *start < outer.0 && inner.0 <= outer.0
        };
        Self { is_nested: in_time.windows(2).any(is_within), ..self }
    }

    /// A sentence on what was found, with the number of groups, if any.
    pub(super) fn headline(self, groups: Option<usize>) -> String {
        if self.count == 0 {
            return String::new();
        }
        let groups =
            groups.map_or(String::new(), |groups| format!(" in {}", fmt::counted(groups as u64, "group")));
        let count = fmt::counted(self.count as u64, self.what);
        let twice = if self.is_nested { "; what lies in each other counts each time" } else { "" };
        format!("{count}{groups}, {} in all{twice}.", fmt::duration(self.total))
    }

    /// The notes of a table with `shown` of `count` rows, each of which is a `row`.
    pub(super) fn notes(
        self,
        query: &Query,
        (shown, count): (usize, usize),
        row: &str,
        rows: Rows,
    ) -> Vec<String> {
        if count == 0 {
            return vec![format!("No {} meets the query.", self.what)];
        }
        if shown == count || query.top.is_some() {
            return Vec::new();
        }
        let more = fmt::counted((count - shown) as u64, &format!("more {row}"));
        vec![if rows.advice.is_empty() { format!("{more}.") } else { format!("{more}; {}.", rows.advice) }]
    }
}

/// The column of starts.
pub(super) const START: Column =
    Column::new("start", "Start", Duration, "Start, counted from the trace's start");
/// The column of durations.
pub(super) const DURATION: Column = Column::new("dur", "Duration", Duration, "Length");
/// The column of steps.
pub(super) const STEP: Column = Column::new(
    "step",
    "Step",
    Count,
    "Number of the step in which it begins, or of device work in which it was launched, if that is known",
);
