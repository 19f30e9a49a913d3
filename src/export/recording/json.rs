//! Writes a recording as Chrome Trace Event JSON in Paddle's dialect.

mod device;
mod host;
mod slice;

use std::io::Write;

use serde_json::{Map, Value, json};

use super::content::{Recording, SCHEMA};
use super::launches::Launches;
use crate::export::ExportError;
use slice::Out;

/// Writes a recording as JSON: a header, then all events in one array.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_json(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    let span = recording.index.to_string();
    let extra: Map<String, Value> =
        recording.extra().map(|(key, value)| (key, Value::String(value.to_owned()))).collect();
    let mut head = json!({
        "displayTimeUnit": "ms",
        "schemaVersion": SCHEMA,
        "span_indx": span,
        "span_index": span,
        "ExtraInfo": extra,
    });
    if !recording.devices.all.is_empty() {
        head["deviceProperties"] = recording.devices.all.iter().map(device::properties).collect();
    }
    // The header is written without its closing brace: the array of events follows as its last member.
    let head = head.to_string();
    to.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
    to.write_all(b",\"traceEvents\":[\n")?;
    let launches = Launches::of(recording);
    let mut out = Out::new(recording, to);
    for (number, thread) in recording.threads.iter().enumerate() {
        host::thread(&mut out, thread, |call| !launches.work_of(number, call).is_empty())?;
    }
    device::all(&mut out, recording, &launches)?;
    out.finish()
}
