//! Both forms say the same, however long a recording, its names and its lists are, and however its ranges
//! cross.

use proftui::capture::cycle;
use proftui_trace::export::decode;
use proftui_trace::export::recording::device::{Allocation, Call, DeviceWork, Devices, Stream, WorkKind};
use proftui_trace::export::recording::unified_memory::UnifiedMemory;
use proftui_trace::export::recording::{Range, Recording, Thread};
use proftui_trace::import::{EventText, Loaded};
use proftui_trace::model::nodetree::HostTraceEventNodeProto;
use proftui_trace::model::{Category, Lane, Warning};
use proftui_wire::device::Record;
use proftui_wire::device::record::{Api, Kernel};

use super::{collected, forms, load, paddle_json, slices};
use crate::spool::Spool;

#[test]
fn times_of_a_long_recording_come_back_to_the_nanosecond() {
    let (mut collected, _) = collected(40);
    let late = |at: usize| at as u64 * 3_000_000_123;
    let recording = &mut collected.recording;
    (recording.devices.work.iter_mut().enumerate()).for_each(|(at, work)| {
        (work.start, work.end) = (work.start + late(at), work.end + late(at) + 7);
    });
    for thread in &mut recording.threads {
        thread.allocations.iter_mut().for_each(|memory| memory.time += late(50));
    }
    // Two that overlap by less than a microsecond, as kernels do that are launched early.
    let mut work = recording.devices.work[0];
    work.start += 500;
    work.end += 500;
    recording.devices.work.push(work);
    let [json, protobuf] = forms(recording).map(|bytes| load(&bytes));
    assert_eq!(slices(&json), slices(&protobuf));
    let times = |loaded: &Loaded| -> Vec<i64> {
        loaded.trace.memory.iter().map(|memory| memory.ts - loaded.trace.span.start).collect()
    };
    assert_eq!(times(&json), times(&protobuf));
    let trees = decode(&forms(recording)[1]).expect("protobuf");
    let mut converted = Vec::new();
    proftui_trace::export::write_json(&trees, &mut converted).expect("written");
    assert_eq!(slices(&load(&converted)), slices(&protobuf));
    let overlaps = |loaded: &Loaded| loaded.trace.quality.count(Warning::Overlap);
    assert_eq!((overlaps(&json), overlaps(&protobuf)), (1, 1));
}

#[test]
fn unified_memory_and_graphs_of_the_device_are_in_both_forms() {
    let (mut collected, _) = collected(40);
    let recording = &mut collected.recording;
    recording.names.push(b"Migration HtoD".to_vec());
    let name = recording.names.len() as u32 - 1;
    let first = recording.devices.work[0].start;
    let event = |start: u64, device: u32| UnifiedMemory {
        start: first + start,
        end: first + start + 50,
        device,
        name,
        bytes: Some(4096),
        ..UnifiedMemory::default()
    };
    recording.devices.unified = vec![event(10, 0), event(30, 0), event(20, 3)];
    recording.devices.device_launches = vec!["by CUDA graph 5, tail".to_owned()];
    let mut graph = recording.devices.work[0];
    (graph.kind, graph.correlation) = (WorkKind::DeviceGraph(0), 0);
    recording.devices.work.push(graph);
    let [json, protobuf] = forms(recording);
    let trees = decode(&protobuf).expect("protobuf");
    let mut converted = Vec::new();
    proftui_trace::export::write_json(&trees, &mut converted).expect("written");
    let again = proftui_trace::export::from_json(&converted).expect("its own JSON");
    assert_eq!(again, trees);
    let all = [json, protobuf, converted].map(|bytes| load(&bytes));
    assert_eq!(slices(&all[0]), slices(&all[1]));
    assert_eq!(slices(&all[1]), slices(&all[2]));
    for loaded in &all {
        let trace = &loaded.trace;
        let of = |lane: &Lane| trace.lane_title(lane) == "unified memory";
        let lanes: Vec<usize> =
            trace.lanes.iter().filter(|lane| of(lane)).map(|lane| lane.slices.len()).collect();
        assert_eq!(lanes, [2, 1]);
        let id = trace.lanes.iter().find(|lane| of(lane)).expect("a lane").slices.start;
        let EventText::Members(read) = loaded.texts.read(trace.slices.origin[id]) else { panic!("gone") };
        let text = format!("{read:?}");
        assert!(text.contains("bytes") && text.contains("4096"), "{text}");
    }
}

