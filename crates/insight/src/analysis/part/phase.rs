//! The phases of each training step: data loading, forward, backward, optimizer.
//!
//! Phases come from the events by which the producer marks them. Where a trace marks neither forward nor
//! backward, both are derived. Backward is the time of the autograd engine's events in the step; without such
//! events, the time of the nodes of the autograd graph. Forward is the time of the operators on the step's
//! own thread that begin before the backward pass, less data loading. `Phases::amounts` measures each step
//! by itself: time in which steps overlap counts in each of them. Must not know tables.

pub mod at;
mod forward;
pub(crate) mod times;

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, GroupId, Lane, LaneId, LaneKind, Step, Trace, WorkerId};

use super::scope::Scope;
use super::time::{intersection, union};
use crate::analysis::part::phase::forward::{Derived, Trained, forward, operators};
use crate::analysis::part::time::amounts::Amounts;

/// The phases, in their usual order in a step: for each the category of the events that mark it, and its
/// title.
pub(crate) const PHASES: [(Category, &str); 4] = [
    (Category::Dataloader, "Data loading"),
    (Category::Forward, "Forward"),
    (Category::Backward, "Backward"),
    (Category::Optimization, "Optimizer"),
];
/// Prefix of the names of the autograd engine's events. In a trace that marks neither forward nor backward,
/// they make up the backward pass.
const ENGINE: &[u8] = b"autograd::engine::evaluate_function";

/// Prefix of the names of some autograd nodes, such as `torch::autograd::AccumulateGrad`.
const NODE: &[u8] = b"torch::autograd::";

/// True for the names that autograd nodes usually have, such as `torch::autograd::AccumulateGrad`,
/// `AddmmBackward0` or `MyFunctionBackward`.
fn is_node(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let plain = &name[..name.len() - digits];
    name.starts_with(NODE)
        || plain.ends_with(b"Backward")
            && plain.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The events from which backward is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The autograd engine's events, whose names begin with [`ENGINE`].
    Engine,
    /// Autograd nodes, if there are no events of the engine.
    Nodes,
}

/// A list of spans for each phase, in the order of [`PHASES`].
type Spans = [Vec<Span>; 4];

/// The spans that mark the phases on the lanes of a scope, and from what backward is derived.
struct Marks {
    /// For each process (an index into `Trace::groups`), the spans that mark each phase or from which
    /// backward is derived, sorted and disjoint; only spans of two phases may overlap.
    of_group: FxHashMap<GroupId, Spans>,
    /// The events from which backward, and with it forward, is derived; `None` if the trace marks forward or
    /// backward, or the lanes have no such events.
    derived: Option<Source>,
}

/// Finds the phases of a trace's steps.
pub(crate) struct Phases<'a> {
    trace: &'a Trace,
    marks: Arc<Marks>,
}

impl<'a> Phases<'a> {
    /// Collects, on the lanes of threads in `scope`, the spans that mark phases or from which backward is
    /// derived, whatever the scope's time.
    pub(crate) fn of(trace: &'a Trace, scope: &Scope) -> Self {
        let marks = if let Some(lanes) = &scope.lanes {
            Arc::new(Marks::of(trace, lanes.iter().copied()))
        } else {
            let all = || Arc::new(Marks::of(trace, trace.lanes.ids().iter()));
            Arc::clone(trace.kept.get(all))
        };
        Self { trace, marks }
    }

    /// The process of a step, an index into `Trace::groups`.
    fn group(&self, step: &Step) -> GroupId {
        self.trace.lanes[self.trace.lane_of(step.slice)].group
    }

    /// The time in `step` at which its derived backward pass starts, ns; `None` if backward is not derived or
    /// the step has none. `group` is the step's process.
    fn backward(&self, group: GroupId, step: Span) -> Option<Ns> {
        self.marks.derived?;
        let backward = &self.marks.of_group.get(&group)?[2];
        let first = backward.get(backward.partition_point(|span| span.end <= step.start))?;
        (first.start < step.end).then(|| first.start.max(step.start))
    }

