//! What is far too large is read in bounded memory, and costs no more than itself: texts, events, header
//! entries, gaps, nesting, threads, lengths that lie.
//!
//! A few kilobytes of gzip, in as many members as it takes, hold more than the memory that the program gets.

#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Command, Output};

use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::{LaneId, Trace, Warning};

use crate::binary::BINARY;
use crate::scratch::Scratch;

const EVENT: &str = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}"#;
/// Memory for a file whose single parts are small, MiB.
const LITTLE: usize = 64;
/// Memory for a file with one event as long as the longest that is kept, MiB; reading that one alone takes
/// more than 144.
const MUCH: usize = 224;
/// Memory for each processor beside that, MiB: stacks and buffers of threads.
const PER_THREAD: usize = 8;
/// How much of it one member of gzip holds.
const MEMBER: usize = 16 << 20;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(text).expect("compresses");
    out.finish().expect("compresses")
}

/// Runs `info` on `before`, `unit` over and over, and `after`. The program gets `memory` MiB and
/// [`PER_THREAD`]; the repeated part is larger.
fn bomb(memory: usize, before: &str, unit: &str, after: &str) -> Output {
    let memory = memory + PER_THREAD * std::thread::available_parallelism().map_or(1, usize::from);
    let members = ((memory + 32) << 20).div_ceil(MEMBER);
    let bulk = gzip(unit.repeat(MEMBER / unit.len()).as_bytes()).repeat(members);
    let packed = [gzip(before.as_bytes()), bulk, gzip(after.as_bytes())].concat();
    let scratch = Scratch::new("bomb");
    let path = scratch.file("bomb.json.gz", &packed);
    let script = "ulimit -d \"$2\"; exec \"$0\" info --format json \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, BINARY, &path, &(memory << 10).to_string()]).output().expect("a shell runs")
}

/// What is said of a bomb: slices, dropped, warnings.
#[track_caller]
fn said(run: &Output) -> (u64, u64, Vec<String>) {
    assert!(run.status.success(), "{run:?}");
    let info: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let number = |key: &str| info[key].as_u64().expect("a number");
    let warn = info["warn"].as_array().expect("a list").iter().map(|code| code.as_str().unwrap().to_owned());
    (number("slices"), number("dropped"), warn.collect())
}

fn codes(codes: &[&str]) -> Vec<String> {
    codes.iter().map(|&code| code.into()).collect()
}

