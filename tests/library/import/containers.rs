//! The containers around events, and how little damage costs.

use proftui_trace::import::{EventText, ImportError, ReadAgainError};
use proftui_trace::model::{SliceId, Warning};

use super::{gzip, load_bytes, spans, trace, warned};
use crate::scratch::Scratch;

const A: &str = r#"{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}"#;
const B: &str = r#"{"ph":"X","name":"b","ts":5,"dur":2,"pid":1,"tid":1}"#;

#[test]
fn whole_documents_load_without_a_word() {
    for text in [
        format!("[{A},{B}]"),
        format!("[{A},{B},{{}}]"),
        format!("{{\"traceEvents\":[{A},{B}],\"displayTimeUnit\":\"ms\"}}"),
        format!(
            "{{\"schemaVersion\":1,\"x\":{{\"traceEvents\":3}},\"traceEvents\":[{A},{B}],\"traceName\":\"t\"}}"
        ),
        format!("\u{feff} [\r\n{A},\r\n{B}\r\n]\r\n"),
        format!("{A}\n{B}\n"),
        format!("{{\"traceEvents\":{{\"traceEvents\":[{A},{B}]}}}}"),
    ] {
        let trace = trace(&text);
        assert_eq!(trace.slices.len(), 2, "{text}");
        assert!(warned(&trace).is_empty(), "{text}: {:?}", warned(&trace));
    }
}

#[test]
fn damage_costs_the_damaged_event() {
    let cases = [
        (format!("[{A},{B}"), 2, 0, Warning::Truncated),
        (format!("[{A},{B},"), 2, 0, Warning::Truncated),
        (format!("[{A},{}", &B[..20]), 1, 1, Warning::Truncated),
        (format!("{{\"traceEvents\":[{A},{B}],\"traceNa"), 2, 0, Warning::Truncated),
        (format!("[{A},{B},]"), 2, 0, Warning::Syntax),
        (format!("[,{A},,{B}]"), 2, 0, Warning::Syntax),
        (
            format!("[{A},{{\"ph\":\"X\",\"name\":\"q\"uote\",\"ts\":3,\"dur\":1}},{B}]"),
            2,
            1,
            Warning::Syntax,
        ),
        (format!("[{A},7,\"x\",{B}]"), 2, 2, Warning::Syntax),
        (format!("[{A},{B}]trailing"), 2, 0, Warning::Trailing),
        (format!("[{A}][{B}]"), 2, 0, Warning::Concat),
        (format!("[{A},{B}][x"), 2, 0, Warning::Trailing),
        (format!("{{\"traceEvents\":[{A},{B}]}}{{\"trace"), 2, 0, Warning::Truncated),
        (format!("{{\"traceEvents\":[{A},{B}]}}{{\"a\" 1}}"), 2, 0, Warning::Trailing),
        (format!("[{A},{B}]\0\0\0"), 2, 0, Warning::Truncated),
        (format!("[{A},{}]", B.replace("\"b\"", "\"b\n\"")), 2, 0, Warning::Control),
        (
            format!("[{A},{}]", B.replace("\"dur\":2", "\"dur\":2,\"args\":{\"loss\":NaN}")),
            2,
            0,
            Warning::NonFinite,
        ),
        (format!("[{A},{}]", B.replace("\"b\"", "\"\\ud800\"")), 2, 0, Warning::Utf8),
    ];
    for (text, slices, dropped, warning) in cases {
        let trace = trace(&text);
        assert_eq!((trace.slices.len(), trace.quality.dropped), (slices, dropped), "{text}");
        assert!(trace.quality.count(warning) > 0, "{text}: {:?}", warned(&trace));
    }
}

#[test]
fn bytes_that_are_no_text_become_visible() {
    let mut bytes = format!("[{A},").into_bytes();
    bytes.extend(b"{\"ph\":\"X\",\"name\":\"x\xff\x1b[2J\",\"ts\":9,\"dur\":1,\"pid\":1,\"tid\":1}]");
    let trace = load_bytes(&bytes).expect("loads").trace;
    assert_eq!(trace.name(SliceId::new(1)).as_str(), "x\u{fffd}\\x1b[2J");
    assert_eq!(warned(&trace), [Warning::Control, Warning::Utf8]);
}

