//! The division of time among levels: each instant belongs to the first level that has a span then.
//!
//! Must not know what the levels stand for.

use proftui_base::time::{Ns, Span};

/// Calls `visit` with ascending, disjoint stretches of the time in `spans`, each with the smallest level that
/// has a span there. The spans, each with a level below `N`, must be in order of start.
pub(crate) fn divide<const N: usize>(
    spans: impl IntoIterator<Item = (Span, usize)>,
    mut visit: impl FnMut(Span, usize),
) {
    // For each level the latest end of its spans that have begun, and the time up to which all is visited.
    let mut until = [Ns::MIN; N];
    let mut now = Ns::MIN;
    let mut advance = |until: &[Ns; N], to: Ns| {
        while now < to {
            let Some(level) = until.iter().position(|&end| end > now) else { break };
            let end = until[level].min(to);
            visit(Span { start: now, end }, level);
            now = end;
        }
        now = now.max(to);
    };
    for (span, level) in spans.into_iter().filter(|(span, _)| !span.is_empty()) {
        advance(&until, span.start);
        until[level] = until[level].max(span.end);
    }
    advance(&until, Ns::MAX);
}

/// The time of each level, ns, if each instant counts for the smallest level that has a span then
/// ([`divide`]).
pub(crate) fn times<const N: usize>(spans: impl IntoIterator<Item = (Span, usize)>) -> [Ns; N] {
    let mut times: [Ns; N] = [0; N];
    divide::<N>(spans, |span, level| times[level] = times[level].saturating_add(span.len()));
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_level_has_the_time_that_several_cover() {
        let spans = [(0, 20, 2), (5, 10, 1), (8, 30, 3), (10, 10, 0), (12, 13, 0), (40, 41, 3)];
        let spans = spans.map(|(start, end, level)| (Span { start, end }, level));
        let mut found = Vec::new();
        divide::<4>(spans, |span, level| found.push((span.start, span.end, level)));
        let want = [
            (0, 5, 2),
            (5, 8, 1),
            (8, 10, 1),
            (10, 12, 2),
            (12, 13, 0),
            (13, 20, 2),
            (20, 30, 3),
            (40, 41, 3),
        ];
        assert_eq!(found, want);
        assert_eq!(times::<4>(spans), [1, 5, 14, 11]);
    }

    proptest! {
        #[test]
        fn each_instant_is_in_the_first_level_that_covers_it(
            mut spans in proptest::collection::vec((0_i64..60, 0_i64..20, 0_usize..3), 0..20),
        ) {
            spans.sort_unstable();
            let level = |t: Ns| {
                let covering = spans.iter().filter(|(start, len, _)| (*start..start + len).contains(&t));
                covering.map(|span| span.2).min()
            };
            let mut want = [0; 3];
            (0..90).filter_map(level).for_each(|level| want[level] += 1);
            let all = spans.iter().map(|&(start, len, level)| (Span { start, end: start + len }, level));
            prop_assert_eq!(times::<3>(all), want);
        }
    }
}
