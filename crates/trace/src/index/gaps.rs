//! The gaps of one row: times between slices that no slice covers.
//!
//! A gap is `[a, b)` where a slice starts at `b`, and `a < b` is the latest end of all slices that start
//! before `b`. A slice of no length ends one gap and begins the next. Time before the first slice and after
//! the last end is no gap. Must not know how the row is drawn.

use super::columns::Columns;
use super::row::RowIndex;
use super::tree::{Node, code};

impl RowIndex {
    /// The first gap between slices that begins at or after `t` and is at least `min` long, as its start and
    /// end, all ns; `None` if there is none.
    #[must_use]
    pub fn next_gap(&self, cols: Columns<'_>, t: i64, min: i64) -> Option<(i64, i64)> {
        let row = self.row(cols);
        let min = min.max(1);
        let least = code(min);
        let mut at = self.rank_through(row, t).max(1);
        let mut latest_end = self.tree.latest_end(row, at.min(row.len()))?;
        while at < row.len() {
            if let Some((node, end)) = self.tree.ahead(at, |n, _| n.gap < least) {
                latest_end = latest_end.max(node.max_end);
                at = end;
                continue;
            }
            let start = row.start[at];
            if latest_end >= t && latest_end < start && start.saturating_sub(latest_end) >= min {
                return Some((latest_end, start));
            }
            latest_end = latest_end.max(row.end(at));
            at += 1;
        }
        None
    }

    /// The last gap between slices that ends at or before `t` and is at least `min` long, as its start and
    /// end, all ns; `None` if there is none.
    #[must_use]
    pub fn prev_gap(&self, cols: Columns<'_>, t: i64, min: i64) -> Option<(i64, i64)> {
        let row = self.row(cols);
        let min = min.max(1);
        let least = code(min);
        let mut hi = self.rank_through(row, t);
        // Blocks of slices, the last first; each is searched forward, since a gap begins at the latest end of
        // all slices before it.
        while hi > 0 {
            if let Some(from) = self.tree.behind(hi, |n: &Node| n.gap < least) {
                hi = from;
                continue;
            }
            let lo = (hi - 1) & !(super::tree::BLOCK - 1);
            let mut latest_end = self.tree.latest_end(row, lo);
            let mut found = None;
            for at in lo..hi {
                let start = row.start[at];
                if let Some(end) = latest_end
                    && end < start
                    && start.saturating_sub(end) >= min
                {
                    found = Some((end, start));
                }
                latest_end = latest_end.max(Some(row.end(at)));
            }
            if found.is_some() {
                return found;
            }
            hi = lo;
        }
        None
    }
}
