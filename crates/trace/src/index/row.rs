//! The index of one row: the tree and the mipmap over its slices, and the search by start that every query
//! begins with.
//!
//! The queries themselves are in `cells`, `query` and `gaps`.

use crate::model::SliceId;
use proftui_base::saturate::saturate;

use super::columns::{Columns, RowColumns};
use super::mip::Mip;
use super::tree::Tree;

/// The index of one row: slices `first..first + len` of the columns, sorted by start.
#[derive(Clone, Debug)]
pub struct RowIndex {
    /// The number of the row's first slice.
    pub(super) first: SliceId,
    len: u32,
    pub(super) tree: Tree,
    /// The time mipmap; `None` for a row with too few or too many slices for one.
    pub(super) mip: Option<Mip>,
}

impl RowIndex {
    /// Indexes slices `first..first + len` of the columns, which must be sorted by start. Where the columns
    /// have fewer slices, the result is the index of an empty row.
    #[must_use]
    pub fn build(columns: Columns<'_>, first: SliceId, len: u32) -> Self {
        let len = len.min(SliceId::NONE - first);
        let Some(row) = RowColumns::of(columns, first, len) else {
            return Self { first, len: 0, tree: Tree::default(), mip: None };
        };
        let tree = Tree::build(row);
        let mip = Mip::build(row, tree.max_end());
        Self { first, len, tree, mip }
    }

    /// Memory that the index holds on the heap, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + self.mip.as_ref().map_or(0, Mip::bytes)
    }

    /// The row's part of the columns; an empty row if `columns` lack one of the row's slices.
    #[inline]
    pub(super) fn row<'a>(&self, columns: Columns<'a>) -> RowColumns<'a> {
        RowColumns::of(columns, self.first, self.len).unwrap_or(RowColumns::EMPTY)
    }

    /// How many slices of the row start before `t` (ns).
    #[inline]
    pub(super) fn rank(&self, row: RowColumns<'_>, t: i64) -> usize {
        let part = match &self.mip {
            Some(mip) if row.len() == self.len as usize => mip.ranks_around(t),
            _ => 0..row.len(),
        };
        part.start + row.start[part].partition_point(|&s| s < t)
    }

    /// How many slices of the row start at or before `t` (ns).
    #[inline]
    pub(super) fn rank_through(&self, row: RowColumns<'_>, t: i64) -> usize {
        t.checked_add(1).map_or(row.len(), |t| self.rank(row, t))
    }

    /// The number of the slice at a rank.
    #[inline]
    pub(super) fn id(&self, rank: usize) -> SliceId {
        self.first + saturate::<u32>(rank)
    }
}
