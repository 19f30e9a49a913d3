//! Names inside graphs on the public pairs of a replay and its capture, where a collection of traces stands
//! beside the checkout.
//!
//! Losses and a second stream are made from the captures themselves: a launch of all their nodes, of which
//! the node of each piece of work is known.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use proftui_insight::analysis::graph_names::{Captures, add};
use proftui_trace::import::{CaptureFile, Loaded, Progress, Request, capture_files, load, load_bytes};
use proftui_trace::model::{GraphLevel, GraphRecord, SliceId, Trace};
use serde_json::json;

/// The replays of the pairs, below the folder of traces; captures lie beside them.
const PAIRS: [(&str, &str, u64); 3] = [
    ("SGLang", "sglang_decode/sglang_Qwen3-8B_decode.json.gz", 544),
    ("vLLM", "vllm_decode_full/graph_execution.json.gz", 421),
    ("xDiT", "xdit_flux.1_aiter_sage/profile_trace_rank_0.json.gz", 6264),
];

fn replays(what: &str) -> Option<Vec<(&'static str, PathBuf, u64)>> {
    let folder = crate::skip::shared("traces/tracelens/tests/traces/inference", what)?;
    Some(PAIRS.iter().map(|(name, path, work)| (*name, folder.join(path), *work)).collect())
}

fn loaded(path: &PathBuf) -> Loaded {
    load(&Request::new([path]), &Progress::default()).expect("a real trace loads")
}

/// The captures beside a replay.
fn captures(replay: &PathBuf) -> Captures {
    let mut captures = Captures::default();
    for file in capture_files(&Request::new([replay])) {
        captures.add(&loaded(&file.path), &file).expect("readable");
    }
    assert!(!captures.is_empty(), "{}", replay.display());
    captures
}

fn counts(trace: &Trace) -> BTreeMap<&'static str, u64> {
    trace.graph_names.counts().into_iter().map(|(level, count)| (level.name(), count)).collect()
}

#[test]
fn all_work_of_the_public_pairs_has_its_one_partner() {
    let Some(pairs) = replays("names inside graphs of real pairs") else { return };
    for (name, path, work) in pairs {
        let mut trace = loaded(&path).trace;
        add(&mut trace, &captures(&path));
        let level = if name == "xDiT" { "aligned" } else { "exact" };
        assert_eq!(counts(&trace), BTreeMap::from([(level, work)]), "{name}");
        let launches = &trace.graph_names.launches;
        let paired: u64 = launches.iter().map(|launch| u64::from(launch.pairs)).sum();
        assert_eq!(paired, work, "{name}");
        let lost = u32::from(name == "xDiT");
        assert!(launches.iter().all(|launch| launch.left_over == lost), "{name}: {launches:?}");
        assert_eq!(trace.graph_names.lost_after.len(), launches.len() * lost as usize, "{name}");
        let last = |launch: SliceId| {
            let ends = trace.links.work_of(launch).map(|id| (trace.slices.start[id], id));
            ends.max().expect("work").1
        };
        for launch in launches.iter().filter(|_| lost > 0) {
            let after = last(launch.launch.expect("a call"));
            assert!(trace.graph_names.lost_after.contains(&after), "{name}: the last node has no record");
        }
    }
}

#[test]
fn foreign_captures_pair_nothing() {
    let Some(pairs) = replays("foreign captures of real pairs") else { return };
    let all: Vec<Captures> = pairs.iter().map(|(_, path, _)| captures(path)).collect();
    for (own, (name, path, _)) in pairs.iter().enumerate() {
        let mut trace = loaded(path).trace;
        for (_, foreign) in all.iter().enumerate().filter(|(at, _)| *at != own) {
            add(&mut trace, foreign);
            let names = std::mem::take(&mut trace.graph_names);
            assert!(!names.launches.is_empty() && names.counts().is_empty(), "{name}: {:?}", names.counts());
            assert!(names.launches.iter().all(|launch| launch.outcome.is_err()), "{name}");
        }
    }
}

