//! `proftui query`: what it finds, its tables and formats, and what it refuses.

use proftui_insight::analysis::search::fields::FIELDS;
use serde_json::{Value, json};

use crate::binary::{json as parsed, proftui, text};
use crate::scratch::Scratch;

/// Two steps of one thread. The first launches two kernels in its forward and one in its backward pass; the
/// last of them runs during the second step.
fn trace() -> String {
    let event = |cat: &str, name: &str, tid: u64, ts: u64, dur: u64, args: Value| json!({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args});
    let launch = |ts: u64, correlation: u64| {
        event("cuda_runtime", "cudaLaunchKernel", 1, ts, 5, json!({"correlation": correlation}))
    };
    let kernel = |name: &str, stream: u64, ts: u64, dur: u64, correlation: u64, grid: Value| {
        let args = json!({"device": 0, "stream": stream, "correlation": correlation, "grid": grid,
            "block": [128, 2, 1], "registers per thread": 32});
        let mut event = event("kernel", name, stream, ts, dur, args);
        event["pid"] = json!(0);
        event
    };
    let none = || json!({});
    let events = [
        event("user_annotation", "ProfilerStep#7", 1, 0, 1000, none()),
        event("user_annotation", "ProfilerStep#8", 1, 1000, 1000, none()),
        event("cpu_op", "aten::conv2d", 1, 100, 100, none()),
        launch(110, 11),
        launch(150, 12),
        event("cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", 1, 500, 100, none()),
        launch(510, 13),
        kernel("conv_forward", 7, 120, 200, 11, json!([1000, 2, 1])),
        kernel("relu", 20, 330, 50, 12, json!([4, 1, 1])),
        kernel("conv_backward", 7, 1100, 300, 13, json!([500, 1, 3])),
        event("cuda_runtime", "cudaMemcpyAsync", 1, 1500, 5, json!({"correlation": 14})),
        {
            let args = json!({"device": 0, "stream": 7, "correlation": 14, "bytes": 4_194_304});
            let mut copy = event("gpu_memcpy", "Memcpy HtoD", 7, 1600, 40, args);
            copy["pid"] = json!(0);
            copy
        },
    ];
    let properties = json!([{"id": 0, "name": "GPU"}]);
    json!({"schemaVersion": 1, "deviceProperties": properties, "traceEvents": events}).to_string()
}

/// The values of the column `id` in a table as JSON.
fn values(table: &Value, id: &str) -> Vec<Value> {
    let columns = table["columns"].as_array().expect("columns");
    let at = columns.iter().position(|column| column["id"] == id).expect("the column");
    table["rows"].as_array().expect("rows").iter().map(|row| row["cells"][at].clone()).collect()
}

/// The values of the column `id` in what a query prints.
fn column(path: &str, query: &str, id: &str) -> Vec<Value> {
    values(&parsed(&["query", path, query, "--format", "json"]), id)
}

#[test]
fn events_are_found_by_what_and_where_they_are() {
    let scratch = Scratch::new("query");
    let path = &scratch.file("trace.json", trace());
    let names = |query: &str| column(path, query, "name");
    for (query, wanted) in [
        ("cat:kernel", &["conv_backward", "conv_forward", "relu"][..]),
        ("cat:kernel sort:start", &["conv_forward", "relu", "conv_backward"]),
        ("top:1 cat:kernel", &["conv_backward"]),
        ("cat:kernel dur > 100us grid>1500 stream=7", &["conv_forward"]),
        ("cat:kernel grid=1500", &["conv_backward"]),
        ("grid.z=3", &["conv_backward"]),
        ("arg:grid.x<1000", &["conv_backward", "relu"]),
        ("cat:kernel block>=256 not regs>32 dur<=50us", &["relu"]),
        ("size>=4M", &["Memcpy HtoD"]),
        ("corr:13", &["conv_backward", "cudaLaunchKernel"]),
        ("cat:kernel step:7", &["conv_backward", "conv_forward", "relu"]),
        ("step:8 gpu:0", &["Memcpy HtoD"]),
        ("phase:backward cat:kernel step:7", &["conv_backward"]),
        ("phase:forward gpu:0", &["conv_forward", "relu"]),
        ("op:conv2d", &["conv_forward", "relu"]),
        ("rank:0 stream:20", &["relu"]),
        ("relu", &["relu"]),
        ("name:conv_ not name:forward", &["conv_backward"]),
        ("\"foo:bar\"", &[]),
    ] {
        assert_eq!(names(query), wanted, "{query}");
    }
    // Words of the shell are joined.
    let out = proftui(&["query", path, "top:1", "cat:kernel"]);
    assert!(text(&out.stdout).contains("conv_backward"), "{out:?}");
}

