//! The answers of the queries that sum slices up: a cell of a drawn row, and the totals of a span.
//!
//! Must not know how they are computed.

use crate::model::NONE;

/// The content of one cell of a drawn row: an equal part of the time that the row is drawn for.
///
/// A slice touches a span `[a, b)` where `start < b` and `end > a`; one of no length where `a <= start < b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The covered share of the cell's span, 0 to 1: the durations clipped to the cell, summed, over the span's length, at most 1.
    pub busy: f32,
    /// How many slices touch the cell.
    pub count: u32,
    /// The number of the slice that covers most of the cell, [`NONE`] if no slice touches it. A slice of no length is taken only
    /// where no longer one touches.
    pub dominant: u32,
}

impl Cell {
    /// The cell that no slice touches.
    pub const EMPTY: Self = Self { busy: 0.0, count: 0, dominant: NONE };
}

/// Totals over a span of time in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The durations of the slices that touch the span, clipped to it, summed, ns; at most `i64::MAX`.
    pub busy: i64,
    /// How many slices touch the span.
    pub count: u64,
    /// The number of the slice with the longest whole (unclipped) duration among those that touch the span, the lowest number of
    /// equals; [`NONE`] if no slice touches it.
    pub longest: u32,
}
