//! VisualDL's distributed page: communication, computation and their overlap in each step.

use rustc_hash::FxHashSet;

use crate::analysis::part::time::{length, shared, union};
use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::compat::paddle::distributed::{communicates, name_contains};
use crate::compat::paddle::forest::NO_NODE;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::Category;

use super::context::Context;

/// Lower-case texts in the names of kernels by which VisualDL recognises communication.
const KERNELS: [&str; 1] = ["nccl"];

/// The spans of a step's communication and computation; they may overlap.
#[derive(Clone, Default)]
struct StepTimes {
    /// Spans of host events that communicate, and of kernels launched inside them or named as communication;
    /// equal spans count once, as in VisualDL.
    communication: FxHashSet<Span>,
    computation: Vec<Span>,
}

/// Collects the spans of communication and computation of each step, in the order of the steps, as VisualDL
/// does.
fn step_times(context: &Context<'_>) -> Vec<StepTimes> {
    let forest = &context.forest;
    let mut steps = vec![StepTimes::default(); context.step_phases.steps.len()];
    // True for nodes that communicate or are inside one that does. Parents come before their children.
    let mut is_inside = vec![false; forest.nodes.len()];
    for (id, node) in (0..).zip(&forest.nodes) {
        let step = context.step_phases.step_of_node[id as usize];
        let Some(times) = steps.get_mut(step as usize) else { continue };
        let communicates = communicates(forest, id);
        if communicates {
            times.communication.insert(forest.span(node.slice));
        }
        let is_around = communicates || node.parent != NO_NODE && is_inside[node.parent as usize];
        is_inside[id as usize] = is_around;
        for kernel in forest.direct_work(id) {
            if forest.trace.slices.category(kernel) != Category::Kernel {
                continue;
            }
            let span = forest.span(kernel);
            let is_named = name_contains(forest, kernel, &KERNELS);
            if is_around || is_named {
                times.communication.insert(span);
            }
            if !communicates && !is_named {
                times.computation.push(span);
            }
        }
    }
    steps
}

/// Builds VisualDL's table of communication, computation and their overlap, by step. None if no host event
/// launched device work.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    use ColumnKind::Duration;
    if !context.events.has_device {
        return None;
    }
    let row = |name: String, [step, communication, computation, overlap]: [Ns; 4]| {
        let others = step.saturating_sub(communication).saturating_sub(computation).saturating_add(overlap);
        let times = [step, communication, computation, overlap, others].map(Value::Duration);
        TableRow::new(std::iter::once(Value::text(&name)).chain(times).collect())
    };
    let mut rows = Vec::new();
    let (mut communications, mut computations): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    for (step, times) in context.step_phases.steps.iter().zip(step_times(context)) {
        let communication = union(times.communication.into_iter().collect());
        let computation = union(times.computation);
        let both = shared(&communication, &computation);
        let times = [step.time(), length(&communication), length(&computation), both];
        rows.push(row(step.number.to_string(), times));
        communications.extend(communication);
        computations.extend(computation);
    }
    // Time in which work of two steps runs at once counts once.
    let (communications, computations) = (union(communications), union(computations));
    let both = shared(&communications, &computations);
    let all = [context.step_phases.time(), length(&communications), length(&computations), both];
    rows.insert(0, row("All".into(), all));
    Some(Table {
        view: "distributed",
        title: "Distributed",
        columns: vec![
            Column::new("step", "Step", ColumnKind::Text, "Step number"),
            Column::new("time", "ProfileStep", Duration, "Host time of the step"),
            Column::new(
                "communication",
                "Communication",
                Duration,
                "Time in which a communication event of the step, or such a kernel launched by it, ran",
            ),
            Column::new(
                "computation",
                "Computation",
                Duration,
                "Time in which any computation kernel ran that the step launched",
            ),
            Column::new(
                "overlap",
                "Overlap",
                Duration,
                "Time in which communication and computation of the step ran at once",
            ),
            Column::new(
                "others",
                "Others",
                Duration,
                "Time of the step less that in which communication or computation ran; may be negative",
            ),
        ],
        rows,
        notes: vec![
            "Communication: communicating events and operators, the kernels launched in them, and kernels \
             of NCCL. Other kernels of events inside these count as computation, too, as in VisualDL. \
             Kernels that end after their step count whole, so Others may be negative."
                .into(),
        ],
        ..Table::default()
    })
}
