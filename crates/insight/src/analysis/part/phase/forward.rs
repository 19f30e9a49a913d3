//! The forward pass of steps in a trace that marks none: the operators on a step's own thread that begin
//! before its backward pass.
//!
//! Each operator and each step is visited once, however many steps overlap. Must not know how the backward
//! pass is found.

use std::collections::BinaryHeap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, Trace};

use crate::analysis::part::time::amounts::Amounts;
use crate::analysis::part::time::later::Later;

/// The spans of a lane's operators that have a length, sorted by their starts.
pub(crate) fn operators(trace: &Trace, lane: LaneId) -> Vec<Span> {
    let slices = &trace.slices;
    let ids = trace.lanes[lane].slices.iter().filter(|&id| slices.category(id).is_operator());
    let mut spans: Vec<Span> = ids.map(|id| slices.span(id)).filter(|span| !span.is_empty()).collect();
    spans.sort_unstable_by_key(|span| span.start);
    spans
}

/// A step with a backward pass, whose forward pass is derived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trained {
    /// The time of the step.
    pub(crate) step: Span,
    /// The start of the step's backward pass, ns; it lies in the step.
    pub(crate) backward: Ns,
}

/// The forward passes of a lane's steps: the spans of operators that begin in a step before its backward
/// pass, cut at the step's end. `operators` must be sorted by start.
pub(crate) fn forward(operators: &[Span], mut steps: Vec<Trained>) -> Vec<Span> {
    steps.sort_unstable_by_key(|trained| trained.step.start);
    let mut later = steps.iter().peekable();
    // The steps that began, the one that ends last first. A step whose backward pass has begun is removed
    // when it comes first.
    let mut open: BinaryHeap<(Ns, Ns)> = BinaryHeap::new();
    let mut found = Vec::new();
    for operator in operators {
        while let Some(trained) = later.next_if(|trained| trained.step.start <= operator.start) {
            open.push((trained.step.end, trained.backward));
        }
        while open.peek().is_some_and(|(_, backward)| *backward <= operator.start) {
            open.pop();
        }
        found.extend(open.peek().map(|(end, _)| Span { end: operator.end.min(*end), ..*operator }));
    }
    found
}

/// Measures an amount, such as of busy time, in each phase of the steps of one lane, whose forward passes are
/// derived. The steps must be given from the last to the first.
pub(crate) struct Derived<'m, F> {
    /// The operators that begin before all steps measured so far, sorted by start.
    operators: Vec<Span>,
    /// The union of the operators that were taken out of `operators`, with the amounts in it outside of data
    /// loading and in the optimizer.
    forward: Later<2>,
    /// The ends of the operators in `forward`.
    ends: Ends,
    /// The amounts in the spans of each phase, in the order of `PHASES`; none for forward, which is derived.
    marked: &'m [Amounts; 4],
    until: F,
}

impl<'m, F: Fn(Ns) -> Ns> Derived<'m, F> {
    /// Prepares the measurement of steps of a lane with these operators, which must be sorted by start.
    /// `marked` are the amounts in the spans of each phase, measured by `until`.
    pub(crate) fn new(operators: Vec<Span>, marked: &'m [Amounts; 4], until: F) -> Self {
        Self { operators, forward: Later::new(), ends: Ends::default(), marked, until }
    }

    /// The amounts in the phases of a step within `part`, in the order of `PHASES`. The step must not begin
    /// later than the steps measured before.
    pub(crate) fn amounts(&mut self, trained: Trained, part: Span) -> [Ns; 4] {
        let Trained { step, backward } = trained;
        let [loading, _, _, optimizer] = self.marked;
        let until = &self.until;
        let measures = |time| {
            let outside = until(time).saturating_sub(loading.before(time, until));
            [outside, optimizer.before(time, until)]
        };
        while let Some(operator) = self.operators.pop_if(|operator| operator.start >= step.start) {
            self.forward.add(operator, measures);
            self.ends.add(operator);
        }
        let cut = |start: Ns, end: Ns| {
            let start = start.max(part.start);
            Span { start, end: end.min(part.end).max(start) }
        };
        let marked = |span: Span| self.marked.each_ref().map(|amounts| amounts.within(span, until));
        // Time before the start of the backward pass is none of that pass. From that start until the end of
        // the operators that began before it, all time but data loading is forward.
        let end = self.ends.before(backward).map_or(backward, |end| end.clamp(backward, step.end));
        let [early, of_optimizer] = self.forward.within(cut(step.start, backward), measures);
        let late = cut(backward, end);
        let in_late = marked(late);
        let of_late = until(late.end).saturating_sub(until(late.start)).saturating_sub(in_late[0]);
        let [loading, _, backward, optimizer] = marked(cut(step.start, step.end));
        [
            loading,
            early.saturating_add(of_late),
            backward.saturating_sub(in_late[2]),
            optimizer.saturating_sub(of_optimizer).saturating_sub(in_late[3]),
        ]
    }
}

/// Finds the latest end of the spans that begin before a time. The spans are added from the last to the
/// first.
#[derive(Debug, Default)]
struct Ends {
    /// The spans that end later than every span that begins before them, the last in time first.
    spans: Vec<Span>,
}

impl Ends {
    /// Adds a span, which must not begin later than the spans added before.
    fn add(&mut self, span: Span) {
        while self.spans.pop_if(|later| later.end <= span.end).is_some() {}
        self.spans.push(span);
    }

    /// The latest end of the spans that begin before `time`, ns; `None` if no span begins before it.
    fn before(&self, time: Ns) -> Option<Ns> {
        let after = self.spans.partition_point(|span| span.start >= time);
        self.spans.get(after).map(|span| span.end)
    }
}
