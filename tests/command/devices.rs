//! What devices did, from the recorder's files to the tables: everything is there, once, in both forms.

mod any;
mod damage;
mod forms;

use std::path::Path;

use proftui::capture::cycle::{self, CollectedCycle};
use proftui_trace::export::recording::device::DeviceWork;
use proftui_trace::export::{decode, from_json};
use proftui_trace::import::Loaded;
use proftui_trace::model::{Category, LaneKind, SliceId, Warning};

use crate::binary::printed;
use crate::recordings::{forms, load, paddle_json};
use crate::spool::Spool;
use crate::training::{Put, training};

fn collected(kernels: usize) -> (CollectedCycle, Put) {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    let put = training(&mut spool, kernels);
    let process = spool.finish();
    let mut collected = cycle::collect(&[&process], 1, cycle::Extent::whole(Some(1_000_000_000)));
    collected.recording.facts = collected.counts.facts(&collected.recording);
    (collected, put)
}

/// Category, start from the trace's own, length, correlation, name: of every slice.
fn slices(loaded: &Loaded) -> Vec<(Category, i64, i64, u32, String)> {
    let trace = &loaded.trace;
    let of = |id: SliceId| {
        let (span, slices) = (trace.slices.span(id), &trace.slices);
        let correlation = slices.correlation[id];
        let name = trace.name(id).to_string();
        (slices.category(id), span.start - trace.span.start, span.len(), correlation, name)
    };
    let mut all: Vec<_> = trace.slices.ids().iter().map(of).collect();
    all.sort();
    all
}

#[test]
fn everything_is_there_once_in_both_forms() {
    let (collected, put) = collected(40);
    assert_eq!(collected.faults, [""; 0]);
    let [json, protobuf] = forms(&collected.recording).map(|bytes| load(&bytes));
    assert_eq!(slices(&json), slices(&protobuf));
    for Loaded { trace, .. } in [&json, &protobuf] {
        let counts = trace.category_counts();
        let count = |wanted: Category| counts.get(&wanted).copied().unwrap_or_default() as usize;
        assert_eq!(count(Category::CudaRuntime), put.calls);
        assert_eq!(count(Category::Kernel), put.kernels);
        assert_eq!((count(Category::Memcpy), count(Category::Memset)), (put.copies, put.memsets));
        assert_eq!(count(Category::Synchronization) + count(Category::Overhead), put.waits);
        assert_eq!((count(Category::ProfileStep), count(Category::Forward)), (1, 1));
        assert_eq!(trace.memory.len(), put.memory);
        let work = put.kernels + put.copies + put.memsets;
        assert_eq!((trace.links.len(), trace.links.orphan_work), (work - put.orphans, put.orphans as u64));
        assert_eq!(trace.quality.count(Warning::Lost), 3, "what was dropped");
        assert_eq!(trace.quality.dropped, 0);
        let titles: Vec<String> = (trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream))
            .map(|lane| trace.lane_title(lane))
            .collect();
        assert_eq!(titles, ["stream 7", "stream 13, priority -5", "stream 19, copies"]);
        let device = &trace.devices[0];
        assert_eq!((device.name.as_str(), device.multiprocessors), ("NVIDIA H100", 132));
        assert_eq!((device.capability.as_str(), device.memory), ("9.0", 80 << 30));
    }
}

#[test]
fn links_join_each_call_to_its_own_work() {
    let (collected, _) = collected(40);
    for bytes in forms(&collected.recording) {
        let Loaded { trace, .. } = load(&bytes);
        let mut of_graph = 0;
        for id in trace.slices.ids() {
            let Some(launch) = trace.links.launch_of(id) else { continue };
            let correlation = |id: SliceId| trace.slices.correlation[id];
            assert_eq!(correlation(id), correlation(launch));
            assert!(trace.slices.category(launch).is_runtime());
            assert!(trace.slices.start[launch] < trace.slices.start[id]);
            of_graph += u64::from(trace.name(launch).as_str() == "cudaGraphLaunch");
        }
        assert_eq!(of_graph, 5);
    }
}

#[test]
fn facts_count_what_became_of_launches_and_records() {
    let (collected, put) = collected(40);
    let fact = |key: &str| {
        let found = collected.recording.facts.iter().find(|fact| fact.0 == format!("proftui.gpu.{key}"));
        found.map(|fact| fact.1.parse::<usize>().expect("a number"))
    };
    assert_eq!(fact("calls"), Some(put.calls));
    assert_eq!(fact("work"), Some(put.kernels + put.copies + put.memsets));
    assert_eq!(fact("launches_without_work"), Some(put.idle));
    assert_eq!(fact("work_without_launch"), Some(put.orphans));
    assert_eq!((fact("graph_launches"), fact("graph_work")), (Some(1), Some(5)));
    assert_eq!((fact("lost"), fact("dropped"), fact("outside")), (Some(0), Some(3), Some(2)));
    assert_eq!((fact("unflushed"), fact("unknown")), (None, None));
}

