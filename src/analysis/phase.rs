//! The phases of each training step: data loading, forward, backward, optimizer.
//!
//! Phases come from the events by which the producer marks them. Where a trace marks neither forward nor backward, both are
//! derived from the autograd engine's events, in a trace of a torch that recorded none of those from the nodes of the autograd
//! graph: backward is the time of those events in the step; forward is the time of the operators on the step's own thread
//! before the first of them, less data loading. Must not know tables.

use crate::base::time::{Ns, Span};
use crate::model::{Category, Lane, LaneId, LaneKind, SliceId, Step, Trace};

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

/// Finds the phases of a trace's steps.
pub(super) struct Phases<'a> {
    trace: &'a Trace,
    marks: Marks,
}

/// The slices that mark phases, by phase.
struct Marks {
    /// The slices that mark each phase (by its index in [`PHASES`]), in order of start.
    slices: [Vec<SliceId>; 4],
    /// The length of the longest slice of each phase, ns. A slice that starts earlier than this before a time has ended by
    /// then.
    longest: [Ns; 4],
    /// What backward and forward are derived from; `None` where they are marked, or there is nothing to derive them from.
    derived: Option<Source>,
}

impl<'a> Phases<'a> {
    /// Collects the slices that mark phases on the lanes of `scope`, at any time.
    pub(super) fn of(trace: &'a Trace, scope: &Scope) -> Self {
        Self { trace, marks: marks(trace, scope) }
    }

    /// The spans of each phase within a step, sorted and disjoint. Time that is in two phases (data loading called from the
    /// forward pass) belongs to the earlier one in [`PHASES`].
    pub(super) fn in_step(&self, step: &Step) -> [Vec<Span>; 4] {
        let mut before: Vec<Span> = Vec::new();
        spans(self.trace, &self.marks, step).map(|spans| {
            let own = without(&spans, &before);
            before = union(before.iter().chain(&own).copied().collect());
            own
        })
    }

    /// The spans of each phase in all steps of a worker, and last those of the steps in no phase; each sorted, all disjoint. Where
    /// steps of several threads overlap, an instant belongs to the phase that is earlier in [`PHASES`].
    pub(super) fn of_worker(&self, worker: u16) -> [Vec<Span>; 5] {
        let mut found: [Vec<Span>; 5] = Default::default();
        for step in self.trace.steps.iter().filter(|step| step.worker == worker) {
            for (all, spans) in found.iter_mut().zip(self.in_step(step)) {
                all.extend(spans);
            }
            found[4].push(step.span);
        }
        let mut before: Vec<Span> = Vec::new();
        found.map(|spans| {
            let spans = union(spans);
            let own = without(&spans, &before);
            before = union(before.iter().copied().chain(spans).collect());
            own
        })
    }

    /// The note under a table of phases if forward and backward are derived.
    pub(super) fn note(&self) -> Option<String> {
        let (what, them) = match self.marks.derived? {
            Source::Engine => ("the autograd engine", "it"),
            Source::Nodes => ("autograd's nodes (such as AddmmBackward0)", "them"),
        };
        Some(format!(
            "The trace marks no forward and backward phases: Backward is the time of {what}, Forward the time of the operators \
             before {them} on the step's thread."
        ))
    }
}

/// Collects the slices that mark phases on the host lanes of `scope`.
fn marks(trace: &Trace, scope: &Scope) -> Marks {
    let slices = &trace.slices;
    let mut found: [Vec<SliceId>; 4] = Default::default();
    let is_host = |lane: &Lane| matches!(lane.kind, LaneKind::Thread | LaneKind::Python);
    let hosts = (0..).zip(&trace.lanes).filter(|(_, lane)| is_host(lane));
    let has_marks = slices
        .category
        .iter()
        .any(|&category| matches!(Category::from_u8(category), Category::Forward | Category::Backward));
    // Events of the engine are around the nodes, and also around the sums of gradients between them.
    let (mut engine, mut nodes) = (Vec::new(), Vec::new());
    for id in hosts.filter(|(lane, _)| scope.has_lane(*lane)).flat_map(|(_, lane)| lane.slices.clone()) {
        let category = slices.category(id);
        if let Some(at) = PHASES.iter().position(|(phase, _)| *phase == category) {
            found[at].push(id);
        } else if !has_marks {
            let name = trace.strings.bytes(slices.name[id as usize]);
            if name.starts_with(ENGINE) {
                engine.push(id);
            } else if category.is_operator() && is_node(name) {
                nodes.push(id);
            }
        }
    }
    let derived = match (engine.is_empty(), nodes.is_empty()) {
        (false, _) => Some((Source::Engine, engine)),
        (true, false) => Some((Source::Nodes, nodes)),
        (true, true) => None,
    };
    let derived = derived.map(|(source, ids)| {
        found[2] = ids;
        source
    });
    found.iter_mut().for_each(|ids| ids.sort_by_key(|&id| slices.start[id as usize]));
    let longest =
        |ids: &Vec<SliceId>| ids.iter().map(|&id| slices.dur[id as usize]).max().unwrap_or_default();
    Marks { longest: found.each_ref().map(longest), slices: found, derived }
}

/// The index of the worker that a lane belongs to.
pub(super) fn worker(trace: &Trace, lane: LaneId) -> u16 {
    trace.groups[trace.lanes[lane as usize].group as usize].worker
}

/// The spans of each phase within a step, sorted and disjoint; those of two phases may overlap each other.
fn spans(trace: &Trace, marks: &Marks, step: &Step) -> [Vec<Span>; 4] {
    let slices = &trace.slices;
    // A data loader's worker process loads in parallel to the step.
    let group = |id: SliceId| trace.lanes[trace.lane_of(id) as usize].group;
    let inside = |at: usize| {
        let (ids, earliest) = (&marks.slices[at], step.span.start.saturating_sub(marks.longest[at]));
        let from = ids.partition_point(|&id| slices.start[id as usize] < earliest);
        let to = ids.partition_point(|&id| slices.start[id as usize] < step.span.end);
        // A phase may have begun before the step.
        let overlapping = ids[from..to].iter().filter(|&&id| slices.end(id) > step.span.start);
        let own = overlapping.filter(|&&id| group(id) == group(step.slice));
        intersection(&union(own.map(|&id| slices.span(id)).collect()), &[step.span])
    };
    let mut found = [0, 1, 2, 3].map(inside);
    if marks.derived.is_some()
        && let Some(first) = found[2].first()
    {
        let until = first.start;
        let lane = trace.lane_of(step.slice);
        // The slices that start in the step before the backward pass.
        let before = Scope { span: Some(Span { start: step.span.start, end: until }), lanes: None };
        let ids = before.starting(trace, lane);
        let is_forward = |&id: &SliceId| slices.category(id).is_operator();
        found[1] = within(&union(ids.filter(is_forward).map(|id| slices.span(id)).collect()), step.span);
    }
    found
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
