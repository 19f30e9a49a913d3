//! What lies in a span of time: an implicit interval tree and a time mipmap for each row, and the name index.
//!
//! This file owns the borrowed columns, the answers (`Cell`, `Sum`), the arithmetic of cell edges, and the
//! `RowIndex` that joins the tree and the mipmap. It must not know lanes, names, colours or screens: a row is
//! a range of slice ids, a cell is a part of a span of time.
//!
//! The index copies no column; every query takes the columns that it was built from. It is exact by the
//! definitions written at each query whatever the row holds; it is fast where the slices of the row are
//! disjoint but for overhangs at their ends.

#[cfg(test)]
mod brute;
mod cells;
mod gaps;
mod mip;
mod names;
mod query;
mod trace;
mod tree;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_mip;

use mip::Mip;
use tree::Tree;

pub use crate::model::NONE;
pub use names::Hits;
pub use trace::Index;

/// The two time columns of a trace, borrowed.
///
/// `dur` holds no negative value, and no sum of a start and its duration overflows.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Start of each slice, ns.
    pub start: &'a [i64],
    /// Duration of each slice, ns.
    pub dur: &'a [i64],
}

/// What one cell of a row shows.
///
/// A slice touches a span `[a, b)` where `start < b` and `end > a`; one of no length where `a <= start < b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Part of the cell's span that is covered, 0 to 1: the clipped durations summed, over the span, at most
    /// 1.
    pub busy: f32,
    /// How many slices touch the cell.
    pub count: u32,
    /// The id of the slice that covers most of the cell, or [`NONE`] if none touches it. A slice of no length
    /// is named only where nothing longer touches.
    pub dominant: u32,
}

impl Cell {
    /// The cell that no slice touches.
    pub const EMPTY: Self = Self { busy: 0.0, count: 0, dominant: NONE };
}

/// Totals over a span of time in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The durations of the slices that touch the span, clipped to it, summed, ns (at most `i64::MAX`).
    pub busy: i64,
    /// How many slices touch the span.
    pub count: u64,
    /// The id of the touching slice with the longest whole (unclipped) duration, the lowest of equals, or
    /// [`NONE`].
    pub longest: u32,
}

/// The lower edge, in ns, of the `i`-th of `n` equal parts of `[t0, t1)`: `t0 + (t1 - t0) * i / n`, rounded
/// down.
///
/// `edge(t0, t1, n, n)` is `t1`; with `n` 0 every edge is `t0`.
#[must_use]
pub fn edge(t0: i64, t1: i64, n: usize, i: usize) -> i64 {
    if n == 0 {
        return t0;
    }
    let span = i128::from(t1) - i128::from(t0);
    let at = i128::from(t0) + span.saturating_mul(i as i128).div_euclid(n as i128);
    at.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// The columns of one row: what the parts of the index see. A position in it is a rank, not an id.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    start: &'a [i64],
    dur: &'a [i64],
}

impl<'a> Row<'a> {
    /// The row's part of the columns; `None` if they do not reach that far.
    fn of(cols: Columns<'a>, first: u32, len: u32) -> Option<Self> {
        let from = first as usize;
        let range = from..from.checked_add(len as usize)?;
        Some(Self { start: cols.start.get(range.clone())?, dur: cols.dur.get(range)? })
    }

    fn len(self) -> usize {
        self.start.len()
    }

    /// The end of the slice at rank `i`, ns.
    #[inline]
    fn end(self, i: usize) -> i64 {
        self.start[i].wrapping_add(self.dur[i])
    }
}

/// The index of one row: slices `first..first + len` of the columns, sorted by start.
#[derive(Clone, Debug)]
pub struct RowIndex {
    first: u32,
    len: u32,
    tree: Tree,
    mip: Option<Mip>,
}

impl RowIndex {
    /// Indexes slices `first..first + len` of the columns, which are sorted by start. Linear in `len`
    /// whatever they hold.
    ///
    /// A range that the columns do not reach gives the index of an empty row.
    #[must_use]
    pub fn build(cols: Columns<'_>, first: u32, len: u32) -> Self {
        let len = len.min(NONE - first);
        let Some(row) = Row::of(cols, first, len) else {
            return Self { first, len: 0, tree: Tree::default(), mip: None };
        };
        let tree = Tree::build(row);
        let mip = Mip::build(row, tree.max_end());
        Self { first, len, tree, mip }
    }

    /// Memory the index holds on the heap, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + self.mip.as_ref().map_or(0, Mip::bytes)
    }

    /// The row's columns; an empty row if `cols` are not those that the index was built from.
    fn row<'a>(&self, cols: Columns<'a>) -> Row<'a> {
        Row::of(cols, self.first, self.len).unwrap_or(Row { start: &[], dur: &[] })
    }

    /// How many slices of the row start before `t`.
    fn rank(&self, row: Row<'_>, t: i64) -> usize {
        let part = match &self.mip {
            Some(mip) if row.len() == self.len as usize => mip.ranks_around(t),
            _ => 0..row.len(),
        };
        part.start + row.start[part].partition_point(|&s| s < t)
    }

    /// How many slices of the row start at or before `t`.
    fn rank_through(&self, row: Row<'_>, t: i64) -> usize {
        t.checked_add(1).map_or(row.len(), |t| self.rank(row, t))
    }

    /// The id of the slice at a rank.
    #[inline]
    fn id(&self, rank: usize) -> u32 {
        self.first + rank as u32
    }
}