    /// The spans of each phase in one worker's `steps`, and last the spans in no phase: five sorted lists,
    /// all disjoint. Time in several phases belongs to the first of them.
    pub(crate) fn of_steps(&self, steps: &[&Step]) -> [Vec<Span>; 5] {
        let mut found: [Vec<Span>; 5] = Default::default();
        let mut of_group: FxHashMap<GroupId, Vec<Span>> = FxHashMap::default();
        let mut of_lane: FxHashMap<LaneId, Vec<Trained>> = FxHashMap::default();
        for step in steps {
            let group = self.group(step);
            of_group.entry(group).or_default().push(step.span);
            if let Some(backward) = self.backward(group, step.span) {
                let lane = self.trace.lane_of(step.slice);
                of_lane.entry(lane).or_default().push(Trained { step: step.span, backward });
            }
        }
        for (group, steps) in of_group {
            let steps = union(steps);
            for (all, spans) in found.iter_mut().zip(self.marks.of_group.get(&group).into_iter().flatten()) {
                all.extend(intersection(spans, &steps));
            }
            found[4].extend(steps);
        }
        for (lane, steps) in of_lane {
            found[1].extend(forward(&operators(self.trace, lane), steps));
        }
        first_of(found.map(union))
    }

    /// For each step, an amount, such as of busy time, in each of [`PHASES`] within both the step and the
    /// span beside it. `until` returns the amount that a process has before a time.
    pub(crate) fn amounts(
        &self,
        steps: &[(&Step, Span)],
        until: impl Fn(GroupId, Ns) -> Ns,
    ) -> Vec<[Ns; PHASES.len()]> {
        let measured = |(&group, spans): (&GroupId, &Spans)| {
            (group, first_of(spans.clone()).map(|spans| Amounts::of(spans, |time| until(group, time))))
        };
        let marked: FxHashMap<GroupId, [Amounts; 4]> = self.marks.of_group.iter().map(measured).collect();
        let mut of_lane: FxHashMap<LaneId, Vec<usize>> = FxHashMap::default();
        for (at, (step, _)) in steps.iter().enumerate() {
            of_lane.entry(self.trace.lane_of(step.slice)).or_default().push(at);
        }
        let mut found = vec![[0; PHASES.len()]; steps.len()];
        for (lane, mut of_lane) in of_lane {
            let group = self.trace.lanes[lane].group;
            let Some(marked) = marked.get(&group) else { continue };
            let until = |time| until(group, time);
            let in_marked = |part: Span| marked.each_ref().map(|amounts| amounts.within(part, until));
            let operators =
                if self.marks.derived.is_some() { operators(self.trace, lane) } else { Vec::new() };
            let mut derived = Derived::new(operators, marked, until);
            of_lane.sort_unstable_by_key(|&at| Reverse(steps[at].0.span.start));
            for at in of_lane {
                let (Step { span: step, .. }, part) = steps[at];
                found[at] = if let Some(backward) = self.backward(group, *step) {
                    derived.amounts(Trained { step: *step, backward }, part)
                } else {
                    let start = step.start.max(part.start);
                    in_marked(Span { start, end: step.end.min(part.end).max(start) })
                };
            }
        }
        found
    }

    /// The note under a table of phases if forward and backward are derived; `None` if they are not.
    pub(crate) fn note(&self) -> Option<String> {
        let (what, them) = match self.marks.derived? {
            Source::Engine => ("the autograd engine", "it"),
            Source::Nodes => ("autograd's nodes (such as AddmmBackward0)", "them"),
        };
        Some(format!(
            "Forward and backward are not marked: Backward is the time of {what}, Forward that of operators \
             before {them} on the step's thread, less data loading."
        ))
    }
}

/// True for a trace in which events mark forward or backward.
struct HasMarks(bool);

impl HasMarks {
    fn of(trace: &Trace) -> Self {
        let is_mark = |category| matches!(category, Category::Forward | Category::Backward);
        Self(trace.slices.category.iter().any(|&category| is_mark(Category::from_u8(category))))
    }
}

