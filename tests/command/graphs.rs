//! Names inside graphs on the command line: captures that are found, named, or cannot be read; the tables and
//! counts with names.

use serde_json::{Value, json};

use crate::binary::{printed, proftui, said};
use crate::scratch::Scratch;

/// An event of the only thread, or of a stream.
fn event(cat: &str, name: &str, ts: u64, dur: u64, args: Value) -> Value {
    let (pid, tid) = if cat == "kernel" { (0, 7) } else { (1, 1) };
    let mut event =
        json!({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur});
    event["args"] = args;
    event
}

fn trace(rank: u32, events: &[Value]) -> String {
    json!({"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}).to_string()
}

/// A capture of two kernels in a module.
fn capture() -> Vec<Value> {
    let mut events = vec![
        event("user_annotation", "capture_8_DECODE", 0, 400, json!({})),
        event("cuda_runtime", "hipStreamBeginCapture", 5, 2, json!({"correlation": 1})),
    ];
    let nodes = [("gemm", "aten::mm", "Linear_0"), ("norm", "aten::norm", "Norm_0")];
    for ((kernel, operator, module), at) in nodes.into_iter().zip([100, 200]) {
        events.push(event("python_function", &format!("nn.Module: {module}"), at, 50, json!({})));
        events.push(event("cpu_op", operator, at + 5, 30, json!({"Input Dims": [[8, 4], []]})));
        let args = json!({"correlation": at, "kernel": kernel, "grid": [1, 1, 1]});
        events.push(event("cuda_runtime", "hipLaunchKernel", at + 10, 5, args));
    }
    events.push(event("cuda_runtime", "hipStreamEndCapture", 300, 2, json!({"correlation": 2})));
    events
}

/// An operator that launches the graph, whose kernels run for 30 and 20 µs, and a kernel of its own of 10 µs.
fn replay() -> Vec<Value> {
    vec![
        event("user_annotation", "step[DECODE bs=8]", 1_000, 40, json!({})),
        event("cpu_op", "model::run", 1_005, 30, json!({})),
        event("cuda_runtime", "hipGraphLaunch", 1_010, 5, json!({"correlation": 7})),
        event("cuda_runtime", "hipLaunchKernel", 1_020, 5, json!({"correlation": 8})),
        event("kernel", "gemm", 1_050, 30, json!({"device": 0, "stream": 7, "correlation": 7})),
        event("kernel", "norm", 1_090, 20, json!({"device": 0, "stream": 7, "correlation": 7})),
        event("kernel", "copy", 1_120, 10, json!({"device": 0, "stream": 7, "correlation": 8})),
    ]
}

/// A folder with traces of two ranks and their captures.
fn folder(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    std::fs::create_dir_all(scratch.path("capture_traces")).expect("a folder");
    for rank in 0..2 {
        let path = scratch.path(&format!("run_rank{rank}.trace.json"));
        std::fs::write(path, trace(rank, &replay())).expect("a file");
        let path = scratch.path(&format!("capture_traces/bs_8_rank{rank}.json"));
        std::fs::write(path, trace(rank, &capture())).expect("a file");
    }
    scratch
}

fn info(arguments: &[&str]) -> Value {
    let line = printed(&[&["info", "--format", "json"], arguments].concat());
    serde_json::from_str(&line).expect("one line of JSON")
}

fn table(view: &str, arguments: &[&str]) -> Value {
    let text = printed(&[&["summary", "--format", "json", "--view", view], arguments].concat());
    serde_json::from_str(&text).expect("a table")
}

/// The cell of a row in the column `id`.
fn cell<'a>(table: &'a Value, row: &'a Value, id: &str) -> &'a Value {
    let columns = table["columns"].as_array().expect("columns");
    let at = columns.iter().position(|column| column["id"] == id).expect(id);
    &row["cells"][at]
}

fn row<'a>(rows: &'a Value, name: &str) -> &'a Value {
    let rows = rows.as_array().expect("rows");
    rows.iter().find(|row| row["cells"][0] == name).unwrap_or_else(|| panic!("{name} in {rows:?}"))
}