/// The trace of one launch with this work: the name of each kernel and its stream, in order of time.
fn launch(work: &[(&str, u32)]) -> Trace {
    let call = json!({"ph": "X", "cat": "cuda_runtime", "name": "hipGraphLaunch", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
        "args": {"correlation": 5}});
    let kernel = |(at, (name, stream)): (usize, &(&str, u32))| {
        json!({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": 10 + 10 * at, "dur": 5,
            "args": {"device": 0, "stream": stream, "correlation": 5}})
    };
    let events: Vec<_> = std::iter::once(call).chain(work.iter().enumerate().map(kernel)).collect();
    let text = serde_json::to_vec(&events).expect("JSON");
    load_bytes(&text, &Request::default(), &Progress::default()).expect("a trace").trace
}

/// The work of a trace, in order of time.
fn work_of(trace: &Trace) -> Vec<SliceId> {
    let slices = &trace.slices;
    let mut work: Vec<SliceId> =
        slices.ids().iter().filter(|&id| slices.category(id).is_device_work()).collect();
    work.sort_by_key(|&id| (slices.start[id], id));
    work
}

/// The texts of a record: operator, class, module, shapes.
fn texts(trace: &Trace, record: &GraphRecord) -> [String; 4] {
    [record.operator, record.class, record.module, record.shapes].map(|id| trace.strings.text(id).to_string())
}

/// A capture, and what it has of each node.
struct Whole {
    captures: Captures,
    kernels: Vec<String>,
    records: Vec<[String; 4]>,
}

impl Whole {
    /// The capture beside a replay. The names of its kernels are those of the replay's first launch; a node
    /// without a record there, the last one of xDiT's capture, is no part of it.
    fn of(replay: &PathBuf) -> Self {
        let captures = captures(replay);
        let mut trace = loaded(replay).trace;
        add(&mut trace, &captures);
        let first = trace.graph_names.launches[0].launch.expect("a call");
        let mut work: Vec<SliceId> = trace.links.work_of(first).collect();
        work.sort_by_key(|&id| (trace.slices.start[id], id));
        let record = |&id: &SliceId| texts(&trace, trace.graph_names.record(id).expect("a name").1);
        let records = work.iter().map(record).collect();
        let kernels = work.iter().map(|&id| trace.name(id).to_string()).collect();
        Self { captures, kernels, records }
    }

    /// Names a launch of these nodes, each on a stream; returns how many pieces of work have one certain
    /// partner and how many a name at all. No name may be wrong.
    fn check(&self, what: &str, nodes: &[(usize, u32)]) -> (usize, usize) {
        let work: Vec<(&str, u32)> =
            nodes.iter().map(|&(node, stream)| (self.kernels[node].as_str(), stream)).collect();
        let mut trace = launch(&work);
        add(&mut trace, &self.captures);
        let (mut paired, mut named) = (0, 0);
        for (id, (node, _)) in work_of(&trace).into_iter().zip(nodes) {
            let Some((level, record)) = trace.graph_names.record(id) else { continue };
            let ([operator, class, module, shapes], known) = (texts(&trace, record), &self.records[*node]);
            assert_eq!((&operator, &class), (&known[0], &known[1]), "{what}: node {node}, {level:?}");
            assert!(module.is_empty() || module == known[2], "{what}: node {node}, {level:?}: {module}");
            assert!(shapes.is_empty() || shapes == known[3], "{what}: node {node}, {level:?}: {shapes}");
            let is_paired = matches!(level, GraphLevel::Exact | GraphLevel::Aligned);
            assert!(!is_paired || (module == known[2] && shapes == known[3]), "{what}: node {node}");
            paired += usize::from(is_paired);
            named += 1;
        }
        println!("{what}: {paired} of {} paired, {named} named", nodes.len());
        (paired, named)
    }
}

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn no_name_is_wrong_where_records_are_lost_or_streams_are_several() {
    let Some(pairs) = replays("lost records and two streams made of real captures") else { return };
    for (name, path, _) in pairs {
        let whole = Whole::of(&path);
        let all: Vec<usize> = (0..whole.kernels.len()).collect();
        let on_one = |nodes: &[usize]| nodes.iter().map(|&node| (node, 7)).collect::<Vec<_>>();
        for seed in 1..=4 {
            let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
            for (percent, least) in [(1, 99), (5, 98)] {
                let mut kept = all.clone();
                // 95 % of the capture must be left, and xDiT's capture has a node more.
                for _ in 0..(all.len() * percent / 100).saturating_sub(1) {
                    kept.remove(random.below(kept.len()));
                }
                let (paired, _) = whole.check(&format!("{name}, {percent} % lost"), &on_one(&kept));
                assert!(paired * 100 >= kept.len() * least, "{name}: {paired} of {}", kept.len());
            }
            let len = all.len() * 4 / 100;
            let from = random.below(all.len() - len);
            let block = [&all[..from], &all[from + len..]].concat();
            whole.check(&format!("{name}, a block of {len} lost"), &on_one(&block));

            // Each name runs on one of two streams; the work of the second begins somewhat later.
            let mut streams: BTreeMap<&str, u32> = BTreeMap::new();
            for kernel in &whole.kernels {
                streams.entry(kernel).or_insert_with(|| 7 + random.below(2) as u32);
            }
            let delay = 1 + random.below(12);
            let time =
                |node: usize| node + if streams[whole.kernels[node].as_str()] == 8 { delay } else { 0 };
            let mut two: Vec<usize> = all.clone();
            two.sort_by_key(|&node| time(node));
            let with_stream = |nodes: &[usize]| {
                nodes.iter().map(|&node| (node, streams[whole.kernels[node].as_str()])).collect::<Vec<_>>()
            };
            let (paired, _) = whole.check(&format!("{name}, two streams"), &with_stream(&two));
            if name != "xDiT" {
                assert_eq!(paired, all.len(), "{name}: two streams");
            }
            for _ in 0..all.len() / 100 {
                two.remove(random.below(two.len()));
            }
            whole.check(&format!("{name}, two streams and 1 % lost"), &with_stream(&two));
        }
    }
}

