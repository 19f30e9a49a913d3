//! In which step and stage each event lies.
//!
//! The first thread with steps tells when they and their stages were; what is on threads without steps belongs to the stage
//! or step that holds it in time. Must not know what is counted there.

use rustc_hash::FxHashMap;

use crate::base::time::{Ns, Span};
use crate::compat::paddle::forest::{Forest, NodeId};
use crate::model::{Category, NONE};

/// The stages of a step.
pub(super) const STAGES: [Category; 4] =
    [Category::Dataloader, Category::Forward, Category::Backward, Category::Optimization];
/// How many stages there are with what is in none of them.
pub(super) const PARTS: usize = STAGES.len() + 1;
/// What is in a step and in no stage.
pub(super) const OTHER: usize = STAGES.len();

/// The name of a stage, or of what is in none.
pub(super) fn name(part: usize) -> &'static str {
    STAGES.get(part).map_or("Other", |stage| stage.name())
}

/// One occurrence of a stage, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub part: usize,
    pub range: Span,
}

/// One step of the first thread that has steps.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub number: u64,
    pub range: Span,
    /// In order.
    pub stages: Vec<Stage>,
}

impl Step {
    /// How long it took, ns.
    pub(super) fn time(&self) -> Ns {
        self.range.len()
    }
}

/// A step's index (or [`NO_STEP`]) and a stage in it.
pub(super) type Place = (u32, usize);

/// Stands for no step: what lies in none is in no stage.
const NO_STEP: u32 = u32::MAX;

/// The steps, and where each event lies.
pub(super) struct Places {
    /// By worker and time.
    pub steps: Vec<Step>,
    /// For each node.
    pub of: Vec<Place>,
    /// For each node the step around it on its own thread, whichever thread tells; otherwise as in `of`.
    pub step: Vec<u32>,
    /// For each node the one around it that VisualDL knows, or [`NONE`].
    pub parent: Vec<NodeId>,
    /// The steps of each worker, as indices.
    of_worker: FxHashMap<u16, std::ops::Range<usize>>,
    /// True when a thread had steps of its own beside the first one's.
    pub has_more_steps: bool,
}

/// True for the kinds that VisualDL reads; what is inside one of another kind counts as beside it.
pub(super) fn is_known(category: Category) -> bool {
    use Category as C;
    STAGES.contains(&category)
        || matches!(category, C::Operator | C::OperatorInner | C::Communication | C::ProfileStep)
        || matches!(category, C::UserDefined | C::PythonUserDefined | C::PythonOp)
}

/// The nodes around each that VisualDL knows.
fn parents(forest: &Forest<'_>) -> Vec<NodeId> {
    let mut parents: Vec<NodeId> = Vec::with_capacity(forest.nodes.len());
    for node in &forest.nodes {
        let around = node.parent;
        parents.push(match parents.get(around as usize) {
            _ if around == NONE => NONE,
            Some(&outer) if !is_known(forest.node(around).1) => outer,
            _ => around,
        });
    }
    parents
}

/// The number that a step's name ends with.
fn number(name: &str) -> Option<u64> {
    let digits = name.trim_end_matches(|c: char| !c.is_ascii_digit());
    let from = digits.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    digits[from..].parse().ok()
}

