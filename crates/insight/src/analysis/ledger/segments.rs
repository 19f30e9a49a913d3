//! Sorted, disjoint segments of time with what happens in each, and how lists of them are laid over each
//! other.
//!
//! Must not know what the values mean.

use proftui_base::time::{Ns, Span};

/// A span of time with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment<T> {
    pub span: Span,
    pub value: T,
}

/// Sorts segments and makes them disjoint: where segments overlap, the segment that starts first keeps the
/// time.
pub(super) fn outermost<T: Copy>(mut all: Vec<Segment<T>>) -> Vec<Segment<T>> {
    all.sort_by_key(|segment| (segment.span.start, std::cmp::Reverse(segment.span.end)));
    let mut until = Ns::MIN;
    all.retain_mut(|Segment { span, .. }| {
        span.start = span.start.max(until);
        until = until.max(span.end);
        !span.is_empty()
    });
    all
}

/// Merges two lists of segments, with the segments of `top` over those of `base` where they overlap. Both
/// must be sorted and disjoint, and so is the result.
pub(super) fn overlay<T: Copy>(base: &[Segment<T>], top: &[Segment<T>]) -> Vec<Segment<T>> {
    let mut out = Vec::with_capacity(base.len() + top.len());
    let mut above = top.iter().copied().peekable();
    for &Segment { span, value } in base {
        let mut start = span.start;
        while let Some(next) = above.peek().copied().filter(|next| next.span.start < span.end) {
            if start < next.span.start {
                out.push(Segment { span: Span { start, end: next.span.start }, value });
            }
            start = start.max(next.span.end);
            if next.span.end > span.end {
                break;
            }
            out.push(next);
            above.next();
        }
        if start < span.end {
            out.push(Segment { span: Span { start, end: span.end }, value });
        }
    }
    out.extend(above);
    // A segment of `top` that several of `base` lie under is put in at the last of those.
    debug_assert!(out.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
    out
}

/// Joins neighbours of equal value where one ends as the next starts.
pub(super) fn join<T: Copy + PartialEq>(all: &mut Vec<Segment<T>>) {
    all.dedup_by(|next, last| {
        let is_one = last.value == next.value && last.span.end == next.span.start;
        if is_one {
            last.span.end = next.span.end;
        }
        is_one
    });
}

/// The segments that overlap `span`, not cut to it; `all` must be sorted and disjoint.
pub(super) fn within<T>(all: &[Segment<T>], span: Span) -> &[Segment<T>] {
    let from = all.partition_point(|segment| segment.span.end <= span.start);
    let to = all.partition_point(|segment| segment.span.start < span.end).max(from);
    &all[from..to]
}

/// The union of spans, sorted; spans less than `distance` ns apart become one.
pub(super) fn bridged(mut spans: Vec<Span>, distance: Ns) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    spans.dedup_by(|next, last| {
        let is_near = next.start < last.end.saturating_add(distance);
        if is_near {
            last.end = last.end.max(next.end);
        }
        is_near
    });
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segments(list: &[(Ns, Ns, u8)]) -> Vec<Segment<u8>> {
        list.iter().map(|&(start, end, value)| Segment { span: Span { start, end }, value }).collect()
    }

    #[test]
    fn segments_lie_over_each_other() {
        let base = segments(&[(0, 10, 1), (10, 20, 2), (30, 40, 3)]);
        let top = segments(&[(5, 12, 7), (15, 16, 8), (18, 35, 9), (50, 60, 9)]);
        let want = [
            (0, 5, 1),
            (5, 12, 7),
            (12, 15, 2),
            (15, 16, 8),
            (16, 18, 2),
            (18, 35, 9),
            (35, 40, 3),
            (50, 60, 9),
        ];
        assert_eq!(overlay(&base, &top), segments(&want));
        assert_eq!(bridged(vec![Span { start: 5, end: 6 }, Span { start: 0, end: 3 }], 2).len(), 2);
        assert_eq!(
            bridged(vec![Span { start: 5, end: 6 }, Span { start: 0, end: 3 }], 3),
            [Span { start: 0, end: 6 }]
        );
    }

    #[test]
    fn the_outermost_has_the_time() {
        let all = segments(&[(2, 4, 2), (0, 10, 1), (8, 12, 3), (8, 9, 4)]);
        assert_eq!(outermost(all), segments(&[(0, 10, 1), (10, 12, 3)]));
    }

    proptest! {
        #[test]
        fn each_instant_has_the_upper_value(
            a in proptest::collection::vec((0_i64..60, 1_i64..20), 0..12), b in proptest::collection::vec((0_i64..60, 1_i64..20), 0..12),
        ) {
            let list = |list: &[(i64, i64)], value| {
                outermost(list.iter().map(|&(start, len)| Segment { span: Span { start, end: start + len }, value }).collect())
            };
            let (base, top) = (list(&a, 1_u8), list(&b, 2));
            let both = overlay(&base, &top);
            let at = |list: &[Segment<u8>], t| list.iter().find(|segment| segment.span.contains(t)).map(|segment| segment.value);
            for t in 0..90 {
                prop_assert_eq!(at(&both, t), at(&top, t).or(at(&base, t)));
            }
        }
    }
}
