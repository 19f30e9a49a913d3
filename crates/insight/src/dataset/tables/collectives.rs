//! The table of collectives: the kernels that communicate, with what is stated of their collectives.

use crate::dataset::column::{Column, Value};
use crate::dataset::communication::{Row, rows};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

pub(super) static TABLE: Of<usize> = Of {
    name: "collectives",
    about: "A kernel that communicates between devices, with what the trace states of its collective",
    columns: COLUMNS,
    keys: |source| {
        if source.collectives.get().is_none() {
            let rows = rows(&source.part, source.files)?;
            source.collectives.get_or_init(|| rows);
        }
        Ok(Box::new(0..source.collectives().len()))
    },
};

const COLUMNS: &[Column<usize>] = &[
    Column::trace(),
    Column::worker(|source, at| row(source, at).worker),
    Column::new(
        "slice",
        "Number of the kernel's slice",
        Value::Int(|source, at| i64::from(row(source, at).kernel.get())),
    ),
    Column::new(
        "device",
        "Number of the device",
        Value::Int(|source, at| i64::from(row(source, at).device.get())),
    ),
    Column::new(
        "name",
        "Name of the kernel",
        Value::String(|source, at| Some(source.trace.slices.name[row(source, at).kernel])),
    ),
    Column::new(
        "collective",
        "Kind of collective, such as allreduce",
        Value::Text(|source, at| stated(&row(source, at).described.collective)),
    ),
    Column::new(
        "group_name",
        "Name of the process group",
        Value::Text(|source, at| stated(&row(source, at).described.group)),
    ),
    Column::new(
        "group_ranks",
        "Ranks of the process group",
        Value::Text(|source, at| stated(&row(source, at).described.ranks)),
    ),
    Column::new(
        "group_size",
        "Number of ranks of the process group",
        Value::MaybeInt(|source, at| row(source, at).described.size),
    ),
    Column::new(
        "sequence",
        "Number of the collective in its process group: kernels of several ranks with one group and number \
         belong together",
        Value::MaybeInt(|source, at| row(source, at).described.sequence),
    ),
    Column::new(
        "dtype",
        "Type of the elements",
        Value::Text(|source, at| stated(&row(source, at).described.dtype)),
    ),
    Column::new(
        "elements_in",
        "Number of elements that go in",
        Value::MaybeInt(|source, at| row(source, at).described.elements_in),
    ),
    Column::new(
        "elements_out",
        "Number of elements that come out",
        Value::MaybeInt(|source, at| row(source, at).described.elements_out),
    ),
    Column::new(
        "step",
        "Number of the step of its worker in which the kernel begins",
        Value::MaybeInt(|source, at| Some(source.step_of(row(source, at).kernel)?.number.cast_signed())),
    ),
    Column::new(
        "start_ns",
        "Start, in ns after time 0 of the trace",
        Value::Int(|source, at| source.trace.slices.start[row(source, at).kernel]),
    ),
    Column::new(
        "duration_ns",
        "Length, in ns",
        Value::Int(|source, at| source.trace.slices.dur[row(source, at).kernel]),
    ),
    Column::new(
        "counted_ns",
        "Time that no earlier communication kernel of the device covers, in the run, in ns; its sum is the \
         time in which the device communicated",
        Value::Int(|source, at| row(source, at).counted),
    ),
    Column::new(
        "hidden_ns",
        "Part of counted_ns with a computation kernel at the same time, in ns",
        Value::Int(|source, at| row(source, at).hidden),
    ),
];

fn row<'s>(source: &'s Source<'_>, at: usize) -> &'s Row {
    &source.collectives()[at]
}

/// A text that is stated; `None` for an empty one.
fn stated(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
