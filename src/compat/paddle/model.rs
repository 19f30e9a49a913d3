//! The stages of training: steps, and loading, forward, backward, optimizer within them.

use crate::analysis::{Table, Value};
use crate::base::time::Ns;
use crate::model::{Category, NONE};

use super::Ground;
use super::forest::Forest;
use super::sums::{self, Sums};
use super::tally::Tally;

/// The stages, in the order shown.
const STAGES: [Category; 5] = [
    Category::ProfileStep,
    Category::Dataloader,
    Category::Forward,
    Category::Backward,
    Category::Optimization,
];

/// Calls and times of each stage. On a path from a root the first stage counts; what is inside it does not, but for a step.
pub(super) fn stages(forest: &Forest<'_>) -> Tally<Category, Sums> {
    let mut stages: Tally<Category, Sums> = Tally::default();
    // True for nodes inside a stage. Parents come before their children.
    let mut is_inside = vec![false; forest.nodes.len()];
    for (id, node) in forest.nodes.iter().enumerate() {
        let category = forest.trace.slices.category(node.slice);
        if node.parent != NONE && is_inside[node.parent as usize] {
            is_inside[id] = true;
        } else if STAGES.contains(&category) {
            is_inside[id] = category != Category::ProfileStep;
            let stage = stages.of(category);
            stage.calls += 1;
            stage.cpu.add(forest.trace.slices.dur[node.slice as usize]);
            stage.kernel.add(node.kernel);
            stage.device.add(node.device);
        }
    }
    stages
}

/// A row a stage, and what is left of the steps; nothing when there is but one.
pub(super) fn table(ground: &Ground<'_>) -> Option<Table> {
    let stages = stages(&ground.forest);
    if stages.len() < 2 {
        return None;
    }
    let step = stages.get(Category::ProfileStep).copied().unwrap_or_default();
    let (mut cpu, mut gpu): (Ns, Ns) = (0, 0);
    let mut rows = Vec::new();
    for category in STAGES {
        let Some(stage) = stages.get(category) else { continue };
        let ratio = Value::share(stage.cpu.total, ground.total);
        let cells = sums::five(&stage.cpu, stage.calls, ratio).into_iter().chain(sums::five(
            &stage.kernel,
            stage.calls,
            sums::part(stage.kernel.total, step.kernel.total),
        ));
        rows.push(sums::row(Value::text(category.name()), Value::Count(stage.calls), cells));
        if category != Category::ProfileStep {
            cpu = cpu.saturating_add(stage.cpu.total);
            gpu = gpu.saturating_add(stage.kernel.total);
        }
    }
    let (cpu, gpu) = (ground.total.saturating_sub(cpu), step.kernel.total.saturating_sub(gpu));
    let cells = sums::two(cpu, Value::share(cpu, ground.total))
        .into_iter()
        .chain(sums::two(gpu, sums::part(gpu, step.kernel.total)));
    rows.push(sums::row(Value::text("Others"), Value::Empty, cells));
    Some(Table {
        view: "model",
        title: "Model Summary",
        columns: sums::columns(),
        rows,
        notes: vec![
            "GPU time adds up all kernels launched in a stage, also those that ran at the same time on different streams,".into(),
            "so it may exceed the time that passed. Others is what is left of the steps, and may be negative.".into(),
        ], ..Table::default() })
}
