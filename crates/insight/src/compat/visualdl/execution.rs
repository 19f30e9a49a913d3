//! VisualDL's execution summary and time breakdown: host and device time of each training phase, in all and
//! per step.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::compat::paddle::sums::{self, Spread};
use proftui_base::time::Ns;

use super::context::Context;
use super::step_phase::{self, OTHER, Occurrence, PHASES_AND_OTHER, Step};

/// Number and times of a phase's occurrences, or of steps.
#[derive(Clone, Copy, Default)]
struct Times {
    calls: u64,
    /// Total, longest and shortest host time of the occurrences, ns.
    cpu: Spread,
    /// Total kernel time, and the longest and shortest in a step with kernels, ns; kernels that host events
    /// in no step launched count like one step.
    gpu: Spread,
}

/// The host time of each phase of a step, ns. [`OTHER`] has the remaining time, which may be negative where
/// phases overlap.
fn host(step: &Step) -> [Ns; PHASES_AND_OTHER] {
    let mut times = [0; PHASES_AND_OTHER];
    times[OTHER] = step.time();
    for Occurrence { phase, span } in &step.phases {
        let time = span.len();
        times[*phase] = times[*phase].saturating_add(time);
        times[OTHER] = times[OTHER].saturating_sub(time);
    }
    times
}

fn sum(times: &[Ns]) -> Ns {
    times.iter().fold(0, |sum: Ns, &time| sum.saturating_add(time))
}

/// Builds VisualDL's execution summary: the number and times of steps and of their phases. Without steps it
/// has no rows.
pub(super) fn summary(context: &Context<'_>) -> Table {
    let mut step_times = Times::default();
    let mut phases = [Times::default(); PHASES_AND_OTHER];
    for (step, kernel) in context.step_phases.steps.iter().zip(&context.events.kernel) {
        step_times.calls += 1;
        step_times.cpu.add(step.time());
        if sum(kernel) > 0 {
            step_times.gpu.add(sum(kernel));
        }
        for Occurrence { phase, span } in &step.phases {
            let times = &mut phases[*phase];
            times.calls += 1;
            times.cpu.add(span.len());
        }
        phases[OTHER].calls += 1;
        phases[OTHER].cpu.add(host(step)[OTHER]);
        for (times, &kernel) in phases.iter_mut().zip(kernel) {
            if kernel > 0 {
                times.gpu.add(kernel);
            }
        }
    }
    if context.events.stray > 0 {
        step_times.gpu.add(context.events.stray);
        phases[OTHER].gpu.add(context.events.stray);
    }
    // A step's work may still run with the next step's; time in which both run counts once in the total.
    let kernels = context.events.kernels();
    phases.iter_mut().zip(kernels).for_each(|(times, kernel)| times.gpu.total = kernel);
    step_times.gpu.total = sum(&kernels);
    let row = |name: &str, times: &Times| {
        let cpu = sums::part(times.cpu.total, step_times.cpu.total);
        let gpu = sums::part(times.gpu.total, step_times.gpu.total);
        let cells = sums::five(&times.cpu, times.calls, cpu).into_iter();
        let cells = cells.chain(sums::five(&times.gpu, times.calls, gpu));
        sums::row(Value::text(name), Value::Count(times.calls), cells)
    };
    let seen = (0..).zip(&phases).filter(|(_, times)| times.calls > 0);
    let phase_rows = seen.map(|(phase, times)| row(step_phase::name(phase), times));
    let has_steps = step_times.calls > 0;
    let steps = has_steps.then(|| row("ProfileStep", &step_times));
    let mut notes = Vec::new();
    if has_steps {
        notes.push(
            "The GPU time of a phase is the time in which at least one kernel launched by the phase ran. \
             The GPU time of ProfileStep is the sum over the phases and Other; it may exceed the elapsed \
             time."
                .into(),
        );
        notes.push(
            "Other is the remaining host time of the steps, which may be negative if phases overlap.".into(),
        );
    } else {
        notes.push("There are no steps (ProfileStep), so there are no phases to summarize.".into());
    }
    if context.step_phases.has_more_steps {
        notes.push(
            "Several threads have steps: host times are those of one thread per rank, as in VisualDL.".into(),
        );
    }
    Table {
        view: "model",
        title: "Execution Summary",
        columns: sums::columns(),
        rows: steps.into_iter().chain(phase_rows).collect(),
        notes,
        ..Table::default()
    }
}

/// Builds VisualDL's breakdown of each step's time by phase, on the host and on devices. None without steps.
pub(super) fn breakdown(context: &Context<'_>) -> Option<Table> {
    use ColumnKind::Duration;
    let row = |(step, kernel): (&Step, &[Ns; PHASES_AND_OTHER])| {
        let own = std::iter::once(step.time()).chain(host(step));
        let device = std::iter::once(sum(kernel)).chain(kernel.iter().copied());
        let own: Vec<Value> = own.map(Value::Duration).collect();
        let device =
            device.map(|time| if context.events.has_device { Value::Duration(time) } else { Value::Empty });
        TableRow::new(std::iter::once(Value::Count(step.number)).chain(own).chain(device).collect())
    };
    let mut rows: Vec<TableRow> =
        context.step_phases.steps.iter().zip(&context.events.kernel).map(row).collect();
    if context.events.stray > 0 && !rows.is_empty() {
        let mut cells = vec![Value::Empty; 13];
        (cells[7], cells[12]) =
            (Value::Duration(context.events.stray), Value::Duration(context.events.stray));
        rows.push(TableRow::new(cells));
    }
    (!rows.is_empty()).then(|| Table {
        view: "model",
        title: "Execution Time Breakdown",
        columns: vec![
            Column::new("step", "Step", ColumnKind::Count, "Step number"),
            Column::new("cpu_step", "CPU step", Duration, "Host time of the step"),
            Column::new(
                "cpu_dataloader",
                "CPU loader",
                Duration,
                "Host time of data loading directly in the step",
            ),
            Column::new(
                "cpu_forward",
                "CPU forward",
                Duration,
                "Host time of the forward pass directly in the step",
            ),
            Column::new(
                "cpu_backward",
                "CPU backward",
                Duration,
                "Host time of the backward pass directly in the step",
            ),
            Column::new(
                "cpu_optimization",
                "CPU optimizer",
                Duration,
                "Host time of the optimizer directly in the step",
            ),
            Column::new("cpu_other", "CPU other", Duration, "Host time of the step, less that of its phases"),
            Column::new("gpu_step", "GPU step", Duration, "Kernel time: the sum of the other GPU columns"),
            Column::new(
                "gpu_dataloader",
                "GPU loader",
                Duration,
                "Time in which a kernel launched during data loading, directly in the step, ran",
            ),
            Column::new(
                "gpu_forward",
                "GPU forward",
                Duration,
                "Time in which a kernel launched during the forward pass, directly in the step, ran",
            ),
            Column::new(
                "gpu_backward",
                "GPU backward",
                Duration,
                "Time in which a kernel launched during the backward pass, directly in the step, ran",
            ),
            Column::new(
                "gpu_optimization",
                "GPU optimizer",
                Duration,
                "Time in which a kernel launched during optimization, directly in the step, ran",
            ),
            Column::new(
                "gpu_other",
                "GPU other",
                Duration,
                "Time in which a kernel launched by host events in the step outside of these phases ran",
            ),
        ],
        rows,
        notes: match context.events.stray {
            0 => Vec::new(),
            _ => vec![
                "The row without a step number has the kernels that host events in no step launched.".into(),
            ],
        },
        ..Table::default()
    })
}
