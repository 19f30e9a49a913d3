//! The results of the queries that sum up slices: a cell of a drawn row, and the totals of a span.
//!
//! Must not know how they are computed.

use crate::model::SliceId;

/// The content of one cell of a drawn row: the viewport's time is divided into cells of equal length.
///
/// A slice touches a span `[a, b)` where `start < b` and `end > a`; one of no length where `a <= start < b`.
/// Where many slices are in the viewport or in the cell, or slices overlap, the values may be only near the
/// true ones: see [`RowIndex::cells`](super::RowIndex::cells) and [`Hits::cells`](super::Hits::cells).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The share of the cell's span that slices cover, 0 to 1: the sum of their durations clipped to the
    /// cell, divided by the span's length, at most 1.
    pub busy: f32,
    /// How many slices touch the cell; only near that number where many slices are in the viewport.
    pub count: u32,
    /// The slice that covers most of the cell, or another that touches it where [`Cell`] is not exact;
    /// [`SliceId::NONE`] if no slice touches the cell. It is one of no length only where all that touch the
    /// cell are of no length, or the first 8 of more in a cell of [`Hits`](super::Hits).
    pub dominant: SliceId,
}

impl Cell {
    /// The content of a cell that no slice touches.
    pub const EMPTY: Self = Self { busy: 0.0, count: 0, dominant: SliceId::NONE };
}

/// Totals over a span of time in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The sum of the durations of the slices that touch the span, clipped to the span, ns; at most
    /// `i64::MAX`.
    pub busy: i64,
    /// How many slices touch the span.
    pub count: u64,
    /// The number of the slice with the longest whole (unclipped) duration among those that touch the span,
    /// the lowest number of equals; [`SliceId::NONE`] if no slice touches the span.
    pub longest: SliceId,
}
