//! `proftui insights`: its forms of output, its limits, the labelled traces, real traces.

mod schema;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::binary::{BINARY, json, printed, proftui, text};
use crate::scratch::Scratch;
use crate::skip::shared;
use crate::tools::newest_python;

const GPU: &str = "demo-traces/synthetic-gpu.json.gz";

/// The sums that must hold: each device's causes are its idle time, and that with its work is its span.
#[track_caller]
fn check(answer: &Value, of: &str) {
    let wrong = schema::check(answer);
    assert!(wrong.is_empty(), "{of}: {wrong:?}");
    let number = |value: &Value| value.as_i64().expect("a number");
    let mut idle = 0;
    let hosts = answer.get("hosts").and_then(Value::as_array).into_iter().flatten();
    for device in answer["devices"].as_array().expect("devices").iter().chain(hosts) {
        let causes = device["causes"].as_array().expect("causes").iter();
        let sum: i64 = causes.map(|cause| number(&cause["ns"])).sum();
        assert_eq!(sum, number(&device["idle_ns"]), "{of}");
        assert_eq!(number(&device["work_ns"]) + sum, number(&device["span_ns"]), "{of}");
        idle += sum;
    }
    let of_idle = answer["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|finding| finding["basis"].as_str().is_some_and(|basis| basis.starts_with("idle time")));
    let headroom: i64 = of_idle.map(|finding| number(&finding["saves_ns"])).sum();
    if answer.get("left_out").is_none() {
        assert!(headroom <= idle, "{of}: {headroom} ns can be saved of {idle} ns");
    }
}

#[test]
fn the_answer_is_of_its_schema_and_its_sums_hold_on_any_part() {
    let whole = json(&["insights", GPU, "--format", "json", "--all"]);
    check(&whole, "whole");
    assert_eq!(whole["schema"], "proftui.insights/2");
    assert_eq!(whole["findings"][0]["rule"], "data_loading", "{whole}");
    let part = json(&["insights", GPU, "--format", "json", "--steps", "11:13"]);
    check(&part, "steps");
    assert_eq!(part["scope"]["steps"], serde_json::json!([11, 13]));
    let mut parts = vec![0; 3];
    let [start, end] =
        ["start_ns", "end_ns"].map(|key| whole["scope"]["run"][key].as_i64().expect("the run"));
    for (from, to) in [(start, 13_000_000), (13_000_000, 13_000_777), (13_000_777, end)] {
        let range = format!("{from}ns:{to}ns");
        let part = json(&["insights", GPU, "--format", "json", "--range", &range]);
        check(&part, &range);
        for (sum, key) in parts.iter_mut().zip(["span_ns", "work_ns", "idle_ns"]) {
            *sum += part["devices"][0][key].as_i64().expect("ns");
        }
    }
    let of_whole =
        ["span_ns", "work_ns", "idle_ns"].map(|key| whole["devices"][0][key].as_i64().expect("ns"));
    assert_eq!(parts, of_whole, "the parts of the run add up to it");
}

#[test]
fn people_get_a_verdict_findings_and_causes() {
    let out = printed(&["insights", GPU]);
    let first = out.lines().next().expect("a line");
    assert!(first.contains(" % of steps 10–13 (") && first.contains("GPU 73 % busy."), "{first}");
    for needed in [
        "1. ",
        "saves at most",
        "what helps:",
        "see it: proftui open --at",
        "Idle time of devices or streams by cause",
    ] {
        assert!(out.contains(needed), "{needed}: {out}");
    }
    let markdown = printed(&["insights", GPU, "--format", "markdown"]);
    assert!(markdown.starts_with("## 20 % of steps") && markdown.contains("| Device"), "{markdown}");
    let explained = printed(&["insights", "--explain"]);
    for needed in ["data_loading:", "source:", "Thresholds:", "severity: 5 %"] {
        assert!(explained.contains(needed), "{needed}: {explained}");
    }
}

#[test]
fn the_page_has_what_explain_prints() {
    let page = include_str!("../../docs/insights.md");
    let explained = printed(&["insights", "--explain"]);
    for (word, meaning) in explained.lines().filter_map(|line| line.trim_start().split_once(": ")) {
        let is_word = ["source", "could be wrong", "what helps"].contains(&word);
        assert!(is_word || page.contains(&format!("| `{word}` |")), "{word}");
        let meaning = meaning.rsplit(" %: ").next().expect("a text");
        assert!(
            word == "source"
                || page.contains(meaning)
                || page.contains(meaning.rsplit(": ").next().expect("a text")),
            "{meaning}"
        );
    }
}

#[test]
fn a_limit_that_does_not_hold_is_a_status_of_its_own() {
    let run = |limit: &str| proftui(&["insights", GPU, "--fail-on", limit]);
    let failed = run("data_loading=5%");
    assert_eq!(failed.status.code(), Some(3), "{}", text(&failed.stderr));
    assert!(text(&failed.stderr).contains("is not below the limit of 5.0 %"), "{}", text(&failed.stderr));
    assert_eq!(run("data_loading=99%").status.code(), Some(0));
    assert_eq!(run("checkpoint=1%").status.code(), Some(0), "none at all");
    let cpu = "demo-traces/torch-cnn-cpu.pt.trace.json.gz";
    assert_eq!(
        proftui(&["insights", cpu, "--fail-on", "data_loading=10%"]).status.code(),
        Some(0),
        "the host"
    );
    let folder = Scratch::new("no-limit");
    let event = r#"[{"ph":"X","cat":"v8","name":"run","pid":1,"tid":1,"ts":0,"dur":5}]"#;
    folder.file("v8.json", event);
    let unknown = proftui(&["insights", &folder.path("v8.json"), "--fail-on", "data_loading=10%"]);
    assert_eq!(unknown.status.code(), Some(3), "such a trace does not say");
    assert!(text(&unknown.stderr).contains("is not known: nothing in"), "{}", text(&unknown.stderr));
    let abstained = run("late_rank=10%");
    assert_eq!(abstained.status.code(), Some(3), "a rule that abstains does not say");
    for wrong in ["communication=1%", "rain=5%", "data_loading", "data_loading=5", "data_loading=500%"] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong}");
    }
}

