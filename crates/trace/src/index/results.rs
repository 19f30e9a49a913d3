//! The results of the queries that sum up slices: a cell of a drawn row, and the totals of a span.
//!
//! A slice touches a span `[a, b)` where `start < b` and `end > a`; a slice of no length where
//! `a <= start < b`. Must not know how the results are computed.

use crate::model::SliceId;

/// The content of one cell of a drawn row: the slices in one of the equal parts of the viewport's time.
/// Values may be approximate, see [`RowIndex::cells`](super::RowIndex::cells).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The summed time of the slices in the cell, as a share of the cell's length, at most 1; may be
    /// approximate.
    pub busy: f32,
    /// How many slices touch the cell; may be approximate.
    pub count: u32,
    /// A slice of the cell, usually the one that covers most of the cell; [`SliceId::NONE`] if no slice
    /// touches the cell.
    pub dominant: SliceId,
}

impl Cell {
    /// The content of a cell that no slice touches.
    pub const EMPTY: Self = Self { busy: 0.0, count: 0, dominant: SliceId::NONE };
}

/// Totals over a span of time in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The summed durations of the slices that touch the span, clipped to the span, ns.
    pub busy: i64,
    /// How many slices touch the span.
    pub count: u64,
    /// The number of the slice with the longest whole duration among the slices that touch the span;
    /// [`SliceId::NONE`] if there is none.
    pub longest: SliceId,
}
