//! Writes the events of threads (ranges, calls, synchronizations, overheads, memory), and the names and order
//! of lanes.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::content::{Range, Thread};
use super::super::device::{Allocation, Call, Overhead, Sync};
use super::super::operator_supplement::OperatorArguments;
use super::external::External;
use super::slice::{Lane, Out, Slice, escaped};
use crate::export::ExportError;
use crate::model::nodetree::{OVERHEAD, SYNCHRONIZATION, args, is_python, kind_name};

/// Colour of ranges, as a colour name (`cname`) of Chrome's trace viewer.
const HOST: &str = "thread_state_runnable";
/// Colour of calls, synchronizations and overheads, as a colour name (`cname`) of Chrome's trace viewer.
const CALL: &str = "thread_state_running";

/// Writes all events of a thread, then the names and order of its lanes. `has_work` returns whether the call
/// with an index in `thread.calls` launched device work.
pub(super) fn thread(
    out: &mut Out<'_>,
    (number, thread): (usize, &Thread),
    external: &External,
    has_work: impl Fn(usize) -> bool,
) -> Result<(), ExportError> {
    let (pid, tid) = (thread.pid, thread.tid);
    let tids = [true, false].map(|is_python| lane_id(out, tid, is_python));
    let [python, native] = tids.each_ref().map(|tid| Lane { pid, tid });
    for (at, range) in thread.ranges.iter().enumerate() {
        let lane = if is_python(range.kind.into()) { python } else { native };
        one_range(out, lane, range, |text| external.push_range(text, (number, at)))?;
    }
    for (at, call) in thread.calls.iter().enumerate() {
        one_call(out, native, call, has_work(at), |text| external.push_call(text, (number, at)))?;
    }
    for sync in &thread.syncs {
        one_sync(out, native, sync)?;
    }
    for overhead in &thread.overheads {
        one_overhead(out, native, overhead)?;
    }
    for allocation in &thread.allocations {
        memory(out, native, allocation)?;
    }
    labels(out, thread)
}

