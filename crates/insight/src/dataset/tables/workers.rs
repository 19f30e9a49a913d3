//! The table of workers: ranks, or else processes that recorded.

use proftui_trace::model::WorkerId;

use crate::dataset::column::{Column, Value};
use crate::dataset::table::{Of, VERSION};

pub(super) static TABLE: Of<WorkerId> = Of {
    name: "workers",
    about: "A worker of the trace: a rank, or else a process that recorded",
    columns: COLUMNS,
    keys: |source| Ok(Box::new(source.trace.workers().iter())),
};

const COLUMNS: &[Column<WorkerId>] = &[
    Column::trace(),
    Column::worker(|_, worker| worker),
    Column::new(
        "rank",
        "Number of the rank; missing where the worker is no rank",
        Value::MaybeInt(|source, worker| {
            let name = source.trace.meta.workers.get(worker)?;
            name.strip_prefix("rank ")?.split(' ').next()?.parse().ok()
        }),
    ),
    Column::new(
        "files",
        "Paths of the files of the trace, one a line",
        Value::Text(|source, _| Some(source.trace.meta.files.join("\n"))),
    ),
    Column::new(
        "producer",
        "Program that wrote the trace",
        Value::Text(|source, _| Some(source.trace.meta.producer.clone())),
    ),
    Column::new(
        "epoch_ns",
        "Time 0 of the trace, in ns since 1970; with it, start_ns of several traces compare. Missing where \
         the trace does not state it",
        Value::MaybeInt(|source, _| source.trace.meta.epoch),
    ),
    Column::new(
        "start_ns",
        "Start of the trace, in ns after its time 0",
        Value::Int(|source, _| source.trace.main_span.start),
    ),
    Column::new(
        "end_ns",
        "End of the trace, in ns after its time 0",
        Value::Int(|source, _| source.trace.main_span.end),
    ),
    Column::new(
        "recorded_ns",
        "Time that the worker recorded, in ns",
        Value::Int(|source, worker| source.part.len(worker).saturating_add(source.part.outside(worker))),
    ),
    Column::new(
        "run_ns",
        "What shares of the worker's time are of: the recorded time, without start-up and teardown as far \
         as known, in ns",
        Value::Int(|source, worker| source.part.len(worker)),
    ),
    Column::new(
        "is_partial",
        "True if the memory limit or a time range left events out of the trace",
        Value::Bool(|source, _| source.trace.meta.is_cut),
    ),
    Column::new("schema", "Version of the schema of these tables", Value::Int(|_, _| i64::from(VERSION))),
];
