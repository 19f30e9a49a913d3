//! The real binary on the command line: exit status, streams, messages.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::binary::{BINARY, json, proftui, text};
use crate::scratch::Scratch;

#[test]
fn info_counts_the_demo_traces() {
    let expected = [
        ("synthetic-gpu.json.gz", "kineto", 2528, 4, 593, 4),
        ("hostile-names.json.gz", "chrome", 124, 0, 0, 0),
        ("paddle-lenet-cpu.paddle_trace.json.gz", "paddle 1.0.2", 1372, 4, 0, 0),
        ("torch-cnn-cpu.pt.trace.json.gz", "kineto", 8397, 4, 0, 0),
    ];
    for (name, producer, slices, steps, links, orphans) in expected {
        let info = json(&["info", "--format", "json", &format!("demo-traces/{name}")]);
        assert_eq!(info["producer"], producer, "{name}");
        assert_eq!(info["slices"], slices, "{name}");
        assert_eq!(info["dropped"], 0, "{name}");
        assert_eq!(info["steps"], steps, "{name}");
        assert_eq!(info["links"]["found"], links, "{name}");
        assert_eq!(info["links"]["orphan"], orphans, "{name}");
        let categories = info["categories"].as_object().expect("categories");
        let total: u64 = categories.values().filter_map(serde_json::Value::as_u64).sum();
        assert_eq!(total, slices, "{name}: every slice has a category");
    }
}

