//! Assigns calls and memory events of a thread to the innermost range that encloses them, or to the root
//! where none does.

use super::content::Range;

/// Calls or memory events, grouped by the innermost range around them. Holder 0 is for items in no range;
/// holder n + 1 is the range with index n.
pub(super) struct ByEnclosingRange {
    /// For the items in no range, then for those of each range, the index in `order` after the last of them.
    ends: Vec<u32>,
    /// Indices of items, holder by holder.
    order: Vec<u32>,
}

impl ByEnclosingRange {
    /// Groups items, given by their start and end. Items and ranges must be sorted by start, ranges that
    /// start together longest first.
    pub(super) fn new(ranges: &[Range], items: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut around = EnclosingRange::new(ranges);
        let holders: Vec<u32> =
            items.map(|(start, end)| around.find(start, end).map_or(0, |range| range + 1)).collect();
        let mut ends = vec![0_u32; ranges.len() + 2];
        holders.iter().for_each(|&holder| ends[holder as usize + 1] += 1);
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut order = vec![0; holders.len()];
        for (item, &holder) in (0..).zip(&holders) {
            let next = &mut ends[holder as usize];
            order[*next as usize] = item;
            *next += 1;
        }
        Self { ends, order }
    }

    /// Indices of the items in no range, for `holder` 0, or of those that belong to the range with index
    /// `holder` - 1; in their original order.
    pub(super) fn of(&self, holder: usize) -> &[u32] {
        let from = holder.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.order[from as usize..self.ends[holder] as usize]
    }
}

/// Finds the innermost range around each of several intervals, which must come in the order of their starts.
pub(super) struct EnclosingRange<'a> {
    ranges: &'a [Range],
    /// Index of the first range that begins after the starts of all intervals asked about so far.
    next: u32,
    /// Indices of ranges that have begun and perhaps not ended, by start.
    open: Vec<u32>,
}

impl<'a> EnclosingRange<'a> {
    pub(super) fn new(ranges: &'a [Range]) -> Self {
        Self { ranges, next: 0, open: Vec::new() }
    }

    /// Index of the innermost range that contains the interval, if any. `start` must not be before the
    /// `start` of an earlier interval.
    pub(super) fn find(&mut self, start: u64, end: u64) -> Option<u32> {
        while let Some(range) = self.ranges.get(self.next as usize).filter(|range| range.start <= start) {
            self.close(range.start);
            self.open.push(self.next);
            self.next += 1;
        }
        self.close(start);
        let is_around = |&&range: &&u32| self.ranges[range as usize].end >= end;
        self.open.iter().rev().find(is_around).copied()
    }

    /// Removes ranges from the end of `open` as long as they ended before `time`.
    fn close(&mut self, time: u64) {
        while self.open.last().is_some_and(|&last| self.ranges[last as usize].end < time) {
            self.open.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> Range {
        Range { start, end, kind: 7, name: 0, is_cut: false, has_begun_before: false }
    }

    #[test]
    fn items_belong_to_the_innermost_range_around_them() {
        let ranges = [range(10, 100), range(20, 50), range(30, 40), range(60, 70)];
        let items = [(5, 8), (9, 11), (20, 50), (31, 39), (35, 45), (45, 60), (70, 70), (90, 110)];
        let grouped = ByEnclosingRange::new(&ranges, items.into_iter());
        let all: Vec<&[u32]> = (0..=ranges.len()).map(|holder| grouped.of(holder)).collect();
        assert_eq!(all, [&[0, 1, 7][..], &[5], &[2, 4], &[3], &[6]]);
    }
}
