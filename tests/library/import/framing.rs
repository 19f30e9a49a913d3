//! Damage of one byte around the events: in the header, in the key `traceEvents`, and behind the events. It
//! costs at most the damaged entry and two events; the file is never refused. Tried on the framing of several
//! producers.

use proftui_trace::import::{Progress, Request};
use proftui_trace::model::Trace;

use super::warned;
use crate::locality::damage::{Damage, MEANINGFUL};
use crate::locality::laws::taken;
use crate::watchdog::Watchdog;

/// One event of each common form.
const EVENTS: [&str; 9] = [
    r#"{"ph": "M", "name": "thread_name", "pid": 42, "tid": 1, "args": {"name": "main"}}"#,
    r#"{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 42, "tid": 1, "ts": 10.500, "dur": 5, "args": {"Input Dims": [[2, 3], []], "kinds": ["a", "b"]}}"#,
    r#"{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 1, "ts": 11, "dur": 1, "args": {"correlation": 7}}"#,
    r#"{"ph": "X", "cat": "kernel", "name": "gemm<float, 4>(int)", "pid": 0, "tid": 7, "ts": 13, "dur": 2, "args": {"correlation": 7, "grid": [1, 2, 3]}}"#,
    r#"{"args": {"text": "a \"traceEvents\": [{\"ph\":\"X\"}] of no account"}, "ph": "X", "name": "quoted", "pid": 42, "tid": 1, "ts": 20, "dur": 4}"#,
    r#"{"ph": "C", "name": "load", "pid": 42, "ts": 21, "args": {"busy": 0.5}}"#,
    r#"{"ph": "i", "s": "t", "name": "mark", "pid": 42, "tid": 1, "ts": 22}"#,
    r#"{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 42, "tid": 1, "ts": 30, "dur": 5, "args": {"objects": [{"a": 1}, {"a": 2}]}}"#,
    r#"{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 42, "tid": 1, "ts": 40, "dur": 5}"#,
];

/// What stands before, between and behind the events in the files of one producer.
struct Style {
    name: &'static str,
    before: &'static str,
    between: &'static str,
    after: &'static str,
}

const STYLES: [Style; 9] = [
    Style {
        name: "Kineto of PyTorch 2.0",
        before: "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA H100 80GB\", \
                 \"totalGlobalMem\": 85,\n      \"computeMajor\": 9, \"computeMinor\": 0\n    },\n    {\n      \"id\": 1, \"name\": \"second\"\n    \
                 }\n  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 1, \"world_size\": 8},\n  \"record_shapes\": 1,\n  \
                 \"traceEvents\": [\n  ",
        between: ",\n  ",
        after: "\n  ],\n  \"traceName\": \"./worker1.pt.trace.json\"\n}\n",
    },
    Style {
        name: "Kineto of PyTorch 2.15",
        before: " {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [],\n    \n    \"distributedInfo\": {\"rank\": 1},\n    \
                 \"traceEvents\": [\n    \n  ",
        between: ",\n  ",
        after: "\n    ],\n    \"displayTimeUnit\": \"ms\",\n    \"baseTimeNanoseconds\": 1790857026000000000,\n    \"traceName\": \"a.json\" }",
    },
    Style {
        name: "written again by Python",
        before: r#"{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 108}], "distributedInfo": {"rank": 1}, "traceEvents": ["#,
        between: ", ",
        after: r#"], "traceName": "/tmp/a.json", "displayTimeUnit": "ms"}"#,
    },
    Style {
        name: "metadata first, indented",
        before: "{\n  \"metadata\": {\n    \"num_errors\": 0,\n    \"errors\": {},\n    \"runs\": [\n      {\n        \"n\": 1\n      },\n      \
                 {\n        \"n\": 2\n      }\n    ]\n  },\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\n    \"rank\": 1\n  },\n  \
                 \"traceEvents\": [\n    ",
        between: ",\n    ",
        after: "\n  ],\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1751410836000000000\n}",
    },
    Style {
        name: "Chrome",
        before: r#"{"traceEvents":["#,
        between: ",",
        after: r#"],"metadata":{"command-line":"--a --b","clock-domain":"LINUX","cpus":[1,2,3],"version":"Chrome/54"}}"#,
    },
    Style {
        name: "Fuchsia",
        before: r#"{"displayTimeUnit":"ns","traceEvents":["#,
        between: ",",
        after: r#"],"systemTraceEvents":{"type":"fuchsia","events":[{"ph":"p","pid":1,"name":"a"},{"ph":"t","pid":1,"tid":2,"name":"b"},{"ph":"k","ts":5.0,"cpu":0,"out":{"pid":1,"tid":2},"in":{"pid":1,"tid":3}}]}}"#,
    },
    Style {
        name: "VizTracer",
        before: r#"{"traceEvents": ["#,
        between: ", ",
        after: r#"], "viztracer_metadata": {"version": "0.16.1", "overflow": false}, "file_info": {"files": {"a.py": ["x = [{}]", 1]}, "functions": {}}}"#,
    },
    Style {
        name: "Paddle",
        before: "{\n  \"schemaVersion\": \"1.0.2\",\n  \"span_indx\": \"0\",\n  \"displayTimeUnit\": \"ms\",\n  \"deviceProperties\": [],\n  \
                 \"traceEvents\": [\n  ",
        between: ",\n  ",
        after: "\n  ],\n  \"ExtraInfo\": {\n    \"1\": \"main\",\n    \"Process Cpu Utilization\": \"0.5\"\n  }\n}\n",
    },
    Style { name: "an array", before: "[\n  ", between: ",\n  ", after: "\n]\n" },
];

