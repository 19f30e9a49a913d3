//! The whole way from a capture trace to names, on small made traces: what is a node, what is taken, which
//! capture is chosen, what is refused.

use std::path::PathBuf;

use proftui_base::intern::StrId;
use proftui_trace::import::{CaptureFile, Loaded, Progress, Request, load_bytes};
use proftui_trace::model::{GraphLevel, SliceId, Trace, Unnamed};

use super::{Captures, add, add_recorded};

fn loaded(events: &[String]) -> Loaded {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace")
}

fn event(cat: &str, name: &str, tid: u32, ts: u64, dur: u64, args: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
    )
}

/// A node of a made capture: kernel, operator, module, shapes.
type Node = (&'static str, &'static str, &'static str, &'static str);

/// A capture of these nodes, in an annotation, from time `at`; correlations from `at` on.
fn capture(annotation: &str, at: u64, nodes: &[Node]) -> Vec<String> {
    let whole = 100 * nodes.len() as u64 + 100;
    let mut events = vec![
        event("user_annotation", annotation, 1, at, whole, ""),
        event(
            "cuda_runtime",
            "hipStreamBeginCapture",
            1,
            at + 10,
            2,
            &format!(r#""correlation":{}"#, at + 10),
        ),
    ];
    for (&(kernel, operator, module, shapes), at) in nodes.iter().zip((at + 50..).step_by(100)) {
        events.push(event("python_function", &format!("nn.Module: {module}"), 1, at, 60, ""));
        events.push(event("python_function", "model.py(7): forward", 1, at + 1, 50, ""));
        let dims = if shapes.is_empty() { String::new() } else { format!(r#""Input Dims":{shapes}"#) };
        events.push(event("cpu_op", operator, 1, at + 2, 40, &dims));
        let kernel =
            if kernel.is_empty() { String::new() } else { format!(r#","kernel":"{kernel}","grid":[1,1,1]"#) };
        let args = format!(r#""correlation":{}{kernel}"#, at + 3);
        events.push(event("cuda_runtime", "hipLaunchKernel", 1, at + 3, 5, &args));
    }
    let end = at + whole - 20;
    events.push(event("cuda_runtime", "hipStreamEndCapture", 1, end, 2, &format!(r#""correlation":{end}"#)));
    events
}

/// A launch of a graph in an annotation from time `at`, with these kernels, each on its stream.
fn replay(annotation: &str, at: u64, kernels: &[(&str, u32)]) -> Vec<String> {
    let correlation = format!(r#""correlation":{at}"#);
    let mut events = vec![
        event("user_annotation", annotation, 1, at, 20, ""),
        event("cuda_runtime", "hipGraphLaunch", 1, at + 2, 5, &correlation),
    ];
    for (&(kernel, stream), at) in kernels.iter().zip((at + 10..).step_by(10)) {
        let args = format!(r#""device":0,"stream":{stream},{correlation}"#);
        events.push(event("kernel", kernel, stream, at, 5, &args).replace("\"pid\":1", "\"pid\":0"));
    }
    events
}

fn on_one<'a>(kernels: &[&'a str]) -> Vec<(&'a str, u32)> {
    kernels.iter().map(|&kernel| (kernel, 7)).collect()
}

fn captures(traces: &[(&str, Vec<String>)]) -> Captures {
    let mut captures = Captures::default();
    for (name, events) in traces {
        let file = CaptureFile { path: PathBuf::from(name), ..CaptureFile::default() };
        captures.add(&loaded(events), &file).expect("readable");
    }
    captures
}

fn named(captures: &Captures, events: &[String]) -> Trace {
    let mut trace = loaded(events).trace;
    add(&mut trace, captures);
    trace
}

/// The level, operator, module (or class), and shapes of each kernel, in order of time.
fn names(trace: &Trace) -> Vec<Option<(&'static str, String)>> {
    let slices = &trace.slices;
    let mut work: Vec<SliceId> =
        slices.ids().iter().filter(|&id| slices.category(id).is_device_work()).collect();
    work.sort_by_key(|&id| slices.start[id]);
    let text = |id| trace.strings.text(id).to_string();
    let name = |id| {
        let (level, record) = trace.graph_names.record(id)?;
        let module = if record.module == StrId::EMPTY { record.class } else { record.module };
        Some((level.name(), [record.operator, module, record.shapes].map(text).join(" ")))
    };
    work.into_iter().map(name).collect()
}

const MODEL: [Node; 3] = [
    ("gemm", "aten::mm", "Linear_0", "[[8, 4]]"),
    ("gemm", "aten::mm", "Linear_1", "[[8, 4]]"),
    ("norm", "aten::norm", "Norm_0", "[[8]]"),
];

#[test]
fn a_replay_gets_what_is_around_the_captured_launches() {
    let mut events = capture("capture_8_DECODE", 1_000, &MODEL);
    // Executed work, other calls and launches outside of the capture are no nodes.
    events.push(event("cuda_runtime", "hipLaunchKernel", 1, 1_045, 2, r#""correlation":9,"kernel":"warm""#));
    events.push(event("kernel", "warm", 7, 1_050, 2, r#""stream":7,"correlation":9"#));
    events.push(event("cuda_runtime", "hipGraphLaunch", 1, 1_048, 1, r#""correlation":10"#));
    events.push(event(
        "cuda_runtime",
        "hipLaunchKernel",
        1,
        2_000,
        2,
        r#""correlation":11,"kernel":"after""#,
    ));
    events.push(event(
        "cuda_runtime",
        "hipLaunchKernel",
        2,
        1_060,
        2,
        r#""correlation":12,"kernel":"other""#,
    ));
    let captures = captures(&[("captures/bs_8.json", events)]);
    assert_eq!((captures.graphs.len(), captures.graphs[0].size), (1, Some(8)));
    let trace = named(&captures, &replay("step[DECODE bs=8]", 100, &on_one(&["gemm", "gemm", "norm"])));
    let wanted = ["aten::mm Linear_0 [[8, 4]]", "aten::mm Linear_1 [[8, 4]]", "aten::norm Norm_0 [[8]]"];
    assert_eq!(names(&trace), wanted.map(|name| Some(("exact", name.to_owned()))));
    let (_, record) = trace.graph_names.record(trace.graph_names.launches[0].first).expect("a name");
    let texts = [record.frame, record.annotation, record.class].map(|id| trace.strings.text(id).to_string());
    assert_eq!(texts, ["model.py(7): forward", "capture_8_DECODE", "Linear"]);
    assert_eq!(trace.graph_names.files, ["captures/bs_8.json"]);
    let launch = trace.graph_names.launches[0];
    assert_eq!((launch.outcome, launch.pairs, launch.left_over), (Ok(GraphLevel::Exact), 3, 0));
    assert_eq!(trace.graph_names.launch(launch.launch.expect("a call")), Some(&launch));
}

#[test]
fn shapes_are_those_of_the_nearest_operator_that_has_some() {
    let mut events = capture("capture_8", 1_000, &[("gemm", "aten::linear", "Linear_0", "[[8, 4]]")]);
    events.push(event("cpu_op", "aten::mm", 1, 1_052, 20, ""));
    let trace = named(&captures(&[("a.json", events)]), &replay("x", 100, &on_one(&["gemm"])));
    assert_eq!(names(&trace), [Some(("exact", "aten::mm Linear_0 [[8, 4]]".to_owned()))]);
}

#[test]
fn a_function_that_ended_by_an_exception_hides_no_module() {
    let mut events = capture("capture_8", 1_000, &MODEL[..1]);
    events.push(event("python_function", "nn.Module: Model_0", 1, 900, 400, ""));
    // It lasts to the end of the recording, beyond the module.
    events.push(event("python_function", "<built-in function next>", 1, 1_020, 9_000, ""));
    events[2] = event("python_function", "inner.py(3): call", 1, 1_050, 60, "");
    let trace = named(&captures(&[("a.json", events)]), &replay("x", 100, &on_one(&["gemm"])));
    assert_eq!(names(&trace), [Some(("exact", "aten::mm Model_0 [[8, 4]]".to_owned()))]);
}

#[test]
fn a_capture_without_an_end_is_none() {
    let mut events = capture("capture_8", 1_000, &MODEL);
    events.pop();
    assert!(captures(&[("a.json", events)]).is_empty());
}

#[test]
fn foreign_captures_give_no_names() {
    let captures = captures(&[("a.json", capture("capture_8", 1_000, &MODEL))]);
    let trace = named(&captures, &replay("x", 100, &on_one(&["gemm", "softmax", "norm"])));
    assert_eq!(names(&trace), [None, None, None]);
    assert_eq!(trace.graph_names.launches[0].outcome, Err(Unnamed::Unlike));
}

#[test]
fn captures_of_another_rank_give_no_names() {
    let mut captures = Captures::default();
    let file =
        CaptureFile { path: PathBuf::from("bs_8_rank1.json"), rank: Some(1), ..CaptureFile::default() };
    captures.add(&loaded(&capture("capture_8", 1_000, &MODEL)), &file).expect("readable");
    let events = replay("x", 100, &on_one(&["gemm", "gemm", "norm"]));
    let text =
        format!(r#"{{"distributedInfo":{{"rank":0,"world_size":2}},"traceEvents":[{}]}}"#, events.join(","));
    let load =
        || load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
    let mut trace = load();
    add(&mut trace, &captures);
    assert_eq!(trace.graph_names.launches[0].outcome, Err(Unnamed::NoCapture));
    captures.files[0].rank = Some(0);
    let mut trace = load();
    add(&mut trace, &captures);
    assert_eq!(trace.graph_names.launches[0].outcome, Ok(GraphLevel::Exact));
}

/// The model with shapes of another size.
fn sized(size: &'static str) -> [Node; 3] {
    MODEL.map(|(kernel, operator, module, _)| (kernel, operator, module, size))
}

#[test]
fn the_smallest_capture_with_room_for_the_step_is_taken() {
    let files = || {
        captures(&[
            ("a.json", capture("capture_8", 1_000, &sized("[[8]]"))),
            ("b.json", capture("capture_16", 1_000, &sized("[[16]]"))),
            ("c.json", capture("capture_32", 1_000, &sized("[[32]]"))),
        ])
    };
    let kernels = on_one(&["gemm", "gemm", "norm"]);
    for (step, shapes) in [("step[DECODE bs=9]", "[[16]]"), ("execute_8_context_0", "[[8]]")] {
        let trace = named(&files(), &replay(step, 100, &kernels));
        assert_eq!(names(&trace)[0], Some(("exact", format!("aten::mm Linear_0 {shapes}"))), "{step}");
    }
    // Names do not show the batch size: without an annotation, and with a step that no capture has room for,
    // the shapes are not known.
    for step in ["forward", "step[DECODE bs=33]"] {
        let trace = named(&files(), &replay(step, 100, &kernels));
        assert_eq!(names(&trace)[0], Some(("class", "aten::mm Linear_0 ".to_owned())), "{step}");
        assert_eq!(trace.graph_names.launches[0].pairs, 0);
    }
    let one = captures(&[("a.json", capture("capture_8", 1_000, &sized("[[8]]")))]);
    let trace = named(&one, &replay("step[DECODE bs=9]", 100, &kernels));
    assert_eq!(names(&trace)[0], Some(("class", "aten::mm Linear_0 ".to_owned())));
}

/// The graphs of a model that is captured piece by piece: a first, two alike layers, a last.
const PIECES: [[Node; 2]; 4] = [
    [("embed", "aten::embedding", "Embed_0", "[[8]]"), ("norm", "aten::norm", "Norm_0", "[[8]]")],
    [("gemm", "aten::mm", "Linear_0", "[[8]]"), ("norm", "aten::norm", "Norm_1", "[[8]]")],
    [("gemm", "aten::mm", "Linear_1", "[[8]]"), ("norm", "aten::norm", "Norm_2", "[[8]]")],
    [("gemm", "aten::mm", "Head_0", "[[8]]"), ("softmax", "aten::softmax", "Head_0", "[[8]]")],
];

fn pieces() -> Captures {
    let row = (1..).zip(&PIECES).flat_map(|(at, nodes)| capture("capture_8_PIECEWISE", at * 1_000, nodes));
    captures(&[("a.json", row.collect())])
}

/// A step that launches these pieces.
fn step(pieces: &[usize]) -> Vec<String> {
    let mut events = vec![event("user_annotation", "execute_8_context_0", 1, 50, 10_000, "")];
    for (&piece, at) in pieces.iter().zip((100..).step_by(100)) {
        let kernels: Vec<(&str, u32)> = PIECES[piece].iter().map(|node| (node.0, 7)).collect();
        events.extend(replay("piece", at, &kernels));
    }
    events
}

#[test]
fn of_alike_captures_the_one_at_the_position_in_the_step_is_taken() {
    let whole = names(&named(&pieces(), &step(&[0, 1, 2, 3])));
    let modules = |names: &[Option<(&str, String)>]| -> Vec<String> {
        let module = |name: &Option<(&str, String)>| {
            let (level, name) = name.as_ref().expect("a name");
            format!("{level} {}", name.split(' ').nth(1).unwrap_or_default())
        };
        names.iter().step_by(2).map(module).collect()
    };
    assert_eq!(modules(&whole), ["exact Embed_0", "exact Linear_0", "exact Linear_1", "exact Head_0"]);
    let cut = names(&named(&pieces(), &step(&[2, 3])));
    assert_eq!(modules(&cut), ["exact Linear_1", "exact Head_0"], "the last piece occurs once");
    let unknown = names(&named(&pieces(), &step(&[1])));
    assert_eq!(unknown[0], Some(("class", "aten::mm Linear [[8]]".to_owned())));
    let wrong = names(&named(&pieces(), &step(&[1, 1, 1, 3])));
    assert_eq!(modules(&wrong)[..2], ["class Linear", "class Linear"], "not the row of the captures");
}

#[test]
fn lost_records_are_proven_by_the_capture() {
    let nodes: Vec<Node> = (0..40)
        .map(|at| if at % 2 == 0 { MODEL[0] } else { MODEL[2] })
        .chain([("last", "aten::last", "Head_0", "")])
        .collect();
    let captures = captures(&[("a.json", capture("capture_8", 1_000, &nodes))]);
    let kernels: Vec<&str> = nodes.iter().map(|node| node.0).collect();
    let trace = named(&captures, &replay("x", 100, &on_one(&kernels[..40])));
    let launch = trace.graph_names.launches[0];
    assert_eq!((launch.outcome, launch.pairs, launch.left_over), (Ok(GraphLevel::Aligned), 40, 1));
    let [lost] = trace.graph_names.lost_after[..] else { panic!("{:?}", trace.graph_names.lost_after) };
    assert_eq!(trace.slices.start[lost], trace.main_span.start + (10 + 39 * 10) * 1_000);
}

#[test]
fn on_two_streams_the_order_of_each_name_decides() {
    let captures = captures(&[("a.json", capture("capture_8", 1_000, &MODEL))]);
    let trace = named(&captures, &replay("x", 100, &[("norm", 9), ("gemm", 7), ("gemm", 7)]));
    let wanted = ["aten::norm Norm_0 [[8]]", "aten::mm Linear_0 [[8, 4]]", "aten::mm Linear_1 [[8, 4]]"];
    assert_eq!(names(&trace), wanted.map(|name| Some(("aligned", name.to_owned()))));
    let trace = named(&captures, &replay("x", 100, &[("norm", 9), ("gemm", 7), ("gemm", 9)]));
    assert_eq!(names(&trace)[1], Some(("class", "aten::mm Linear [[8, 4]]".to_owned())), "on both streams");
}

#[test]
fn an_equal_capture_is_taken_before_one_of_the_same_work_in_another_order() {
    let other = [MODEL[2], MODEL[0], MODEL[1]].map(|node| (node.0, node.1, "Other_0", node.3));
    let files = [("a.json", capture("x", 1_000, &other)), ("b.json", capture("x", 1_000, &MODEL))];
    let trace = named(&captures(&files), &replay("x", 100, &on_one(&["gemm", "gemm", "norm"])));
    assert_eq!(names(&trace)[0], Some(("exact", "aten::mm Linear_0 [[8, 4]]".to_owned())));
    // On several streams the order does not decide between them.
    let trace = named(&captures(&files), &replay("x", 100, &[("gemm", 7), ("gemm", 7), ("norm", 9)]));
    assert_eq!(trace.graph_names.launches[0].outcome, Err(Unnamed::Ambiguous));
}

#[test]
fn captures_without_names_are_paired_by_count_and_order() {
    let nodes = [
        ("", "triton_add", "Norm_0", "[[8]]"),
        ("", "aten::mm", "Linear_0", "[[8]]"),
        ("", "aten::mm", "Linear_1", "[[8]]"),
    ];
    let captures = captures(&[("a.json", capture("capture_8", 1_000, &nodes))]);
    let trace = named(&captures, &replay("x", 100, &on_one(&["triton_add", "gemm", "gemm_2"])));
    assert_eq!(names(&trace)[1], Some((GraphLevel::InOrder.name(), "aten::mm Linear_0 [[8]]".to_owned())));
    for kernels in [&["gemm", "triton_add", "gemm"][..], &["triton_add", "gemm"]] {
        let trace = named(&captures, &replay("x", 100, &on_one(kernels)));
        assert_eq!(trace.graph_names.launches[0].outcome, Err(Unnamed::Unlike), "{kernels:?}");
    }
}

#[test]
fn launches_of_the_same_work_have_the_same_records() {
    let captures = captures(&[("a.json", capture("capture_8", 1_000, &MODEL))]);
    let kernels = on_one(&["gemm", "gemm", "norm"]);
    let events: Vec<String> = (1..=50).flat_map(|at| replay("x", at * 100, &kernels)).collect();
    let trace = named(&captures, &events);
    assert_eq!((trace.graph_names.len(), trace.graph_names.records.len()), (150, 3));
    assert_eq!(trace.graph_names.launches.len(), 50);
}

#[test]
fn what_our_recorder_noted_is_a_name() {
    let mut events = replay("x", 100, &on_one(&["gemm", "norm"]));
    events[2] =
        events[2].replace("\"device\"", r#""graph operator":"aten::mm","graph range":"layer","device""#);
    let text = format!(
        r#"{{"schemaVersion":"1.0.2","ExtraInfo":{{"proftui.version":"0.1.0","proftui.gpu.graph_work_named":"1"}},"traceEvents":[{}]}}"#,
        events.join(",")
    );
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    let Loaded { mut trace, texts } = loaded;
    assert!(trace.meta.producer.starts_with("proftui"), "{}", trace.meta.producer);
    add_recorded(&mut trace, &texts).expect("readable");
    assert_eq!(names(&trace), [Some(("recorded", "aten::mm  ".to_owned())), None]);
    let launch = trace.graph_names.launches[0];
    assert_eq!((launch.outcome, launch.pairs, launch.without), (Ok(GraphLevel::Recorded), 1, 1));
}
