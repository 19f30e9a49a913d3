//! The phases of each training step: data loading, forward, backward, optimizer.
//!
//! Phases come from the events by which the producer marks them. Where a trace marks neither forward nor backward, both are
//! derived from the autograd engine's events, in a trace of a torch that recorded none of those from the nodes of the autograd
//! graph: backward is the time of those events in the step; forward is the time of the operators on the step's own thread
//! before the first of them, less data loading; there each step takes the time of what lies in it, so steps that overlap
//! take more than their sum. Must not know tables.

use rustc_hash::FxHashMap;

use crate::base::time::{Ns, Span, sum};
use crate::model::{Category, Lane, LaneId, LaneKind, SliceId, Step, Trace};

use super::amounts::Amounts;
use super::scope::Scope;
use super::time::{intersection, union, within};

/// The category that marks each phase, and its title, in the order in which a step runs them.
pub(super) const PHASES: [(Category, &str); 4] = [
    (Category::Dataloader, "Data loading"),
    (Category::Forward, "Forward"),
    (Category::Backward, "Backward"),
    (Category::Optimization, "Optimizer"),
];
/// Prefix of the names of the autograd engine's events, which make up the backward pass.
const ENGINE: &[u8] = b"autograd::engine::evaluate_function";

/// Prefix of the names of autograd nodes that torch itself defines in C++, such as `torch::autograd::AccumulateGrad`.
const NODE: &[u8] = b"torch::autograd::";

/// True for the names of autograd nodes, which run in the backward pass: [`NODE`], and a name of letters, digits and underscores
/// that ends in `Backward` and perhaps a number (`AddmmBackward0`, `MyFunctionBackward`).
fn is_node(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let plain = &name[..name.len() - digits];
    name.starts_with(NODE)
        || plain.ends_with(b"Backward")
            && plain.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What backward is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The events named after the autograd engine.
    Engine,
    /// Autograd nodes, in a trace without events of the engine.
    Nodes,
}

/// The spans of each phase (by its index in [`PHASES`]), sorted and disjoint.
type Spans = [Vec<Span>; 4];

/// Finds the phases of a trace's steps.
pub(super) struct Phases<'a> {
    trace: &'a Trace,
    /// What marks each phase in each process (an index into `Trace::groups`), at any time; those of two phases may overlap each
    /// other. A data loader's worker process loads in parallel to the steps of another.
    marks: FxHashMap<u32, Spans>,
    /// The same, where time in two phases belongs to the earlier one; empty where `derived` is not `None`.
    own: FxHashMap<u32, Spans>,
    /// What backward and forward are derived from; `None` where they are marked, or there is nothing to derive them from.
    derived: Option<Source>,
}

impl<'a> Phases<'a> {
    /// Collects the slices that mark phases on the lanes of `scope`, at any time.
    pub(super) fn of(trace: &'a Trace, scope: &Scope) -> Self {
        let (marks, derived) = marks(trace, scope);
        let own = |(group, spans): (&u32, &Spans)| (*group, first_of(spans.clone()));
        let own = if derived.is_none() { marks.iter().map(own).collect() } else { FxHashMap::default() };
        Self { trace, marks, own, derived }
    }

    /// The process of a step, an index into `Trace::groups`.
    fn group(&self, step: &Step) -> u32 {
        self.trace.lanes[self.trace.lane_of(step.slice) as usize].group
    }

    /// The spans of each phase within a step. Time that is in two phases (data loading called from the forward pass) belongs to the
    /// earlier one in [`PHASES`].
    fn in_step(&self, step: &Step) -> Spans {
        let Some(marks) = self.marks.get(&self.group(step)) else { return Spans::default() };
        let mut found: Spans = std::array::from_fn(|phase| within(&marks[phase], step.span));
        if self.derived.is_some()
            && let Some(first) = found[2].first()
        {
            found[1] = self.forward(step, first.start);
        }
        first_of(found)
    }