impl Marks {
    /// Collects, by process, the spans that mark phases or from which backward is derived, on those of
    /// `lanes` that belong to threads.
    fn of(trace: &Trace, lanes: impl Iterator<Item = LaneId>) -> Self {
        let slices = &trace.slices;
        let mut found: FxHashMap<GroupId, Spans> = FxHashMap::default();
        let is_host = |lane: &&Lane| matches!(lane.kind, LaneKind::Thread | LaneKind::Python);
        let HasMarks(has_marks) = *trace.kept.get(|| HasMarks::of(trace));
        // Events of the engine are around the nodes, and also around the sums of gradients between nodes.
        let (mut engine, mut nodes) = (Vec::new(), Vec::new());
        for lane in lanes.map(|lane| &trace.lanes[lane]).filter(is_host) {
            for id in lane.slices {
                let category = slices.category(id);
                if let Some(at) = PHASES.iter().position(|(phase, _)| *phase == category) {
                    found.entry(lane.group).or_default()[at].push(slices.span(id));
                } else if !has_marks {
                    let name = trace.strings.bytes(slices.name[id]);
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
        let of_group = found.into_iter().map(|(group, spans)| (group, spans.map(union))).collect();
        Self { of_group, derived }
    }
}

/// Cuts out of each list of spans the time of the lists before it. Each list must be sorted and disjoint, and
/// is so in the result.
fn first_of<const N: usize>(lists: [Vec<Span>; N]) -> [Vec<Span>; N] {
    let mut before: Vec<Span> = Vec::new();
    lists.map(|spans| {
        let own = without(&spans, &before);
        before = union(before.iter().copied().chain(spans).collect());
        own
    })
}

/// The index of the worker that a lane belongs to.
pub(crate) fn worker(trace: &Trace, lane: LaneId) -> WorkerId {
    trace.groups[trace.lanes[lane].group].worker
}

/// The time in `spans` that is not in `other`, as spans. Each of the lists must be sorted and disjoint, and
/// so is the result.
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
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::part::time::within;
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::model::SliceId;

    /// The spans of each phase within a step, found by a look at all slices of the trace.
    fn in_step(phases: &Phases<'_>, step: &Step) -> [Vec<Span>; 4] {
        let (trace, Some(marks)) = (phases.trace, phases.marks.of_group.get(&phases.group(step))) else {
            return Default::default();
        };
        let mut found = marks.each_ref().map(|spans| within(spans, step.span));
        if phases.marks.derived.is_some()
            && let Some(first) = found[2].first()
        {
            let slices = &trace.slices;
            let before = Span { end: first.start, ..step.span };
            let is_forward = |&id: &SliceId| {
                let is_own = trace.lane_of(id) == trace.lane_of(step.slice);
                is_own && slices.category(id).is_operator() && before.contains(slices.start[id])
            };
            let ids = slices.ids().iter().filter(is_forward);
            found[1] = within(&union(ids.map(|id| slices.span(id)).collect()), step.span);
        }
        first_of(found)
    }

    /// Names and categories of events that phases come from, those of the forward pass last.
    const EVENTS: [(&str, &str); 6] = [
        ("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
        ("user_annotation", "Optimizer.step#SGD.step"),
        ("cpu_op", "autograd::engine::evaluate_function: MmBackward0"),
        ("cpu_op", "aten::mm"),
        ("cpu_op", "aten::add"),
        ("user_annotation", "## forward ##"),
    ];

    proptest! {
        #[test]
        fn phases_are_those_of_each_step(
            events in proptest::collection::vec((0..EVENTS.len(), 1..3, 0_i64..60, 0_i64..15), 0..25),
            steps in proptest::collection::vec((1..3, 0_i64..60, 1_i64..40), 1..6),
            is_marked in proptest::bool::weighted(0.2),
            (start, len) in (-5_i64..70, 0_i64..70),
        ) {
            let event = |cat: &str, name: &str, tid: i32, ts: i64, dur: i64| {
                format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
            };
            let kinds = if is_marked { EVENTS.len() } else { EVENTS.len() - 1 };
            let events = events.iter().map(|&(kind, tid, ts, dur)| {
                let (cat, name) = EVENTS[kind % kinds];
                event(cat, name, tid, ts, dur)
            });
            let named = steps.iter().zip(0..);
            let named = named.map(|(&(tid, ts, dur), at)| {
                event("user_annotation", &format!("ProfilerStep#{at}"), tid, ts, dur)
            });
            let text = format!("[{}]", events.chain(named).collect::<Vec<_>>().join(","));
            let trace = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
            let phases = Phases::of(&trace, &Scope::default());
            let steps: Vec<&Step> = trace.steps.iter().collect();

            // Every third microsecond counts.
            let until = |time: Ns| (time + 300_000) / 3_000;
            let part = Span { start: 1_000 * start, end: 1_000 * (start + len) };
            let parts: Vec<(&Step, Span)> = steps.iter().map(|step| (*step, part)).collect();
            let amount = |spans: &Vec<Span>| -> Ns {
                within(spans, part).iter().map(|span| until(span.end) - until(span.start)).sum()
            };
            let all: Vec<_> = steps.iter().map(|step| in_step(&phases, step)).collect();
            let want: Vec<_> = all.iter().map(|found| found.each_ref().map(amount)).collect();
            prop_assert_eq!(phases.amounts(&parts, |_, time| until(time)), want);

            let mut want: [Vec<Span>; 5] = Default::default();
            for (step, found) in steps.iter().zip(all) {
                want.iter_mut().zip(found).for_each(|(all, spans)| all.extend(spans));
                want[4].push(step.span);
            }
            prop_assert_eq!(phases.of_steps(&steps), first_of(want.map(union)));
        }
    }

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
