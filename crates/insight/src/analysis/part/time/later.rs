//! The union of spans that are added from the last to the first, with how much of something lies in any part
//! of it.
//!
//! Must not know the meaning of the spans, nor what is measured.

use proftui_base::time::{Ns, Span};

/// The union of spans that are added from the last to the first, with `N` amounts in it, measured as in
/// [`Amounts`](super::amounts::Amounts). The measuring function must be the same in all calls.
#[derive(Debug)]
pub(crate) struct Later<const N: usize> {
    /// The spans of the union, the last in time first, each with the summed amounts in it and in all spans
    /// after it in time.
    spans: Vec<(Span, [Ns; N])>,
}

impl<const N: usize> Later<N> {
    /// The union of no spans.
    pub(crate) fn new() -> Self {
        Self { spans: Vec::new() }
    }

    /// Adds a span, which must not begin later than the spans added before. `until` returns how much there is
    /// of each amount before a time (ns).
    pub(crate) fn add(&mut self, mut span: Span, until: impl Fn(Ns) -> [Ns; N]) {
        if span.is_empty() {
            return;
        }
        while let Some((next, _)) = self.spans.pop_if(|(next, _)| next.start <= span.end) {
            span.end = span.end.max(next.end);
        }
        let after = self.spans.last().map_or([0; N], |(_, sums)| *sums);
        let (start, end) = (until(span.start), until(span.end));
        let own = |at: usize| end[at].saturating_sub(start[at]);
        self.spans.push((span, std::array::from_fn(|at| after[at].saturating_add(own(at)))));
    }

    /// The amounts that lie in the union and within `part`. `until` returns how much there is of each amount
    /// before a time (ns).
    pub(crate) fn within(&self, part: Span, until: impl Fn(Ns) -> [Ns; N]) -> [Ns; N] {
        if part.is_empty() {
            return [0; N];
        }
        let (all, late) = (self.from(part.start, &until), self.from(part.end, &until));
        std::array::from_fn(|at| all[at].saturating_sub(late[at]))
    }

    /// The amounts in the union from `time` on.
    fn from(&self, time: Ns, until: impl Fn(Ns) -> [Ns; N]) -> [Ns; N] {
        let count = self.spans.partition_point(|(span, _)| span.end > time);
        let Some((span, sums)) = count.checked_sub(1).map(|at| self.spans[at]) else { return [0; N] };
        if time <= span.start {
            return sums;
        }
        let (start, now) = (until(span.start), until(time));
        std::array::from_fn(|at| sums[at].saturating_sub(now[at].saturating_sub(start[at])))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::part::time::{length, union, within};

    proptest! {
        #[test]
        fn amounts_are_those_of_the_union(
            spans in proptest::collection::vec((0_i64..60, 0_i64..9), 0..12),
            (start, len) in (-5_i64..70, 0_i64..70),
        ) {
            let mut spans: Vec<Span> =
                spans.into_iter().map(|(start, len)| Span { start, end: start + len }).collect();
            spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.start));
            // Time itself, and every third instant.
            let until = |time: Ns| [time, (time + 300) / 3];
            let mut later = Later::new();
            spans.iter().for_each(|span| later.add(*span, until));
            let part = Span { start, end: start + len };
            let cut = within(&union(spans), part);
            let thirds: Ns = cut.iter().map(|span| until(span.end)[1] - until(span.start)[1]).sum();
            prop_assert_eq!(later.within(part, until), [length(&cut), thirds]);
        }
    }
}