impl Places {
    pub(super) fn of(forest: &Forest<'_>) -> Self {
        let trace = forest.trace;
        let parent = parents(forest);
        let worker = |id: NodeId| {
            let lane = &trace.lanes[trace.lane_of(forest.nodes[id as usize].slice) as usize];
            trace.groups[lane.group as usize].worker
        };
        let number = |id: NodeId| number(trace.name(forest.nodes[id as usize].slice).as_str());
        // The outermost step around each node, or itself; and on each thread whether a step lies in nothing else.
        let mut step_of: Vec<NodeId> = vec![NONE; forest.nodes.len()];
        let mut has_steps = vec![false; forest.threads() as usize];
        let mut has_outer = has_steps.clone();
        // The thread that tells: the first with a step that lies in nothing else, or else the first with a step.
        let mut first: FxHashMap<u16, (bool, u32)> = FxHashMap::default();
        for (id, node) in (0..).zip(&forest.nodes) {
            let around = step_of.get(parent[id as usize] as usize).copied().unwrap_or(NONE);
            step_of[id as usize] = around;
            if around != NONE || forest.node(id).1 != Category::ProfileStep {
                continue;
            }
            step_of[id as usize] = id;
            let is_inner = parent[id as usize] != NONE;
            has_steps[node.thread as usize] = true;
            has_outer[node.thread as usize] |= !is_inner;
            let told = first.entry(worker(id)).or_insert((is_inner, node.thread));
            *told = (*told).min((is_inner, node.thread));
        }
        let mut places = Self {
            steps: Vec::new(),
            of: vec![(NO_STEP, OTHER); forest.nodes.len()],
            step: vec![NO_STEP; forest.nodes.len()],
            parent,
            of_worker: FxHashMap::default(),
            has_more_steps: false,
        };
        let mut index: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut by_number: FxHashMap<(u16, u64), u32> = FxHashMap::default();
        let steps = &mut places.steps;
        for (id, node) in (0..).zip(&forest.nodes) {
            let range = forest.range(node.slice);
            if step_of[id as usize] == id {
                let worker = worker(id);
                if first.get(&worker).is_some_and(|told| told.1 != node.thread) {
                    places.has_more_steps = true;
                    continue;
                }
                let next = steps.len();
                let number = number(id).unwrap_or(next as u64);
                index.insert(id, next as u32);
                by_number.entry((worker, number)).or_insert(next as u32);
                places.of_worker.entry(worker).or_insert(next..0).end = next + 1;
                steps.push(Step { number, range, stages: Vec::new() });
            } else if let Some(&step) = index.get(&places.parent[id as usize])
                && let Some(part) = STAGES.iter().position(|&stage| stage == forest.node(id).1)
            {
                steps[step as usize].stages.push(Stage { part, range });
            }
        }
        for (id, node) in (0..).zip(&forest.nodes) {
            let around = places.parent[id as usize];
            let thread = node.thread as usize;
            let is_step = step_of[id as usize] == id;
            let same = || by_number.get(&(worker(id), number(id)?)).copied();
            let step = index.get(&id).copied().or_else(|| same().filter(|_| is_step));
            places.of[id as usize] = match step {
                Some(step) if index.contains_key(&id) || has_outer[thread] => (step, OTHER),
                _ if around != NONE => {
                    let stage = STAGES.iter().position(|&stage| stage == forest.node(id).1);
                    let (step, part) = places.of[around as usize];
                    let is_stage = step_of[around as usize] == around && step != NO_STEP;
                    (step, stage.filter(|_| is_stage).unwrap_or(part))
                }
                _ => {
                    let is_hung = !has_steps[thread];
                    let held = || places.holding(worker(id), forest.range(node.slice));
                    is_hung.then(held).flatten().unwrap_or((NO_STEP, OTHER))
                }
            };
            let held = if around == NONE { NO_STEP } else { places.step[around as usize] };
            let own = places.of[id as usize].0;
            places.step[id as usize] = step.unwrap_or(if own == NO_STEP { held } else { own });
        }
        places
    }

    /// The first stage that holds a stretch of time, or else the first step.
    fn holding(&self, worker: u16, Span { start, end }: Span) -> Option<Place> {
        let all = self.of_worker.get(&worker)?;
        let steps = &self.steps[all.clone()];
        let at = steps.partition_point(|step| step.range.end < end);
        let step = steps.get(at).filter(|step| step.range.start <= start)?;
        let stage = step.stages.iter().find(|stage| stage.range.start <= start && end <= stage.range.end);
        Some(((all.start + at) as u32, stage.map_or(OTHER, |stage| stage.part)))
    }

    /// Time of all steps, ns.
    pub(super) fn time(&self) -> Ns {
        self.steps.iter().fold(0, |sum: Ns, step| sum.saturating_add(step.time()))
    }
}
