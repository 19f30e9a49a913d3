//! Sums, gaps and pieces of idle time, against walks over all pieces.

use proptest::prelude::*;

use super::idle::{CAUSES, CauseSum, Idle, IdleBuilder, Piece, Sums};
use proftui_base::sparse::Hint;
use proftui_base::time::{Ns, Span};

type Gap = (Ns, Vec<(Ns, u8)>);

/// Builds from gaps: the distance to the one before, and the lengths and causes of their pieces.
fn build(gaps: &[Gap]) -> (Idle, Vec<Vec<Piece>>) {
    let (mut builder, mut at, mut all) = (IdleBuilder::default(), 0, Vec::new());
    for (distance, pieces) in gaps {
        at += distance;
        let mut of_gap: Vec<Piece> = Vec::new();
        for &(len, cause) in pieces {
            let piece = Piece { span: Span { start: at, end: at + len }, cause };
            at += len;
            match of_gap.last_mut().filter(|last| last.cause == cause) {
                Some(last) => last.span.end = at,
                None => of_gap.push(piece),
            }
        }
        builder.gap(of_gap.iter().copied());
        all.push(of_gap);
    }
    (builder.finish(), all)
}

fn brute(gaps: &[Vec<Piece>], span: Span) -> Sums {
    let mut sums = Sums::default();
    for gap in gaps {
        let mut seen = [false; CAUSES];
        for piece in gap {
            let cut = Span { start: piece.span.start.max(span.start), end: piece.span.end.min(span.end) };
            if cut.is_empty() {
                continue;
            }
            let of = &mut sums[usize::from(piece.cause)];
            of.ns += cut.len();
            of.gaps += u32::from(!std::mem::replace(&mut seen[usize::from(piece.cause)], true));
            if cut.len() > of.longest {
                (of.longest, of.longest_at) = (cut.len(), cut.start);
            }
        }
    }
    sums
}

fn gap() -> impl Strategy<Value = Gap> {
    (1_i64..30, proptest::collection::vec((1_i64..20, 0_u8..4), 1..5))
}

#[test]
fn the_longest_gap_is_found_among_many() {
    let many: Vec<Gap> =
        (0..500).map(|n| (3, vec![(1 + n % 7, 0), (if n == 321 { 40 } else { 2 }, 1)])).collect();
    let (idle, gaps) = build(&many);
    let (first, last) = (gaps[321][0].span, gaps[321].last().expect("a piece").span);
    assert_eq!(idle.longest_gap(), Some(Span { start: first.start, end: last.end }));
    assert_eq!(build(&[]).0.longest_gap(), None);
}

#[test]
fn an_empty_span_within_a_gap_has_no_gap() {
    let (idle, _) = build(&[(5, vec![(10, 3)])]);
    assert_eq!(idle.sums(Span { start: 7, end: 7 })[3], CauseSum::default());
    assert_eq!(idle.sums(Span { start: 7, end: 8 })[3].gaps, 1);
}

proptest! {
    #[test]
    fn sums_and_gaps_are_those_of_a_walk(
        gaps in proptest::collection::vec(gap(), 0..400), a in 0_i64..12_000, b in 0_i64..12_000,
        min in 0_i64..70,
    ) {
        let (idle, all) = build(&gaps);
        let span = Span::new(a, b);
        prop_assert_eq!(idle.sums(span), brute(&all, span));
        let before = idle.before(b);
        prop_assert_eq!(before.times, brute(&all, Span { start: 0, end: b }).map(|sum| sum.ns));
        let near = idle.near(b, min, &mut Hint::default());
        prop_assert_eq!(idle.before(near.at), near);
        prop_assert!((near.at - b).abs() <= min);
        let started = all.iter().flatten().filter(|piece| piece.span.start < b).count();
        prop_assert_eq!(before.pieces, all.iter().flatten().filter(|piece| piece.span.end <= b).count());
        prop_assert_eq!(before.pieces + usize::from(before.is_within), started);
        let spans: Vec<Span> =
            all.iter().map(|gap| gap[0].span.union(gap[gap.len() - 1].span)).collect();
        let is_long = |gap: &&Span| gap.len() >= min;
        let next = spans.iter().find(|gap| gap.start >= a && is_long(gap));
        prop_assert_eq!(idle.next_gap(a, min), next.copied());
        let previous = spans.iter().rev().find(|gap| gap.end <= a && is_long(gap));
        prop_assert_eq!(idle.prev_gap(a, min), previous.copied());
        prop_assert_eq!(idle.gap_at(a), spans.iter().find(|gap| gap.end > a).copied());
    }
}