/// A trace whose device waits for data loading in its second half, with this device and this name of the
/// loading.
fn waiting(device: &str, name: &str) -> String {
    let mut events = Vec::new();
    let mut add = |event: Value| events.push(event);
    let mut at = 0;
    for number in 1..200_u64 {
        let gap = if number > 100 { 1_000 } else { 10 };
        let (call, work) = ((at + gap, 1), (at + gap + 1, 9));
        if gap > 10 {
            add(
                serde_json::json!({"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": 1, "ts": at + 2, "dur": gap - 20}),
            );
        }
        add(
            serde_json::json!({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 1, "ts": call.0,
            "dur": call.1, "args": {"correlation": number}}),
        );
        add(
            serde_json::json!({"ph": "X", "cat": "kernel", "name": "k", "pid": device, "tid": 7, "ts": work.0, "dur": work.1,
            "args": {"correlation": number}}),
        );
        at += gap;
    }
    serde_json::json!({ "traceEvents": events }).to_string()
}

const LOADING: &str = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

#[test]
fn no_limit_holds_on_a_trace_that_lacks_data() {
    let folder = Scratch::new("incomplete");
    let whole = waiting("0", LOADING);
    folder.file("whole.json", &whole);
    let cut = &whole[..whole.find("enumerate").expect("loading") - 100];
    folder.file("cut.json", cut);
    let lost = whole.replacen('{', r#"{"ExtraInfo":{"proftui.version":"1","proftui.lost":"7"},"#, 1);
    folder.file("lost.json", &lost);
    let run = |file: &str, limit: &str, more: &[&str]| {
        let path = folder.path(file);
        let limit = format!("data_loading={limit}%");
        proftui(&[&["insights", "--format", "json", "--fail-on", &limit, &path][..], more].concat())
    };
    let answer = |out: &std::process::Output| -> Value { serde_json::from_slice(&out.stdout).expect("JSON") };
    // The whole trace keeps its result.
    for (limit, status) in [("10", 3), ("99", 0)] {
        let out = run("whole.json", limit, &[]);
        assert_eq!(out.status.code(), Some(status), "{limit}: {}", text(&out.stderr));
        check(&answer(&out), "whole");
        assert_eq!(answer(&out)["incomplete"], serde_json::json!([]));
    }
    for (file, more, why) in [
        ("cut.json", &[][..], "the end of a file is missing or unreadable"),
        ("lost.json", &[], "events lost while recording: 7"),
    ] {
        let out = run(file, "99", more);
        assert_eq!(out.status.code(), Some(3), "{file}: {}", text(&out.stderr));
        assert!(
            text(&out.stderr)
                .contains("whether the limit holds is not known: the trace counts as incomplete"),
            "{}",
            text(&out.stderr)
        );
        check(&answer(&out), file);
        let reasons = answer(&out)["incomplete"].to_string();
        assert!(reasons.contains(why), "{reasons}");
        let shown = printed(&["insights", &folder.path(file)]);
        assert!(shown.contains(&format!("\nincomplete: {why}")), "{shown}");
    }
    // What was repaired is all there.
    folder.file("repaired.json", whole.replace("cudaLaunchKernel", "cuda\tLaunchKernel"));
    assert_eq!(run("repaired.json", "99", &[]).status.code(), Some(0));
    // Nothing is missing of a range that was asked for.
    assert_eq!(run("whole.json", "99", &["--to", "500us"]).status.code(), Some(0));
}

#[test]
fn no_limit_holds_where_the_memory_left_events_out() {
    let folder = Scratch::new("limited");
    let mut text_of = String::from("[");
    for number in 0..400_000 {
        text_of += &format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"o{}","pid":7,"tid":{},"ts":{number},"dur":1}},"#,
            number % 9,
            number % 7
        );
    }
    let body = waiting("0", LOADING);
    text_of += body.trim_start_matches(r#"{"traceEvents":["#).trim_end_matches("]}");
    folder.file("large.json", text_of + "]");
    let path = folder.path("large.json");
    let out = proftui(&[
        "insights",
        "--format",
        "json",
        "--fail-on",
        "data_loading=99%",
        "--max-memory",
        "56MiB",
        &path,
    ]);
    assert!(text(&out.stderr).contains("raise the limit with --max-memory"), "{}", text(&out.stderr));
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    let answer: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert!(answer["incomplete"].to_string().contains("--max-memory"), "{}", answer["incomplete"]);
}

