//! The step and phase of each event.
//!
//! One thread per worker defines steps and phases: the first that has a top-level step, else the first that
//! has any step. An event on a thread without steps belongs to the phase or step that contains it in time.
//! Must not know the counts made by step and phase.

use rustc_hash::FxHashMap;

use crate::compat::paddle::forest::{Forest, NO_NODE, NodeId};
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, SliceId, WorkerId};

/// The categories of the events that mark the phases of a step. A phase's index is an index into this list.
pub(super) const PHASES: [Category; 4] =
    [Category::Dataloader, Category::Forward, Category::Backward, Category::Optimization];
/// The number of phases plus one for [`OTHER`].
pub(super) const PHASES_AND_OTHER: usize = PHASES.len() + 1;
/// The phase index that stands for no phase.
pub(super) const OTHER: usize = PHASES.len();

/// The name of the phase with an index in [`PHASES`]; `Other` for any other index.
pub(super) fn name(phase: usize) -> &'static str {
    PHASES.get(phase).map_or("Other", |phase| phase.name())
}

/// One occurrence of a phase within a step: which phase, and its time range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    /// The phase's index in [`PHASES`].
    pub phase: usize,
    pub span: Span,
}

/// One step of the thread that defines the steps of its worker.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The step's number: from the trace or the step's name, else the index in [`StepPhases::steps`].
    pub number: u64,
    pub span: Span,
    /// The occurrences of phases directly inside the step, by start.
    pub phases: Vec<Occurrence>,
    /// For each entry of `phases`, the latest end among this entry and all before it, ns.
    last_ends: Vec<Ns>,
}

impl Step {
    /// The step's length, ns.
    pub(super) fn time(&self) -> Ns {
        self.span.len()
    }

    /// Sorts `phases` by start, and fills `last_ends`, which must be empty.
    fn sort_phases(&mut self) {
        self.phases.sort_by_key(|phase| phase.span.start);
        let mut last = Ns::MIN;
        self.last_ends.extend(self.phases.iter().map(|phase| {
            last = last.max(phase.span.end);
            last
        }));
    }

    /// The index in [`PHASES`] of the step's first phase that contains the span; None if none does.
    fn phase_around(&self, Span { start, end }: Span) -> Option<usize> {
        // Before the first phase that ends at or after the span's end, all end before it.
        let at = self.last_ends.partition_point(|&last| last < end);
        self.phases.get(at).filter(|phase| phase.span.start <= start).map(|phase| phase.phase)
    }
}

/// The index of a step in [`StepPhases::steps`] (or [`NO_STEP`]), and the index of a phase in [`PHASES`] (or
/// [`OTHER`]).
pub(super) type StepPhase = (u32, usize);

/// The step index that stands for no step.
const NO_STEP: u32 = u32::MAX;

/// The steps of all workers, and the step and phase of each node.
pub(super) struct StepPhases {
    /// The steps, sorted by thread, then by start; only one thread of each worker defines steps.
    pub steps: Vec<Step>,
    /// The step and phase of each node, by node id.
    pub of_node: Vec<StepPhase>,
    /// The index in `steps` of each node's step, by node id, or [`NO_STEP`]. Unlike in `of_node`, steps of
    /// further threads count by their numbers even where all are inside other events.
    pub step_of_node: Vec<u32>,
    /// For each node the innermost node around it that VisualDL reads, or [`NO_NODE`].
    pub parent: Vec<NodeId>,
    /// The range of each worker's steps in `steps`.
    of_worker: FxHashMap<WorkerId, std::ops::Range<usize>>,
    /// True if threads other than those of `steps` have step events, too.
    pub has_more_steps: bool,
}

/// True for the categories of nodes that VisualDL reads. Nodes of other categories are skipped, but not their
/// children.
pub(super) fn is_known(category: Category) -> bool {
    use Category as C;
    PHASES.contains(&category)
        || matches!(category, C::Operator | C::OperatorInner | C::Communication | C::ProfileStep)
        || matches!(category, C::UserDefined | C::PythonUserDefined | C::PythonOp)
}

/// For each node the innermost node around it that VisualDL reads, or [`NO_NODE`].
fn parents(forest: &Forest<'_>) -> Vec<NodeId> {
    let mut parents: Vec<NodeId> = Vec::with_capacity(forest.nodes.len());
    for node in &forest.nodes {
        let around = node.parent;
        parents.push(match parents.get(around as usize) {
            _ if around == NO_NODE => NO_NODE,
            Some(&outer) if !is_known(forest.node(around).1) => outer,
            _ => around,
        });
    }
    parents
}

