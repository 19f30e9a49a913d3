//! Execution summary and breakdown: what each stage of training took on host and devices, in all and step by step.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::base::time::Ns;
use crate::compat::paddle::sums::{self, Spread};

use super::Ground;
use super::place::{self, OTHER, PARTS, Step};

/// What a step and its stages took.
#[derive(Clone, Copy, Default)]
struct Times {
    calls: u64,
    cpu: Spread,
    gpu: Spread,
}

/// Host time of each stage of a step, ns: a stage that occurs twice with all its occurrences.
fn host(step: &Step) -> [Ns; PARTS] {
    let mut times = [0; PARTS];
    times[OTHER] = step.time();
    for stage in &step.stages {
        let time = stage.range.len();
        times[stage.part] = times[stage.part].saturating_add(time);
        times[OTHER] = times[OTHER].saturating_sub(time);
    }
    times
}

fn sum(times: &[Ns]) -> Ns {
    times.iter().fold(0, |sum: Ns, &time| sum.saturating_add(time))
}

/// A row for steps, one a stage, and one for what is in no stage.
pub(super) fn summary(ground: &Ground<'_>) -> Table {
    let mut step_times = Times::default();
    let mut parts = [Times::default(); PARTS];
    for (step, kernel) in ground.places.steps.iter().zip(&ground.events.kernel) {
        step_times.calls += 1;
        step_times.cpu.add(step.time());
        if sum(kernel) > 0 {
            step_times.gpu.add(sum(kernel));
        }
        for stage in &step.stages {
            let times = &mut parts[stage.part];
            times.calls += 1;
            times.cpu.add(stage.range.len());
        }
        parts[OTHER].calls += 1;
        parts[OTHER].cpu.add(host(step)[OTHER]);
        for (times, &kernel) in parts.iter_mut().zip(kernel) {
            if kernel > 0 {
                times.gpu.add(kernel);
            }
        }
    }
    if ground.events.stray > 0 {
        step_times.gpu.add(ground.events.stray);
        parts[OTHER].gpu.add(ground.events.stray);
    }
    // Work that a step left running may meet the next step's, so all steps together take less than their sum.
    let kernels = ground.events.kernels();
    parts.iter_mut().zip(kernels).for_each(|(times, kernel)| times.gpu.total = kernel);
    step_times.gpu.total = sum(&kernels);
    let row = |name: &str, times: &Times| {
        let cpu = sums::part(times.cpu.total, step_times.cpu.total);
        let gpu = sums::part(times.gpu.total, step_times.gpu.total);
        let cells = sums::five(&times.cpu, times.calls, cpu).into_iter();
        let cells = cells.chain(sums::five(&times.gpu, times.calls, gpu));
        sums::row(Value::text(name), Value::Count(times.calls), cells)
    };
    let seen = (0..).zip(&parts).filter(|(_, times)| times.calls > 0);
    let stages = seen.map(|(part, times)| row(place::name(part), times));
    let has_steps = step_times.calls > 0;
    let steps = has_steps.then(|| row("ProfileStep", &step_times));
    let mut notes = Vec::new();
    if has_steps {
        notes.push("GPU time: the time in which at least one kernel that the stage launched ran. That of ProfileStep adds up its stages', so it may exceed the time that passed.".into());
        notes.push(
            "Other is what is left of the steps on the host; it is negative where stages overlap.".into(),
        );
    } else {
        notes.push("The trace has no steps (ProfileStep), which these numbers are about.".into());
    }
    if ground.places.has_more_steps {
        notes.push(
            "More than one thread has steps; host times are of the first one's only, as in VisualDL.".into(),
        );
    }
    Table {
        view: "model",
        title: "Execution Summary",
        columns: sums::columns(),
        rows: steps.into_iter().chain(stages).collect(),
        notes,
        ..Table::default()
    }
}

/// A row a step: time of each stage on the host, and on devices.
pub(super) fn breakdown(ground: &Ground<'_>) -> Option<Table> {
    use ColumnKind::Duration;
    let row = |(step, kernel): (&Step, &[Ns; PARTS])| {
        let own = std::iter::once(step.time()).chain(host(step));
        let device = std::iter::once(sum(kernel)).chain(kernel.iter().copied());
        let own: Vec<Value> = own.map(Value::Duration).collect();
        let device =
            device.map(|time| if ground.events.has_device { Value::Duration(time) } else { Value::Empty });
        TableRow::new(std::iter::once(Value::Count(step.number)).chain(own).chain(device).collect())
    };
    let mut rows: Vec<TableRow> = ground.places.steps.iter().zip(&ground.events.kernel).map(row).collect();
    if ground.events.stray > 0 && !rows.is_empty() {
        let mut cells = vec![Value::Empty; 13];
        (cells[7], cells[12]) = (Value::Duration(ground.events.stray), Value::Duration(ground.events.stray));
        rows.push(TableRow::new(cells));
    }
    let about = "Time of it in the step; kernels count once, to the stage that launched them";
    (!rows.is_empty()).then(|| Table {
        view: "model",
        title: "Execution Time Breakdown",
        columns: vec![
            Column::new("step", "Step", ColumnKind::Count, "The step's number"),
            Column::new("cpu_step", "CPU step", Duration, "How long the step took on the host"),
            Column::new("cpu_dataloader", "CPU loader", Duration, about),
            Column::new("cpu_forward", "CPU forward", Duration, about),
            Column::new("cpu_backward", "CPU backward", Duration, about),
            Column::new("cpu_optimization", "CPU optimizer", Duration, about),
            Column::new("cpu_other", "CPU other", Duration, about),
            Column::new("gpu_step", "GPU step", Duration, "Device time of its stages, added up"),
            Column::new("gpu_dataloader", "GPU loader", Duration, about),
            Column::new("gpu_forward", "GPU forward", Duration, about),
            Column::new("gpu_backward", "GPU backward", Duration, about),
            Column::new("gpu_optimization", "GPU optimizer", Duration, about),
            Column::new("gpu_other", "GPU other", Duration, about),
        ],
        rows,
        notes: match ground.events.stray {
            0 => Vec::new(),
            _ => vec!["The row without a number: kernels launched outside of all steps.".into()],
        },
        ..Table::default()
    })
}
