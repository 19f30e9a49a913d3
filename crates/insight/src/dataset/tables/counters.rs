//! The table of counters: a row for each sample.

use proftui_trace::model::LaneId;
use proftui_trace::model::counter::CounterUnit;

use crate::dataset::column::{Column, Value};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

/// A sample of the counter that a lane shows.
type Sample = (LaneId, u32, usize);

pub(super) static TABLE: Of<Sample> = Of {
    name: "counters",
    about: "A sample of a counter; its value holds until the counter's next sample",
    columns: COLUMNS,
    keys: |source| {
        let lanes = source.trace.lanes.iter_with_ids();
        let counters = lanes.filter_map(|(id, lane)| Some((id, lane.counter?)));
        Ok(Box::new(counters.flat_map(|(lane, counter)| {
            (0..source.trace.counters[counter as usize].ts.len()).map(move |at| (lane, counter, at))
        })))
    },
};

const UNITS: [&str; 2] = ["number", "bytes"];

const COLUMNS: &[Column<Sample>] = &[
    Column::trace(),
    Column::worker(|source, sample| source.worker_of(sample.0)),
    Column::new("lane", "Number of the counter's lane", Value::Int(|_, sample| i64::from(sample.0.get()))),
    Column::new(
        "name",
        "Name of the counter",
        Value::String(|source, sample| Some(counter(source, sample).name)),
    ),
    Column::new(
        "series",
        "Name of the series of values within the counter",
        Value::String(|source, sample| Some(counter(source, sample).series)),
    ),
    Column::new(
        "unit",
        "Unit of the value: bytes, or a plain number",
        Value::OneOf(
            || UNITS.to_vec(),
            |source, sample| Some(usize::from(counter(source, sample).unit == CounterUnit::Bytes)),
        ),
    ),
    Column::new(
        "time_ns",
        "Time of the sample, in ns",
        Value::Int(|source, sample| counter(source, sample).ts[sample.2]),
    ),
    Column::new(
        "value",
        "The counter's value from this time on",
        Value::Float(|source, sample| counter(source, sample).value[sample.2]),
    ),
];

fn counter<'a>(source: &Source<'a>, sample: Sample) -> &'a proftui_trace::model::Counter {
    &source.trace.counters[sample.1 as usize]
}
