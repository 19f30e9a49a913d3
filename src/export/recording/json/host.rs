//! What happened on threads: ranges, calls, stalls, memory; and how threads are called.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::Thread;
use super::super::device::{Allocation, Call, Stall};
use super::slice::{Out, Slice, Spot};
use crate::export::ExportError;
use crate::export::time::Us;
use crate::model::nodetree::{args, word};

/// The colours of Paddle's host events and of its calls.
const HOST: &str = "thread_state_runnable";
const CALL: &str = "thread_state_running";

/// All of a thread; `launches` tells of a call, by its place, whether it launched work.
pub(super) fn thread(
    out: &mut Out<'_>,
    thread: &Thread,
    launches: impl Fn(usize) -> bool,
) -> Result<(), ExportError> {
    let (pid, tid) = (thread.pid, thread.tid);
    let tids = [true, false].map(|is_python| format!("\"{tid}({})\"", layer(is_python)));
    let [python, native] = tids.each_ref().map(|tid| Spot { pid, tid });
    for range in &thread.ranges {
        let cat = word(u32::from(range.kind)).unwrap_or("UserDefined");
        let spot = if is_python(range.kind) { python } else { native };
        let slice = Slice { name: range.name, cat, colour: HOST, spot, start: range.start, end: range.end };
        let cut = if range.is_cut { r#","cut":"open when the recording ended""# } else { "" };
        out.slice(&slice, |text| text.push_str(cut))?;
    }
    for (at, call) in thread.calls.iter().enumerate() {
        one_call(out, native, call, launches(at))?;
    }
    for stall in &thread.stalls {
        one_stall(out, native, stall)?;
    }
    for allocation in &thread.allocations {
        memory(out, thread, allocation)?;
    }
    labels(out, thread)
}

fn one_call(out: &mut Out<'_>, spot: Spot<'_>, call: &Call, launches: bool) -> Result<(), ExportError> {
    let &Call { start, end, name, correlation, returned, .. } = call;
    let slice = Slice { name, cat: "CudaRuntime", colour: CALL, spot, start, end };
    out.slice(&slice, |text| {
        let _ = write!(text, ",\"correlation id\":{correlation}");
        if returned != 0 {
            let _ = write!(text, ",\"returned\":{returned}");
        }
    })?;
    if launches { out.arrow('s', correlation, spot, start.midpoint(end.max(start)), "") } else { Ok(()) }
}

fn one_stall(out: &mut Out<'_>, spot: Spot<'_>, stall: &Stall) -> Result<(), ExportError> {
    let &Stall { start, end, kind, name, .. } = stall;
    let slice = Slice { name, cat: word(kind).unwrap_or("Other"), colour: CALL, spot, start, end };
    out.slice(&slice, |text| {
        let correlation = Some(stall.correlation).filter(|&number| number != 0);
        let told = [
            ("correlation id", correlation),
            ("context", stall.context),
            ("stream", stall.stream),
            ("event", stall.event),
        ];
        for (key, number) in told {
            if let Some(number) = number {
                let _ = write!(text, ",\"{key}\":{number}");
            }
        }
    })
}

fn memory(out: &mut Out<'_>, thread: &Thread, event: &Allocation) -> Result<(), ExportError> {
    let arguments = json!({
        "place": event.place,
        "addr": event.address.to_string(),
        "increase_bytes": event.bytes,
        "current_allocated": event.in_use,
        "current_reserved": 0,
        "peak_allocated": event.peak,
        "peak_reserved": 0,
        "memory kind": event.kind,
        "correlation id": event.correlation,
    });
    let (Thread { pid, tid, .. }, ts) = (thread, Us(event.time));
    let cat = args::memory_kind(u32::from(event.bytes < 0));
    // A number of JSON's own would lose the last digits.
    let _ = writeln!(
        out.text,
        "{{\"ph\":\"i\",\"name\":\"[memory]\",\"cat\":\"{cat}\",\"pid\":{pid},\"tid\":\"{tid}(C++)\",\"ts\":{ts},\
         \"args\":{arguments}}},"
    );
    out.hand_on()
}

/// True for what Paddle writes on the layer of Python.
fn is_python(kind: u8) -> bool {
    matches!(kind, 1 | 2 | 9 | 10 | 11 | 13 | 14)
}

fn layer(is_python: bool) -> &'static str {
    if is_python { "Python" } else { "C++" }
}

/// Names and orders of a thread's lanes, as viewers want them.
fn labels(out: &mut Out<'_>, thread: &Thread) -> Result<(), ExportError> {
    let Thread { pid, tid, .. } = thread;
    for is_python in [true, false] {
        let layer = layer(is_python);
        let order = 2 * u64::from(*tid) + u64::from(!is_python);
        let lane = json!(format!("{tid}({layer})"));
        let (process, name) =
            (format!("Process {pid} (CPU)"), format!("thread {tid}:{}({layer})", thread.name));
        label(out, (*pid, &lane), Some((&process, u64::from(*pid))), (&name, order))?;
    }
    Ok(())
}

/// The name and order of a process or device, if they are to be told, and of one of its lanes.
pub(super) fn label(
    out: &mut Out<'_>,
    (pid, tid): (u32, &Value),
    process: Option<(&str, u64)>,
    (name, order): (&str, u64),
) -> Result<(), ExportError> {
    let process = process.map(|(process, order)| {
        [("process_name", json!({ "name": process })), ("process_sort_index", json!({ "sort_index": order }))]
    });
    let lane =
        [("thread_name", json!({ "name": name })), ("thread_sort_index", json!({ "sort_index": order }))];
    for (what, args) in process.into_iter().flatten().chain(lane) {
        out.value(&json!({"name": what, "ph": "M", "pid": pid, "tid": tid, "args": args}))?;
    }
    Ok(())
}
