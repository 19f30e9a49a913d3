//! The index of a whole trace: one [`RowIndex`] a row, built in parallel, asked by row number.

use rayon::prelude::*;

use crate::base::time::{Ns, Span};
use crate::model::{RowId, SliceId, Trace};

use super::{Cell, Columns, RowIndex, Sum};

/// One index a row.
#[derive(Debug, Default)]
pub struct Index {
    rows: Vec<RowIndex>,
}

/// The time columns of a trace, as the row queries take them.
pub(super) fn columns(trace: &Trace) -> Columns<'_> {
    Columns { start: &trace.slices.start, dur: &trace.slices.dur }
}

impl Index {
    /// Indexes every row of the trace.
    pub fn build(trace: &Trace) -> Self {
        let columns = columns(trace);
        let rows = trace.rows.par_iter().map(|row| RowIndex::build(columns, row.first, row.len)).collect();
        Self { rows }
    }

    /// Fills `out[i]` for the `i`-th of `out.len()` equal parts of `view`.
    pub fn cells(&self, trace: &Trace, row: RowId, view: Span, out: &mut [Cell]) {
        self.rows[row as usize].cells(columns(trace), view.start, view.end, out);
    }

    /// The slice of the row around `t`.
    pub fn at(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row as usize].at(columns(trace), t)
    }

    /// The slice of the row nearest to `t`.
    pub fn nearest(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row as usize].nearest(columns(trace), t)
    }

    /// The first slice of the row that starts at or after `t`.
    pub fn first_from(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row as usize].first_from(columns(trace), t)
    }

    /// The last slice of the row that starts before `t`.
    pub fn last_before(&self, trace: &Trace, row: RowId, t: Ns) -> Option<SliceId> {
        self.rows[row as usize].last_before(columns(trace), t)
    }

    /// The next stretch of the row without a slice that begins at or after `t` and is at least `min` ns long.
    pub fn next_gap(&self, trace: &Trace, row: RowId, t: Ns, min: Ns) -> Option<Span> {
        let gap = self.rows[row as usize].next_gap(columns(trace), t, min);
        gap.map(|(start, end)| Span { start, end })
    }

    /// The last stretch of the row without a slice that ends at or before `t` and is at least `min` ns long.
    pub fn prev_gap(&self, trace: &Trace, row: RowId, t: Ns, min: Ns) -> Option<Span> {
        let gap = self.rows[row as usize].prev_gap(columns(trace), t, min);
        gap.map(|(start, end)| Span { start, end })
    }

    /// Totals of the row over `span`.
    pub fn sum(&self, trace: &Trace, row: RowId, span: Span) -> Sum {
        self.rows[row as usize].sum(columns(trace), span.start, span.end)
    }

    /// Memory that the index holds, bytes.
    pub fn bytes(&self) -> usize {
        self.rows.iter().map(RowIndex::bytes).sum()
    }
}
