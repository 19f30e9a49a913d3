//! The traces that capture writes, as JSON and as protobuf, read by the importers of the original tools'
//! files.

use proftui_trace::export::ExportError;
use proftui_trace::export::recording::device::{Allocation, Call, DeviceWork, Devices, Stream, WorkKind};
use proftui_trace::export::recording::{
    Range, Recording, Thread, write_json, write_kineto_json, write_paddle_json, write_protobuf,
};
use proftui_trace::import::{Loaded, Progress, Request, load_bytes};
use proftui_trace::model::{Category, LaneKind, SliceId, Warning, WorkerId};
use proftui_wire::kinds;
use serde_json::Value;

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
    let mut all: Vec<_> = trace
        .slices
        .ids()
        .iter()
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
    let (mut json, mut paddle, mut protobuf) = (Vec::new(), Vec::new(), Vec::new());
    write_json(&recording, &mut json).expect("written");
    write_paddle_json(&recording, &mut paddle).expect("written");
    write_protobuf(&recording, &mut protobuf).expect("written");
    serde_json::from_slice::<Value>(&json).expect("JSON");
    let (json, paddle, protobuf) = (load(&json), load(&paddle), load(&protobuf));
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
    assert_eq!(shown(&paddle), shown(&protobuf));
    let starts = [&json, &paddle, &protobuf]
        .map(|loaded| loaded.trace.meta.epoch.expect("the time is known") + loaded.trace.span.start);
    assert_eq!(starts, [1_795_318_657_582_218_001; 3]);
    for (slice, (name, category, start, len)) in slices(&json).into_iter().zip(expected) {
        assert_eq!((slice.1, slice.2, slice.3), (category, start, len), "{name}");
        assert!(name.starts_with("qu") || slice.0 == name, "{}", slice.0);
    }
    assert_eq!(slices(&json).len(), expected.len());
    for Loaded { trace, .. } in [&json, &paddle, &protobuf] {
        assert_eq!(trace.steps.len(), 1);
        assert_eq!((trace.steps[0].number, trace.quality.dropped), (2, 0));
        assert_eq!(trace.meta.producer, "proftui 9.9");
        assert_eq!(trace.quality.count(Warning::Lost), 7);
        assert_eq!(trace.quality.count(Warning::Incomplete), 1);
        assert!(trace.meta.workers[WorkerId::new(0)].contains('3'), "{:?}", trace.meta.workers);
    }
}

/// A recording with events of all kinds, thousands of ranges and names that look as if they had a duration.
fn large() -> Recording {
    let mut recording = sample();
    let zero = recording.threads[0].ranges[0].start;
    recording.names.extend([b"a[1.000 us]".to_vec(), b"k[0][2.500 ms]".to_vec()]);
    // Odd steps, so that all digits occur.
    let ranges = (0..5000_u64).map(|at| Range {
        start: zero + at * 1_234_567_891,
        end: zero + at * 1_234_567_891 + 1 + at * at * 7,
        kind: 14,
        name: 3,
        is_cut: at % 7 == 0,
        has_begun_before: false,
    });
    let main = &mut recording.threads[0];
    main.ranges.extend(ranges);
    main.calls.push(Call { start: zero + 77, end: zero + 80, name: 2, correlation: 1, ..Call::default() });
    main.allocations.push(Allocation { time: zero - 3, bytes: 8, ..Allocation::default() });
    main.sort();
    recording.devices.streams.push(Stream::default());
    recording.devices.work.push(DeviceWork {
        start: zero + 99,
        end: zero + 5_000_000_001,
        queued: zero + 81,
        submitted: 0,
        graph_node: 0,
        graph: 0,
        name: 4,
        stream: 0,
        correlation: 1,
        kind: WorkKind::Graph,
        is_cut: false,
    });
    recording
}

/// All events of a file.
fn events(json: &[u8]) -> (i64, Vec<Value>) {
    let document: Value = serde_json::from_slice(json).expect("JSON");
    let base = document["baseTimeNanoseconds"].as_i64().expect("the base is stated");
    (base, document["traceEvents"].as_array().expect("events").clone())
}

/// A member of an event that is a number of µs, read as a double and rounded to the ns.
fn as_double(event: &str, key: &str) -> Option<i64> {
    let (_, rest) = event.split_once(&format!("\"{key}\":"))?;
    let number: f64 = rest.split([',', '}']).next()?.parse().expect("a number");
    Some(format!("{number:.3}").replace('.', "").parse().expect("a number"))
}