fn one_range(
    out: &mut Out<'_>,
    lane: Lane<'_>,
    range: &Range,
    number: impl FnOnce(&mut String),
) -> Result<(), ExportError> {
    let &Range { start, end, name, .. } = range;
    let cat = kind_name(u32::from(range.kind)).unwrap_or("UserDefined");
    let slice = Slice { name, cat, colour: HOST, lane, start, end };
    let (detail, is_kineto) = (out.recording.detail(range), out.is_kineto);
    out.slice(&slice, |text| {
        if range.has_begun_before {
            text.push_str(r#","begun":"before the recording""#);
        }
        if range.is_cut {
            text.push_str(r#","cut":"open when the recording ended""#);
        }
        if let Some((_, members)) = detail {
            push_members(text, members);
            if !is_kineto {
                push_supplement(text, members);
            }
        }
        number(text);
    })?;
    let Some((detail, _)) = detail else { return Ok(()) };
    for (event_type, link) in [('s', detail.forward_link), ('f', detail.backward_link)] {
        if link != 0 {
            out.backward_flow(event_type, link, lane, start)?;
        }
    }
    Ok(())
}

/// Appends an operator's shapes, types and call stack under Paddle's keys, as far as `members` has them in
/// another notation.
fn push_supplement(text: &mut String, members: &str) {
    let arguments = OperatorArguments::of(members);
    let Some(supplement) = arguments.supplement.filter(|_| !arguments.is_paddle) else { return };
    for (key, value) in args::supplemented(&supplement) {
        let _ = write!(text, ",\"{key}\":{value}");
    }
}

fn one_call(
    out: &mut Out<'_>,
    lane: Lane<'_>,
    call: &Call,
    has_work: bool,
    number: impl FnOnce(&mut String),
) -> Result<(), ExportError> {
    let &Call { start, end, name, correlation, returned, .. } = call;
    let slice = Slice { name, cat: "CudaRuntime", colour: CALL, lane, start, end };
    let key = out.correlation_key();
    out.slice(&slice, |text| {
        let _ = write!(text, ",\"{key}\":{correlation}");
        if returned != 0 {
            let _ = write!(text, ",\"returned\":{returned}");
        }
        number(text);
    })?;
    if has_work {
        let at = if out.is_kineto { start } else { start.midpoint(end.max(start)) };
        out.launch_flow('s', correlation, lane, at, "")
    } else {
        Ok(())
    }
}

fn one_sync(out: &mut Out<'_>, lane: Lane<'_>, sync: &Sync) -> Result<(), ExportError> {
    let &Sync { start, end, name, .. } = sync;
    let cat = kind_name(SYNCHRONIZATION).unwrap_or("Other");
    let slice = Slice { name, cat, colour: CALL, lane, start, end };
    let key = out.correlation_key();
    out.slice(&slice, |text| {
        push_correlation(text, key, sync.correlation);
        let targets = [("context", sync.context), ("stream", sync.stream), ("event", sync.event)];
        for (key, number) in targets {
            if let Some(number) = number {
                let _ = write!(text, ",\"{key}\":{number}");
            }
        }
        if let Some((stream, record)) = sync.waited {
            // As PyTorch's profiler writes them.
            let _ =
                write!(text, ",\"wait_on_stream\":{stream},\"wait_on_cuda_event_record_corr_id\":{record}");
        }
    })
}

fn one_overhead(out: &mut Out<'_>, lane: Lane<'_>, overhead: &Overhead) -> Result<(), ExportError> {
    let &Overhead { start, end, name, correlation } = overhead;
    let cat = kind_name(OVERHEAD).unwrap_or("Other");
    let slice = Slice { name, cat, colour: CALL, lane, start, end };
    let key = out.correlation_key();
    out.slice(&slice, |text| push_correlation(text, key, correlation))
}

/// Appends the correlation number under this key, unless the number is 0.
fn push_correlation(text: &mut String, key: &str, correlation: u32) {
    if correlation != 0 {
        let _ = write!(text, ",\"{key}\":{correlation}");
    }
}

fn memory(out: &mut Out<'_>, lane: Lane<'_>, event: &Allocation) -> Result<(), ExportError> {
    let kind = args::memory_kind(u32::from(event.bytes < 0) + 2 * u32::from(event.is_reserved));
    let stated = out.recording.details.text(event.text);
    let (is_kineto, key) = (out.is_kineto, out.correlation_key());
    out.instant(("[memory]", kind), lane, event.time, |text| {
        let Allocation { address, bytes, in_use, peak, reserved, peak_reserved, .. } = event;
        let _ = write!(text, "\"place\":\"{}\"", escaped(&event.place));
        if !is_kineto {
            let _ = write!(
                text,
                ",\"addr\":\"{address}\",\"increase_bytes\":{bytes},\
                 \"current_allocated\":{in_use},\"current_reserved\":{reserved}"
            );
        } else if !stated.contains("\"Bytes\":") {
            let device =
                event.place.rsplit_once("gpu:").and_then(|(_, of)| of.trim_end_matches(')').parse().ok());
            // Kineto's number of a kind of device: 0 is the CPU, 1 CUDA.
            let (number, kind): (i64, u8) = device.map_or((-1, 0), |device| (device, 1));
            let _ = write!(
                text,
                ",\"Addr\":{address},\"Bytes\":{bytes},\"Total Allocated\":{in_use},\
                 \"Total Reserved\":{reserved},\"Device Id\":{number},\"Device Type\":{kind}"
            );
        }
        let _ = write!(text, ",\"peak_allocated\":{peak},\"peak_reserved\":{peak_reserved}");
        if !event.kind.is_empty() {
            let _ = write!(text, ",\"memory kind\":\"{}\",\"{key}\":{}", event.kind, event.correlation);
        }
        push_members(text, stated);
    })
}

/// Appends `members`, arguments of an event as members of a JSON object, after a comma; nothing if they are
/// empty.
fn push_members(text: &mut String, members: &str) {
    if !members.is_empty() {
        text.push(',');
        text.push_str(members);
    }
}

/// The `tid` of one of a thread's two lanes, as JSON: a text such as `"12(Python)"`, or the thread's number:
/// in our own form for the lane without Python, in that of PyTorch for both.
fn lane_id(out: &Out<'_>, tid: u32, is_python: bool) -> Value {
    if !out.is_kineto && (is_python || out.is_paddle()) {
        json!(format!("{tid}({})", layer(is_python)))
    } else {
        json!(tid)
    }
}

/// Paddle's name for one of the two lanes of a thread: `Python` for the events of its Python layer, `C++` for
/// all others.
fn layer(is_python: bool) -> &'static str {
    if is_python { "Python" } else { "C++" }
}

/// Writes the metadata events that name and order a thread's process and the thread's two lanes.
fn labels(out: &mut Out<'_>, thread: &Thread) -> Result<(), ExportError> {
    let Thread { pid, tid, .. } = thread;
    let process = match out.recording.titles.get(pid) {
        Some(title) => format!("{title} (process {pid})"),
        None => format!("Process {pid} (CPU)"),
    };
    if out.is_kineto {
        let name = if thread.name.is_empty() { format!("thread {tid}") } else { thread.name.clone() };
        out.value(
            &json!({"name": "process_labels", "ph": "M", "pid": pid, "tid": 0, "args": {"labels": "CPU"}}),
        )?;
        return label(out, (*pid, &json!(tid)), Some((&process, u64::from(*pid))), (&name, u64::from(*tid)));
    }
    for is_python in [true, false] {
        let layer = layer(is_python);
        let order = 2 * u64::from(*tid) + u64::from(!is_python);
        let lane = lane_id(out, *tid, is_python);
        let name = format!("thread {tid}:{}({layer})", thread.name);
        label(out, (*pid, &lane), Some((&process, u64::from(*pid))), (&name, order))?;
    }
    Ok(())
}

/// Writes metadata events with the name and sort index of a lane, and of its process or device unless
/// `process` is `None`.
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
    for (key, args) in process.into_iter().flatten().chain(lane) {
        out.value(&json!({"name": key, "ph": "M", "pid": pid, "tid": tid, "args": args}))?;
    }
    Ok(())
}
