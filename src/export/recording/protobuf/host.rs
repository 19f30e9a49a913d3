//! What happened on a thread, as messages: the root, ranges, stalls, memory.

use crate::model::nodetree::{HostTraceEventProto, MemTraceEventNodeProto, MemTraceEventProto, STAND_IN};

use super::super::device::{Allocation, Stall};
use super::super::{Range, Recording, Thread};

/// Paddle's number of ranges that users define: what its reader takes for kinds of ours.
const USER: u32 = 7;

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
    let is_own = kind >= crate::model::nodetree::SYNCHRONIZATION;
    HostTraceEventProto {
        name: Some(name.to_vec()),
        r#type: Some(if is_own { USER } else { kind }),
        start_ns: Some(start),
        end_ns: Some(end),
        process_id: Some(thread.pid.into()),
        thread_id: Some(thread.tid.into()),
        true_type: is_own.then_some(kind),
        ..HostTraceEventProto::default()
    }
}

pub(super) fn range(recording: &Recording, thread: &Thread, range: &Range) -> HostTraceEventProto {
    event(thread, recording.name(range.name), range.kind.into(), (range.start, range.end))
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

pub(super) fn memory(thread: &Thread, event: &Allocation) -> MemTraceEventNodeProto {
    MemTraceEventNodeProto {
        mem_event: Some(MemTraceEventProto {
            timestamp_ns: Some(event.time),
            r#type: Some(u32::from(event.bytes < 0)),
            addr: Some(event.address),
            process_id: Some(thread.pid.into()),
            thread_id: Some(thread.tid.into()),
            increase_bytes: Some(event.bytes),
            place: Some(event.place.as_bytes().to_vec()),
            current_allocated: Some(event.in_use),
            current_reserved: Some(0),
            peak_allocated: Some(event.peak),
            peak_reserved: Some(0),
            memory_kind: Some(event.kind.as_bytes().to_vec()),
            correlation_id: Some(event.correlation),
        }),
    }
}