/// The words that a shell makes of a command line.
fn words(line: &str) -> Vec<String> {
    let script = format!("proftui() {{ printf '%s\\0' \"$@\"; }}; {line}");
    let out = Command::new("bash").args(["-c", &script]).output().expect("a shell");
    assert!(out.stderr.is_empty(), "{line}: {}", text(&out.stderr));
    text(&out.stdout).split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn printed_commands_are_words_for_a_shell() {
    let folder = Scratch::new("see-it");
    let name = "-a b'c;touch \"x\"\n`id`.json";
    folder.file(name, waiting("0;touch pwned # ", LOADING));
    let path = folder.path(name);
    let shown = printed(&["insights", &path]);
    let line = shown.lines().find_map(|line| line.trim().strip_prefix("see it: ")).expect("a command");
    let found = words(line);
    assert_eq!((found[0].as_str(), found[1].as_str(), &found[3]), ("open", "--at", &path), "{line}");
    assert!(found[2].ends_with("@device1") || found[2].ends_with("@device0"), "{line}");
    let answer = json(&["insights", "--format", "json", "--lanes", "touch", "--lanes", "7", &path]);
    check(&answer, "see it");
    for finding in answer["findings"].as_array().expect("findings") {
        let found = words(finding["command"].as_str().expect("a command"));
        assert_eq!(
            (&found[0], &found[3..5], found.last()),
            (&"summary".to_owned(), &["--lanes=touch".to_owned(), "--lanes=7".to_owned()][..], Some(&path))
        );
        for at in finding["at"].as_array().expect("locations").iter().map(|at| at.as_str().expect("a text")) {
            assert_eq!(words(&format!("proftui {at}")), [at], "one plain word");
            let drawn = proftui(&["render", "--at", at, "--", &path]);
            assert!(drawn.status.success(), "{at}: {}", text(&drawn.stderr));
        }
    }
}

#[test]
fn names_are_code_in_markdown() {
    let folder = Scratch::new("markdown");
    let name = "[x](http://evil.example) @octocat <img src=http://e.example/p.png>";
    folder.file("m.json", waiting("0", name));
    let shown = printed(&["insights", "--format", "markdown", &folder.path("m.json")]);
    assert!(shown.contains(&format!("operators on the CPU: `{name}`")), "{shown}");
    for part in shown.split('`').step_by(2) {
        assert!(!part.contains("http") && !part.contains('@') && !part.contains("<img"), "{part}");
    }
}

#[test]
fn without_device_work_the_host_is_judged() {
    let answer = json(&["insights", "demo-traces/torch-cnn-cpu.pt.trace.json.gz", "--format", "json"]);
    check(&answer, "cpu");
    assert_eq!(answer["devices"], serde_json::json!([]));
    assert_eq!(answer["hosts"].as_array().map(Vec::len), Some(1), "{answer}");
    let rules: Vec<_> =
        answer["findings"].as_array().into_iter().flatten().map(|found| &found["rule"]).collect();
    assert_eq!(rules, ["cpu_operator"], "{answer}");
    let verdict = answer["verdict"].as_str().expect("a verdict");
    assert!(verdict.contains("the host computes aten::convolution_backward"), "{verdict}");
}

/// The labelled traces of `tests/insights`, also from another seed and of another size.
#[test]
fn the_labelled_traces_have_the_causes_of_their_labels() {
    let Some(python) = newest_python("insights on the labelled traces") else { return };
    for (seed, scale) in [("1", "1"), ("20", "1.7")] {
        let folder = Scratch::new("labelled");
        let script = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/insights").join(name);
        let mut check = Command::new(python);
        check
            .arg("-B")
            .arg(script("check.py"))
            .arg(BINARY)
            .arg(folder.path(""))
            .args(["--seed", seed, "--scale", scale]);
        let out = check.output().expect("Python runs");
        assert!(out.status.success(), "seed {seed}: {}{}", text(&out.stdout), text(&out.stderr));
    }
}

/// Real traces of other tools, where there is a collection beside the checkout.
#[test]
fn answers_on_real_traces_are_short_and_exact() {
    let Some(folder) = shared("traces", "insights on real traces") else { return };
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).expect("a list");
    let files = manifest.lines().skip(1).filter_map(|line| line.split('\t').next());
    // The large ones take minutes in a build for tests.
    let small = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() < 1_500_000);
    let mut devices = 0;
    for path in files.map(|file| folder.join(file)).filter(small) {
        let out = proftui(&["insights", "--format", "json", &path.to_string_lossy()]);
        if !out.status.success() {
            continue;
        }
        for line in text(&out.stdout).lines() {
            assert!(line.len() <= 8_000, "{}: {} bytes", path.display(), line.len());
            let answer: Value = serde_json::from_str(line).expect("JSON");
            check(&answer, &path.display().to_string());
            devices += answer["devices"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(devices > 10, "{devices} devices");
    let decode = folder.join("tracelens/tests/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz");
    let answer = json(&["insights", "--format", "json", &decode.to_string_lossy()]);
    assert_eq!(answer["findings"][0]["rule"], "not_recorded");
    assert_eq!(answer["findings"][0]["saves_ns"], 0);
    let missing = answer["findings"][0]["numbers"][0]["value"].as_i64().expect("ns");
    assert!((462_900_000..463_100_000).contains(&missing), "{missing}");
}
