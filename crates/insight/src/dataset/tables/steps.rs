//! The table of steps: their time by phase, and what their devices did.

use crate::analysis::views::steps::StepTimes;
use crate::dataset::column::{Column, Value};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

pub(super) static TABLE: Of<usize> = Of {
    name: "steps",
    about: "A step: an iteration of training or inference",
    columns: COLUMNS,
    keys: |source| Ok(Box::new(0..source.step_times().len())),
};

const COLUMNS: &[Column<usize>] = &[
    Column::trace(),
    Column::worker(|source, at| step(source, at).step.worker),
    Column::new(
        "step",
        "Number of the step",
        Value::Int(|source, at| step(source, at).step.number.cast_signed()),
    ),
    Column::new(
        "slice",
        "Number of the slice that marks the step",
        Value::Int(|source, at| i64::from(step(source, at).step.slice.get())),
    ),
    Column::new(
        "start_ns",
        "Start, in ns after time 0 of the trace",
        Value::Int(|source, at| step(source, at).inside.start),
    ),
    Column::new("duration_ns", "Length, in ns", Value::Int(|source, at| step(source, at).inside.len())),
    Column::new(
        "dataloader_ns",
        "Time in data loading, in ns",
        Value::Int(|source, at| step(source, at).phases[0]),
    ),
    Column::new(
        "forward_ns",
        "Time in the forward pass, without data loading, in ns",
        Value::Int(|source, at| step(source, at).phases[1]),
    ),
    Column::new(
        "backward_ns",
        "Time in the backward pass, without those, in ns",
        Value::Int(|source, at| step(source, at).phases[2]),
    ),
    Column::new(
        "optimization_ns",
        "Time in the optimizer, without those, in ns",
        Value::Int(|source, at| step(source, at).phases[3]),
    ),
    Column::new(
        "other_ns",
        "Time in no known phase, in ns",
        Value::Int(|source, at| step(source, at).other()),
    ),
    Column::new(
        "device_busy_ns",
        "Time in which a device of the worker ran work, in ns; missing without devices",
        Value::MaybeInt(|source, at| Some(step(source, at).device?[0])),
    ),
    Column::new(
        "device_idle_ns",
        "Time in which no device of the worker did, in ns",
        Value::MaybeInt(|source, at| Some(step(source, at).device?[1])),
    ),
    Column::new(
        "computation_ns",
        "Part of device_busy_ns with computation and no communication, in ns",
        Value::MaybeInt(|source, at| Some(step(source, at).device?[2])),
    ),
    Column::new(
        "overlap_ns",
        "Part of device_busy_ns with both at once, in ns",
        Value::MaybeInt(|source, at| Some(step(source, at).device?[3])),
    ),
    Column::new(
        "communication_ns",
        "Part of device_busy_ns with communication and no computation, in ns",
        Value::MaybeInt(|source, at| Some(step(source, at).device?[4])),
    ),
    Column::new(
        "device_other_ns",
        "Part of device_busy_ns with only copies or memsets, in ns",
        Value::MaybeInt(|source, at| Some(step(source, at).device?[5])),
    ),
    Column::new(
        "served",
        "What the step serves, as a serving engine states it",
        Value::Text(|source, at| Some(step(source, at).step.serving?.to_string())),
    ),
];

fn step<'s>(source: &'s Source<'_>, at: usize) -> &'s StepTimes<'s> {
    &source.step_times()[at]
}