#[test]
fn captures_beside_a_trace_give_names() {
    let scratch = folder("graphs-beside");
    let path = scratch.path("run_rank0.trace.json");
    let found = info(&[&path]);
    let names = &found["graph_names"];
    assert_eq!(
        (&names["levels"], &names["launches"], &names["pairs"]),
        (&json!({"exact": 2}), &json!(1), &json!(2))
    );
    let files: Vec<&str> =
        names["files"].as_array().expect("files").iter().filter_map(Value::as_str).collect();
    assert!(files.iter().any(|file| file.ends_with("bs_8_rank0.json")), "{files:?}");
    assert_eq!(found["slices"], json!(7), "no event of a capture is in the trace");
    let text = printed(&["info", &path]);
    assert!(text.contains("\ngraph names  2 exact in 1 launch of graphs\n"), "{text}");
    let without = info(&["--no-capture-trace", &path]);
    assert_eq!(without.get("graph_names"), None);
}

#[test]
fn captures_in_a_folder_are_no_ranks() {
    let scratch = folder("graphs-ranks");
    let found = info(&[&scratch.path("")]);
    assert_eq!((&found["workers"], &found["slices"]), (&json!(["rank 0", "rank 1"]), &json!(14)));
    assert_eq!(found["graph_names"]["levels"], json!({"exact": 4}), "each rank has its capture");
}

#[test]
fn tables_count_work_inside_graphs_once_and_mark_it() {
    let scratch = folder("graphs-tables");
    let path = scratch.path("run_rank0.trace.json");
    let operators = table("operator", &[&path]);
    let mm = row(&operators["rows"], "aten::mm");
    let of = |row, id| cell(&operators, row, id).clone();
    assert_eq!(
        [of(mm, "device_own"), of(mm, "device_total"), of(mm, "device_in_graphs")],
        [30_000, 30_000, 30_000].map(Value::from)
    );
    assert_eq!((of(mm, "calls"), of(mm, "total")), (json!(0), json!(0)), "it was not called here");
    let run = row(&operators["rows"], "model::run");
    assert_eq!([of(run, "device_own"), of(run, "device_total")], [10_000, 60_000].map(Value::from));
    assert_eq!(of(run, "device_in_graphs"), Value::Null);
    let rows = operators["rows"].as_array().expect("rows");
    let sum: i64 = rows.iter().filter_map(|row| of(row, "device_own").as_i64()).sum();
    assert_eq!(sum, 60_000, "all device work, once");
    assert_eq!(operators["scope"]["graph_names"], json!({"exact": 2}));
    let kernels = table("kernel", &[&path]);
    let gemm = row(&kernels["rows"], "gemm");
    assert_eq!(gemm["children"][0]["cells"][0], "aten::mm of Linear, in a graph");
    let shapes = table("operator", &["--group-by-input-shape", &path]);
    let mm = row(&shapes["rows"], "aten::mm");
    assert_eq!(mm["children"][0]["cells"][0], "[[8, 4], []]");
    let without = table("operator", &["--no-capture-trace", &path]);
    assert!(!without.to_string().contains("graphs\""), "{without}");
    assert_eq!(cell(&without, row(&without["rows"], "model::run"), "device_own"), 60_000);
}

#[test]
fn a_capture_that_cannot_be_read_is_a_note_unless_it_is_named() {
    let scratch = folder("graphs-broken");
    let (path, broken) =
        (scratch.path("run_rank0.trace.json"), scratch.path("capture_traces/bs_8_rank0.json"));
    std::fs::write(&broken, "no trace").expect("written");
    let found = info(&[&path]);
    assert_eq!(found["warn"], json!(["W_CAPTURE"]));
    assert_eq!(found["quality"]["W_CAPTURE"]["damage"], json!(false));
    assert_eq!(found["graph_names"]["refused"], json!({"no capture of this rank": 1}));
    let named = proftui(&["info", "--capture-trace", &broken, &path]);
    assert_eq!(named.status.code(), Some(1));
    assert!(said(&named).contains("bs_8_rank0.json"), "{}", said(&named));
    // A named file is for any rank.
    let other = scratch.path("capture_traces/bs_8_rank1.json");
    let found = info(&["--capture-trace", &other, &path]);
    assert_eq!((&found["graph_names"]["levels"], &found["warn"]), (&json!({"exact": 2}), &json!([])));
    let none = proftui(&["summary", "--capture-trace", &path, &path]);
    assert_eq!(none.status.code(), Some(1));
    assert!(said(&none).contains("no captured graph"), "{}", said(&none));
}
