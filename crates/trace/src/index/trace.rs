//! The index of a whole trace: one [`RowIndex`] per row, built in parallel, queried by row number.

use rayon::prelude::*;

use crate::model::{Row, RowId, SliceId, Trace};
use proftui_base::fault::{self, Point};
use proftui_base::ids::Column;
use proftui_base::time::{Ns, Span};

use super::columns::Columns;
use super::results::{Cell, Sum};
use super::row::RowIndex;

/// The indexes of all rows of a trace. Every query must be given the trace that the index was built from.
#[derive(Debug, Default)]
pub struct Index {
    rows: Column<RowId, RowIndex>,
}

/// Borrows the time columns of a trace, in the form in which queries on a row take them.
pub(super) fn columns(trace: &Trace) -> Columns<'_> {
    Columns { start: &trace.slices.start, dur: &trace.slices.dur }
}

impl Index {
    /// Indexes every row of the trace.
    pub fn build(trace: &Trace) -> Self {
        fault::at(Point::Index);
        let columns = columns(trace);
        let build = |row: &Row| RowIndex::build(columns, row.first, row.len);
        Self { rows: trace.rows.par_iter().map(build).collect::<Vec<_>>().into() }
    }

    /// Fills `out` with the row's cells for equal parts of `viewport`; see [`RowIndex::cells`].
    pub fn cells(&self, trace: &Trace, row: RowId, viewport: Span, out: &mut [Cell]) {
        self.rows[row].cells(columns(trace), viewport.start, viewport.end, out);
    }

    /// The slice of the row that covers or starts at the time `t` (ns), the last of several; `None` if there
    /// is none.
    pub fn at(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row].at(columns(trace), t)
    }

    /// The slice of the row that covers `t` (ns), else the slice nearest to `t`; `None` in an empty row.
    pub fn nearest(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row].nearest(columns(trace), t)
    }

    /// The first slice of the row that starts at or after `t` (ns); `None` if there is none.
    pub fn first_from(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row].first_from(columns(trace), t)
    }

    /// True if a slice of the row starts at or after `t0` and before `t1` (ns).
    pub fn has_start(&self, trace: &Trace, row: RowId, t0: Ns, t1: Ns) -> bool {
        self.rows[row].has_start(columns(trace), t0, t1)
    }

    /// The last slice of the row that starts before `t` (ns); `None` if there is none.
    pub fn last_before(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row].last_before(columns(trace), t)
    }

    /// The first gap between slices of the row that begins at or after `t` and is at least `min` long, both
    /// ns; `None` if there is none.
    pub fn next_gap(&self, trace: &Trace, row: RowId, t: Ns, min: Ns) -> Option<Span> {
        let gap = self.rows[row].next_gap(columns(trace), t, min);
        gap.map(|(start, end)| Span { start, end })
    }

    /// The last gap between slices of the row that ends at or before `t` and is at least `min` long, both ns;
    /// `None` if there is none.
    pub fn prev_gap(&self, trace: &Trace, row: RowId, t: Ns, min: Ns) -> Option<Span> {
        let gap = self.rows[row].prev_gap(columns(trace), t, min);
        gap.map(|(start, end)| Span { start, end })
    }

    /// The row's totals over `span`; see [`RowIndex::sum`].
    pub fn sum(&self, trace: &Trace, row: RowId, span: Span) -> Sum {
        self.rows[row].sum(columns(trace), span.start, span.end)
    }

    /// Memory that the indexes of all rows hold on the heap, bytes.
    pub fn bytes(&self) -> usize {
        self.rows.iter().map(RowIndex::bytes).sum()
    }
}
