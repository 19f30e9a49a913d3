//! A timeline of labels, each instant with at most one: how much of a span each label has, and the label at a
//! time.
//!
//! Must not know what the labels are.

use proftui_base::time::{Ns, Span};

/// A stretch of time with one label.
#[derive(Clone, Copy, Debug)]
struct Stretch<const N: usize> {
    span: Span,
    /// The label, below `N`.
    label: usize,
    /// The time of each label in the stretches before this one, ns.
    before: [Ns; N],
}

/// Disjoint stretches of time with labels below `N`, in order of time.
#[derive(Debug, Default)]
pub(crate) struct Stretches<const N: usize>(Vec<Stretch<N>>);

impl<const N: usize> Stretches<N> {
    /// Takes stretches with their labels; the stretches must ascend and be disjoint.
    pub(crate) fn of(stretches: impl IntoIterator<Item = (Span, usize)>) -> Self {
        let mut before = [0; N];
        let stretch = |(span, label): (Span, usize)| {
            let stretch = Stretch { span, label, before };
            before[label] = Ns::saturating_add(before[label], span.len());
            stretch
        };
        Self(stretches.into_iter().map(stretch).collect())
    }

    /// The last stretch that starts at or before `time`; `None` if none does.
    fn last(&self, time: Ns) -> Option<&Stretch<N>> {
        let at = self.0.partition_point(|stretch| stretch.span.start <= time);
        self.0[..at].last()
    }

    /// The label at a time; `None` if no stretch contains the time.
    pub(crate) fn at(&self, time: Ns) -> Option<usize> {
        self.last(time).filter(|stretch| time < stretch.span.end).map(|stretch| stretch.label)
    }

    /// The stretches that start in `span`, each with its label, in order of time.
    pub(crate) fn starting_in(&self, span: Span) -> impl Iterator<Item = (Span, usize)> {
        let first = self.0.partition_point(|stretch| stretch.span.start < span.start);
        let within = self.0[first..].iter().take_while(move |stretch| stretch.span.start < span.end);
        within.map(|stretch| (stretch.span, stretch.label))
    }

    /// The time of each label before `time`, ns.
    fn until(&self, time: Ns) -> [Ns; N] {
        let Some(stretch) = self.last(time) else { return [0; N] };
        let mut times = stretch.before;
        let here = Span { end: time.min(stretch.span.end), ..stretch.span }.len();
        times[stretch.label] = times[stretch.label].saturating_add(here);
        times
    }

    /// How much of a span each label has, ns.
    pub(crate) fn within(&self, span: Span) -> [Ns; N] {
        let (from, to) = (self.until(span.start), self.until(span.end.max(span.start)));
        std::array::from_fn(|label| to[label].saturating_sub(from[label]))
    }
}