    /// The time of the operators on a step's thread that start in the step before the backward pass, which begins at `until`.
    fn forward(&self, step: &Step, until: Ns) -> Vec<Span> {
        let slices = &self.trace.slices;
        let before = Scope { span: Some(Span { start: step.span.start, end: until }), lanes: None };
        let ids = before.starting(self.trace, self.trace.lane_of(step.slice));
        let is_forward = |&id: &SliceId| slices.category(id).is_operator();
        within(&union(ids.filter(is_forward).map(|id| slices.span(id)).collect()), step.span)
    }

    /// The spans of each phase in all steps of a worker, and last those of the steps in no phase; each sorted, all disjoint. Where
    /// steps of several threads overlap, an instant belongs to the phase that is earlier in [`PHASES`].
    pub(super) fn of_steps(&self, steps: &[&Step]) -> [Vec<Span>; 5] {
        let mut found: [Vec<Span>; 5] = Default::default();
        let mut of_group: FxHashMap<u32, Vec<Span>> = FxHashMap::default();
        for step in steps {
            found[4].push(step.span);
            if self.derived.is_none() {
                of_group.entry(self.group(step)).or_default().push(step.span);
                continue;
            }
            for (all, spans) in found.iter_mut().zip(self.in_step(step)) {
                all.extend(spans);
            }
        }
        for (group, steps) in of_group {
            let steps = union(steps);
            for (all, spans) in found.iter_mut().zip(self.own.get(&group).into_iter().flatten()) {
                all.extend(intersection(spans, &steps));
            }
        }
        first_of(found.map(union))
    }

    /// Measures the phases by `until`: how much of something there is before a time, in the process with this index in
    /// `Trace::groups`.
    pub(super) fn measured<F: Fn(u32, Ns) -> Ns>(&'a self, until: F) -> InPhases<'a, F> {
        let of_group = |(&group, spans): (&u32, &Spans)| {
            (group, spans.each_ref().map(|spans| Amounts::of(spans.clone(), |time| until(group, time))))
        };
        InPhases { phases: self, groups: self.own.iter().map(of_group).collect(), until }
    }

    /// The note under a table of phases if forward and backward are derived.
    pub(super) fn note(&self) -> Option<String> {
        let (what, them) = match self.derived? {
            Source::Engine => ("the autograd engine", "it"),
            Source::Nodes => ("autograd's nodes (such as AddmmBackward0)", "them"),
        };
        Some(format!(
            "The trace marks no forward and backward phases: Backward is the time of {what}, Forward the time of the operators \
             before {them} on the step's thread."
        ))
    }
}

/// How much of something lies in the phases of steps.
pub(super) struct InPhases<'a, F> {
    phases: &'a Phases<'a>,
    /// The amounts in the phases of each process, at any time.
    groups: FxHashMap<u32, [Amounts; 4]>,
    until: F,
}

impl<F: Fn(u32, Ns) -> Ns> InPhases<'_, F> {
    /// How much lies in each phase of a step, as far as that is within `part`.
    pub(super) fn within(&self, step: &Step, part: Span) -> [Ns; 4] {
        let group = self.phases.group(step);
        if self.phases.derived.is_none() {
            let start = step.span.start.max(part.start);
            let inside = Span { start, end: step.span.end.min(part.end).max(start) };
            let amount = |amounts: &Amounts| amounts.within(inside, |time| (self.until)(group, time));
            return self.groups.get(&group).map_or([0; 4], |amounts| amounts.each_ref().map(amount));
        }
        let amount =
            |span: &Span| (self.until)(group, span.end).saturating_sub((self.until)(group, span.start));
        self.phases.in_step(step).map(|spans| sum(within(&spans, part).iter().map(amount)))
    }
}