#[test]
fn times_survive_readers_that_keep_them_as_doubles() {
    let recording = large();
    let mut json = Vec::new();
    write_json(&recording, &mut json).expect("written");
    let (base, _) = events(&json);
    assert_eq!(base % 7_889_238_000_000_000, 0);
    // Each event is on a line of its own.
    let text = String::from_utf8(json).expect("UTF-8");
    let time = |event: &str, key: &str| as_double(event, key).map(|ns| base + ns);
    let slices = text.lines().filter(|line| line.contains(r#""ph":"X""#));
    let mut found: Vec<(i64, i64)> = slices
        .map(|line| (time(line, "ts").expect("a time"), as_double(line, "dur").expect("a duration")))
        .collect();
    let threads = recording.threads.iter();
    let ranges = threads.clone().flat_map(|thread| &thread.ranges).map(|range| (range.start, range.end));
    let calls = threads.flat_map(|thread| &thread.calls).map(|call| (call.start, call.end));
    let work = recording.devices.work.iter().map(|work| (work.start, work.end));
    let mut expected: Vec<(i64, i64)> =
        ranges.chain(calls).chain(work).map(|(start, end)| (start as i64, (end - start) as i64)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found.len(), expected.len());
    assert_eq!(found.iter().zip(&expected).find(|(found, expected)| found != expected), None);
    let memory = text.lines().find(|line| line.contains("[memory]")).expect("an allocation");
    assert_eq!(time(memory, "ts"), Some(recording.threads[0].allocations[0].time as i64));
    let queued = text.lines().find_map(|line| time(line, "queued")).expect("a kernel");
    assert_eq!(queued, recording.devices.work[0].queued as i64);
}

#[test]
fn events_have_their_own_names_and_none_is_empty() {
    let recording = large();
    let mut json = Vec::new();
    write_json(&recording, &mut json).expect("written");
    let (_, events) = events(&json);
    let names: Vec<&str> = (events.iter())
        .filter(|event| event["ph"] == "X")
        .map(|event| event["name"].as_str().expect("a name"))
        .collect();
    for event in &events {
        assert!(event["ph"].is_string() && event["name"].is_string() && event["pid"].is_u64(), "{event}");
        assert!(event["args"].get("start_time").is_none(), "{event}");
    }
    let mut known = names.clone();
    known.sort_unstable();
    known.dedup();
    let expected = ["Net", "ProfilerStep#2", "a[1.000 us]", "k[0][2.500 ms]", "qu\"ote \\ \u{1b}[1m"];
    assert_eq!(known, expected);
    // PyTorch's tools need whole numbers for threads with operators.
    assert!(events.iter().any(|event| event["cat"] == "CudaRuntime" && event["tid"] == 41));
    let loaded = load(&json);
    let shown = |name: &str| slices(&loaded).iter().filter(|slice| slice.0 == name).count();
    assert_eq!((shown("a[1.000 us]"), shown("k[0][2.500 ms]"), shown("ProfileStep#2")), (5000, 1, 1));
    let nothing = Recording::default();
    let mut json = Vec::new();
    write_json(&nothing, &mut json).expect("written");
    assert!(json.ends_with(b"\"traceEvents\":[\n\n]}\n"), "{}", String::from_utf8_lossy(&json));
}

/// What PyTorch's tools ask for.
#[test]
fn the_form_of_pytorch_has_its_categories_keys_and_numbers() {
    let mut recording = large();
    let main = &mut recording.threads[0];
    let zero = main.ranges[0].start;
    let operator =
        |from: u64, to: u64| Range { kind: 0, start: zero + from, end: zero + to, ..main.ranges[0] };
    let operators = [operator(70, 90), operator(75, 85), operator(95, 99)];
    main.ranges.extend(operators);
    main.sort();
    recording.facts.push(("proftui.WORLD_SIZE".into(), "8".into()));
    let mut json = Vec::new();
    write_kineto_json(&recording, &mut json).expect("written");
    let trace: Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!((&trace["schemaVersion"], &trace["distributedInfo"]["rank"]), (&1.into(), &3.into()));
    assert_eq!(trace["distributedInfo"]["world_size"], 8);
    let events = trace["traceEvents"].as_array().expect("events");
    assert!(events.iter().all(|event| event["tid"].is_u64() && event["cname"].is_null()));
    let of = |cat: &str| events.iter().filter(|event| event["cat"] == cat).collect::<Vec<_>>();
    let (operators, calls, kernels) = (of("cpu_op"), of("cuda_runtime"), of("kernel"));
    assert_eq!((operators.len(), calls.len(), kernels.len()), (3, 1, 1));
    let number = |event: &Value| event["args"]["External id"].as_u64().expect("a number");
    assert_eq!(operators.iter().map(|event| number(event)).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!([calls[0], kernels[0]].map(number), [2, 2], "the innermost operator around the call");
    assert_eq!([calls[0], kernels[0]].map(|event| event["args"]["correlation"].clone()), [1, 1]);
    let arrows = of("ac2g");
    assert_eq!(
        arrows.iter().map(|end| end["ts"].clone()).collect::<Vec<_>>(),
        [calls[0]["ts"].clone(), kernels[0]["ts"].clone()]
    );
    let steps: Vec<_> =
        of("user_annotation").into_iter().filter(|event| event["proftui"] == "ProfileStep").collect();
    assert_eq!((steps.len(), &steps[0]["name"]), (1, &"ProfilerStep#2".into()));
    let memory = &of("cpu_instant_event")[0];
    assert_eq!((&memory["s"], &memory["args"]["Bytes"]), (&"t".into(), &8.into()));
}

/// What VisualDL and Paddle's own tools read is as it was.
#[test]
fn the_form_of_paddle_is_to_the_byte() {
    let mut recording = sample();
    recording.facts.truncate(1);
    recording.threads.truncate(1);
    recording.threads[0].ranges.truncate(2);
    let mut json = Vec::new();
    write_paddle_json(&recording, &mut json).expect("written");
    let lane = |name: &str, tid: &str, args: &str| {
        format!(r#"{{"args":{args},"name":"{name}","ph":"M","pid":40,"tid":"{tid}"}}"#)
    };
    let mut lines = vec![
        r#"{"ExtraInfo":{"41":"MainThread","Process Cpu Utilization":"0.5"},"displayTimeUnit":"ms","schemaVersion":"1.0.2","span_index":"1","span_indx":"1","traceEvents":["#.to_owned(),
        r#"{"name":"ProfileStep#2[5.000 ms]","ph":"X","cat":"ProfileStep","pid":40,"tid":"41(Python)","ts":1795318657582218.001,"dur":5000.001,"cname":"thread_state_runnable","args":{"start_time":"0.000 us","end_time":"5000.001 us"}},"#.to_owned(),
        r#"{"name":"Net[0.990 us]","ph":"X","cat":"Forward","pid":40,"tid":"41(Python)","ts":1795318657582218.011,"dur":0.990,"cname":"thread_state_runnable","args":{"start_time":"0.010 us","end_time":"1.000 us"}},"#.to_owned(),
    ];
    for (layer, order) in [("Python", 82), ("C++", 83)] {
        let tid = format!("41({layer})");
        for (name, args) in [
            ("process_name", r#"{"name":"Process 40 (CPU)"}"#.to_owned()),
            ("process_sort_index", r#"{"sort_index":40}"#.to_owned()),
            ("thread_name", format!(r#"{{"name":"thread 41:MainThread({layer})"}}"#)),
            ("thread_sort_index", format!(r#"{{"sort_index":{order}}}"#)),
        ] {
            lines.push(lane(name, &tid, &args) + ",");
        }
    }
    lines.extend(["{}".to_owned(), "]}".to_owned(), String::new()]);
    assert_eq!(String::from_utf8(json).expect("UTF-8"), lines.join("\n"));
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
        let lane = &loaded.trace.lanes[loaded.trace.lane_of(SliceId::new(0))];
        assert_eq!(lane.kind, LaneKind::Python);
    }
}

#[test]
fn metadata_of_the_script_are_in_the_header_of_pytorchs_form_alone() {
    let metadata = serde_json::json!({"run": {"id": 7}, "schemaVersion": "own", "traceEvents": []});
    let metadata = metadata.as_object().expect("an object").clone();
    let recording = Recording { metadata, ..sample() };
    let head = |write: fn(&Recording, &mut dyn std::io::Write) -> Result<(), ExportError>| {
        let mut text = Vec::new();
        write(&recording, &mut text).expect("written");
        serde_json::from_slice::<serde_json::Value>(&text).expect("JSON")
    };
    let kineto = head(write_kineto_json);
    assert_eq!(kineto["run"]["id"], 7);
    assert_eq!(kineto["schemaVersion"], 1, "what the format needs comes first");
    assert_eq!(kineto["traceEvents"].as_array().map(Vec::is_empty), Some(false));
    assert_eq!(head(write_json)["run"], serde_json::Value::Null);
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
        assert_eq!(
            proftui_insight::analysis::views::quality::quality(&trace).notes[0],
            format!("GPU: {why}")
        );
    }
}

#[test]
fn phases_alone_show_that_the_host_was_busy() {
    let mut protobuf = Vec::new();
    write_protobuf(&sample(), &mut protobuf).expect("written");
    let session = proftui::app::Session::new(load(&protobuf));
    let trace = &session.trace;
    let names: Vec<String> = (session.host_rows.iter())
        .flat_map(|&row| trace.rows[row].slices())
        .map(|id| trace.name(id).to_string())
        .collect();
    assert!(names.contains(&"Net".to_owned()) && !names.contains(&"ProfileStep#2".to_owned()), "{names:?}");
}
