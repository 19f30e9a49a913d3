//! What happened on threads: ranges, calls, stalls, memory; and how threads are called.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::device::{Allocation, Call, Stall};
use super::super::supplement::Told;
use super::super::{Range, Thread};
use super::slice::{Out, Slice, Spot, inner};
use crate::export::ExportError;
use crate::model::nodetree::{args, is_python, kind_name};

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
        one_range(out, if is_python(range.kind.into()) { python } else { native }, range)?;
    }
    for (at, call) in thread.calls.iter().enumerate() {
        one_call(out, native, call, launches(at))?;
    }
    for stall in &thread.stalls {
        one_stall(out, native, stall)?;
    }
    for allocation in &thread.allocations {
        memory(out, native, allocation)?;
    }
    labels(out, thread)
}

fn one_range(out: &mut Out<'_>, spot: Spot<'_>, range: &Range) -> Result<(), ExportError> {
    let &Range { start, end, name, .. } = range;
    let cat = kind_name(u32::from(range.kind)).unwrap_or("UserDefined");
    let slice = Slice { name, cat, colour: HOST, spot, start, end };
    let detail = out.recording.detail(range);
    out.slice(&slice, |text| {
        if range.is_cut {
            text.push_str(r#","cut":"open when the recording ended""#);
        }
        if let Some((_, members)) = detail {
            push_members(text, members);
            push_supplement(text, members);
        }
    })?;
    let Some((detail, _)) = detail else { return Ok(()) };
    for (phase, link) in [('s', detail.forward_link), ('f', detail.backward_link)] {
        if link != 0 {
            out.backward_arrow(phase, link, spot, start)?;
        }
    }
    Ok(())
}

/// Adds what Paddle's readers look for of an operator, where its producer has other words for it.
fn push_supplement(text: &mut String, members: &str) {
    let told = Told::of(members);
    let Some(supplement) = told.supplement.filter(|_| !told.is_paddle) else { return };
    for (key, value) in args::supplemented(&supplement) {
        let _ = write!(text, ",\"{key}\":{value}");
    }
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
    let slice = Slice { name, cat: kind_name(kind).unwrap_or("Other"), colour: CALL, spot, start, end };
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

fn memory(out: &mut Out<'_>, spot: Spot<'_>, event: &Allocation) -> Result<(), ExportError> {
    let kind = args::memory_kind(u32::from(event.bytes < 0) + 2 * u32::from(event.is_reserved));
    let recording = out.recording;
    out.instant(("[memory]", kind), spot, event.time, |text| {
        let Allocation { address, bytes, in_use, peak, reserved, peak_reserved, .. } = event;
        let _ = write!(
            text,
            "\"place\":\"{}\",\"addr\":\"{address}\",\"increase_bytes\":{bytes},\"current_allocated\":{in_use},\
             \"current_reserved\":{reserved},\"peak_allocated\":{peak},\"peak_reserved\":{peak_reserved}",
            inner(&event.place)
        );
        if !event.kind.is_empty() {
            let _ = write!(
                text,
                ",\"memory kind\":\"{}\",\"correlation id\":{}",
                event.kind, event.correlation
            );
        }
        push_members(text, recording.details.text(event.text));
    })
}

/// Adds what a producer told, behind other members.
fn push_members(text: &mut String, members: &str) {
    if !members.is_empty() {
        text.push(',');
        text.push_str(members);
    }
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
