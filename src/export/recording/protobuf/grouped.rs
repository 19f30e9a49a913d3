//! Which node holds what: the innermost range around it, else the root.

use super::super::Range;

/// Things by their holders: 0 is the root, then the ranges in their order.
pub(super) struct Grouped {
    ends: Vec<u32>,
    order: Vec<u32>,
}

impl Grouped {
    /// Groups things that begin and end so, in order of their beginnings.
    pub(super) fn new(ranges: &[Range], things: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut around = Around::new(ranges);
        let holders: Vec<u32> =
            things.map(|(start, end)| around.holder(start, end).map_or(0, |range| range + 1)).collect();
        let mut ends = vec![0_u32; ranges.len() + 2];
        holders.iter().for_each(|&holder| ends[holder as usize + 1] += 1);
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut order = vec![0; holders.len()];
        for (thing, &holder) in (0..).zip(&holders) {
            let place = &mut ends[holder as usize];
            order[*place as usize] = thing;
            *place += 1;
        }
        Self { ends, order }
    }

    /// What a holder holds.
    pub(super) fn of(&self, holder: usize) -> &[u32] {
        let from = holder.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.order[from as usize..self.ends[holder] as usize]
    }
}

/// The ranges around a time that only goes forward.
pub(super) struct Around<'a> {
    ranges: &'a [Range],
    next: u32,
    open: Vec<u32>,
}

impl<'a> Around<'a> {
    pub(super) fn new(ranges: &'a [Range]) -> Self {
        Self { ranges, next: 0, open: Vec::new() }
    }

    /// The innermost range that contains both times.
    pub(super) fn holder(&mut self, start: u64, end: u64) -> Option<u32> {
        while let Some(range) = self.ranges.get(self.next as usize).filter(|range| range.start <= start) {
            self.close(range.start);
            self.open.push(self.next);
            self.next += 1;
        }
        self.close(start);
        let is_around = |&&range: &&u32| self.ranges[range as usize].end >= end;
        self.open.iter().rev().find(is_around).copied()
    }

    /// Lets go of ranges that ended before a time.
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
        Range { start, end, kind: 7, name: 0, is_cut: false }
    }

    #[test]
    fn the_innermost_range_holds_what_it_contains() {
        let ranges = [range(10, 100), range(20, 50), range(30, 40), range(60, 70)];
        let things = [(5, 8), (9, 11), (20, 50), (31, 39), (35, 45), (45, 60), (70, 70), (90, 110)];
        let grouped = Grouped::new(&ranges, things.into_iter());
        let all: Vec<&[u32]> = (0..=ranges.len()).map(|holder| grouped.of(holder)).collect();
        assert_eq!(all, [&[0, 1, 7][..], &[5], &[2, 4], &[3], &[6]]);
    }
}