impl Style {
    fn text(&self) -> Vec<u8> {
        [self.before, &EVENTS.join(self.between), self.after].concat().into_bytes()
    }
}

/// Loads the text by templates on two threads, and without them on one; both must agree.
fn load(text: &[u8]) -> Result<Trace, String> {
    let one = |request: Request| {
        let loaded = proftui_trace::import::load_bytes(text, &request, &Progress::default());
        loaded.map(|loaded| loaded.trace).map_err(|error| error.to_string())
    };
    let fast = one(Request { threads: Some(2), chunk: Some(300), ..Request::default() });
    let tolerant = one(Request { threads: Some(1), is_tolerant: true, ..Request::default() });
    let digest = |way: &Result<Trace, String>| way.as_ref().map(Trace::digest).map_err(Clone::clone);
    assert_eq!(digest(&fast), digest(&tolerant), "{}", text.escape_ascii());
    fast
}

/// How many of the header's entries are in `whole` and not in `left`.
fn entries_lost(whole: &Trace, left: &Trace) -> usize {
    let has = |entry: &&(String, String)| !left.meta.header.contains(entry);
    whole.meta.header.iter().filter(has).count()
}

fn all_damage() -> Vec<Damage> {
    let mut all = vec![Damage::Remove];
    all.extend((0..8).map(|bit| Damage::Flip(1 << bit)));
    all.extend(MEANINGFUL.iter().flat_map(|&byte| [Damage::Replace(byte), Damage::Insert(byte)]));
    all
}

#[test]
fn a_damaged_byte_around_the_events_costs_its_entry() {
    let (watchdog, damage) = (Watchdog::start(), all_damage());
    // A part of them that meets every byte; `PROFTUI_EVERY` tries all.
    let step = if std::env::var_os("PROFTUI_EVERY").is_some() || !cfg!(debug_assertions) { 1 } else { 19 };
    let (mut tries, mut broken) = (0, Vec::new());
    let (mut lost, mut entries) = ([0_usize; 3], [0_usize; 10]);
    for style in STYLES {
        let text = style.text();
        let whole = load(&text).expect("loads");
        let all = taken(&whole);
        assert_eq!((all, whole.quality.damage()), (EVENTS.len() as u64, 0), "{}", style.name);
        let offsets = (0..style.before.len()).chain(text.len() - style.after.len()..text.len());
        let each = offsets.flat_map(|at| damage.iter().map(move |&damage| (at, damage)));
        for (at, damage) in each.step_by(step) {
            watchdog.feed(format!("{}, byte {at}, {damage}", style.name));
            tries += 1;
            let around = &text[at.saturating_sub(25)..(at + 25).min(text.len())];
            let context = format!("{}, byte {at} {damage}: …{}…", style.name, around.escape_ascii());
            match load(&damage.strike(&text, at)) {
                Err(why) => broken.push(format!("{context}: {why}")),
                Ok(trace) => {
                    let (left, said) = (taken(&trace), trace.quality.damage() + trace.quality.notes());
                    if left > all || left + 2 < all || left < all && said == 0 {
                        broken.push(format!("{context}: {left} of {all} events, {:?}", warned(&trace)));
                    } else {
                        lost[(all - left) as usize] += 1;
                        let gone = entries_lost(&whole, &trace);
                        entries[gone] += 1;
                        if gone > 2 {
                            broken.push(format!("{context}: {gone} entries lost, {:?}", warned(&trace)));
                        }
                    }
                }
            }
        }
    }
    println!(
        "{tries} changes: {lost:?} lost 0, 1, 2 events; {entries:?} lost so many entries; {} broke the rule",
        broken.len()
    );
    assert!(broken.is_empty(), "{} of {tries}:\n{}", broken.len(), broken[..broken.len().min(40)].join("\n"));
}