#[test]
fn info_for_people_names_what_it_found() {
    let out = proftui(&["info", "demo-traces/synthetic-gpu.json.gz"]);
    let text = text(&out.stdout);
    for part in [
        "producer     kineto",
        "Synthetic GPU",
        "593 from launches to device work",
        "stream 7",
        "slices overlap",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

#[test]
fn what_cannot_be_used_is_one_line_and_status_1() {
    let scratch = Scratch::new("unusable");
    let files: [(&str, &[u8], &str); 5] = [
        ("not-json", b"hello", "not a trace"),
        ("empty", b"", "no readable text (0 bytes)"),
        (
            "package",
            br#"{"name":"x","version":"1"}"#,
            "no array \"traceEvents\"; its first keys: \"name\", \"version\"",
        ),
        ("cut", br#"{"schemaVersion":1,"trace"#, "the readable text ends before an array \"traceEvents\""),
        ("zip", b"PK\x03\x04....", "unzip"),
    ];
    let mut cases = vec![("nowhere.json".to_owned(), "no such file")];
    cases.extend(files.map(|(name, content, why)| (scratch.file(name, content), why)));
    for (path, why) in cases {
        for command in ["info", "open"] {
            let out = proftui(&[command, &path]);
            let message = text(&out.stderr);
            assert_eq!(out.status.code(), Some(1), "{command} {path}");
            assert!(out.stdout.is_empty(), "{command} {path}");
            assert_eq!(message.lines().count(), 1, "{message}");
            // `open` says first that there is no terminal here.
            assert!(command == "open" || message.contains(why), "{message}");
            assert!(message.len() <= 300, "{message}");
        }
    }
}

#[test]
fn a_path_without_a_subcommand_is_opened() {
    let of = |words: &[&str]| {
        let out = proftui(words);
        (out.status.code(), text(&out.stderr))
    };
    let trace = "demo-traces/synthetic-gpu.json.gz";
    let opened = of(&["open", trace]);
    assert_eq!(opened.0, Some(1), "there is no terminal: {}", opened.1);
    assert_eq!(of(&[trace]), opened);
    assert_eq!(of(&["demo-traces/no-such.json"]).0, Some(2));
}

#[test]
fn a_wrong_command_line_is_status_2() {
    const FLUID: &[&str] =
        &["summary", "--layout", "fluid", "--sorted-by", "count", "demo-traces/synthetic-gpu.json.gz"];
    for args in [&["info"][..], &["open", "--cycle", "x", "a"], &["nonsense"], &[], FLUID] {
        assert_eq!(proftui(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn an_option_that_a_layout_cannot_use_is_an_error() {
    for (layout, options) in [
        (
            "fluid",
            &["--view=kernel", "--row-limit=3", "--time-unit=s", "--max-name-width=9", "--explain"][..],
        ),
        ("fluid", &["--format=json", "--compare=calls", "--thread-sep", "--top-level-only"]),
        ("paddle", &["--row-limit=3", "--max-name-width=9", "--explain", "--state=cpu", "--view=kinds"]),
        ("paddle", &["--batch-size=8"]),
        ("torch", &["--explain", "--merged", "--thread-sep", "--tracer-option=default", "--view=kernel"]),
        ("visualdl", &["--merged", "--group-by-stack=2", "--no-op-detail", "--state=all"]),
        ("proftui", &["--batch-size=8", "--state=all", "--thread-sep", "--top-level-only"]),
    ] {
        for option in options {
            let out = proftui(&["summary", "--layout", layout, option, GPU]);
            let why = text(&out.stderr);
            assert_eq!((out.status.code(), why.lines().count()), (Some(2), 1), "{layout} {option}: {why}");
            assert!(out.stdout.is_empty(), "{layout} {option}");
        }
    }
}

#[test]
fn the_old_profilers_report_is_printed() {
    let path = "demo-traces/synthetic-gpu.json.gz";
    let out = proftui(&["summary", "--layout", "fluid", "--sorted-by", "ave", "--state", "gpu", path]);
    let text = text(&out.stdout);
    assert!(out.status.success(), "{text}");
    for part in
        ["Place: CUDA", "Sorted by average time", "GpuMemCpy Summary", "thread0::", "Memory Profiling Report"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_trace_may_come_on_standard_input() {
    let mut child = Command::new(BINARY)
        .args(["info", "--format", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let trace = br#"[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]"#;
    child.stdin.take().expect("a pipe").write_all(trace).expect("written");
    let out = child.wait_with_output().expect("ended");
    assert!(text(&out.stdout).contains("\"slices\":1"));
}

#[test]
fn torch_prints_its_own_table_of_any_trace() {
    for name in [
        "synthetic-gpu.json.gz",
        "hostile-names.json.gz",
        "paddle-lenet-cpu.paddle_trace.json.gz",
        "torch-cnn-cpu.pt.trace.json.gz",
    ] {
        for layout in ["torch", "deeplink"] {
            let path = format!("demo-traces/{name}");
            let flags =
                ["--group-by-input-shape", "--group-by-stack", "2", "--top-level-only", "--row-limit", "3"];
            let out = proftui(&[&["summary", "--layout", layout, path.as_str()], flags.as_slice()].concat());
            assert!(out.status.success(), "{name}: {}", text(&out.stderr));
            let table = text(&out.stdout);
            assert!(table.contains("Self CPU time total: "), "{name}: {table}");
            assert!(table.chars().all(|c| c == '\n' || !c.is_control()), "{name}");
        }
    }
    let gpu = "demo-traces/synthetic-gpu.json.gz";
    let table = json(&["summary", "--layout", "torch", "--sorted-by", "count", "--format", "json", gpu]);
    assert_eq!(table["view"], "keyavg");
    let wrong = proftui(&["summary", "--layout", "torch", "--sorted-by", "nothing", gpu]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong.stderr).contains("self_cpu_time_total"));
    let lost = proftui(&["summary", "--top-level-only", gpu]);
    assert!(!lost.status.success() && text(&lost.stderr).contains("--layout torch"));
}

#[test]
fn torch_of_almost_nothing_is_a_table_or_a_sentence() {
    let scratch = Scratch::new("nothing");
    for (name, events) in [
        ("empty", ""),
        ("one", r#"{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":0,"pid":1,"tid":1}"#),
        (
            "device",
            r#"{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":5,"pid":0,"tid":7,"args":{"External id":3}}"#,
        ),
        (
            "memory",
            r#"{"ph":"i","s":"t","name":"[memory]","ts":1,"pid":1,"tid":1,"args":{"Bytes":64,"Device Type":0}}"#,
        ),
        (
            "report",
            r#"{"ph":"i","s":"t","name":"[OutOfMemory]","ts":1,"pid":1,"tid":1,"args":{"Bytes":64,"Device Type":1}}"#,
        ),
    ] {
        let file = scratch.file(&format!("{name}.json"), format!("{{\"traceEvents\":[{events}]}}"));
        let out = proftui(&["summary", "--layout", "torch", &file]);
        assert!(out.status.success(), "{name}: {}", text(&out.stderr));
        assert!(!text(&out.stdout).trim().is_empty(), "{name}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let out = Command::new(BINARY).arg("keys").stdout(writer).output().expect("the binary runs");
    assert!(out.status.success(), "{:?}", out.status);
    assert!(out.stderr.is_empty(), "{}", text(&out.stderr));
}

#[test]
fn a_hostile_path_is_escaped_for_the_terminal() {
    let out = proftui(&["info", "no\x1b[31m\u{202e}such.json"]);
    let message = text(&out.stderr);
    assert!(message.contains("no\\x1b[31m\\u{202e}such.json"), "{message:?}");
}

#[test]
fn the_key_page_is_current() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md")).expect("docs/keys.md");
    let printed = text(&proftui(&["keys"]).stdout);
    assert_eq!(page, printed, "write it anew: cargo run -- keys > docs/keys.md");
}

#[test]
fn a_directory_opens_as_workers_and_cycles() {
    let folder = Scratch::new("workers");
    let event =
        |ts: u32| format!(r#"{{"ph":"X","cat":"cpu_op","name":"op","ts":{ts},"dur":5,"pid":7,"tid":7}}"#);
    let file = |rank: u32, ts: u32| {
        format!(r#"{{"distributedInfo":{{"rank":{rank}}},"traceEvents":[{}]}}"#, event(ts))
    };
    for (name, rank, ts) in
        [("a.1.pt.trace.json", 0, 100), ("a.2.pt.trace.json", 0, 200), ("b.1.pt.trace.json", 1, 100)]
    {
        folder.file(name, file(rank, ts));
    }
    folder.file("notes.json", "{}");
    let path = &folder.path("");
    let all = json(&["info", "--format", "json", path]);
    assert_eq!(all["workers"], serde_json::json!(["rank 0", "rank 1"]));
    assert_eq!((&all["cycles"], &all["slices"], &all["lanes"]), (&3.into(), &3.into(), &2.into()));
    assert_eq!(all["warn"], serde_json::json!(["W_FILE_SKIPPED"]));
    let second = json(&["info", "--format", "json", "--cycle", "1", path]);
    assert_eq!((&second["cycles"], &second["slices"]), (&1.into(), &1.into()));
    assert_eq!(proftui(&["info", "--cycle", "9", path]).status.code(), Some(1));
}

const GPU: &str = "demo-traces/synthetic-gpu.json.gz";

#[test]
fn a_summary_has_the_same_numbers_in_every_format() {
    let table = json(&["summary", GPU, "--view", "kernel", "--format", "json"]);
    assert_eq!((&table["view"], &table["unit"]), (&"kernel".into(), &"ns".into()));
    let ids: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
    assert_eq!(ids[..4], ["name", "calls", "total", "share"]);
    let rows = table["rows"].as_array().expect("rows");
    let calls = |row: &serde_json::Value| row["cells"][1].as_u64().expect("a count");
    assert_eq!(rows.iter().map(calls).sum::<u64>(), 572, "every kernel");
    for row in rows {
        let launched: u64 = row["children"].as_array().unwrap().iter().map(calls).sum();
        assert!(launched <= calls(row));
        let share = |row: &serde_json::Value| row["cells"][3].as_f64().expect("a share");
        let shares: f64 = row["children"].as_array().unwrap().iter().map(share).sum();
        assert!(shares <= share(row) + 1e-9, "children have shares of the same whole");
    }

    let csv = text(&proftui(&["summary", GPU, "--view", "kernel", "--format", "csv"]).stdout);
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(lines[0], format!("depth,{}", ids.join(",")));
    assert_eq!(lines.iter().filter(|line| line.starts_with("0,")).count(), rows.len());

    let markdown = text(&proftui(&["summary", GPU, "--view", "kernel", "--format", "markdown"]).stdout);
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert!(lines.iter().all(|line| bars(line) == ids.len() + 1), "{markdown}");
}

#[test]
fn one_unit_of_times_holds_for_text_and_markdown() {
    for (format, heading) in
        [("table", "Kernels by name (times in µs)"), ("markdown", "### Kernels by name (times in µs)")]
    {
        let args = ["summary", GPU, "--view", "kernel", "--time-unit", "us", "--format", format];
        let printed = text(&proftui(&args).stdout);
        assert_eq!(printed.lines().next(), Some(heading), "{printed}");
        let row = printed.lines().find(|line| line.contains("nccl")).unwrap();
        assert!(row.contains(" 10831.333") && !row.contains("ms"), "{row}");
    }
}

#[test]
fn a_summary_of_every_view_fits_the_width_and_says_what_it_left_out() {
    let all = text(&proftui(&["summary", GPU]).stdout);
    assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
    for title in
        ["Device utilization", "Operators by name", "Kernels by name", "Memory by device and operator"]
    {
        assert!(all.contains(title), "{title}");
    }
    assert!(all.contains("(columns left out to fit the width: "));
    let some = text(&proftui(&["summary", GPU, "--view", "operator", "--row-limit", "3"]).stdout);
    assert!(some.contains("more rows; --row-limit -1 prints all"), "{some}");
}

#[test]
fn scopes_side_by_side_add_up_to_the_whole() {
    let calls = |scope: &[&str]| {
        let args = [&["summary", GPU, "--view", "kernel", "--format", "json"], scope].concat();
        let table = json(&args);
        let rows = table["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["cells"][1].as_u64().unwrap()).sum::<u64>()
    };
    let (first, second) = (calls(&["--range", ":20ms"]), calls(&["--range", "20ms:"]));
    assert!(first > 0 && second > 0);
    assert_eq!(first + second, calls(&[]));
    assert!(calls(&["--steps", "11:13"]) < calls(&["--steps", "10:14"]));
}

#[test]
fn a_summary_that_cannot_be_made_says_why() {
    for (args, code, part) in [
        (&["summary", GPU, "--view", "nothing"][..], 2, "overview"),
        (&["summary", GPU, "--steps", "1:3"], 1, "first step is 10, its last 13"),
        (&["summary", GPU, "--view", "kernel", "--sorted-by", "nothing"], 1, "calls"),
        (&["summary", GPU, "--range", "5:6"], 2, "a number in s, ms, us or ns"),
    ] {
        let out = proftui(args);
        assert_eq!(out.status.code(), Some(code), "{args:?}");
        assert!(text(&out.stderr).contains(part), "{args:?}: {}", text(&out.stderr));
    }
}

#[test]
fn one_grammar_for_ranges() {
    let calls = |args: &[&str]| {
        let table = json(&[&["summary", GPU, "--view", "steps", "--format", "json"], args].concat());
        table["rows"].as_array().unwrap().len()
    };
    let all = calls(&[]);
    assert_eq!((calls(&["--steps", "10:12"]), calls(&["--steps", "10"])), (2, 1));
    assert_eq!(calls(&["--steps", "11:"]) + calls(&["--steps", ":11"]), all);
    for command in [&["summary", GPU][..], &["capture"]] {
        for (steps, why) in [
            ("10..12", "10..12: write 10:13, which ends before step 13"),
            ("12:10", "empty"),
            ("10:10", "empty"),
            (":", "before or after the colon"),
        ] {
            let out = proftui(&[command, &["--steps", steps]].concat());
            assert_eq!(out.status.code(), Some(2), "{command:?} {steps}");
            assert!(text(&out.stderr).contains(why), "{command:?} {steps}: {}", text(&out.stderr));
        }
        let help = text(&proftui(&[command[0], "--help"]).stdout);
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("10:12 means steps 10 and 11, 10 means step 10 alone"), "{help}");
    }
    let out = proftui(&["summary", GPU, "--range", "10ms..20ms"]);
    assert!(text(&out.stderr).contains("10ms..20ms: write 10ms:20ms"));
}

#[test]
fn views_go_by_the_names_of_their_tabs_as_well() {
    for (alias, name) in [("ranges", "userdefined"), ("copies", "memcpy"), ("speed", "perf")] {
        let view = |view: &str| json(&["summary", GPU, "--view", view, "--format", "json"]);
        assert_eq!(view(alias), view(name));
        assert_eq!(view(alias)["view"], name);
    }
    let out = proftui(&["summary", GPU, "--layout", "paddle", "--view", "idle"]);
    assert!(text(&out.stderr).contains("memcpy (copies), userdefined (ranges)"), "{}", text(&out.stderr));
}

#[test]
fn an_option_of_another_layout_is_refused_by_its_name() {
    for (args, why) in [
        (&["--merged"][..], ""),
        (&["--layout", "paddle", "--merged"], "--merged needs --layout proftui"),
        (&["--name", "a", "--layout", "torch"], "--name needs --layout proftui or visualdl"),
        (&["--top-level-only"], "--top-level-only needs --layout torch or deeplink"),
        (&["--thread-sep", "--no-op-detail"], "--thread-sep and --no-op-detail need --layout paddle"),
        (
            &["--layout", "fluid", "--row-limit", "3"],
            "--row-limit needs --layout proftui or torch or deeplink",
        ),
        (&["--layout", "fluid", "--format", "json"], "--layout fluid prints text only"),
        (&["--view", "kernel", "--group-by-input-shape"], "--group-by-input-shape needs --view operator"),
        (&["--view", "operator", "--group-by-launch"], "--group-by-launch needs --view kernel"),
        (&["--layout", "paddle", "--batch-size", "3"], "--batch-size needs --view perf"),
        (&["--layout", "paddle", "--sorted-by", "no"], "layout paddle sorts by CPUTotal"),
    ] {
        let out = proftui(&[&["summary", GPU][..], args].concat());
        assert_eq!(out.status.code(), Some(if why.is_empty() { 0 } else { 2 }), "{args:?}");
        assert!(text(&out.stderr).contains(why), "{args:?}: {}", text(&out.stderr));
    }
}

#[test]
fn a_trace_with_next_to_nothing_has_every_summary() {
    for events in [
        "[]",
        r#"[{"ph":"X","name":"a","ts":1,"dur":0}]"#,
        r#"[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":0,"tid":7}]"#,
        r#"[{"ph":"i","name":"[memory]","ts":1,"args":{"Bytes":5}}]"#,
        r#"[{"ph":"X","cat":"cpu_op","name":"a","ts":-9e15,"dur":9e15},{"ph":"X","cat":"cpu_op","name":"b","ts":9e15,"dur":9e15}]"#,
    ] {
        let scratch = Scratch::new("little");
        let file = scratch.file("little.json", events);
        for format in ["table", "json", "csv", "markdown"] {
            let out = proftui(&["summary", &file, "--format", format]);
            assert!(out.status.success(), "{events} as {format}: {}", text(&out.stderr));
            assert!(!out.stdout.is_empty());
        }
    }
}
