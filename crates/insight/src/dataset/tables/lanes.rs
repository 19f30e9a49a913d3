//! The table of lanes: threads, streams, counters.

use proftui_base::saturate::saturate;
use proftui_trace::model::{GroupKind, LaneId, LaneKind};

use crate::dataset::column::{Column, Value};
use crate::dataset::table::Of;

pub(super) static TABLE: Of<LaneId> = Of {
    name: "lanes",
    about: "A lane of the timeline, such as a thread, a stream or a counter",
    columns: COLUMNS,
    keys: |source| Ok(Box::new(source.trace.lanes.ids().iter())),
};

/// The kinds of lanes, as the column `kind` has them.
const KINDS: [(LaneKind, &str); 6] = [
    (LaneKind::Python, "python"),
    (LaneKind::Thread, "thread"),
    (LaneKind::Async, "async"),
    (LaneKind::Stream, "stream"),
    (LaneKind::StreamRanges, "stream_ranges"),
    (LaneKind::Counter, "counter"),
];

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method has one lifetime, the column takes any"
)]
const COLUMNS: &[Column<LaneId>] = &[
    Column::trace(),
    Column::worker(|source, lane| source.worker_of(lane)),
    Column::new("lane", "Number of the lane in the trace", Value::Int(|_, lane| i64::from(lane.get()))),
    Column::new(
        "kind",
        "python: calls of Python functions of a thread; thread: its other slices; async: asynchronous \
         slices; stream: work of a stream; stream_ranges: ranges that repeat what other lanes hold; \
         counter: values of a counter",
        Value::OneOf(
            || KINDS.iter().map(|(_, name)| *name).collect(),
            |source, lane| KINDS.iter().position(|(kind, _)| *kind == source.trace.lanes[lane].kind),
        ),
    ),
    Column::new(
        "title",
        "The lane's title, as the explorer shows it",
        Value::Text(|source, lane| Some(source.trace.lane_title(&source.trace.lanes[lane]))),
    ),
    Column::new(
        "device",
        "Number of the device that the lane is of; missing for lanes of a process",
        Value::MaybeInt(|source, lane| {
            let group = source.trace.lanes[lane].group;
            (source.trace.groups[group].kind == GroupKind::Device).then_some(i64::from(group.get()))
        }),
    ),
    Column::new(
        "group_title",
        "Title of the lane's process or device, as the explorer shows it",
        Value::Text(|source, lane| {
            Some(source.trace.group_title(&source.trace.groups[source.trace.lanes[lane].group]))
        }),
    ),
    Column::new(
        "pid",
        "What the trace calls the process or device, such as its number",
        Value::String(|source, lane| Some(source.trace.groups[source.trace.lanes[lane].group].pid)),
    ),
    Column::new(
        "tid",
        "What the trace calls the thread or stream, such as its number",
        Value::String(|source, lane| Some(source.trace.lanes[lane].tid)),
    ),
    Column::new(
        "slices",
        "Number of slices of the lane",
        Value::Int(|source, lane| saturate(source.trace.lanes[lane].slices.len())),
    ),
];
