//! Writes recordings and loads them again, for the tests of devices and operators.

use proftui::export::recording::{Recording, write_json, write_protobuf};
use proftui::import::{Loaded, Progress, Request, load_bytes};

/// A recording as JSON and as protobuf.
pub(crate) fn forms(recording: &Recording) -> [Vec<u8>; 2] {
    let (mut json, mut protobuf) = (Vec::new(), Vec::new());
    write_json(recording, &mut json).expect("written");
    write_protobuf(recording, &mut protobuf).expect("written");
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
    [json, protobuf]
}

/// Loads a trace from its bytes.
pub(crate) fn load(bytes: &[u8]) -> Loaded {
    load_bytes(bytes, &Request::default(), &Progress::default()).expect("loads")
}
