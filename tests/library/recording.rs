//! The traces that capture writes, as JSON and as protobuf, read by the importers of the original tools' files.

use proftui::export::recording::device::Devices;
use proftui::export::recording::{Range, Recording, Thread, write_json, write_protobuf};
use proftui::import::{Loaded, Progress, Request, load_bytes};
use proftui::model::{Category, LaneKind, Warning};
use proftui_wire::kinds;

fn sample() -> Recording {
    let start = 1_795_318_657_582_218_001;
    let range = |from: u64, to: u64, kind, name| Range {
        start: start + from,
        end: start + to,
        kind,
        name,
        is_cut: false,
        has_begun_before: false,
    };
    Recording {
        index: 1,
        names: vec![b"ProfileStep#2".to_vec(), "qu\"ote \\ \u{1b}[1m".into(), b"Net".to_vec()],
        threads: vec![
            Thread {
                pid: 40,
                tid: 41,
                name: "MainThread".into(),
                ranges: vec![
                    range(0, 5_000_001, 2, 0),
                    range(10, 1_000, 9, 2),
                    range(20, 30, 14, 1),
                    range(2000, 2001, 14, 1),
                    range(9_000_000_123, 9_000_000_124, 14, 1),
                ],
                ..Thread::default()
            },
            Thread { pid: 50, tid: 51, ranges: vec![range(5, 7, 1, 2)], ..Thread::default() },
        ],
        devices: Devices::default(),
        facts: [
            ("Process Cpu Utilization", "0.5"),
            ("proftui.version", "9.9"),
            ("proftui.lost", "7"),
            ("proftui.incomplete", "killed by signal 9"),
            ("proftui.RANK", "3"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec(),
        ..Recording::default()
    }
}

fn load(bytes: &[u8]) -> Loaded {
    load_bytes(bytes, &Request::default(), &Progress::default()).expect("loads")
}

/// The slices of a trace: name, category, start relative to the first one, and length.
fn slices(loaded: &Loaded) -> Vec<(String, Category, i64, i64)> {
    let trace = &loaded.trace;
    let zero = trace.span.start;
    let mut all: Vec<_> = (0..trace.slices.len() as u32)
        .map(|id| {
            let span = trace.slices.span(id);
            (trace.name(id).to_string(), trace.slices.category(id), span.start - zero, span.len())
        })
        .collect();
    all.sort_by_key(|slice| (slice.2, -slice.3));
    all
}

#[test]
fn both_forms_agree_to_the_nanosecond() {
    let recording = sample();
    let (mut json, mut protobuf) = (Vec::new(), Vec::new());
    write_json(&recording, &mut json).expect("written");
    write_protobuf(&recording, &mut protobuf).expect("written");
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
    let (json, protobuf) = (load(&json), load(&protobuf));
    let expected = [
        ("ProfileStep#2", Category::ProfileStep, 0, 5_000_001),
        ("Net", Category::Dataloader, 5, 2),
        ("Net", Category::Forward, 10, 990),
        ("qu\"ote \\ \\u{1b}[1m", Category::PythonUserDefined, 20, 10),
        ("qu\"ote \\ \\u{1b}[1m", Category::PythonUserDefined, 2000, 1),
        ("qu\"ote \\ \\u{1b}[1m", Category::PythonUserDefined, 9_000_000_123, 1),
    ];
    let shown = |loaded: &Loaded| -> Vec<_> { slices(loaded) };
    assert_eq!(shown(&json), shown(&protobuf));
    assert_eq!(json.trace.span.start, protobuf.trace.span.start);
    for (slice, (name, category, start, len)) in slices(&json).into_iter().zip(expected) {
        assert_eq!((slice.1, slice.2, slice.3), (category, start, len), "{name}");
        assert!(name.starts_with("qu") || slice.0 == name, "{}", slice.0);
    }
    assert_eq!(slices(&json).len(), expected.len());
    for Loaded { trace, .. } in [&json, &protobuf] {
        assert_eq!(trace.steps.len(), 1);
        assert_eq!(trace.meta.producer, "proftui 9.9");
        assert_eq!(trace.quality.count(Warning::Lost), 7);
        assert_eq!(trace.quality.count(Warning::Incomplete), 1);
        assert!(trace.meta.workers[0].contains('3'), "{:?}", trace.meta.workers);
    }
}

#[test]
fn causes_of_idle_time_have_their_categories_in_both_forms() {
    let kinds = [
        (kinds::GARBAGE_COLLECTION, Category::GarbageCollection),
        (kinds::COMPILE, Category::Compile),
        (kinds::CHECKPOINT, Category::Checkpoint),
        (kinds::IMPORT, Category::Import),
    ];
    let mut recording = sample();
    recording.threads.truncate(1);
    let first = recording.threads[0].ranges[0];
    let range = |at: u64, kind: u8| Range {
        start: first.start + 10 * at,
        end: first.start + 10 * at + 5,
        kind: kind.into(),
        ..first
    };
    recording.threads[0].ranges = (0..).zip(kinds).map(|(at, (kind, _))| range(at, kind)).collect();
    let (mut json, mut protobuf) = (Vec::new(), Vec::new());
    write_json(&recording, &mut json).expect("written");
    write_protobuf(&recording, &mut protobuf).expect("written");
    for form in [&json, &protobuf] {
        let loaded = load(form);
        let found: Vec<Category> = slices(&loaded).into_iter().map(|slice| slice.1).collect();
        assert_eq!(found, kinds.map(|(_, category)| category));
        let lane = &loaded.trace.lanes[loaded.trace.lane_of(0) as usize];
        assert_eq!(lane.kind, LaneKind::Python);
    }
}

#[test]
fn why_there_is_nothing_of_gpus_is_a_note_and_a_whole_sentence() {
    let why = "what; and what to do about it (where)";
    let fact = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let facts = vec![fact("proftui.gpu.reason", "no_cupti"), fact("proftui.gpu.why", why)];
    let recording = Recording { facts, ..sample() };
    let (mut json, mut protobuf) = (Vec::new(), Vec::new());
    write_json(&recording, &mut json).expect("written");
    write_protobuf(&recording, &mut protobuf).expect("written");
    for Loaded { trace, .. } in [load(&json), load(&protobuf)] {
        let quality = &trace.quality;
        let entry = quality.entries().find(|(known, _)| *known == Warning::NoGpu).expect("it is reported").1;
        assert_eq!((entry.count, entry.first.as_str(), quality.damage()), (1, why, 0));
        assert_eq!(proftui::analysis::quality::quality(&trace).notes[0], format!("GPU: {why}"));
    }
}

#[test]
fn phases_alone_show_that_the_host_was_busy() {
    let mut protobuf = Vec::new();
    write_protobuf(&sample(), &mut protobuf).expect("written");
    let session = proftui::app::Session::new(load(&protobuf));
    let trace = &session.trace;
    let names: Vec<String> = (session.host_rows.iter())
        .flat_map(|&row| trace.rows[row as usize].slices())
        .map(|id| trace.name(id).to_string())
        .collect();
    assert!(names.contains(&"Net".to_owned()) && !names.contains(&"ProfileStep#2".to_owned()), "{names:?}");
}
