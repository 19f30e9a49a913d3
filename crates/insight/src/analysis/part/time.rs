//! Set operations on spans of time: union, intersection, covered length, and which of several lists have a
//! span at each time.
//!
//! Must not know the meaning of the spans.

pub(crate) mod amounts;
pub(crate) mod later;
pub(crate) mod levels;
pub(crate) mod stretches;

use proftui_base::time::{Ns, Span};

/// The union of spans: sorted, disjoint, and no two that touch. Empty spans add nothing.
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

/// The summed length of disjoint spans, ns.
pub fn length(spans: &[Span]) -> Ns {
    spans.iter().fold(0, |sum: Ns, span| sum.saturating_add(span.len()))
}

/// The time that at least one of the spans covers, ns.
pub fn covered(spans: Vec<Span>) -> Ns {
    length(&union(spans))
}

/// The length of the intersection of two sorted lists of disjoint spans, ns.
pub fn shared(one: &[Span], other: &[Span]) -> Ns {
    length(&intersection(one, other))
}

/// The intersection of two sorted lists of disjoint spans.
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

/// What of a sorted list of disjoint spans is not in another such list.
pub fn without(spans: &[Span], taken: &[Span]) -> Vec<Span> {
    let mut out = Vec::new();
    let mut from = 0;
    for span in spans {
        let mut start = span.start;
        from += taken[from..].partition_point(|taken| taken.end <= span.start);
        for taken in taken[from..].iter().take_while(|taken| taken.start < span.end) {
            out.push(Span { start, end: taken.start });
            start = taken.end;
        }
        out.push(Span { start, end: span.end });
    }
    out.retain(|span| span.start < span.end);
    out
}

/// The spans of a sorted list of disjoint spans, cut to `bounds`; those outside of `bounds` are left out.
pub fn within(spans: &[Span], bounds: Span) -> Vec<Span> {
    let from = spans.partition_point(|span| span.end <= bounds.start);
    let to = spans.partition_point(|span| span.start < bounds.end).max(from);
    intersection(&spans[from..to], &[bounds])
}

/// Calls `visit` for each interval between neighbouring starts and ends in which any list has a span: with
/// the set of the lists that have one (a bit each) and the interval's length, ns. There may be at most 8
/// lists; the spans of a list must be disjoint and not empty.
pub fn sweep(unions: &[Vec<Span>], mut visit: impl FnMut(u8, Ns)) {
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
            visit(open, at.saturating_sub(last));
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
