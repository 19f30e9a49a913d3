//! Writes a recording as Chrome Trace Event JSON, in our form, in that of PyTorch's profiler or in Paddle's.
//!
//! Ours has times since a base that the header states, so that a reader that keeps a time as a double loses
//! nothing. Paddle's has times since 1970, names with durations, and an empty event at the end, as Paddle's
//! readers expect. Both have Paddle's categories and keys. PyTorch's has times as ours, Kineto's categories
//! and keys, and numbers of threads.
//!
//! - `slice` formats events.
//! - `host` writes the events of threads, `device` device work.
//! - `external` has the numbers by which PyTorch's tools join operators, calls and device work.

mod device;
mod external;
mod host;
mod slice;

use std::io::Write;

use serde_json::{Map, Value, json};

use super::content::{Recording, SCHEMA};
use super::launches::Launches;
use crate::export::ExportError;
use external::External;
use slice::{Out, Times};

/// The base of times in our own form is a multiple of this length, ns: a quarter of a year, as in Kineto's
/// traces.
const PERIOD: u64 = 7_889_238_000_000_000;

/// Writes a recording as Chrome Trace Event JSON in proftui's own form: a header, then all events in one
/// array.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_json(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    let base = recording.first() / PERIOD * PERIOD;
    let head = Map::from_iter([("baseTimeNanoseconds".to_owned(), base.into())]);
    write(recording, head, (Times::Since(base), false), to)
}

/// Writes a recording as JSON in the form of PyTorch's profiler.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_kineto_json(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    let base = recording.first() / PERIOD * PERIOD;
    let mut head = recording.metadata.clone();
    // The events follow the header.
    head.remove("traceEvents");
    head.insert("baseTimeNanoseconds".to_owned(), base.into());
    let fact = |key: &str| {
        let found = recording.facts.iter().find(|(name, _)| name == key);
        found.and_then(|(_, value)| value.parse::<u64>().ok())
    };
    if let Some(rank) = fact("proftui.RANK") {
        let world = fact("proftui.WORLD_SIZE").unwrap_or(rank + 1);
        head.insert("distributedInfo".to_owned(), json!({"rank": rank, "world_size": world}));
    }
    write(recording, head, (Times::Since(base), true), to)
}

/// Writes a recording as JSON in the form of Paddle's profiler, with proftui's own keys beside Paddle's.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_paddle_json(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    write(recording, Map::new(), (Times::Paddle(recording.zero()), false), to)
}

/// Writes the whole document. `head` has the header's members that only this form of the JSON has.
fn write(
    recording: &Recording,
    mut head: Map<String, Value>,
    (times, is_kineto): (Times, bool),
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let span = recording.index.to_string();
    let extra: Map<String, Value> =
        recording.extra().map(|(key, value)| (key, Value::String(value.to_owned()))).collect();
    let known = [
        ("displayTimeUnit", json!("ms")),
        ("schemaVersion", if is_kineto { json!(1) } else { json!(SCHEMA) }),
        ("span_indx", json!(span)),
        ("span_index", json!(span)),
        ("ExtraInfo", Value::Object(extra)),
    ];
    head.extend(known.map(|(key, value)| (key.to_owned(), value)));
    if !recording.devices.all.is_empty() {
        let devices = recording.devices.all.iter().map(|of| device::properties(of, is_kineto)).collect();
        head.insert("deviceProperties".to_owned(), devices);
    }
    // The header is written without its closing brace: the array of events follows as its last member.
    let head = Value::Object(head).to_string();
    to.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
    to.write_all(b",\"traceEvents\":[\n")?;
    let launches = Launches::of(recording);
    let external = if is_kineto { External::of(recording, &launches) } else { External::default() };
    let mut out = Out::new(recording, (times, is_kineto), to);
    for (number, thread) in recording.threads.iter().enumerate() {
        let has_work = |call| !launches.work_of(number, call).is_empty();
        host::thread(&mut out, (number, thread), &external, has_work)?;
    }
    device::all(&mut out, &launches, &external)?;
    out.finish()
}