#[test]
fn compression_is_seen_by_content() {
    let text = format!("[{A},{B}]");
    let (head, tail) = text.as_bytes().split_at(30);
    let members = [gzip(head), gzip(tail)].concat();
    let zstd = zstd::encode_all(text.as_bytes(), 1).expect("compresses");
    let padded = [gzip(text.as_bytes()), vec![0; 512]].concat();
    for bytes in [gzip(text.as_bytes()), members, zstd, padded] {
        let loaded = load_bytes(&bytes).expect("loads");
        assert_eq!(loaded.trace.slices.len(), 2);
        assert!(warned(&loaded.trace).is_empty(), "{:?}", warned(&loaded.trace));
        let EventText::Members(members) = loaded.texts.read(loaded.trace.slices.origin[SliceId::new(1)])
        else {
            panic!("gone")
        };
        assert_eq!(members[1].value.line().as_str(), "b", "arguments are read back");
    }
}

#[test]
fn damaged_compression_gives_what_came_before() {
    let many: Vec<String> =
        (0..5_000).map(|i| A.replace("\"ts\":1", &format!("\"ts\":{}", i * 10))).collect();
    let whole = gzip(format!("[{}]", many.join(",")).as_bytes());
    let cut = load_bytes(&whole[..whole.len() / 2]).expect("loads").trace;
    assert!(cut.slices.len() > 1_000 && cut.slices.len() < 5_000, "{}", cut.slices.len());
    assert!(cut.quality.count(Warning::Truncated) > 0);
    let mut bad_sum = whole.clone();
    let at = bad_sum.len() - 6;
    bad_sum[at] ^= 0xff;
    let trace = load_bytes(&bad_sum).expect("loads").trace;
    assert_eq!((trace.slices.len(), warned(&trace)), (5_000, vec![Warning::Checksum]));
    let garbage = load_bytes(&[whole, b"junk".to_vec()].concat()).expect("loads").trace;
    assert_eq!((garbage.slices.len(), warned(&garbage)), (5_000, vec![Warning::Trailing]));
}

#[test]
fn events_across_the_edge_of_chunks_are_whole() {
    let long = "x".repeat(3 << 20);
    let text =
        format!("[{A},{{\"ph\":\"X\",\"name\":\"{long}\",\"ts\":3,\"dur\":1,\"pid\":1,\"tid\":1}},{B}]");
    let trace = trace(&text);
    assert_eq!((trace.slices.len(), trace.quality.dropped), (3, 0));
}

#[test]
fn arguments_of_a_changed_file_are_refused() {
    let scratch = Scratch::new("changed");
    let path = scratch.file("changed.json", format!("[{A}]"));
    let request = proftui_trace::import::Request::new([&path]);
    let loaded =
        proftui_trace::import::load(&request, &proftui_trace::import::Progress::default()).expect("loads");
    let origin = loaded.trace.slices.origin[SliceId::new(0)];
    assert!(matches!(loaded.texts.read(origin), EventText::Members(_)));
    std::fs::write(&path, "[]").expect("a file");
    assert_eq!(loaded.texts.read(origin), EventText::Gone(ReadAgainError::Changed));
}

