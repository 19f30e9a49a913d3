//! Where in a range the script's Python has most of the time, with a few operators in between.
//!
//! Must not know which slices are operators.

use proftui_base::time::{Ns, Span};

use crate::analysis::thresholds::{BETWEEN, SPARSE};

/// The stretches of a range of [`BETWEEN`] and more, each up to an end of one of the slices within it, of
/// which operators and calls have less than [`SPARSE`]. `inner` are the slices directly within the range,
/// sorted and disjoint, each with true for an operator or call; others end a stretch and are in none.
pub(super) fn sparse(range: Span, inner: impl Iterator<Item = (Span, bool)>) -> Vec<Span> {
    let (mut at, mut covered, mut goes_on): (Ns, Ns, bool) = (range.start, 0, false);
    let mut found = Vec::new();
    let mut judge = |stretch: Span, covered: Ns, goes_on: bool| {
        let is_long = stretch.len() >= BETWEEN || goes_on && !stretch.is_empty();
        let is_sparse = is_long && (covered as f64) < stretch.len() as f64 * SPARSE;
        if is_sparse {
            found.push(stretch);
        }
        is_sparse
    };
    for (inner, is_work) in inner {
        let before = Span { start: at, end: inner.start };
        if !is_work {
            judge(before, covered, goes_on);
            (at, covered, goes_on) = (inner.end, 0, false);
            continue;
        }
        if before.len() >= BETWEEN {
            goes_on = judge(before, covered, false);
            (at, covered) = (inner.start, 0);
        }
        covered += inner.len();
        let stretch = Span { start: at, end: inner.end };
        if stretch.len() >= BETWEEN {
            goes_on = judge(stretch, covered, false);
            (at, covered) = (inner.end, 0);
        }
    }
    judge(Span { start: at, end: range.end }, covered, goes_on);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: Ns, end: Ns) -> Span {
        Span { start: start * 1_000, end: end * 1_000 }
    }

    fn found(inner: &[(Ns, Ns, bool)]) -> Vec<Span> {
        sparse(span(0, 500), inner.iter().map(|&(start, end, is_work)| (span(start, end), is_work)))
    }

    #[test]
    fn a_stretch_with_few_operators_is_the_scripts() {
        let dense: Vec<(Ns, Ns, bool)> = (0..50).map(|at| (at * 10, at * 10 + 7, true)).collect();
        assert_eq!(found(&dense), []);
        let thin: Vec<(Ns, Ns, bool)> = (0..5).map(|at| (at * 100, at * 100 + 7, true)).collect();
        assert_eq!(found(&thin).into_iter().map(Span::len).sum::<Ns>(), 500_000);
        let half: Vec<_> =
            dense.iter().copied().filter(|inner| inner.0 < 250).chain([(490, 497, true)]).collect();
        assert_eq!(found(&half), [span(200, 490)]);
        let long = found(&[(0, 5, true), (95, 98, true), (120, 400, true)]);
        assert_eq!(long.first(), Some(&span(0, 120)), "a long operator after it does not count");
    }

    #[test]
    fn a_range_inside_ends_a_stretch() {
        assert_eq!(found(&[(5, 10, true), (90, 480, false), (485, 490, true)]), []);
        assert_eq!(found(&[(5, 10, true), (120, 480, false)]), [span(0, 120)]);
    }
}