#[test]
fn drawn_pairs_are_those_of_an_independent_program() {
    let Some(pairs) = replays("drawn pairs and sums of real captures") else { return };
    let Some(python) = crate::tools::newest_python("drawn pairs of real captures") else { return };
    let scratch = tempfile::tempdir().expect("a folder");
    for (name, path, _) in pairs {
        let mut trace = loaded(&path).trace;
        add(&mut trace, &captures(&path));
        let capture: CaptureFile = capture_files(&Request::new([&path])).remove(0);
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let launches = trace.graph_names.launches.clone();
        let drawn: Vec<_> = (0..100)
            .map(|_| {
                let launch = launches[random.below(launches.len())].launch.expect("a call");
                let mut work: Vec<SliceId> = trace.links.work_of(launch).collect();
                work.sort_by_key(|&id| (trace.slices.start[id], id));
                let position = random.below(work.len());
                let (_, record) = trace.graph_names.record(work[position]).expect("a name");
                let text = |id| trace.strings.text(id).to_string();
                json!({
                    "correlation": trace.slices.correlation[launch], "position": position,
                    "name": trace.name(work[position]).to_string(), "operator": text(record.operator),
                    "shapes": text(record.shapes), "module": text(record.module), "frame": text(record.frame),
                    "annotation": text(record.annotation),
                })
            })
            .collect();
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for id in launches.iter().flat_map(|launch| trace.links.work_of(launch.launch.expect("a call"))) {
            let (_, record) = trace.graph_names.record(id).expect("a name");
            let operator = trace.strings.text(record.operator).to_string();
            *sums.entry(operator).or_default() += trace.slices.dur[id];
        }
        let drawn = json!({"pairs": drawn, "sums": sums});
        let list = scratch.path().join(format!("{name}.json"));
        std::fs::write(&list, serde_json::to_vec(&drawn).expect("JSON")).expect("written");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shared/graph_pairs.py");
        let out = Command::new(python)
            .arg(script)
            .args([&path, &capture.path, &list])
            .output()
            .expect("Python runs");
        let said = String::from_utf8_lossy(&out.stdout);
        println!("{name}: {}", said.trim());
        assert!(out.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&out.stderr));
        assert!(said.contains("100 of 100"), "{name}: {said}");
    }
}
