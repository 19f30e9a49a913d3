//! What happened on a thread, as messages: the root, ranges, stalls, memory.

use crate::model::nodetree::{
    HostTraceEventProto, MemTraceEventNodeProto, MemTraceEventProto, OperatorSupplementEventNodeProto,
    OperatorSupplementEventProto, STAND_IN,
};

use super::super::device::{Allocation, Stall};
use super::super::supplement::Told;
use super::super::{Range, Recording, Thread};

/// Paddle's number of ranges that users define: what its reader takes for kinds that it does not know.
const USER: u32 = 7;
/// The last kind that it knows.
const LAST: u32 = 14;

/// As Paddle writes a root.
pub(super) fn root() -> HostTraceEventProto {
    HostTraceEventProto {
        name: Some(b"root node".to_vec()),
        r#type: Some(USER),
        start_ns: Some(0),
        end_ns: Some(u64::MAX),
        process_id: Some(0),
        thread_id: Some(0),
        ..HostTraceEventProto::default()
    }
}

fn event(thread: &Thread, name: &[u8], kind: u32, (start, end): (u64, u64)) -> HostTraceEventProto {
    let is_beyond = kind > LAST;
    HostTraceEventProto {
        name: Some(name.to_vec()),
        r#type: Some(if is_beyond { USER } else { kind }),
        start_ns: Some(start),
        end_ns: Some(end),
        process_id: Some(thread.pid.into()),
        thread_id: Some(thread.tid.into()),
        true_type: is_beyond.then_some(kind),
        ..HostTraceEventProto::default()
    }
}

/// A range, and what is told of it in Paddle's words.
pub(super) fn range(
    recording: &Recording,
    thread: &Thread,
    range: &Range,
) -> (HostTraceEventProto, Option<OperatorSupplementEventNodeProto>) {
    let mut event = event(thread, recording.name(range.name), range.kind.into(), (range.start, range.end));
    let Some((detail, members)) = recording.detail(range) else { return (event, None) };
    let told = Told::of(members);
    // What stands in the supplement as it was told need not stand twice.
    event.arguments = Some(members).filter(|_| !told.is_all).and_then(object);
    event.forward_link = Some(detail.forward_link).filter(|&link| link != 0);
    event.backward_link = Some(detail.backward_link).filter(|&link| link != 0);
    // Readers of Paddle's want every field.
    let supplement = told.supplement.map(|of| OperatorSupplementEventProto {
        timestamp_ns: Some(range.start),
        op_type: of.op_type.or_else(|| Some(recording.name(range.name).to_vec())),
        process_id: Some(thread.pid.into()),
        thread_id: Some(thread.tid.into()),
        input_shapes: Some(of.input_shapes.unwrap_or_default()),
        dtypes: Some(of.dtypes.unwrap_or_default()),
        callstack: Some(of.callstack.unwrap_or_default()),
        op_id: Some(of.op_id.unwrap_or_default()),
    });
    let node = |supplement| OperatorSupplementEventNodeProto { op_supplement_event: Some(supplement) };
    (event, supplement.map(node))
}

/// The text of the object that members make; none of no members.
fn object(members: &str) -> Option<Vec<u8>> {
    if members.is_empty() { None } else { Some(format!("{{{members}}}").into_bytes()) }
}

pub(super) fn stall(recording: &Recording, thread: &Thread, stall: &Stall) -> HostTraceEventProto {
    HostTraceEventProto {
        correlation_id: Some(stall.correlation).filter(|&number| number != 0),
        context_id: stall.context,
        stream_id: stall.stream,
        event_id: stall.event,
        ..event(thread, recording.name(stall.name), stall.kind, (stall.start, stall.end))
    }
}

/// What holds more of what its parent holds.
pub(super) fn stand_in(thread: &Thread, span: (u64, u64)) -> HostTraceEventProto {
    event(thread, b"(more calls)", STAND_IN, span)
}

pub(super) fn memory(recording: &Recording, thread: &Thread, event: &Allocation) -> MemTraceEventNodeProto {
    let by_driver = !event.kind.is_empty();
    MemTraceEventNodeProto {
        mem_event: Some(MemTraceEventProto {
            timestamp_ns: Some(event.time),
            r#type: Some(u32::from(event.bytes < 0) + 2 * u32::from(event.is_reserved)),
            addr: Some(event.address),
            process_id: Some(thread.pid.into()),
            thread_id: Some(thread.tid.into()),
            increase_bytes: Some(event.bytes),
            place: Some(event.place.as_bytes().to_vec()),
            current_allocated: Some(event.in_use),
            current_reserved: Some(event.reserved),
            peak_allocated: Some(event.peak),
            peak_reserved: Some(event.peak_reserved),
            memory_kind: by_driver.then(|| event.kind.as_bytes().to_vec()),
            correlation_id: by_driver.then_some(event.correlation),
            arguments: object(recording.details.text(event.text)),
        }),
    }
}
