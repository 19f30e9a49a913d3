//! Stretches of time put together: what is covered at least once, by two at a time, by which of several.
//!
//! Must not know what happens in them.

use crate::base::time::{Ns, Span};

/// The same time as stretches that do not touch, in order.
pub fn union(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.is_empty());
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}

/// How much time stretches that do not overlap cover, ns.
pub fn length(spans: &[Span]) -> Ns {
    spans.iter().fold(0, |sum: Ns, span| sum.saturating_add(span.len()))
}

/// How much time at least one of the stretches covers, ns.
pub fn covered(spans: Vec<Span>) -> Ns {
    length(&union(spans))
}

/// How much time two lists, each in order and without overlaps, have in common, ns.
pub fn shared(one: &[Span], other: &[Span]) -> Ns {
    length(&intersection(one, other))
}

/// What two lists, each in order and without overlaps, have in common.
pub fn intersection(one: &[Span], other: &[Span]) -> Vec<Span> {
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        let span = Span { start: a.start.max(b.start), end: a.end.min(b.end) };
        if !span.is_empty() {
            out.push(span);
        }
        if a.end < b.end {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// What of stretches, in order and without overlaps, lies in `part`.
pub fn within(spans: &[Span], part: Span) -> Vec<Span> {
    let from = spans.partition_point(|span| span.end <= part.start);
    let to = spans.partition_point(|span| span.start < part.end).max(from);
    intersection(&spans[from..to], &[part])
}

/// Cuts time where any of the unions begins or ends: calls `piece` with which of them hold (a bit each, the first the
/// lowest) and how long, ns, for every piece in which at least one does.
pub fn sweep(unions: &[Vec<Span>], mut piece: impl FnMut(u8, Ns)) {
    let mut edges: Vec<(Ns, bool, usize)> = Vec::new();
    for (number, spans) in unions.iter().enumerate() {
        for span in spans {
            edges.push((span.start, true, number));
            edges.push((span.end, false, number));
        }
    }
    edges.sort_unstable();
    let mut open = 0_u8;
    let mut last = 0;
    for (at, is_start, number) in edges {
        if open != 0 && at > last {
            piece(open, at.saturating_sub(last));
        }
        if is_start {
            open |= 1 << number;
        } else {
            open &= !(1 << number);
        }
        last = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans(list: &[(Ns, Ns)]) -> Vec<Span> {
        list.iter().map(|&(start, end)| Span { start, end }).collect()
    }

    #[test]
    fn touching_stretches_join() {
        let all = union(spans(&[(5, 7), (0, 3), (3, 4), (6, 9), (9, 9)]));
        assert_eq!(all, spans(&[(0, 4), (5, 9)]));
        assert_eq!(length(&all), 8);
        assert_eq!(intersection(&all, &spans(&[(3, 6), (8, 20)])), spans(&[(3, 4), (5, 6), (8, 9)]));
        assert_eq!(within(&all, Span { start: 3, end: 6 }), spans(&[(3, 4), (5, 6)]));
        assert_eq!(within(&all, Span { start: 4, end: 5 }), []);
    }

    #[test]
    fn shared_time_and_pieces_agree() {
        let one = spans(&[(0, 10), (20, 30)]);
        let other = spans(&[(5, 25), (28, 40)]);
        assert_eq!(shared(&one, &other), 5 + 5 + 2);
        let mut by_set = [0; 4];
        sweep(&[one, other], |set, dur| by_set[usize::from(set)] += dur);
        assert_eq!(by_set, [0, 8, 20, 12]);
    }

    proptest! {
        #[test]
        fn each_instant_counts_once(
            one in proptest::collection::vec((0_i64..60, 0_i64..20), 0..12),
            other in proptest::collection::vec((0_i64..60, 0_i64..20), 0..12),
        ) {
            let list = |list: &[(i64, i64)]| list.iter().map(|&(start, len)| Span { start, end: start + len }).collect::<Vec<_>>();
            let (one, other) = (list(&one), list(&other));
            let covers = |list: &[Span], t| list.iter().any(|span| span.contains(t));
            let (a, b) = (union(one.clone()), union(other.clone()));
            let both = intersection(&a, &b);
            for t in 0..90 {
                prop_assert_eq!(covers(&a, t), covers(&one, t));
                prop_assert_eq!(covers(&both, t), covers(&one, t) && covers(&other, t));
            }
            prop_assert_eq!(length(&both), (0..90).filter(|&t| covers(&both, t)).count() as i64);
        }
    }
}
