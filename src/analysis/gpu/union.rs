//! Unions and intersections of stretches of time.
//!
//! Must not know what happens in them.

use crate::base::time::{Ns, Span, sum};

/// The union of stretches given by start: what touches is one. Lengths may be negative, as a rounding may leave them.
pub fn union(spans: &[Span]) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::new();
    for &span in spans {
        match merged.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => merged.push(span),
        }
    }
    merged
}

/// Their lengths added up, ns.
pub fn total(spans: &[Span]) -> Ns {
    sum(spans.iter().map(|span| span.end.saturating_sub(span.start)))
}

/// The time that two unions share, ns.
pub fn shared(one: &[Span], other: &[Span]) -> Ns {
    let (mut i, mut j, mut sum): (_, _, Ns) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        sum = sum.saturating_add(a.end.min(b.end).saturating_sub(a.start.max(b.start)).max(0));
        if a.end < b.end { i += 1 } else { j += 1 }
    }
    sum
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

    fn span(start: Ns, end: Ns) -> Span {
        Span { start, end }
    }

    #[test]
    fn what_touches_is_one() {
        let spans = union(&[span(0, 5), span(5, 7), span(6, 6), span(9, 12), span(10, 11)]);
        assert_eq!(spans, [span(0, 7), span(9, 12)]);
        assert_eq!(total(&spans), 10);
        assert_eq!(union(&[]), []);
    }

    #[test]
    fn shared_time_and_pieces_agree() {
        let one = union(&[span(0, 10), span(20, 30)]);
        let other = union(&[span(5, 25), span(28, 40)]);
        assert_eq!(shared(&one, &other), 5 + 5 + 2);
        let mut by_set = [0; 4];
        sweep(&[one, other], |set, dur| by_set[usize::from(set)] += dur);
        assert_eq!(by_set, [0, 8, 20, 12]);
    }
}
