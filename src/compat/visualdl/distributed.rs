//! Communication, computation and their overlap in each step.

use rustc_hash::FxHashSet;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::time::{length, shared, union};
use crate::analysis::{Table, TableRow, Value};
use crate::base::time::{Ns, Span};
use crate::compat::paddle::distributed::{communicates, has_word};
use crate::model::{Category, NONE};

use super::Ground;

/// A word in the names of kernels that communicate. VisualDL does not know the newer `xccl`.
const KERNELS: [&str; 1] = ["nccl"];

#[derive(Clone, Default)]
struct Spread {
    communication: FxHashSet<Span>,
    computation: Vec<Span>,
}

/// When there was communication and computation, step by step. A kernel under an event that communicates belongs to it;
/// under any other its name decides. One that has both around it counts as both, as in VisualDL.
fn spread(ground: &Ground<'_>) -> Vec<Spread> {
    let forest = &ground.forest;
    let mut steps = vec![Spread::default(); ground.places.steps.len()];
    // True for nodes around which something communicates. Parents come before their children.
    let mut is_inside = vec![false; forest.nodes.len()];
    for (id, node) in (0..).zip(&forest.nodes) {
        let step = ground.places.step[id as usize];
        let Some(spread) = steps.get_mut(step as usize) else { continue };
        let communicates = communicates(forest, id);
        if communicates {
            spread.communication.insert(forest.range(node.slice));
        }
        let is_around = communicates || node.parent != NONE && is_inside[node.parent as usize];
        is_inside[id as usize] = is_around;
        for kernel in forest.direct_work(id) {
            if forest.trace.slices.category(kernel) != Category::Kernel {
                continue;
            }
            let range = forest.range(kernel);
            let is_named = has_word(forest, kernel, &KERNELS);
            if is_around || is_named {
                spread.communication.insert(range);
            }
            if !communicates && !is_named {
                spread.computation.push(range);
            }
        }
    }
    steps
}

/// A row for all steps and one a step; nothing where no device worked.
pub(super) fn table(ground: &Ground<'_>) -> Option<Table> {
    use ColumnKind::Duration;
    if !ground.events.has_device {
        return None;
    }
    let row = |name: String, [step, communication, computation, overlap]: [Ns; 4]| {
        let others = step.saturating_sub(communication).saturating_sub(computation).saturating_add(overlap);
        let times = [step, communication, computation, overlap, others].map(Value::Duration);
        TableRow::new(std::iter::once(Value::text(&name)).chain(times).collect())
    };
    let mut rows = Vec::new();
    let (mut communications, mut computations): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    for (step, spread) in ground.places.steps.iter().zip(spread(ground)) {
        let communication = union(spread.communication.into_iter().collect());
        let computation = union(spread.computation);
        let both = shared(&communication, &computation);
        let times = [step.time(), length(&communication), length(&computation), both];
        rows.push(row(step.number.to_string(), times));
        communications.extend(communication);
        computations.extend(computation);
    }
    // What one step left running may meet another's.
    let (communications, computations) = (union(communications), union(computations));
    let both = shared(&communications, &computations);
    let all = [ground.places.time(), length(&communications), length(&computations), both];
    rows.insert(0, row("All".into(), all));
    Some(Table {
        view: "distributed",
        title: "Distributed",
        columns: vec![
            Column::new("step", "Step", ColumnKind::Text, "The step's number"),
            Column::new("time", "ProfileStep", Duration, "How long it took on the host"),
            Column::new("communication", "Communication", Duration, "Time in which something communicated"),
            Column::new("computation", "Computation", Duration, "Time in which a kernel computed"),
            Column::new("overlap", "Overlap", Duration, "Time in which both went on"),
            Column::new("others", "Others", Duration, "What is left of the step"),
        ],
        rows,
        notes: vec![
            "Communication: events and operators that communicate, what they launch, and kernels of NCCL. Kernels that outlast their step count whole, so Others may be negative.".into(),
        ], ..Table::default() })
}
