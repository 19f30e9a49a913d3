//! Moves events by the few nanoseconds by which rounding made them overlap, so that readers nest them as they
//! did.
//!
//! An event keeps its duration, which is more exact than its start, unless there is no room for it.

use crate::model::nodetree::DeviceTraceEventProto;

use super::node::Node;

/// Start and end, ns.
type Span = (u64, u64);

/// Moves starts and ends of `parts`, which must be sorted by start, into `outer` and apart from each other,
/// where shifts of at most `tolerance` (ns) are enough.
fn apart(outer: Span, parts: &mut [Span], tolerance: u64) {
    let mut from = outer.0;
    for part in parts.iter_mut() {
        let by = from.saturating_sub(part.0);
        if by <= tolerance {
            *part = (part.0 + by, part.1.saturating_add(by));
        }
        from = part.1;
    }
    let mut until = outer.1;
    for part in parts.iter_mut().rev() {
        let by = part.1.saturating_sub(until);
        if by <= tolerance {
            *part = (part.0.saturating_sub(by).max(outer.0), part.1 - by);
        }
        until = part.0;
    }
}

fn host(node: &Node) -> Span {
    node.message.host_trace_event.as_ref().map_or((0, 0), |event| (event.start_ns(), event.end_ns()))
}

/// Corrects the times of child nodes, calls and memory events for rounding, so that they usually nest in the
/// node with index `at`. The times of this node must be final.
pub(super) fn node(nodes: &mut [Node], at: usize, children: &[usize], tolerance: u64) {
    let outer = host(&nodes[at]);
    let calls = nodes[at].calls.iter().filter_map(|(_, call)| call.runtime_trace_event.as_ref());
    let calls = calls.map(|call| (call.start_ns(), call.end_ns()));
    let mut parts: Vec<(Span, usize)> =
        children.iter().map(|&child| host(&nodes[child])).chain(calls).zip(0..).collect();
    parts.sort_by_key(|part| part.0.0);
    let mut spans: Vec<Span> = parts.iter().map(|part| part.0).collect();
    apart(outer, &mut spans, tolerance);
    for ((start, end), (_, part)) in spans.into_iter().zip(parts) {
        let times = if let Some(&child) = children.get(part) {
            let event = nodes[child].message.host_trace_event.as_mut();
            event.map(|event| (&mut event.start_ns, &mut event.end_ns))
        } else {
            let call = nodes[at].calls.get_mut(part - children.len());
            let event = call.and_then(|(_, call)| call.runtime_trace_event.as_mut());
            event.map(|event| (&mut event.start_ns, &mut event.end_ns))
        };
        if let Some(times) = times {
            (*times.0, *times.1) = (Some(start), Some(end));
        }
    }
    for (_, event) in &mut nodes[at].memory {
        if let Some(event) = event.mem_event.as_mut() {
            // A memory event's time is floored; it is inside its holder all the same.
            event.timestamp_ns = event.timestamp_ns.map(|time| time.clamp(outer.0, outer.1));
        }
    }
}

/// Moves the device work of each stream apart where shifts of at most `tolerance` (ns) are enough.
pub(super) fn streams<'a>(work: impl Iterator<Item = &'a mut DeviceTraceEventProto>, tolerance: u64) {
    let mut work: Vec<&mut DeviceTraceEventProto> = work.collect();
    work.sort_by_key(|event| (event.device_id, event.stream_id, event.start_ns));
    for stream in
        work.chunk_by_mut(|one, two| (one.device_id, one.stream_id) == (two.device_id, two.stream_id))
    {
        let mut spans: Vec<Span> = stream.iter().map(|event| (event.start_ns(), event.end_ns())).collect();
        apart((0, u64::MAX), &mut spans, tolerance);
        for (event, (start, end)) in stream.iter_mut().zip(spans) {
            (event.start_ns, event.end_ns) = (Some(start), Some(end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_moved_apart_and_into_the_event_around_them() {
        let mut parts = [(99, 150), (149, 160), (160, 200)];
        apart((100, 202), &mut parts, 5);
        assert_eq!(parts, [(100, 151), (151, 162), (162, 202)]);
        apart((100, 200), &mut parts, 5);
        assert_eq!(parts, [(100, 149), (149, 160), (160, 200)], "no room for all of it");
    }

    #[test]
    fn what_overlaps_by_more_stays() {
        let mut parts = [(10, 50), (30, 60)];
        apart((0, 55), &mut parts, 2);
        assert_eq!(parts, [(10, 50), (30, 60)]);
    }
}
