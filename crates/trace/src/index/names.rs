//! The slices that a search found, in order of time and row by row.
//!
//! Must not know what was searched for.

use std::sync::OnceLock;

use crate::model::{RowId, SliceId, Trace};
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};

use super::cells::edge;
use super::results::Cell;

/// How many slices of a cell are compared, at most, to find the dominant one.
const LOOKED_AT: usize = 8;

/// The slices that a search found, in order of start (then number).
#[derive(Debug, Default)]
pub struct Hits {
    by_time: Vec<SliceId>,
    by_row: OnceLock<ByRow>,
}

/// The slices that a search found, in order of number: row by row and, in a row, by start.
#[derive(Debug)]
struct ByRow {
    ids: Vec<SliceId>,
    /// Entry `i` is the summed duration of the first `i` slices of `ids`, ns.
    before: Vec<Ns>,
}

impl Hits {
    /// Takes `ids` as the slices that a search found in `trace`: distinct ones, in any order.
    pub fn of(trace: &Trace, mut ids: Vec<SliceId>) -> Self {
        ids.sort_unstable_by_key(|&id| (trace.slices.start[id], id));
        Self { by_time: ids, by_row: OnceLock::new() }
    }

    /// How many slices were found.
    pub fn len(&self) -> usize {
        self.by_time.len()
    }

    /// True when no slice was found.
    pub fn is_empty(&self) -> bool {
        self.by_time.is_empty()
    }

    /// The `i`-th of the slices found, in order of start, then number, from 0; `None` beyond the last.
    pub fn get(&self, i: usize) -> Option<SliceId> {
        self.by_time.get(i).copied()
    }

    /// How many of the slices found come before a slice that starts at `t` (ns) and has the number `id`, in
    /// order of start, then number.
    pub fn rank(&self, trace: &Trace, t: Ns, id: SliceId) -> usize {
        self.by_time.partition_point(|&hit| (trace.slices.start[hit], hit) < (t, id))
    }

    /// True if slice `id` was found.
    pub fn has(&self, trace: &Trace, id: SliceId) -> bool {
        self.get(self.rank(trace, trace.slices.start[id], id)) == Some(id)
    }

    /// All slices found, in order of start, then number.
    pub fn iter(&self) -> impl Iterator<Item = SliceId> + '_ {
        self.by_time.iter().copied()
    }

    /// Fills `out` with the row's cells for equal parts of `viewport`, as if the row had only the slices
    /// found. Cells with many or overlapping slices may be inexact.
    pub fn cells(&self, trace: &Trace, row: RowId, viewport: Span, out: &mut [Cell]) {
        let ByRow { ids, before } = self.by_row.get_or_init(|| ByRow::of(trace, self.by_time.clone()));
        let range = trace.rows[row].slices();
        let from = ids.partition_point(|&id| id < range.start);
        let to = from + ids[from..].partition_point(|&id| id < range.end);
        let (start, end) = (|id: SliceId| trace.slices.start[id], |id: SliceId| trace.slices.end(id));
        let columns = out.len();
        let mut at = from;
        for (column, cell) in out.iter_mut().enumerate() {
            let a = edge(viewport.start, viewport.end, columns, column);
            let b = edge(viewport.start, viewport.end, columns, column + 1).max(a + 1);
            at += ids[at..to].partition_point(|&id| end(id) <= a && start(id) < a);
            let count = ids[at..to].partition_point(|&id| start(id) < b);
            let here = &ids[at..at + count];
            *cell = Cell::EMPTY;
            let (Some(&first), Some(&last)) = (here.first(), here.last()) else { continue };
            let within = |id: SliceId| end(id).min(b) - start(id).max(a);
            let outside = (a - start(first)).max(0) + (end(last) - b).max(0);
            let busy = before[at + count] - before[at] - outside;
            let dominant =
                here.iter().take(LOOKED_AT).copied().max_by_key(|&id| (within(id), std::cmp::Reverse(id)));
            cell.busy = (busy as f32 / (b - a) as f32).clamp(0.0, 1.0);
            cell.count = saturate::<u32>(count);
            cell.dominant = dominant.unwrap_or(first);
        }
    }
}

impl ByRow {
    fn of(trace: &Trace, mut ids: Vec<SliceId>) -> Self {
        ids.sort_unstable();
        let mut before = Vec::with_capacity(ids.len() + 1);
        let mut sum: Ns = 0;
        before.push(sum);
        for &id in &ids {
            sum = sum.saturating_add(trace.slices.dur[id]);
            before.push(sum);
        }
        Self { ids, before }
    }
}
