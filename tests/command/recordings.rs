//! Writes recordings and loads them again, for the tests of devices and operators.

use proftui_trace::export::recording::{
    Recording, write_json, write_kineto_json, write_paddle_json, write_protobuf,
};
use proftui_trace::import::{Loaded, Progress, Request, load_bytes};
use proftui_trace::model::SliceId;

/// A recording as JSON in Paddle's form.
pub(crate) fn paddle_json(recording: &Recording) -> Vec<u8> {
    let mut json = Vec::new();
    write_paddle_json(recording, &mut json).expect("written");
    json
}

/// A recording as JSON and as protobuf.
pub(crate) fn forms(recording: &Recording) -> [Vec<u8>; 2] {
    let (mut json, mut protobuf) = (Vec::new(), Vec::new());
    write_json(recording, &mut json).expect("written");
    write_protobuf(recording, &mut protobuf).expect("written");
    let document: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let events = document["traceEvents"].as_array().expect("events");
    assert!(events.iter().all(|event| event["name"].is_string() && event["ph"].is_string()));
    // A sum would not fit where a test has times at the end of time.
    let span = |loaded: Loaded| {
        i128::from(loaded.trace.span.start) + i128::from(loaded.trace.meta.epoch.unwrap_or_default())
    };
    if !events.is_empty() {
        assert_eq!(span(load(&json)), span(load(&paddle_json(recording))), "both forms of JSON");
    }
    let mut kineto = Vec::new();
    write_kineto_json(recording, &mut kineto).expect("written");
    assert_eq!(portrait(&load(&kineto)), portrait(&load(&json)), "PyTorch's form and ours");
    [json, protobuf]
}

/// What is in a trace: a line for each slice, link, flow, step and memory event, in order.
fn portrait(loaded: &Loaded) -> Vec<String> {
    let trace = &loaded.trace;
    // A sum would not fit where a test has times at the end of time.
    let time = |ns: i64| i128::from(ns) + i128::from(trace.meta.epoch.unwrap_or_default());
    let slice = |id: SliceId| {
        let (title, name) = (trace.lane_title(&trace.lanes[trace.lane_of(id)]), trace.name(id));
        let (start, dur) = (time(trace.slices.start[id]), trace.slices.dur[id]);
        let rest = (trace.slices.category(id), trace.slices.correlation[id], trace.copied(id));
        format!("{title} {name} {start} {dur} {rest:?}")
    };
    let parent = |id: SliceId| trace.slices.parent(id).map(slice);
    let mut lines: Vec<String> =
        trace.slices.ids().iter().map(|id| format!("slice {} in {:?}", slice(id), parent(id))).collect();
    let links = trace.links.all().iter();
    lines.extend(links.map(|&(launch, work)| format!("link {} to {}", slice(launch), slice(work))));
    let flows = trace.flows.iter();
    lines.extend(flows.map(|flow| format!("{:?} {} to {}", flow.kind, slice(flow.from), slice(flow.to))));
    lines.extend(trace.steps.iter().map(|step| format!("step {} {}", step.number, slice(step.slice))));
    for event in &trace.memory {
        let sums = (event.allocated, event.reserved, event.peak_allocated, event.peak_reserved);
        let of = trace.strings.text(event.place);
        let rest = (event.kind, event.bytes, event.address, sums);
        lines.push(format!("memory {} {of} {rest:?}", time(event.ts)));
    }
    lines.sort();
    lines
}

/// Loads a trace from its bytes.
pub(crate) fn load(bytes: &[u8]) -> Loaded {
    load_bytes(bytes, &Request::default(), &Progress::default()).expect("loads")
}