/// The last number in a step's name; None if there is none, or it does not fit into a `u64`.
fn number(name: &str) -> Option<u64> {
    let digits = name.trim_end_matches(|c: char| !c.is_ascii_digit());
    digits.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

impl StepPhases {
    /// Finds the steps of each worker, and the step and phase of each node.
    pub(super) fn of(forest: &Forest<'_>) -> Self {
        let trace = forest.trace;
        let parent = parents(forest);
        let worker = |id: NodeId| {
            let lane = &trace.lanes[trace.lane_of(forest.nodes[id as usize].slice)];
            trace.groups[lane.group].worker
        };
        // The last number in a serving engine's annotation is not that of the step.
        let served = trace.steps.iter().filter(|step| step.serving.is_some());
        let served: FxHashMap<SliceId, u64> = served.map(|step| (step.slice, step.number)).collect();
        let number = |id: NodeId| {
            let slice = forest.nodes[id as usize].slice;
            served.get(&slice).copied().or_else(|| number(trace.name(slice).as_str()))
        };
        // The outermost step around each node, the node itself included; and for each thread whether it has
        // steps, and whether one of them is inside no other event.
        let mut step_of: Vec<NodeId> = vec![NO_NODE; forest.nodes.len()];
        let mut has_steps = vec![false; forest.threads() as usize];
        let mut has_outer = has_steps.clone();
        // The thread whose steps count, by worker: the first with a step inside no other event, else the
        // first with a step.
        let mut first: FxHashMap<WorkerId, (bool, u32)> = FxHashMap::default();
        for (id, node) in (0..).zip(&forest.nodes) {
            let around = step_of.get(parent[id as usize] as usize).copied().unwrap_or(NO_NODE);
            step_of[id as usize] = around;
            if around != NO_NODE || forest.node(id).1 != Category::ProfileStep {
                continue;
            }
            step_of[id as usize] = id;
            let is_inner = parent[id as usize] != NO_NODE;
            has_steps[node.thread as usize] = true;
            has_outer[node.thread as usize] |= !is_inner;
            let chosen = first.entry(worker(id)).or_insert((is_inner, node.thread));
            *chosen = (*chosen).min((is_inner, node.thread));
        }
        let mut step_phases = Self {
            steps: Vec::new(),
            of_node: vec![(NO_STEP, OTHER); forest.nodes.len()],
            step_of_node: vec![NO_STEP; forest.nodes.len()],
            parent,
            of_worker: FxHashMap::default(),
            has_more_steps: false,
        };
        let mut index: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut by_number: FxHashMap<(WorkerId, u64), u32> = FxHashMap::default();
        let steps = &mut step_phases.steps;
        let all = (0..saturate::<NodeId>(forest.nodes.len())).filter(|&id| step_of[id as usize] == id);
        let (mut own, other): (Vec<NodeId>, Vec<NodeId>) = all.partition(|&id| {
            first.get(&worker(id)).is_some_and(|chosen| chosen.1 == forest.nodes[id as usize].thread)
        });
        step_phases.has_more_steps = !other.is_empty();
        // A step inside another event comes later in a tree that the file states than its time does.
        own.sort_by_key(|&id| {
            let node = &forest.nodes[id as usize];
            let span = forest.span(node.slice);
            (node.thread, span.start, std::cmp::Reverse(span.end))
        });
        for id in own {
            let next = steps.len();
            let number = number(id).unwrap_or(next as u64);
            index.insert(id, saturate::<u32>(next));
            by_number.entry((worker(id), number)).or_insert(saturate::<u32>(next));
            step_phases.of_worker.entry(worker(id)).or_insert(next..0).end = next + 1;
            steps.push(Step {
                number,
                span: forest.span(forest.nodes[id as usize].slice),
                phases: Vec::new(),
                last_ends: Vec::new(),
            });
        }
        for (id, node) in (0..).zip(&forest.nodes) {
            if let Some(&step) = index.get(&step_phases.parent[id as usize])
                && let Some(phase) = PHASES.iter().position(|&phase| phase == forest.node(id).1)
            {
                steps[step as usize].phases.push(Occurrence { phase, span: forest.span(node.slice) });
            }
        }
        steps.iter_mut().for_each(Step::sort_phases);
        for (id, node) in (0..).zip(&forest.nodes) {
            let around = step_phases.parent[id as usize];
            let thread = node.thread as usize;
            let is_step = step_of[id as usize] == id;
            let same = || by_number.get(&(worker(id), number(id)?)).copied();
            let step = index.get(&id).copied().or_else(|| if is_step { same() } else { None });
            step_phases.of_node[id as usize] = match step {
                Some(step) if index.contains_key(&id) || has_outer[thread] => (step, OTHER),
                _ if around != NO_NODE => {
                    let phase = PHASES.iter().position(|&phase| phase == forest.node(id).1);
                    let (step, outer) = step_phases.of_node[around as usize];
                    let is_phase = step_of[around as usize] == around && step != NO_STEP;
                    (step, phase.filter(|_| is_phase).unwrap_or(outer))
                }
                _ => {
                    let has_no_steps = !has_steps[thread];
                    let held = || step_phases.holding(worker(id), forest.span(node.slice));
                    has_no_steps.then(held).flatten().unwrap_or((NO_STEP, OTHER))
                }
            };
            let held = if around == NO_NODE { NO_STEP } else { step_phases.step_of_node[around as usize] };
            let own = step_phases.of_node[id as usize].0;
            step_phases.step_of_node[id as usize] = step.unwrap_or(if own == NO_STEP { held } else { own });
        }
        step_phases
    }

    /// The step of `worker` that contains `span`, and the first phase of the step that does, or [`OTHER`].
    /// None if no step contains `span`.
    fn holding(&self, worker: WorkerId, span: Span) -> Option<StepPhase> {
        let all = self.of_worker.get(&worker)?;
        let steps = &self.steps[all.clone()];
        let at = steps.partition_point(|step| step.span.end < span.end);
        let step = steps.get(at).filter(|step| step.span.start <= span.start)?;
        Some((saturate::<u32>(all.start + at), step.phase_around(span).unwrap_or(OTHER)))
    }

    /// The summed length of all steps, ns.
    pub(super) fn time(&self) -> Ns {
        self.steps.iter().fold(0, |sum: Ns, step| sum.saturating_add(step.time()))
    }
}