#[test]
fn a_giant_text_is_cut() {
    let end = format!(r#"","pid":1,"tid":1,"ts":1,"dur":1}},{EVENT}]"#);
    for unit in ["A", r"\u0041\\", "é"] {
        let name = bomb(LITTLE, &format!(r#"[{EVENT},{{"ph":"X","name":""#), unit, &end);
        assert_eq!(said(&name), (3, 0, codes(&["W_LIMIT"])), "{unit}");
    }
    let argument = r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"b":""#;
    let argument = bomb(LITTLE, argument, "A", &format!(r#"","c":1}}}},{EVENT}]"#));
    assert_eq!(said(&argument), (2, 0, codes(&["W_LIMIT"])));
}

/// An event of this, over and over, among two others.
#[track_caller]
fn giant_event(unit: &str) {
    let before =
        format!(r#"[{EVENT},{{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":1,"args":{{"many":["#);
    let run = bomb(MUCH, &before, unit, &format!("0]}}}},{EVENT}]"));
    assert_eq!(said(&run), (2, 1, codes(&["W_LIMIT"])), "{unit}");
}

#[test]
fn a_giant_event_costs_itself() {
    giant_event("1,");
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn a_giant_event_of_texts_with_brackets_costs_itself() {
    giant_event(r#"{"]":1},"#);
}

#[test]
fn a_giant_header_entry_is_skipped() {
    for (memory, open, unit, close) in [(LITTLE, "\"", "A", "\""), (MUCH, "[", r#"{"a":[]},"#, "0]")] {
        let run = bomb(
            memory,
            &format!(r#"{{"pad":{open}"#),
            unit,
            &format!(r#"{close},"traceEvents":[{EVENT}]}}"#),
        );
        assert_eq!(said(&run), (1, 0, codes(&["W_LIMIT"])), "{unit}");
    }
}

#[test]
fn a_giant_gap_is_crossed() {
    let blanks = bomb(LITTLE, &format!("[{EVENT},"), " ", &format!("{EVENT}]"));
    assert_eq!(said(&blanks), (2, 0, vec![]));
    let after_key = bomb(MUCH, r#"{"traceEvents""#, " ", &format!(":[{EVENT}]}}"));
    assert!(after_key.status.code().is_some(), "{after_key:?}");
    let garbage = bomb(MUCH, &format!("[{EVENT},"), "x\n", &format!(",\n{EVENT},\n{EVENT}]"));
    assert_eq!(said(&garbage), (3, 1, codes(&["W_SYNTAX"])));
    let trailing = bomb(MUCH, &format!("[{EVENT}]"), "x\n", "");
    assert_eq!(said(&trailing), (1, 0, codes(&["W_TRAILING"])));
}

#[test]
fn endless_nesting_is_one_lost_event() {
    let run = bomb(MUCH, &format!("[{EVENT},"), "[", "");
    let (slices, dropped, warn) = said(&run);
    assert_eq!((slices, dropped), (1, 1));
    assert!(warn.contains(&"W_DEPTH".into()) && warn.contains(&"W_TRUNCATED".into()), "{warn:?}");
}

fn trace(text: &str) -> Trace {
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads").trace
}

#[test]
fn a_hundred_thousand_threads() {
    let event = |i: u32| format!(r#"{{"ph":"X","name":"t","pid":1,"tid":{i},"ts":{i},"dur":1}}"#);
    let trace = trace(&format!("[{}]", (0..100_000).map(event).collect::<Vec<_>>().join(",\n")));
    assert_eq!((trace.slices.len(), trace.lanes.len(), trace.rows.len()), (100_000, 100_000, 100_000));
}

#[test]
fn nesting_of_a_hundred_thousand() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let deep = format!("{}0{}", open.repeat(100_000), close.repeat(100_000));
        let event =
            format!(r#"{{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{{"deep":{deep}}}}}"#);
        let trace = trace(&format!("[{event},{event},{event},{EVENT}]"));
        assert_eq!(
            (trace.slices.len(), trace.quality.dropped, trace.quality.count(Warning::Depth)),
            (4, 0, 3)
        );
    }
}

/// A template learned from a flat value must not let a deep one pass unnoticed.
#[test]
fn nesting_is_noted_on_the_fast_path_too() {
    let event = |deep: usize| {
        let value = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        format!(r#"{{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{{"deep":{value}}}}}"#)
    };
    let trace = trace(&format!("[{},{},{}]", event(1), event(200), event(201)));
    assert_eq!((trace.slices.len(), trace.quality.count(Warning::Depth)), (3, 1));
}

#[test]
fn ten_thousand_slices_in_each_other() {
    let event =
        |i: u32| format!(r#"{{"ph":"X","name":"d","pid":1,"tid":1,"ts":{i},"dur":{}}}"#, 20_000 - 2 * i);
    let trace = trace(&format!("[{}]", (0..10_000).map(event).collect::<Vec<_>>().join(",")));
    assert_eq!((trace.slices.len(), trace.lanes[LaneId::new(0)].depth), (10_000, 10_000));
}

#[test]
fn names_of_megabytes() {
    let name = |letter: &str| format!(r#"{{"ph":"X","name":"{}","ts":1,"dur":1}}"#, letter.repeat(3 << 20));
    let trace = trace(&format!("[{},{},{}]", name("x"), name("\\n"), name("x")));
    assert_eq!((trace.slices.len(), trace.quality.damage()), (3, 0));
    let lengths: Vec<_> = trace.slices.ids().iter().map(|id| trace.name(id).as_str().len()).collect();
    assert!(lengths.iter().all(|&len| len >= 3 << 20), "{lengths:?}");
}

/// No length that a file claims is believed.
#[test]
fn protobuf_lengths_that_lie() {
    for claimed in [1_u64 << 20, 1 << 40, (1 << 63) - 1, 1 << 63, u64::MAX] {
        let mut bytes = vec![0x0a];
        let mut left = claimed;
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        bytes.extend([left as u8, 1, 2, 3]);
        let error = load_bytes(&bytes, &Request::default(), &Progress::default()).expect_err("refused");
        assert!(error.to_string().contains("protobuf"), "{claimed:#x}: {error}");
    }
}

/// Runs the program within `limit` MiB of address space.
fn within(limit: usize, arguments: &[&str]) -> Output {
    let script = "ulimit -v \"$1\"; ulimit -c 0; shift; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, BINARY, &(limit << 10).to_string()]).args(arguments);
    command.output().expect("a shell runs")
}

/// The run succeeded, or it ended with status 1 and one line.
#[track_caller]
fn is_orderly(run: &Output, what: &str) {
    let said = String::from_utf8_lossy(&run.stderr);
    let lines = said.lines().filter(|line| !line.starts_with("proftui: the first ")).count();
    assert!(
        run.status.success() || run.status.code() == Some(1) && lines == 1,
        "{what}: {:?}, {said}",
        run.status
    );
}

#[test]
fn commands_keep_within_a_limit_of_address_space_or_say_why_not() {
    let mut text = String::from("[{}");
    for i in 0..60_000 {
        let name = format!("name {}", i % 500);
        text += &format!(
            ",{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"{name}\",\"pid\":0,\"tid\":{},\"ts\":{i},\"dur\":1}}",
            i % 7
        );
    }
    text += "]";
    let scratch = Scratch::new("within");
    let mut zst = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    zst.window_log(27).expect("a window");
    zst.include_contentsize(false).expect("set");
    zst.write_all(text.as_bytes()).expect("compresses");
    let files = [
        scratch.file("a.json", &text),
        scratch.file("a.json.gz", gzip(text.as_bytes())),
        scratch.file("a.json.zst", zst.finish().expect("compresses")),
    ];
    let mut done = 0;
    for limit in [80, 100, 150, 300] {
        for file in &files {
            for command in ["info", "summary"] {
                let run = within(limit, &[command, file]);
                is_orderly(&run, &format!("{command} {file} within {limit} MiB"));
                done += u32::from(run.status.success());
            }
            let run = within(limit, &["convert", file, &scratch.path("out.pb")]);
            is_orderly(&run, &format!("convert {file} within {limit} MiB"));
        }
    }
    assert!(done >= 8, "only {done} of 24 succeeded");
}

#[test]
fn convert_keeps_within_its_memory() {
    let scratch = Scratch::new("convert-bomb");
    // A text that is short when it is compressed.
    let blanks = zstd::encode_all(&*vec![b' '; 200 << 20], 1).expect("compresses");
    // Events and nodes that take far more memory than the file: each is a few bytes of it.
    let events = format!("{{\"traceEvents\":[{}{{}}]}}", "{},".repeat(2 << 20));
    let nodes = b"\x12\x00".repeat(2 << 20);
    let mut profile = b"\x0a\x051.0.2\x10\x01\x1a".to_vec();
    let mut left = nodes.len();
    while left > 127 {
        profile.push(left as u8 | 0x80);
        left >>= 7;
    }
    profile.push(left as u8);
    profile.extend(nodes);
    let files = [
        scratch.file("blanks.json.zst", blanks),
        scratch.file("events.json", events),
        scratch.file("nodes.pb", profile),
    ];
    for (file, is_memory) in files.iter().zip([true, false, true]) {
        let out = scratch.path("out.json");
        let mut command = Command::new(BINARY);
        let run = command.args(["convert", "--max-memory", "128M", file, &out]).output().expect("runs");
        assert_eq!(run.status.code(), Some(1), "{file}: {run:?}");
        is_orderly(&run, file);
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(said.contains("--max-memory"), is_memory, "{said}");
        assert!(!std::path::Path::new(&out).exists());
    }
}
