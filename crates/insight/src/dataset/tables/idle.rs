//! The table of idle time: why devices and streams had no work.

use proftui_base::time::Span;
use proftui_trace::model::{GroupId, LaneId, WorkerId};

use crate::analysis::ledger::{Cause, DeviceLedger};
use crate::analysis::part::time::{within, without};
use crate::dataset::column::{Column, Value};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

/// A piece of a gap with one cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    worker: WorkerId,
    device: GroupId,
    /// The stream that has the gap; `None` for a gap of the whole device.
    stream: Option<LaneId>,
    /// The number of the gap among those of the device or stream.
    gap: u32,
    cause: Cause,
    span: Span,
    in_run: bool,
}

pub(super) static TABLE: Of<Piece> = Of {
    name: "idle",
    about: "A time in which a device had no work, or a stream of a device with several, with one cause; \
        pieces of one gap lie end to end",
    columns: COLUMNS,
    keys: |source| {
        let streams = source.ledger.of_streams(source.trace);
        let devices = source.ledger.devices.iter();
        let mut all: Vec<Piece> = devices.flat_map(|device| pieces(source, device, None)).collect();
        for (at, _) in source.ledger.devices.iter().enumerate() {
            let of_device = || streams.iter().filter(move |(of, _)| *of == at).map(|(_, stream)| stream);
            if of_device().nth(1).is_some() {
                all.extend(of_device().flat_map(|stream| pieces(source, stream, Some(stream.lanes[0]))));
            }
        }
        Ok(Box::new(all.into_iter()))
    },
};

const COLUMNS: &[Column<Piece>] = &[
    Column::trace(),
    Column::worker(|_, piece| piece.worker),
    Column::new("device", "Number of the device", Value::Int(|_, piece| i64::from(piece.device.get()))),
    Column::new(
        "lane",
        "Number of the lane of the stream that had no work; missing where the device had none",
        Value::MaybeInt(|_, piece| Some(i64::from(piece.stream?.get()))),
    ),
    Column::new(
        "gap",
        "Number of the gap among those of the device or stream",
        Value::Int(|_, piece| i64::from(piece.gap)),
    ),
    Column::new(
        "cause",
        "Why there was no work, such as data_loading or launch_bound",
        Value::OneOf(
            || Cause::ALL.iter().map(|cause| cause.id()).collect(),
            |_, piece| Some(piece.cause as usize),
        ),
    ),
    Column::new(
        "start_ns",
        "Start, in ns after time 0 of the trace",
        Value::Int(|_, piece| piece.span.start),
    ),
    Column::new("duration_ns", "Length, in ns", Value::Int(|_, piece| piece.span.len())),
    Column::new(
        "in_run",
        "True for what shares are of; false for start-up, teardown and times outside of the steps",
        Value::Bool(|_, piece| piece.in_run),
    ),
];

/// The pieces of the gaps of a device or stream, cut at the bounds of its run.
fn pieces(source: &Source<'_>, device: &DeviceLedger, stream: Option<LaneId>) -> Vec<Piece> {
    let whole = source.part.span();
    let run = device.run.within(whole);
    let outside = without(&within(&device.run.recorded, whole), &run);
    let mut found = Vec::new();
    let mut gap = 0;
    for (times, in_run) in [(run, true), (outside, false)] {
        for time in times {
            let numbers = device.idle.within(time);
            for at in numbers.clone() {
                let piece = device.idle.piece(at);
                gap += u32::from(at == numbers.start || device.idle.begins_gap(at));
                let span =
                    Span { start: piece.span.start.max(time.start), end: piece.span.end.min(time.end) };
                let cause = Cause::ALL[usize::from(piece.cause)];
                found.push(Piece {
                    worker: device.worker,
                    device: device.group,
                    stream,
                    gap,
                    cause,
                    span,
                    in_run,
                });
            }
        }
    }
    found
}
