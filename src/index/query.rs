//! Single questions about one row: what lies at or near a time, what comes before and after, what a span sums
//! to.
//!
//! This file owns those definitions. It must not know how the row is drawn or what asks.

use super::{Columns, NONE, RowIndex, Sum};

impl RowIndex {
    /// The id of the slice that covers `t` (ns): `start <= t < end`, or `start == t` for one of no length. Of
    /// several the latest start wins, then the highest id.
    #[must_use]
    pub fn at(&self, cols: Columns<'_>, t: i64) -> Option<u32> {
        let row = self.row(cols);
        let hi = self.rank_through(row, t);
        let last = hi.checked_sub(1)?;
        if row.start[last] == t {
            return Some(self.id(last));
        }
        let found = self.tree.last_ending_after(row, hi, t)?;
        Some(self.id(found))
    }

    /// The id of the slice nearest to `t` (ns): what [`RowIndex::at`] gives, else the one with the smaller
    /// distance from `t` to its end (if before) or its start (if after). Before wins over after at equal
    /// distance; then, before, the highest id of those that end last, and after, the lowest of those that
    /// start first.
    #[must_use]
    pub fn nearest(&self, cols: Columns<'_>, t: i64) -> Option<u32> {
        if let Some(id) = self.at(cols, t) {
            return Some(id);
        }
        let row = self.row(cols);
        let hi = self.rank_through(row, t);
        let after = row.start.get(hi).map(|&s| s.abs_diff(t));
        let before = self.tree.reach(row, hi);
        match (before, after) {
            (None, None) => None,
            (Some(end), after) if after.is_none_or(|d| end.abs_diff(t) <= d) => {
                // The last of those that end there: the last that ends after the instant before.
                let found = end
                    .checked_sub(1)
                    .map_or(hi.checked_sub(1), |x| self.tree.last_ending_after(row, hi, x))?;
                Some(self.id(found))
            }
            _ => Some(self.id(hi)),
        }
    }

    /// The first id that starts at or after `t` (ns).
    #[must_use]
    pub fn first_from(&self, cols: Columns<'_>, t: i64) -> Option<u32> {
        let row = self.row(cols);
        let at = self.rank(row, t);
        (at < row.len()).then(|| self.id(at))
    }

    /// The last id that starts before `t` (ns).
    #[must_use]
    pub fn last_before(&self, cols: Columns<'_>, t: i64) -> Option<u32> {
        let row = self.row(cols);
        let at = self.rank(row, t).checked_sub(1)?;
        Some(self.id(at))
    }

    /// The exact totals over `[t0, t1)` (ns). An empty or reversed span is touched by nothing.
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
                add(i, (row.end(i).min(t1) - t0) as u64, 1);
            }
            while at < hi {
                if let Some((node, end)) = self.tree.ahead(at, |n, end| end <= hi && n.max_end <= t1) {
                    add(node.longest as usize, node.busy, end - at);
                    at = end;
                } else {
                    add(at, (row.end(at).min(t1) - row.start[at]) as u64, 1);
                    at += 1;
                }
            }
        }
        Sum {
            busy: i64::try_from(busy).unwrap_or(i64::MAX),
            count: count as u64,
            longest: longest.map_or(NONE, |l| self.id(l)),
        }
    }
}
