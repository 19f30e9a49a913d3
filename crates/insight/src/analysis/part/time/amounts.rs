//! How much of something lies in any part of a list of spans, without visiting the spans in it.
//!
//! Must not know the meaning of the spans, nor what is measured.

use proftui_base::time::{Ns, Span};

/// Sorted, disjoint spans, each with the amount of something in it, such as busy time. The amount is measured
/// by a function that returns how much there is before a time (ns).
#[derive(Debug, Default)]
pub(crate) struct Amounts {
    spans: Vec<Span>,
    /// For each span, the summed amount in all spans before it, and last the amount in all spans.
    before: Vec<Ns>,
}

impl Amounts {
    /// Measures the amount in each span by `until`, which returns how much there is before a time (ns). The
    /// spans must be sorted and disjoint.
    pub(crate) fn of(spans: Vec<Span>, until: impl Fn(Ns) -> Ns) -> Self {
        let mut sum: Ns = 0;
        let mut before = vec![0];
        for span in &spans {
            sum = sum.saturating_add(until(span.end).saturating_sub(until(span.start)));
            before.push(sum);
        }
        Self { spans, before }
    }

    /// The amount that lies in the spans and within `part`. `until` must be the function that was given to
    /// [`of`](Self::of).
    pub(crate) fn within(&self, part: Span, until: impl Fn(Ns) -> Ns) -> Ns {
        let from = self.spans.partition_point(|span| span.end <= part.start);
        let to = self.spans.partition_point(|span| span.start < part.end);
        if from >= to {
            return 0;
        }
        let all = self.before[to].saturating_sub(self.before[from]);
        let (first, last) = (self.spans[from].start, self.spans[to - 1].end);
        let early = until(part.start.max(first)).saturating_sub(until(first));
        let late = until(last).saturating_sub(until(part.end.min(last)));
        all.saturating_sub(early).saturating_sub(late)
    }

    /// The amount that lies in the spans and before `time` (ns). `until` must be the function that was given
    /// to [`of`](Self::of).
    pub(crate) fn before(&self, time: Ns, until: impl Fn(Ns) -> Ns) -> Ns {
        self.within(Span { start: Ns::MIN, end: time }, until)
    }
}

/// Sorted, disjoint spans, to sum up their time within a part.
#[derive(Debug, Default)]
pub(crate) struct Lengths(Amounts);

impl Lengths {
    /// Takes spans, which must be sorted and disjoint.
    pub(crate) fn of(spans: Vec<Span>) -> Self {
        Self(Amounts::of(spans, |time| time))
    }

    /// The summed time of the spans within `part`, ns.
    pub(crate) fn within(&self, part: Span) -> Ns {
        self.0.within(part, |time| time)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::part::time::{length, union, within};

    proptest! {
        #[test]
        fn amounts_are_those_of_the_cut_spans(
            spans in proptest::collection::vec((0_i64..60, 1_i64..9), 0..12),
            (start, len) in (-5_i64..70, 0_i64..70),
        ) {
            let spans = union(spans.into_iter().map(|(start, len)| Span { start, end: start + len }).collect());
            let part = Span { start, end: start + len };
            let cut = within(&spans, part);
            prop_assert_eq!(Lengths::of(spans.clone()).within(part), length(&cut));
            // Every third instant counts.
            let until = |time: Ns| (time + 300) / 3;
            let want: Ns = cut.iter().map(|span| until(span.end) - until(span.start)).sum();
            prop_assert_eq!(Amounts::of(spans, until).within(part, until), want);
        }
    }
}