#[test]
fn groups_have_sums_and_gaps_have_causes() {
    let scratch = Scratch::new("query-groups");
    let path = &scratch.file("trace.json", trace());
    assert_eq!(column(path, "gpu:0 by:stream", "total"), [540_000, 50_000]);
    assert_eq!(column(path, "gpu:0 by:stream", "count"), [3, 1]);
    assert_eq!(column(path, "gpu:0 by:step", "step"), [7, 8]);
    assert_eq!(column(path, "gpu:0 by:step sort:start", "max"), [300_000, 40_000]);
    assert_eq!(column(path, "gpu:0 by:name top:1", "p99"), [300_000]);
    assert_eq!(column(path, "gpu:0 by:line", "line"), ["(line not known)"]);
    let backward = "autograd::engine::evaluate_function: ConvolutionBackward0";
    assert_eq!(column(path, "gpu:0 by:op", "operator"), [backward, "aten::conv2d", "(no operator)"]);
    assert_eq!(column(path, "gpu:0 by:operator", "count"), [1, 2, 1]);
    let gaps = parsed(&["query", path, "cause:_", "--format", "json", "--row-limit", "-1"]);
    let idle: i64 = values(&gaps, "dur").iter().filter_map(Value::as_i64).sum();
    let known = parsed(&["summary", "--view", "idle", "--format", "json", path]);
    let [devices, causes, times] = ["device", "cause", "time"].map(|id| values(&known, id));
    let has = |value: &Value, text: &str| value.as_str().is_some_and(|value| value.contains(text));
    let rows = devices.iter().zip(&causes).zip(&times);
    let rows = rows.filter(|((device, cause), _)| !has(device, "stream") && has(cause, "_"));
    let of_causes: i64 = rows.filter_map(|(_, time)| time.as_i64()).sum();
    assert!(idle > 0 && idle == of_causes, "{gaps}\n{known}");
}

#[test]
fn every_format_has_the_table_and_says_what_it_leaves_out() {
    let scratch = Scratch::new("query-formats");
    let path = &scratch.file("trace.json", trace());
    let printed = |format: &str| {
        let out = proftui(&["query", path, "cat:kernel", "--top", "2", "--format", format]);
        assert!(out.status.success(), "{out:?}");
        text(&out.stdout)
    };
    let table = printed("text");
    assert_eq!(table, printed("table"));
    assert!(table.contains("3 events, 550.0 µs in all."), "{table}");
    assert!(table.contains("1 more event; --row-limit -1 prints all rows."), "{table}");
    assert!(!table.contains("relu"), "{table}");
    assert!(printed("csv").starts_with("depth,name,start,dur,step,lane"), "{}", printed("csv"));
    assert!(printed("markdown").contains("| `conv_backward` |"), "{}", printed("markdown"));
    let none = proftui(&["query", path, "dur>5s"]);
    assert!(none.status.success() && text(&none.stdout).contains("No event meets the query."), "{none:?}");
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let scratch = Scratch::new("query-refused");
    let path = &scratch.file("trace.json", trace());
    for (query, status, why) in [
        ("foo>3", 2, "no field \"foo\""),
        ("duration>100us", 2, "did you mean dur, as in dur>100us?"),
        ("lane:", 2, "lane: a value is missing, as in lane:autograd"),
        ("cause:data cat:kernel", 2, "does not go with"),
        (
            "cat:foo",
            1,
            "no category \"foo\" in the trace; it has Operator (2), CudaRuntime (4), Kernel (3), Memcpy (1), \
             ProfileStep (2)",
        ),
        ("stream:9", 1, "no stream \"9\" in the trace; it has 7, 20"),
        ("gpu:4", 1, "no device \"4\" in the trace; it has 0"),
        ("step:9", 1, "no step \"9\" in the trace; it has steps 7..8"),
        ("rank:2", 1, "no rank \"2\" in the trace"),
        ("cause:data step:9", 1, "no step \"9\" in the trace"),
    ] {
        let out = proftui(&["query", path, query]);
        assert_eq!(out.status.code(), Some(status), "{query}: {out:?}");
        assert!(out.stdout.is_empty() && text(&out.stderr).contains(why), "{query}: {}", text(&out.stderr));
    }
    let out = proftui(&["query", path]);
    assert_eq!(out.status.code(), Some(2), "{out:?}");
    let out = proftui(&["query", "nowhere.json", "relu"]);
    assert_eq!(out.status.code(), Some(1), "{out:?}");
}

#[test]
fn the_page_and_the_help_name_every_field() {
    let page = include_str!("../../docs/search.md");
    let help = text(&proftui(&["query", "--help"]).stdout);
    for field in FIELDS {
        let starts = [":", ">", "=", "."].map(|sign| format!("`{}{sign}", field.name));
        assert!(starts.iter().any(|start| page.contains(start.as_str())), "{}", field.name);
        assert!(help.contains(field.name), "{}", field.name);
    }
}