#[test]
fn where_there_is_memory_a_range_is_the_zero() {
    let call = Call { start: 1_000, end: 1_500, correlation: 1, ..Call::default() };
    let memory = Allocation { time: 4_001, bytes: 8, place: "Place(gpu:0)".into(), ..Allocation::default() };
    let (ranges, calls) = (vec![range(3_000, 9_001, 0)], vec![call]);
    let thread = Thread { pid: 40, tid: 40, ranges, calls, ..Thread::default() };
    let of = |allocations| {
        let threads = vec![Thread { allocations, ..thread.clone() }];
        let recording = Recording { names: vec![b"a".to_vec()], threads, ..Recording::default() };
        let ([json, protobuf], paddle) = (forms(&recording), paddle_json(&recording));
        assert_eq!(slices(&load(&json)), slices(&load(&protobuf)));
        assert_eq!(slices(&load(&paddle)), slices(&load(&protobuf)));
        String::from_utf8(paddle).expect("UTF-8")
    };
    assert!(of(vec![memory]).contains(r#""start_time":"-2.000 us","end_time":"-1.500 us""#));
    assert!(of(Vec::new()).contains(r#""start_time":"2.000 us","end_time":"8.001 us""#));
}

fn range(start: u64, end: u64, name: u32) -> Range {
    Range { start, end, kind: 14, name, is_cut: false, has_begun_before: false }
}

#[test]
fn a_range_that_ends_after_another_is_not_in_it() {
    let ranges = vec![range(1_000, 9_000, 0), range(2_000, 5_000, 1), range(4_000, 8_000, 2)];
    let names = ["all", "first", "second"].map(|name| name.as_bytes().to_vec()).to_vec();
    let threads = vec![Thread { pid: 40, tid: 40, ranges, ..Thread::default() }];
    let [_, protobuf] = forms(&Recording { names, threads, ..Recording::default() });
    let trees = decode(&protobuf).expect("protobuf");
    let parents: Vec<i64> =
        trees.thread_trees[0].host_nodes.iter().map(HostTraceEventNodeProto::parentid).collect();
    assert_eq!(parents, [-1, 0, 1, 1]);
}

#[test]
fn names_of_any_length_are_read_back() {
    let call = Call { start: 1_000, end: 2_000, correlation: 1, ..Call::default() };
    let threads = vec![Thread { pid: 40, tid: 40, calls: vec![call], ..Thread::default() }];
    let work = |start| DeviceWork {
        start,
        end: start + 1,
        queued: 0,
        submitted: 0,
        graph_node: 0,
        graph: 0,
        name: 1,
        stream: 0,
        correlation: 1,
        kind: WorkKind::Graph,
        is_cut: false,
    };
    let devices = Devices {
        streams: vec![Stream::default()],
        work: (0..2_200).map(|at| work(3_000 + 10 * at)).collect(),
        ..Devices::default()
    };
    // As long as names get; all of them below one call are more than a reader takes at once.
    let names = vec![b"cudaGraphLaunch".to_vec(), vec![b'k'; 32 << 10]];
    for bytes in forms(&Recording { names, threads, devices, ..Recording::default() }) {
        let Loaded { trace, .. } = load(&bytes);
        assert_eq!((trace.category_counts()[&Category::Kernel], trace.links.len()), (2_200, 2_200));
        assert_eq!(trace.quality.count(Warning::Limit), 0);
    }
}

#[test]
fn a_process_of_a_devices_number_is_not_that_device() {
    let scratch = tempfile::tempdir().expect("a folder");
    // The first process of a container, and the second device.
    let mut spool = Spool::new(scratch.path(), 1);
    let name = spool.name("step");
    spool.ranges(1, &[(2, name, 1_000, 9_000)]);
    spool.device(1, 7);
    spool.put(&Record::Api(Api { name, start: 2_000, end: 3_000, tid: 1, correlation: 5, ..Api::default() }));
    let (start, end, device, stream, correlation) = (4_000, 5_000, 1, 1, 5);
    spool.put(&Record::Kernel(Kernel { name, start, end, device, stream, correlation, ..Kernel::default() }));
    let collected = cycle::collect(&[&spool.finish()], 1, cycle::Extent::whole(None));
    let titles = forms(&collected.recording).map(|bytes| {
        let Loaded { trace, .. } = load(&bytes);
        let title = |group: &proftui_trace::model::Group| trace.group_title(group);
        trace.groups.iter().map(title).collect::<Vec<_>>()
    });
    assert_eq!(titles[0], ["Process 1 (CPU)", "GPU 1 · NVIDIA H100"]);
    assert_eq!(titles[1], ["process 1", "GPU 1 · NVIDIA H100"]);
}