/// Collects what marks phases on the host lanes of `scope`, by process, and what backward is derived from.
fn marks(trace: &Trace, scope: &Scope) -> (FxHashMap<u32, Spans>, Option<Source>) {
    let slices = &trace.slices;
    let mut found: FxHashMap<u32, Spans> = FxHashMap::default();
    let is_host = |lane: &Lane| matches!(lane.kind, LaneKind::Thread | LaneKind::Python);
    let hosts = (0..).zip(&trace.lanes).filter(|(_, lane)| is_host(lane));
    let has_marks = slices
        .category
        .iter()
        .any(|&category| matches!(Category::from_u8(category), Category::Forward | Category::Backward));
    // Events of the engine are around the nodes, and also around the sums of gradients between them.
    let (mut engine, mut nodes) = (Vec::new(), Vec::new());
    for (_, lane) in hosts.filter(|(lane, _)| scope.has_lane(*lane)) {
        for id in lane.slices.clone() {
            let category = slices.category(id);
            if let Some(at) = PHASES.iter().position(|(phase, _)| *phase == category) {
                found.entry(lane.group).or_default()[at].push(slices.span(id));
            } else if !has_marks {
                let name = trace.strings.bytes(slices.name[id as usize]);
                if name.starts_with(ENGINE) {
                    engine.push((lane.group, slices.span(id)));
                } else if category.is_operator() && is_node(name) {
                    nodes.push((lane.group, slices.span(id)));
                }
            }
        }
    }
    let derived = match (engine.is_empty(), nodes.is_empty()) {
        (false, _) => Some((Source::Engine, engine)),
        (true, false) => Some((Source::Nodes, nodes)),
        (true, true) => None,
    };
    let derived = derived.map(|(source, marks)| {
        for (group, span) in marks {
            found.entry(group).or_default()[2].push(span);
        }
        source
    });
    (found.into_iter().map(|(group, spans)| (group, spans.map(union))).collect(), derived)
}

/// The spans of each of some lists without those of the lists before it. All are sorted, and each is disjoint.
fn first_of<const N: usize>(lists: [Vec<Span>; N]) -> [Vec<Span>; N] {
    let mut before: Vec<Span> = Vec::new();
    lists.map(|spans| {
        let own = without(&spans, &before);
        before = union(before.iter().copied().chain(spans).collect());
        own
    })
}

/// The index of the worker that a lane belongs to.
pub(super) fn worker(trace: &Trace, lane: LaneId) -> u16 {
    trace.groups[trace.lanes[lane as usize].group as usize].worker
}

/// The time in `spans` that is not in `other`; all three are sorted and disjoint.
fn without(spans: &[Span], other: &[Span]) -> Vec<Span> {
    let mut out = Vec::new();
    for span in spans {
        let mut start = span.start;
        let from = other.partition_point(|hole| hole.end <= span.start);
        for hole in other[from..].iter().take_while(|hole| hole.start < span.end) {
            out.extend((hole.start > start).then_some(Span { start, end: hole.start }));
            start = start.max(hole.end);
        }
        out.extend((start < span.end).then_some(Span { start, end: span.end }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_autograd_have_names_of_their_own() {
        let nodes =
            ["AddmmBackward", "ReluBackward1", "My_FunctionBackward", "torch::autograd::AccumulateGrad"];
        assert!(nodes.iter().all(|name| is_node(name.as_bytes())));
        let others = [
            "aten::threshold_backward",
            "autograd::engine::evaluate_function: AddBackward0",
            "Backward pass",
            "",
        ];
        assert!(!others.iter().any(|name| is_node(name.as_bytes())));
    }

    #[test]
    fn a_difference_keeps_both_sides() {
        let spans =
            |list: &[(Ns, Ns)]| list.iter().map(|&(start, end)| Span { start, end }).collect::<Vec<_>>();
        let left = without(&spans(&[(0, 10), (20, 30)]), &spans(&[(2, 4), (8, 22), (30, 40)]));
        assert_eq!(left, spans(&[(0, 2), (4, 8), (22, 30)]));
    }
}
