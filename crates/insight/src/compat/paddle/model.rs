//! Paddle's model view: the times of steps and of the phases within them (data loading, forward, backward,
//! optimizer).

use crate::analysis::{Table, Value};
use proftui_base::time::Ns;
use proftui_trace::model::Category;

use super::context::Context;
use super::forest::{Forest, NO_NODE};
use super::sums::{self, Sums};
use super::tally::Tally;

/// The categories of the rows of the model table, in the order shown: steps, then the four phases.
const PHASES: [Category; 5] = [
    Category::ProfileStep,
    Category::Dataloader,
    Category::Forward,
    Category::Backward,
    Category::Optimization,
];

/// Counts steps and phases by category, and sums up their times; those inside a phase do not count.
pub(super) fn phases(forest: &Forest<'_>) -> Tally<Category, Sums> {
    let mut phases: Tally<Category, Sums> = Tally::default();
    // True for phases and for nodes inside one. Parents come before their children.
    let mut is_inside = vec![false; forest.nodes.len()];
    for (id, node) in forest.nodes.iter().enumerate() {
        let category = forest.trace.slices.category(node.slice);
        if node.parent != NO_NODE && is_inside[node.parent as usize] {
            is_inside[id] = true;
        } else if PHASES.contains(&category) {
            is_inside[id] = category != Category::ProfileStep;
            let phase = phases.of(category);
            phase.calls += 1;
            phase.cpu.add(forest.trace.slices.dur[node.slice]);
            phase.kernel.add(node.kernel);
            phase.device.add(node.device);
        }
    }
    phases
}

/// Builds Paddle's model table: the times of steps, of phases, and the remaining time of the steps. None if
/// [`phases`] finds fewer than two categories.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    let phases = phases(&context.forest);
    if phases.len() < 2 {
        return None;
    }
    let step = phases.get(Category::ProfileStep).copied().unwrap_or_default();
    let (mut cpu, mut gpu): (Ns, Ns) = (0, 0);
    let mut rows = Vec::new();
    for category in PHASES {
        let Some(phase) = phases.get(category) else { continue };
        let ratio = Value::share(phase.cpu.total, context.total);
        let cells = sums::five(&phase.cpu, phase.calls, ratio).into_iter().chain(sums::five(
            &phase.kernel,
            phase.calls,
            sums::part(phase.kernel.total, step.kernel.total),
        ));
        rows.push(sums::row(Value::text(category.name()), Value::Count(phase.calls), cells));
        if category != Category::ProfileStep {
            cpu = cpu.saturating_add(phase.cpu.total);
            gpu = gpu.saturating_add(phase.kernel.total);
        }
    }
    let (cpu, gpu) = (context.total.saturating_sub(cpu), step.kernel.total.saturating_sub(gpu));
    let cells = sums::two(cpu, Value::share(cpu, context.total))
        .into_iter()
        .chain(sums::two(gpu, sums::part(gpu, step.kernel.total)));
    rows.push(sums::row(Value::text("Others"), Value::Empty, cells));
    Some(Table {
        view: "model",
        title: "Model Summary",
        columns: sums::columns(),
        rows,
        notes: vec![
            "GPU time is the summed time of kernels launched in a step or phase by its own thread and may \
             exceed the elapsed time."
                .into(),
            "Others is the remaining time of the steps and may be negative.".into(),
        ],
        ..Table::default()
    })
}
