//! Writes recordings and loads them again, for the tests of devices and operators.

use proftui_trace::export::recording::{Recording, write_json, write_paddle_json, write_protobuf};
use proftui_trace::import::{Loaded, Progress, Request, load_bytes};

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
    [json, protobuf]
}

/// Loads a trace from its bytes.
pub(crate) fn load(bytes: &[u8]) -> Loaded {
    load_bytes(bytes, &Request::default(), &Progress::default()).expect("loads")
}
