//! Makes the messages of a thread: its root, ranges, synchronizations, overheads, memory events.

use crate::model::nodetree::{
    HostTraceEventProto, MemTraceEventNodeProto, MemTraceEventProto, OVERHEAD,
    OperatorSupplementEventNodeProto, OperatorSupplementEventProto, STAND_IN, SYNCHRONIZATION,
};

use super::super::content::{Range, Recording, Thread};
use super::super::device::{Allocation, Overhead, Sync};
use super::super::operator_supplement::OperatorArguments;

/// Paddle's number of the kind `UserDefined`, written instead of kinds that Paddle's reader refuses.
const USER: u32 = 7;
/// The highest number of a kind that Paddle's reader accepts.
const LAST: u32 = 14;

/// Makes the root of a tree as Paddle writes it: it spans all times.
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

/// Makes an event of a thread; start and end are ns since 1970. Kinds beyond [`LAST`] are written as
/// [`USER`], with their own number in `true_type`.
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

/// Makes the event of a range, and its operator supplement: `None` where the range's arguments have nothing
/// for one.
pub(super) fn range(
    recording: &Recording,
    thread: &Thread,
    range: &Range,
) -> (HostTraceEventProto, Option<OperatorSupplementEventNodeProto>) {
    let mut event = event(thread, recording.name(range.name), range.kind.into(), (range.start, range.end));
    let Some((detail, members)) = recording.detail(range) else { return (event, None) };
    let arguments = OperatorArguments::of(members);
    // Arguments that the supplement holds unchanged are not written twice.
    event.arguments = Some(members).filter(|_| !arguments.is_all).and_then(object);
    event.forward_link = Some(detail.forward_link).filter(|&link| link != 0);
    event.backward_link = Some(detail.backward_link).filter(|&link| link != 0);
    // All fields are set, since Paddle's readers demand them.
    let supplement = arguments.supplement.map(|of| OperatorSupplementEventProto {
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

/// The text of a JSON object with these members; `None` for an empty text.
fn object(members: &str) -> Option<Vec<u8>> {
    if members.is_empty() { None } else { Some(format!("{{{members}}}").into_bytes()) }
}

/// Makes the event of a synchronization.
pub(super) fn sync(recording: &Recording, thread: &Thread, sync: &Sync) -> HostTraceEventProto {
    HostTraceEventProto {
        correlation_id: Some(sync.correlation).filter(|&number| number != 0),
        context_id: sync.context,
        stream_id: sync.stream,
        event_id: sync.event,
        wait_on_stream: sync.waited.map(|waited| waited.0),
        wait_on_record: sync.waited.map(|waited| waited.1),
        ..event(thread, recording.name(sync.name), SYNCHRONIZATION, (sync.start, sync.end))
    }
}

/// Makes the event of an overhead.
pub(super) fn overhead(recording: &Recording, thread: &Thread, overhead: &Overhead) -> HostTraceEventProto {
    HostTraceEventProto {
        correlation_id: Some(overhead.correlation).filter(|&number| number != 0),
        ..event(thread, recording.name(overhead.name), OVERHEAD, (overhead.start, overhead.end))
    }
}

/// Makes the event of a stand-in node, which holds what the parent's node has no room for. `span` is its
/// start and end, ns since 1970.
pub(super) fn stand_in(thread: &Thread, span: (u64, u64)) -> HostTraceEventProto {
    event(thread, b"(more calls)", STAND_IN, span)
}

/// Makes the node of a memory event.
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
