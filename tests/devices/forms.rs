//! Both forms say the same, however long a recording, its names and its lists are, and however its ranges cross.

use proftui::export::decode;
use proftui::export::recording::device::{Call, Devices, Stream, What, Work};
use proftui::export::recording::{Range, Recording, Thread};
use proftui::import::Loaded;
use proftui::model::{Category, Warning};

use super::{forms, gathered, load, slices};

#[test]
fn times_of_a_long_recording_come_back_to_the_nanosecond() {
    let (mut gathered, _) = gathered(40);
    let late = |at: usize| at as u64 * 3_000_000_123;
    let recording = &mut gathered.recording;
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
    let overlaps = |loaded: &Loaded| loaded.trace.quality.count(Warning::Overlap);
    assert_eq!((overlaps(&json), overlaps(&protobuf)), (1, 1));
}

fn range(start: u64, end: u64, name: u32) -> Range {
    Range { start, end, kind: 14, name, is_cut: false }
}

#[test]
fn a_range_that_reaches_out_of_another_is_not_in_it() {
    let ranges = vec![range(1_000, 9_000, 0), range(2_000, 5_000, 1), range(4_000, 8_000, 2)];
    let names = ["all", "first", "second"].map(|name| name.as_bytes().to_vec()).to_vec();
    let threads = vec![Thread { pid: 40, tid: 40, ranges, ..Thread::default() }];
    let [_, protobuf] = forms(&Recording { names, threads, ..Recording::default() });
    let trees = decode(&protobuf).expect("protobuf");
    let parents: Vec<i64> = trees.thread_trees[0].host_nodes.iter().map(|node| node.parentid()).collect();
    assert_eq!(parents, [-1, 0, 1, 1]);
}

#[test]
fn names_of_any_length_are_read_back() {
    let call = Call { start: 1_000, end: 2_000, correlation: 1, ..Call::default() };
    let threads = vec![Thread { pid: 40, tid: 40, calls: vec![call], ..Thread::default() }];
    let work = |start| Work {
        start,
        end: start + 1,
        queued: 0,
        submitted: 0,
        graph_node: 0,
        graph: 0,
        name: 1,
        stream: 0,
        correlation: 1,
        what: What::Graph,
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
