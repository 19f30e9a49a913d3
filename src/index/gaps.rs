//! The gaps of one row: stretches between slices that no slice covers.
//!
//! This file owns what a gap is and the search for one. It must not know how the row is drawn or what asks.
//!
//! A gap is `[a, b)` where a slice starts at `b`, `a < b` is the latest end of all that start before `b`. A
//! slice of no length ends one gap and begins the next. Time before the first slice and after the last end is
//! no gap.

use super::tree::{Node, code};
use super::{Columns, RowIndex};

impl RowIndex {
    /// The first gap `(a, b)` that begins at or after `t` and is at least `min` long (1 at least), all ns.
    #[must_use]
    pub fn next_gap(&self, cols: Columns<'_>, t: i64, min: i64) -> Option<(i64, i64)> {
        let row = self.row(cols);
        let min = min.max(1);
        let least = code(min);
        let mut at = self.rank_through(row, t).max(1);
        let mut reach = self.tree.reach(row, at.min(row.len()))?;
        while at < row.len() {
            if let Some((node, end)) = self.tree.ahead(at, |n, _| n.gap < least) {
                reach = reach.max(node.max_end);
                at = end;
                continue;
            }
            let start = row.start[at];
            if reach >= t && reach < start && start.saturating_sub(reach) >= min {
                return Some((reach, start));
            }
            reach = reach.max(row.end(at));
            at += 1;
        }
        None
    }

    /// The last gap `(a, b)` that ends at or before `t` and is at least `min` long (1 at least), all ns.
    #[must_use]
    pub fn prev_gap(&self, cols: Columns<'_>, t: i64, min: i64) -> Option<(i64, i64)> {
        let row = self.row(cols);
        let min = min.max(1);
        let least = code(min);
        let mut hi = self.rank_through(row, t);
        // Runs of slices that end at a block's edge, the last first; each is searched forward, as a gap's
        // begin is the latest end of all before it.
        while hi > 0 {
            if let Some(from) = self.tree.behind(hi, |n: &Node| n.gap < least) {
                hi = from;
                continue;
            }
            let lo = (hi - 1) & !(super::tree::BLOCK - 1);
            let mut reach = self.tree.reach(row, lo);
            let mut found = None;
            for at in lo..hi {
                let start = row.start[at];
                if let Some(end) = reach
                    && end < start
                    && start.saturating_sub(end) >= min
                {
                    found = Some((end, start));
                }
                reach = reach.max(Some(row.end(at)));
            }
            if found.is_some() {
                return found;
            }
            hi = lo;
        }
        None
    }
}
