//! A recording as Chrome Trace Event JSON in Paddle's dialect.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Map, Value, json};

use crate::model::nodetree::word;

use super::{Range, Recording, SCHEMA, Thread};
use crate::export::ExportError;

/// Text is handed on in pieces of about this many bytes.
const PIECE: usize = 64 << 10;

/// Writes it.
///
/// # Errors
/// When writing fails.
pub fn write_json(recording: &Recording, to: &mut dyn Write) -> Result<(), ExportError> {
    let span = recording.index.to_string();
    let extra: Map<String, Value> =
        recording.extra().map(|(key, value)| (key, Value::String(value.to_owned()))).collect();
    let head = json!({
        "displayTimeUnit": "ms",
        "schemaVersion": SCHEMA,
        "span_indx": span,
        "span_index": span,
        "ExtraInfo": extra,
    });
    // The events go in between.
    let head = head.to_string();
    to.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
    to.write_all(b",\"traceEvents\":[\n")?;
    let names: Vec<String> =
        recording.names.iter().map(|name| inner(&String::from_utf8_lossy(name))).collect();
    let zero = recording.zero();
    let mut text = String::with_capacity(2 * PIECE);
    for thread in &recording.threads {
        for range in &thread.ranges {
            event(&mut text, thread, range, &names, zero);
            if text.len() > PIECE {
                to.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        labels(&mut text, thread);
    }
    // As Paddle ends its list.
    text.push_str("{}\n]}\n");
    to.write_all(text.as_bytes())?;
    Ok(())
}

/// A text as it stands between the quotes.
fn inner(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// True for what Paddle writes on the layer of Python.
fn is_python(kind: u8) -> bool {
    matches!(kind, 1 | 2 | 9 | 10 | 11 | 13 | 14)
}

fn layer(is_python: bool) -> &'static str {
    if is_python { "Python" } else { "C++" }
}

fn event(text: &mut String, thread: &Thread, range: &Range, names: &[String], zero: u64) {
    let name = names.get(range.name as usize).map_or("", String::as_str);
    let dur = range.end.saturating_sub(range.start);
    let (start, end) = (range.start.saturating_sub(zero), range.end.saturating_sub(zero));
    let cat = word(u32::from(range.kind)).unwrap_or("UserDefined");
    let (whole, part, unit) = if dur > 1_000_000 {
        (dur / 1_000_000, dur / 1000 % 1000, "ms")
    } else {
        (dur / 1000, dur % 1000, "us")
    };
    let cut = if range.is_cut { r#","cut":"open when the recording ended""# } else { "" };
    // Writing into a text cannot fail.
    let _ = writeln!(
        text,
        "{{\"name\":\"{name}[{whole}.{part:03} {unit}]\",\"ph\":\"X\",\"cat\":\"{cat}\",\"pid\":{},\
         \"tid\":\"{}({})\",\"ts\":{},\"dur\":{}.{:03},\"cname\":\"thread_state_runnable\",\
         \"args\":{{\"start_time\":\"{}.{:03} us\",\"end_time\":\"{}.{:03} us\"{cut}}}}},",
        thread.pid,
        thread.tid,
        layer(is_python(range.kind)),
        range.start / 1000,
        dur / 1000,
        dur % 1000,
        start / 1000,
        start % 1000,
        end / 1000,
        end % 1000,
    );
}

/// Names and orders of a thread's lanes, as viewers want them.
fn labels(text: &mut String, thread: &Thread) {
    let Thread { pid, tid, .. } = thread;
    for is_python in [true, false] {
        let layer = layer(is_python);
        let order = 2 * u64::from(*tid) + u64::from(!is_python);
        for (what, args) in [
            ("process_name", json!({"name": format!("Process {pid} (CPU)")})),
            ("process_sort_index", json!({"sort_index": pid})),
            ("thread_name", json!({"name": format!("thread {tid}:{}({layer})", thread.name)})),
            ("thread_sort_index", json!({"sort_index": order})),
        ] {
            let label =
                json!({"name": what, "ph": "M", "pid": pid, "tid": format!("{tid}({layer})"), "args": args});
            text.push_str(&label.to_string());
            text.push_str(",\n");
        }
    }
}