#[test]
fn what_is_no_trace_says_so() {
    for (text, what) in [
        ("", "no readable text (0 bytes)"),
        ("   \n", "the readable text is blank"),
        ("hello", "begins with \"hello\""),
        ("[1,2,3]", "none of its elements is an event"),
        ("[{\"a\":1},{\"a\":2}]", "none of its elements is an event"),
        ("{\"a\":1,\"b\":2}", "no array \"traceEvents\"; its first keys: \"a\", \"b\""),
        ("{\"traceEvents\":null}", "no array \"traceEvents\""),
        ("[{'ph':'X'}]", "unreadable JSON at byte 2"),
        ("\u{1f}\u{8b}", "begins with"),
    ] {
        match load_bytes(text.as_bytes()) {
            Err(
                error @ (ImportError::Empty { .. }
                | ImportError::NotTrace { .. }
                | ImportError::Syntax { .. }),
            ) => {
                assert!(error.to_string().contains(what), "{text}: {error}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(matches!(load_bytes(b"\xff\xfe[\0"), Err(ImportError::Format { .. })));
}

#[test]
fn events_of_the_operating_system_are_named_and_counted() {
    let fuchsia = r#"{"type":"fuchsia","events":[{"ph":"p","pid":1,"name":"a"},{"ph":"t","pid":1,"tid":2,"name":"b"},{"ph":"k","ts":5.0,"cpu":0,"out":{"pid":1,"tid":2},"in":{"pid":1,"tid":3}}]}"#;
    let ftrace = r##""# tracer: nop\n#\n  a-1 [000] d..3 12.500: sched_switch: prev_comm=a\n  b-2 [001] d..3 12.625: sched_wakeup: comm=b\n""##;
    for (value, count, writer) in
        [(fuchsia, 3, "Fuchsia"), (ftrace, 2, "ftrace"), (r#""SystemTraceData""#, 0, ""), ("{}", 0, "")]
    {
        for text in [
            format!("{{\"traceEvents\":[{A},{B}],\"systemTraceEvents\":{value}}}"),
            format!("{{\"systemTraceEvents\":{value},\"traceEvents\":[{A},{B}]}}"),
        ] {
            let trace = trace(&text);
            assert_eq!((trace.slices.len(), trace.quality.damage()), (2, 0), "{text}");
            assert_eq!(trace.quality.count(Warning::Unread), count, "{text}");
            let first = trace.quality.entries().map(|(_, entry)| entry.first.clone()).collect::<String>();
            assert!(first.contains(writer), "{first}");
        }
    }
}

/// Texts longer than 8 MiB are cut where they are kept, and values longer than 64 MiB are not kept at all.
#[test]
fn events_of_the_operating_system_are_counted_in_long_values() {
    let line = format!(r#"  a-1 [000] d..3 12.500: sched_switch: prev_comm=\"a\" {}\n"#, "x".repeat(200));
    let lines = (9 << 20) / line.len();
    let ftrace = format!(r##""# tracer: nop\n#\n{}""##, line.repeat(lines));
    // The reader doubles what it holds: up to 128 MiB before it knows that a value is too long.
    let event = format!(r#"{{"ph":"k","out":{{"pid":1}},"in":{{"name":"{}"}}}}"#, "x".repeat(1 << 20));
    let events = format!("[{}]", vec![event.as_str(); 130].join(","));
    let before = |value: &str| format!("{{\"systemTraceEvents\":{value},\"traceEvents\":[{A},{B}]}}");
    let behind = |value: &str| format!("{{\"traceEvents\":[{A},{B}],\"systemTraceEvents\":{value}}}");
    for (text, count, writer) in [
        (before(&ftrace), lines, "ftrace"),
        (behind(&ftrace), lines, "ftrace"),
        (before(&events), 130, "an unknown system"),
        (behind(&format!(r#"{{"events":{events},"type":"fuchsia"}}"#)), 130, "an unknown system"),
    ] {
        let trace = load_bytes(text.as_bytes()).expect("loads").trace;
        let entries: Vec<_> = trace.quality.entries().collect();
        assert_eq!((trace.slices.len(), trace.quality.damage()), (2, 1), "{entries:?}");
        assert_eq!(trace.quality.count(Warning::Limit), 1, "{entries:?}");
        assert_eq!(trace.quality.count(Warning::Unread), count as u64, "{entries:?}");
        let said = format!("systemTraceEvents: {count} events of {writer}");
        assert!(entries.iter().any(|(_, entry)| entry.first == said), "{entries:?}");
    }
    let cut = behind(&ftrace[..ftrace.len() - 1]);
    let trace = load_bytes(&cut.as_bytes()[..cut.len() - 1]).expect("loads").trace;
    assert_eq!(trace.quality.count(Warning::Unread), lines as u64, "the file ends in the text");
    assert_eq!(trace.quality.count(Warning::Truncated), 1);
}

#[test]
fn no_events_are_taken_from_within_an_undamaged_document() {
    for text in [
        format!("{{\"x\":{{\"traceEvents\":[{A},{A}]}},\"traceEvents\":[{B}]}}"),
        format!("{{\"traceEvents\":[{B}],\"x\":{{\"traceEvents\":[{A},{A}]}}}}"),
        format!("{{\"events\":[{A},{A}],\"traceEvents\":[{B}],\"more\":[{A}]}}"),
        format!("[{B},{{\"traceEvents\":[{A},{A}]}}]"),
    ] {
        let trace = trace(&text);
        assert_eq!(spans(&trace), [("b".to_owned(), 5000, 2000)], "{text}");
    }
    for text in [
        format!("{{\"x\":{{\"traceEvents\":[{A}]}}}}"),
        format!("[{{\"traceEvents\":[{A},{B}]}}]"),
        format!("{{\"x\":[{A}]}}"),
    ] {
        assert!(load_bytes(text.as_bytes()).is_err(), "{text}");
    }
}
