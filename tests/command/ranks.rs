//! Several traces or ranks on one command line, and parts of a trace by lanes and rank: the real binary.

use serde_json::{Value, json};

use crate::binary::{self, proftui};
use crate::scratch::Scratch;

fn table(args: &[&str]) -> Value {
    binary::json(&[&["summary", "--format", "json"], args].concat())
}

/// The one line of an error, and the exit status.
fn error(args: &[&str]) -> (Option<i32>, String) {
    let out = proftui(&[&["summary"], args].concat());
    let text = String::from_utf8(out.stderr).expect("UTF-8");
    assert_eq!(text.lines().count(), 1, "{text}");
    (out.status.code(), text)
}

trait Traces {
    fn trace(&self, name: &str, rank: Option<u32>, step: u32, ts: u32, dur: u32) -> String;
}

impl Traces for Scratch {
    /// A run of one rank: a step that begins at `ts` µs with an operator and a kernel in it, `dur` µs each.
    fn trace(&self, name: &str, rank: Option<u32>, step: u32, ts: u32, dur: u32) -> String {
        let info = rank.map_or(String::new(), |rank| format!(r#""distributedInfo":{{"rank":{rank}}},"#));
        let event = |cat: &str, name: &str, tid: u32, ts: u32, dur: u32, pid: u32| {
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","ts":{ts},"dur":{dur},"pid":{pid},"tid":{tid}}}"#
            )
        };
        let events = [
            event("user_annotation", &format!("ProfilerStep#{step}"), 9, ts, 100, 9),
            event("cpu_op", "aten::mm", 9, ts + 1, dur, 9),
            event("cpu_op", "aten::mm", 8, ts + 1, 1, 9),
            event("kernel", "gemm", 7, ts + 2, dur, 0),
        ];
        self.file(name, format!(r#"{{{info}"traceEvents":[{}]}}"#, events.join(",")))
    }
}

fn ids(table: &Value) -> Vec<&str> {
    table["columns"].as_array().expect("columns").iter().map(|c| c["id"].as_str().expect("an id")).collect()
}

fn titles(table: &Value) -> Vec<&str> {
    table["columns"].as_array().unwrap().iter().map(|c| c["title"].as_str().unwrap()).collect()
}

#[test]
fn ranks_stand_side_by_side_and_can_be_added_up() {
    let folder = Scratch::new("side");
    let one = folder.trace("a.json", Some(0), 5, 1000, 10);
    let other = folder.trace("b.json", Some(1), 5, 1500, 25);
    let kernels = table(&["--view", "kernel", &one, &other]);
    assert_eq!(titles(&kernels), ["Kernel", "rank 0", "rank 1", "Difference", "Factor"]);
    assert_eq!(kernels["rows"][0]["cells"], json!(["gemm", 10_000, 25_000, 15_000, 2.5]));
    assert_eq!(kernels["scope"][1]["part"], "rank 1");
    assert_eq!(kernels["scope"][1]["whole"], true);
    let of_folder = table(&["--view", "kernel", &folder.path("")]);
    assert_eq!((ids(&of_folder), &of_folder["rows"]), (ids(&kernels), &kernels["rows"]), "a folder likewise");
    let calls = table(&["--view", "operator", "--name", "aten", "--compare", "calls", &one, &other]);
    assert_eq!(calls["rows"][0]["cells"], json!(["aten::mm", 2, 2, 0, 1.0]));
    let merged = table(&["--view", "kernel", "--merged", &one, &other]);
    assert_eq!(merged["rows"][0]["cells"][2], 35_000);
    let alone = table(&["--view", "kernel", "--rank", "1", &folder.path("")]);
    assert_eq!((&alone["rows"][0]["cells"][2], &alone["scope"]["whole"]), (&json!(25_000), &json!(false)));
}

#[test]
fn runs_whose_steps_and_times_differ_are_compared() {
    let folder = Scratch::new("runs");
    let before = folder.trace("before.json", Some(0), 5, 1_000, 10);
    let after = folder.trace("after.json", Some(0), 5, 900_000_000, 20);
    let stages = table(&["--view", "model", "--steps", "5", &before, &after]);
    assert_eq!(titles(&stages)[1..3], ["before.json", "after.json"], "ranks do not distinguish them");
    assert_eq!(stages["rows"][0]["cells"], json!(["Step", 100_000, 100_000, 0, 1.0]));
    let late = table(&["--view", "kernel", "--range", ":50us", &before, &after]);
    assert_eq!(
        late["rows"][0]["cells"],
        json!(["gemm", 10_000, 20_000, 10_000, 2.0]),
        "each from its own start"
    );
    let twice = table(&["--view", "kernel", &before, &before]);
    assert_eq!(twice["rows"][0]["cells"][3], 0);
    let speed = table(&["--view", "perf", &before, &after]);
    assert_eq!(ids(&speed)[..2], ["from", "measure"]);
    assert_eq!(speed["rows"][1]["cells"][0], "after.json");
    let missing = folder.trace("short.json", Some(0), 1, 0, 10);
    let (code, why) = error(&["--steps", "5", &before, &missing]);
    assert!(code == Some(1) && why.contains("short.json: no step 5"), "{why}");
}

#[test]
fn a_scope_of_lanes() {
    let folder = Scratch::new("lanes");
    let one = folder.trace("one.json", None, 5, 0, 10);
    let calls = |args: &[&str]| {
        table(&[&["--view", "operator", "--name", "aten", &one], args].concat())["rows"][0]["cells"][1]
            .clone()
    };
    assert_eq!(calls(&[]), 2);
    assert_eq!(calls(&["--lanes", "thread 8"]), 1);
    assert_eq!(calls(&["--lanes", "THREAD 8", "--lanes", "thread 9"]), 2);
    let kernels = table(&["--view", "kernel", "--lanes", "stream 7", &one]);
    assert_eq!(kernels["rows"][0]["cells"][1], 1);
    let steps = table(&["--view", "kernel", "--lanes", "gpu", "--steps", "5", &one]);
    assert_eq!(steps["rows"][0]["cells"][1], 1, "steps are those of the lanes' process");
}

#[test]
fn a_rank_of_several_is_as_if_alone_in_every_layout() {
    let folder = Scratch::new("layouts");
    let one = folder.trace("a.json", Some(0), 5, 1000, 10);
    let other = folder.trace("b.json", Some(1), 5, 1500, 25);
    for layout in ["proftui", "torch", "deeplink", "fluid", "paddle", "visualdl"] {
        let print = |paths: &[&str]| proftui(&[&["summary", "--layout", layout], paths].concat()).stdout;
        let (alone, of_two) = (print(&[&other]), print(&["--rank", "1", &one, &other]));
        assert!(!alone.is_empty());
        assert_eq!(String::from_utf8_lossy(&of_two), String::from_utf8_lossy(&alone), "{layout}");
        assert_ne!(print(&[&one, &other]), alone, "{layout} takes all ranks without being asked for one");
    }
}

/// A thread with an operator that launches a kernel on a stream of its own, as events.
fn launching(thread: u32) -> String {
    let event = |cat: &str, name: &str, pid: u32, tid: u32, ts: u32, dur: u32| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","ts":{ts},"dur":{dur},"pid":{pid},"tid":{tid},"args":{{"correlation":{thread},"External id":{thread},"device":0,"stream":{tid}}}}}"#
        )
    };
    [
        event("cpu_op", &format!("aten::op{thread}"), 9, thread, 10, 40),
        event("cuda_runtime", "cudaLaunchKernel", 9, thread, 20, 5),
        event("kernel", &format!("gemm{thread}"), 0, thread + 60, 100 * thread, 30),
    ]
    .join(",")
}

#[test]
fn lanes_are_kept_in_every_layout() {
    let folder = Scratch::new("lanes-layouts");
    let file = |name: &str, events: &[String]| {
        folder.file(name, format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.join(",")))
    };
    let (one, both) = (file("one.json", &[launching(1)]), file("both.json", &[launching(1), launching(2)]));
    let print = |layout: &str, args: &[&str]| {
        let out = proftui(&[&["summary", "--layout", layout], args].concat());
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    for layout in ["torch", "deeplink", "fluid", "paddle", "visualdl"] {
        let alone = print(layout, &[&one]);
        assert!(alone.1.contains("op1"), "{layout}: {}", alone.1);
        assert_ne!(print(layout, &[&both]), alone, "{layout}");
        assert_eq!(
            print(layout, &["--lanes", "thread 1", &both]),
            alone,
            "{layout}: a thread has what it launched"
        );
        let other = print(layout, &["--lanes", "thread 1", "--lanes", "stream 62", &both]).1;
        assert!(
            other.contains("op1") && !other.contains("gemm1"),
            "{layout}: not the work of other streams: {other}"
        );
        let (code, text) = print(layout, &["--lanes", "stream 61", &both]);
        if ["torch", "deeplink"].contains(&layout) {
            assert!(code == Some(0) && text.contains("gemm1") && !text.contains("gemm2"), "{layout}: {text}");
        } else {
            let (code, why) = error(&["--layout", layout, "--lanes", "stream 61", &both]);
            assert!(code == Some(1) && why.contains("keeps no thread") && why.contains("thread 2"), "{why}");
        }
    }
}

#[test]
fn shares_of_nothing_and_all_that_imitate_say_why() {
    let said = |args: &[&str]| {
        let out = proftui(&[&["summary"], args].concat());
        (String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (table, note) = said(&["--layout", "fluid", "demo-traces/torch-cnn-cpu.pt.trace.json.gz"]);
    assert!(table.contains("Ratio: 100%") && !table.contains("--view host"), "{table}");
    assert!(note.contains("Framework overhead is 100 %") && note.contains("--view host"), "{note}");
    let (table, note) =
        said(&["--layout", "fluid", "demo-traces/guide-control-flow-before.paddle_trace.json.gz"]);
    assert!(!table.contains("Ratio: 100%") && note.is_empty(), "{note}");
    let folder = Scratch::new("extremes");
    let path = folder.file(
        "a.json",
        format!(
            r#"{{"Process Cpu Utilization":"0.000000","System Cpu Utilization":"0.5","traceEvents":[{}]}}"#,
            launching(1)
        ),
    );
    for layout in ["paddle", "visualdl"] {
        let (_, note) = said(&["--layout", layout, &path]);
        assert!(note.contains("advance by 10 ms"), "{layout}: {note}");
        assert_eq!(said(&["--layout", layout, "--view", "operator", &path]).1, "", "{layout}");
    }
}

#[test]
fn what_matches_nothing_says_what_there_is() {
    let folder = Scratch::new("errors");
    let one = folder.trace("a.json", Some(0), 5, 0, 10);
    let other = folder.trace("b.json", Some(1), 5, 0, 10);
    for (args, code, parts) in [
        (&["--lanes", "nothing", &one][..], 1, &["nothing", "stream 7"][..]),
        (&["--lanes", "nothing", &one, &other], 1, &["nothing", "stream 7"]),
        (&["--rank", "4", &one, &other], 1, &["no rank 4, only rank 0, rank 1"]),
        (&["--rank", "4", "--layout", "paddle", &one, &other], 1, &["rank 0, rank 1"]),
        (&["--compare", "calls", &one], 1, &["only one"]),
        (&["--compare", "name", "--view", "kernel", &one, &other], 1, &["calls, total"]),
        (&["--compare", "calls", "--view", "device", &one, &other], 1, &["rows below each other"]),
        (&["--merged", "--layout", "torch", &one], 2, &["--layout proftui"]),
    ] {
        let (status, why) = error(args);
        assert_eq!(status, Some(code), "{args:?}: {why}");
        assert!(parts.iter().all(|part| why.contains(part)), "{args:?}: {why}");
    }
}
