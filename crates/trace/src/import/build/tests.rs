//! Tests the builder with a reader of a made-up line format, which uses the builder's inputs only.

use std::path::Path;

use crate::model::{Category, FlowKind, GroupKind, LaneId, LaneKind, MemoryKind, SliceFlags, StackId, Trace};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

use super::{
    Allocation, CounterSample, EventBuilder, Flow, FlowEnd, FlowRole, Instant, MetaValue, Slice, ThreadMeta,
    TraceBuilder, finish,
};

const TEXT: &str = "\
name 1 0 main
slice 1 0 100 step
slice 1 10 20 launch 7
slice 1 50 40 backward
device 3 60 30 kernel 7
instant 1 15 mark
counter 1 5 loss 2.5
counter 1 25 loss 1.5
flow 1 12 start 9
flow 1 55 finish 9
memory 1 30 512 1024
";

/// Reads the made-up format: lines of a kind of event, a thread or stream, a time in ns, and the fields of
/// that kind.
fn read(text: &str) -> Trace {
    let mut builder = TraceBuilder::default();
    let file = builder.begin_file(Path::new("lines"));
    let mut events = EventBuilder::new(0, file, builder.spares.clone(), builder.bound.range.clone());
    let mut offset = 0;
    for line in text.lines() {
        event(&mut events, &line.split(' ').collect::<Vec<_>>(), offset);
        offset += line.len() as u64 + 1;
    }
    builder.absorb(events.close()).expect("memory");
    builder.end_file().expect("memory");
    finish(builder, None, false).expect("memory")
}

fn event(events: &mut EventBuilder, fields: &[&str], offset: u64) {
    let number = |at: usize| fields.get(at).and_then(|text| text.parse::<Ns>().ok()).unwrap_or_default();
    let (pid, tid, origin) =
        (events.intern(b"1"), events.intern(fields[1].as_bytes()), events.origin(offset));
    let (ts, text) = (number(2), events.intern(fields[3].as_bytes()));
    let (group, thread) = (GroupKind::Process, LaneKind::Thread);
    events.count(b'X');
    match fields[0] {
        "name" => {
            events.thread_meta(ThreadMeta { pid, thread: Some((tid, None)), value: MetaValue::Name(text) });
        }
        kind @ ("slice" | "device") => {
            let (start, dur, name) = (ts, number(3), events.intern(fields[4].as_bytes()));
            if !events.admits(start, start + dur) {
                return;
            }
            let (lane, category) = match (kind, fields[4]) {
                ("device", _) => {
                    (events.lane(pid, tid, GroupKind::Device, LaneKind::Stream), Category::Kernel)
                }
                (_, "launch") => (events.lane(pid, tid, group, thread), Category::CudaRuntime),
                _ => (events.lane(pid, tid, group, thread), Category::Operator),
            };
            let (correlation, flags) = (events.correlation(number(5) as u64), SliceFlags::default());
            let (async_group, is_relative) = (0, false);
            events.slice(
                lane,
                Slice { start, dur, origin, name, correlation, async_group, category, flags, is_relative },
            );
        }
        _ if !events.admits(ts, ts) => {}
        "instant" => {
            let lane = events.lane(pid, tid, group, thread);
            events.instant(Instant { ts, lane, name: text, origin });
        }
        "counter" => {
            let lane = events.lane(pid, text, group, LaneKind::Counter);
            let value = fields[4].parse().expect("a number");
            events.counter(CounterSample { ts, lane, name: text, series: text, value, is_first: true });
        }
        "flow" => {
            let (id, name, category) = (events.flow_id(fields[4].as_bytes()), StrId::EMPTY, StrId::EMPTY);
            let end = if fields[3] == "start" { FlowEnd::Start } else { FlowEnd::Finish };
            let (encloses, is_carried, role) = (true, false, FlowRole::ForwardBackward);
            events.flow(Flow { ts, id, category, name, pid, tid, origin, end, encloses, is_carried, role });
        }
        "memory" => {
            let allocation = Allocation {
                ts,
                kind: MemoryKind::Allocate,
                bytes: number(3),
                address: 0,
                allocated: Some(number(3)).into(),
                reserved: Some(number(4)).into(),
                peak_allocated: None.into(),
                peak_reserved: None.into(),
                origin,
                lane: events.lane(pid, tid, group, thread),
                place: events.intern(b"CPU"),
                device: None,
                stack: StackId::NONE,
            };
            events.allocation(allocation);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_reader_of_any_format_needs_only_the_inputs() {
    let trace = read(TEXT);
    let titles: Vec<String> = trace.lanes.iter().map(|lane| trace.lane_title(lane)).collect();
    assert_eq!(titles, ["main 1", "loss", "memory · CPU", "reserved · CPU", "stream 3"]);
    let id = |name: &str| {
        let found = trace.slices.ids().iter().find(|&id| trace.name(id).as_str() == name);
        found.unwrap_or_else(|| panic!("{name}"))
    };
    let (step, launch, backward, kernel) = (id("step"), id("launch"), id("backward"), id("kernel"));
    assert_eq!((trace.slices.start[launch], trace.slices.dur[launch]), (10, 20));
    assert_eq!(trace.slices.parent[backward], step);
    assert_eq!(trace.self_time(step), 100 - 20 - 40);
    assert_eq!(trace.links.work_of(launch).collect::<Vec<_>>(), [kernel]);
    assert_eq!(trace.flows.len(), 1);
    let flow = trace.flows[0];
    assert_eq!((flow.from, flow.to, flow.kind), (launch, backward, FlowKind::ForwardBackward));
    assert_eq!((trace.instants[0].ts, trace.instants[0].lane), (15, LaneId::new(0)));
    assert_eq!(trace.counters[0].value, [2.5, 1.5]);
    assert_eq!((trace.memory[0].ts, trace.memory[0].bytes), (30, 512));
    assert_eq!(trace.counters[1].value, [512.0], "a curve of allocated bytes");
    assert_eq!((trace.span.start, trace.span.end), (0, 100));
    assert_eq!(trace.quality.entries().count(), 0);
}

#[test]
fn what_lies_outside_the_range_is_counted() {
    let mut events = EventBuilder::new(0, 0, super::batch::Spares::default(), super::TimeRange::new(10, 20));
    let admitted =
        [(0, 9), (0, 10), (15, 15), (20, 30), (21, 22)].map(|(start, end)| events.admits(start, end));
    assert_eq!(admitted, [false, true, true, true, false]);
    let batch = events.close();
    assert_eq!((batch.outside, batch.extent), (2, Some((0, 30))));
}

#[test]
fn a_slice_of_a_lane_that_had_no_memory_leaves_the_batch_incomplete() {
    let mut events = EventBuilder::new(0, 0, super::batch::Spares::default(), super::TimeRange::new(0, 20));
    let (origin, category, flags) = (events.origin(0), Category::Operator, SliceFlags::default());
    let (name, correlation, async_group, is_relative) = (StrId::EMPTY, 0, 0, false);
    events.slice(
        0,
        Slice { start: 0, dur: 1, origin, name, correlation, async_group, category, flags, is_relative },
    );
    assert!(events.close().is_incomplete);
}
