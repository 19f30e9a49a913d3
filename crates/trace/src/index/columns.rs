//! The columns of slices that the index reads, borrowed.
//!
//! Must not know the queries.

use crate::model::SliceId;

/// The two time columns of a trace, borrowed, one entry per slice.
///
/// `dur` holds no negative value, and no sum of a start and its duration overflows.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Start of each slice, ns.
    pub start: &'a [i64],
    /// Duration of each slice, ns.
    pub dur: &'a [i64],
}

/// The time columns of the slices of one row, indexed by rank: a slice's position in the row, not its number.
#[derive(Clone, Copy)]
pub(super) struct RowColumns<'a> {
    /// Starts, ns, ascending.
    pub start: &'a [i64],
    /// Durations, ns.
    pub dur: &'a [i64],
}

impl<'a> RowColumns<'a> {
    /// A row without slices.
    pub(super) const EMPTY: Self = Self { start: &[], dur: &[] };

    /// The entries of slices `first..first + len` of `columns`; `None` where the columns have fewer slices.
    #[inline]
    pub(super) fn of(columns: Columns<'a>, first: SliceId, len: u32) -> Option<Self> {
        let from = first.index();
        let range = from..from.checked_add(len as usize)?;
        Some(Self { start: columns.start.get(range.clone())?, dur: columns.dur.get(range)? })
    }

    /// How many slices the row has.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.start.len()
    }

    /// The end of the slice at rank `i`, ns.
    #[inline]
    pub(super) fn end(self, i: usize) -> i64 {
        self.start[i].wrapping_add(self.dur[i])
    }
}
