//! Sets of stretches of time: how long they cover, alone and together.
//!
//! Must not know what the time was spent on.

use crate::base::time::Ns;

/// A stretch of time: start and end, ns.
pub(super) type Range = (Ns, Ns);

/// Sorts and joins what overlaps or touches.
pub(super) fn join(ranges: &mut Vec<Range>) {
    ranges.sort_unstable();
    let mut kept = 0;
    for at in 0..ranges.len() {
        let (start, end) = ranges[at];
        match ranges[..kept].last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => {
                ranges[kept] = (start, end);
                kept += 1;
            }
        }
    }
    ranges.truncate(kept);
}

/// Length of joined ranges, ns.
pub(super) fn len(ranges: &[Range]) -> Ns {
    ranges.iter().fold(0, |sum: Ns, &(start, end)| sum.saturating_add(end.saturating_sub(start)))
}

/// How much time at least one of the ranges covers, ns.
pub(super) fn union_len(ranges: &mut Vec<Range>) -> Ns {
    join(ranges);
    len(ranges)
}

/// How much time both of two joined sets cover, ns.
pub(super) fn overlap_len(one: &[Range], other: &[Range]) -> Ns {
    let (mut i, mut j, mut sum) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        sum += (a.1.min(b.1) - a.0.max(b.0)).max(0);
        if a.1 < b.1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_once() {
        let mut ranges = vec![(5, 9), (0, 4), (4, 5), (20, 30), (22, 25)];
        assert_eq!(union_len(&mut ranges), 19);
        assert_eq!(ranges, [(0, 9), (20, 30)]);
        assert_eq!(overlap_len(&ranges, &[(3, 6), (8, 21), (29, 40)]), 3 + 1 + 1 + 1);
        assert_eq!(union_len(&mut Vec::new()), 0);
    }
}
