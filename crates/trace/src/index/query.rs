//! Queries for single slices of one row (at a time, near, before and after a time), and for the totals over a
//! span.
//!
//! Must not know how the row is drawn.

use crate::model::SliceId;
use proftui_base::saturate::saturate;

use super::columns::Columns;
use super::results::Sum;
use super::row::RowIndex;

impl RowIndex {
    /// The number of the slice that covers or starts at the time `t` (ns), the last of several; `None` if
    /// there is none.
    #[must_use]
    pub fn at(&self, cols: Columns<'_>, t: i64) -> Option<SliceId> {
        let row = self.row(cols);
        let hi = self.rank_through(row, t);
        let last = hi.checked_sub(1)?;
        if row.start[last] == t {
            return Some(self.id(last));
        }
        let found = self.tree.last_ending_after(row, hi, t)?;
        Some(self.id(found))
    }

    /// The number of the slice that covers `t` (ns), else of the slice nearest to `t`; `None` in an empty
    /// row.
    #[must_use]
    pub fn nearest(&self, cols: Columns<'_>, t: i64) -> Option<SliceId> {
        if let Some(id) = self.at(cols, t) {
            return Some(id);
        }
        let row = self.row(cols);
        let hi = self.rank_through(row, t);
        let after = row.start.get(hi).map(|&s| s.abs_diff(t));
        let before = self.tree.latest_end(row, hi);
        match (before, after) {
            (None, None) => None,
            (Some(end), after) if after.is_none_or(|d| end.abs_diff(t) <= d) => {
                // The last slice that ends at `end` is the last one that ends after `end - 1`.
                let found = end
                    .checked_sub(1)
                    .map_or(hi.checked_sub(1), |x| self.tree.last_ending_after(row, hi, x))?;
                Some(self.id(found))
            }
            _ => Some(self.id(hi)),
        }
    }

    /// The number of the first slice that starts at or after `t` (ns); `None` if there is none.
    #[must_use]
    pub fn first_from(&self, cols: Columns<'_>, t: i64) -> Option<SliceId> {
        let row = self.row(cols);
        let at = self.rank(row, t);
        (at < row.len()).then(|| self.id(at))
    }

    /// True if a slice starts at or after `t0` and before `t1` (ns).
    #[must_use]
    pub fn has_start(&self, cols: Columns<'_>, t0: i64, t1: i64) -> bool {
        let row = self.row(cols);
        let between = self.mip.as_ref().filter(|_| row.len() > 0);
        // Mostly a slice starts in a bucket of the mipmap between those of the two times.
        let between = between.map(|mip| mip.ranks_around(t0).end..mip.ranks_around(t1).start);
        between.is_some_and(|ranks| !ranks.is_empty())
            || row.start.get(self.rank(row, t0)).is_some_and(|&start| start < t1)
    }

    /// The number of the last slice that starts before `t` (ns); `None` if there is none.
    #[must_use]
    pub fn last_before(&self, cols: Columns<'_>, t: i64) -> Option<SliceId> {
        let row = self.row(cols);
        let at = self.rank(row, t).checked_sub(1)?;
        Some(self.id(at))
    }

    /// The totals over `[t0, t1)` (ns). An empty or reversed span has the sums 0 and no longest slice.
    #[must_use]
    pub fn sum(&self, cols: Columns<'_>, t0: i64, t1: i64) -> Sum {
        let row = self.row(cols);
        let (mut busy, mut count, mut longest) = (0u64, 0usize, None::<usize>);
        if t0 < t1 {
            let mut add = |rank: usize, ns: u64, n: usize| {
                busy = busy.saturating_add(ns);
                count += n;
                if longest.is_none_or(|l| row.dur[rank] > row.dur[l]) {
                    longest = Some(rank);
                }
            };
            let mut at = self.rank(row, t0);
            let hi = self.rank(row, t1);
            for i in self.tree.ending_after(row, at, t0) {
                add(i, saturate::<u64>(row.end(i).min(t1) - t0), 1);
            }
            while at < hi {
                if let Some((node, end)) = self.tree.ahead(at, |n, end| end <= hi && n.max_end <= t1) {
                    add(node.longest as usize, node.busy, end - at);
                    at = end;
                } else {
                    add(at, saturate::<u64>(row.end(at).min(t1) - row.start[at]), 1);
                    at += 1;
                }
            }
        }
        Sum {
            busy: i64::try_from(busy).unwrap_or(i64::MAX),
            count: count as u64,
            longest: longest.map_or(SliceId::NONE, |l| self.id(l)),
        }
    }
}
