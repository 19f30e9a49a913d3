//! The slices of a lane in the order in which they begin, outer ones before those in them.
//!
//! Where slices nest, their rows are walked as a tree, which needs no sorting. Must not know frames.

use std::cmp::Reverse;
use std::iter::Peekable;

use proftui_base::ids::IdIter;
use proftui_trace::model::{Lane, LaneKind, SliceId, Slices, Trace};

/// An iterator over a lane's slices, usually in the order in which they begin, outer slices before inner
/// ones.
pub(super) enum InOrder<'a> {
    /// For a thread's lane whose slices all nest: a walk through its rows.
    Nested(Nested<'a>),
    /// For other lanes, and where sorting was asked for: the lane's slices, sorted beforehand.
    Sorted(std::vec::IntoIter<SliceId>),
}

/// A walk through the rows of a lane whose slices nest.
pub(super) struct Nested<'a> {
    slices: &'a Slices,
    /// For each row, the slices that the walk has not met yet.
    rows: Vec<Peekable<IdIter<SliceId>>>,
    /// The slices that the walk is inside, from the outermost to the innermost.
    path: Vec<SliceId>,
}

impl<'a> InOrder<'a> {
    /// The slices of `lane` in order; `is_sorted` has them sorted even if they nest.
    pub(super) fn of(trace: &'a Trace, lane: &Lane, is_sorted: bool) -> Self {
        let slices = &trace.slices;
        let nests = lane.depth as usize == lane.rows.len() && lane.kind != LaneKind::Async;
        if nests && !is_sorted {
            let rows = lane.rows.iter().map(|row| trace.rows[row].slices().iter().peekable()).collect();
            return Self::Nested(Nested { slices, rows, path: Vec::new() });
        }
        let mut ids: Vec<SliceId> = lane.slices.iter().collect();
        ids.sort_by_key(|&id| (slices.start[id], Reverse(slices.dur[id])));
        Self::Sorted(ids.into_iter())
    }
}

impl Iterator for InOrder<'_> {
    type Item = SliceId;

    #[inline]
    fn next(&mut self) -> Option<SliceId> {
        match self {
            Self::Nested(nested) => nested.next(),
            Self::Sorted(ids) => ids.next(),
        }
    }
}

impl Iterator for Nested<'_> {
    type Item = SliceId;

    #[inline]
    fn next(&mut self) -> Option<SliceId> {
        loop {
            let around = self.path.last().copied();
            let is_inside = |&id: &SliceId| around.is_none_or(|around| self.slices.parent[id] == around);
            let row = self.rows.get_mut(self.path.len());
            if let Some(id) = row.and_then(|row| row.next_if(is_inside)) {
                self.path.push(id);
                return Some(id);
            }
            self.path.pop()?;
        }
    }
}