/// The cells of a row of CSV, by a word in it.
fn row(csv: &str, word: &str) -> Vec<String> {
    let line = csv.lines().find(|line| line.contains(word)).unwrap_or_else(|| panic!("{word} in {csv}"));
    line.split(',').map(str::to_owned).collect()
}

fn with_files(check: impl Fn(&str)) {
    let scratch = tempfile::tempdir().expect("a folder");
    let (collected, _) = collected(40);
    let [json, protobuf] = forms(&collected.recording);
    for (ending, bytes) in [("json", json), ("pb", protobuf)] {
        let path = scratch.path().join(format!("a.{ending}"));
        std::fs::write(&path, bytes).expect("written");
        check(Path::new(&path).to_str().expect("a path"));
    }
}

#[test]
fn tables_show_the_same_of_both_forms() {
    let summaries = std::sync::Mutex::new(Vec::new());
    with_files(|path| {
        let view = |view: &str, more: &[&str]| {
            printed(&[&["summary", "--view", view, "--format", "csv", path], more].concat())
        };
        let by_launch = view("kernel", &["--group-by-launch"]);
        assert!(
            by_launch.contains("264") && by_launch.contains("void gemm_7<float>(float*, int)"),
            "{by_launch}"
        );
        let launches = view("launches", &[]);
        assert_eq!(row(&launches, "cudaGraphLaunch")[2..4], ["1", "5"], "{launches}");
        let copies = view("memcpy", &[]);
        assert!(copies.contains("MEMCPY_HtoD") && copies.contains("MEMSET"), "{copies}");
        let device = view("device", &[]);
        assert!(!device.is_empty());
        summaries.lock().expect("no panic").push([by_launch, launches, copies, device, view("memory", &[])]);
    });
    let summaries = summaries.into_inner().expect("no panic");
    let [json, protobuf] = &summaries[..] else { panic!("two forms") };
    for (json, protobuf) in json.iter().zip(protobuf) {
        let cells = |csv: &str| csv.split(['\n', ',']).map(str::to_owned).collect::<Vec<_>>();
        let (json, protobuf) = (cells(json), cells(protobuf));
        assert_eq!(json.len(), protobuf.len());
        for (one, other) in json.iter().zip(&protobuf) {
            // Figures of occupancy went through decimals once more.
            let is_near = |(a, b): (f64, f64)| (a - b).abs() < 1e-9;
            let numbers = one.parse().ok().zip(other.parse().ok());
            assert!(one == other || numbers.is_some_and(is_near), "{one} is not {other}");
        }
    }
    // 256 threads of 128 registers: 2 blocks of 8 warps at a time, as the grid has; of 64 warps.
    assert!(summaries[0][0].contains("0.25"), "{}", summaries[0][0]);
}

#[test]
fn protobuf_as_json_has_the_same_events_and_nothing_is_lost() {
    let (collected, _) = collected(40);
    let [_, protobuf] = forms(&collected.recording);
    let trees = decode(&protobuf).expect("protobuf");
    let mut json = Vec::new();
    proftui_trace::export::write_json(&trees, &mut json).expect("written");
    assert_eq!(from_json(&json).expect("messages"), trees);
    assert_eq!(slices(&load(&json)), slices(&load(&protobuf)));
}

#[test]
fn a_node_that_would_be_too_long_goes_on_below_it() {
    let (mut collected, mut put) = collected(36_000);
    // A graph of many nodes: all below one call.
    let work = &mut collected.recording.devices.work;
    let node = *work.iter().find(|work| work.graph_node != 0).expect("a graph");
    let (from, dur) = (work.iter().map(|work| work.end).max().expect("work"), node.end - node.start);
    work.extend((0..20_000).map(|later| {
        let start = from + later * dur;
        DeviceWork { start, end: start + dur, ..node }
    }));
    put.kernels += 20_000;
    let [json, protobuf] = forms(&collected.recording);
    let trees = decode(&protobuf).expect("protobuf");
    let nodes = trees.thread_trees.iter().flat_map(|tree| &tree.host_nodes);
    let held = nodes.map(|node| {
        node.runtime_nodes.len()
            + node.runtime_nodes.iter().map(|call| call.device_nodes.len()).sum::<usize>()
    });
    assert!(held.max().is_some_and(|most| most < 20_000));
    let (json, protobuf) = (load(&json), load(&protobuf));
    assert_eq!(slices(&json), slices(&protobuf));
    assert_eq!(json.trace.category_counts()[&Category::Kernel] as usize, put.kernels);
    for Loaded { trace, .. } in [&json, &protobuf] {
        assert_eq!(trace.links.len(), put.kernels + put.copies + put.memsets - put.orphans);
        assert_eq!(trace.quality.count(Warning::Protobuf), 0);
    }
}

#[test]
fn info_shows_the_facts() {
    with_files(|path| {
        let text = printed(&["info", path]);
        assert!(text.contains("proftui.gpu.launches_without_work: 1"), "{text}");
        let json: serde_json::Value =
            serde_json::from_str(&printed(&["info", "--format", "json", path])).expect("JSON");
        assert_eq!(json["gpu"]["graph_work"], 5);
        assert_eq!(json["links"]["orphan"], 1);
    });
}
