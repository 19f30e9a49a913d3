//! The frames of Python in which an event was called, and the line of the script among them.
//!
//! Must not know how they are shown.

use std::cmp::Reverse;

use proftui_insight::analysis::vocabulary::script_line::{Frame, line};
use proftui_trace::import::{EventText, Value};
use proftui_trace::model::{Lane, LaneKind, SliceId, Trace};

use crate::app::session::Session;

/// The label of the line of the script.
pub(super) const SCRIPT_LINE: &str = "script line";
/// How many slices, from the launch outwards, are searched at most for a recorded call stack.
const CALLS: usize = 4;

/// The frames in which an event was called, or device work was launched, innermost first. Empty if none is
/// recorded.
pub(super) fn frames(session: &Session, id: SliceId) -> Vec<SliceId> {
    python_stack(session, session.trace.links.launch_of(id).unwrap_or(id))
}

/// What a slice of a Python lane is: a line of the script, of a library, or no line.
pub(super) fn frame(trace: &Trace, id: SliceId) -> Frame {
    Frame::of(trace.strings.bytes(trace.slices.name[id]))
}

/// The line of the script in the call stack that the files have of an event or of its launch; none where
/// frames are recorded as slices.
pub(super) fn of_arguments(session: &Session, id: SliceId) -> Option<String> {
    if session.trace.lanes[session.trace.lane_of(id)].kind == LaneKind::Python
        || !frames(session, id).is_empty()
    {
        return None;
    }
    recorded_line(session, session.trace.links.launch_of(id).unwrap_or(id))
}

/// What is open on the Python lane of an event's thread at the event's start, innermost first: functions, in
/// Paddle's format also ranges, phases and steps. Empty if nothing is, and for an event on a lane that is no
/// [`LaneKind::Thread`].
pub(crate) fn python_stack(session: &Session, id: SliceId) -> Vec<SliceId> {
    let Session { trace, index, .. } = session;
    let lane = &trace.lanes[trace.lane_of(id)];
    let group = trace.groups[lane.group].lanes;
    let is_stack = |other: &&Lane| other.kind == LaneKind::Python && other.tid == lane.tid;
    let stack = trace.lanes[group].iter().find(is_stack);
    let Some(stack) = stack.filter(|_| lane.kind == LaneKind::Thread) else { return Vec::new() };
    let start = trace.slices.start[id];
    let mut open: Vec<SliceId> =
        stack.rows.iter().rev().filter_map(|row| index.at(trace, row, start)).collect();
    // Where functions overlap without nesting, lower rows may hold what began earlier.
    open.sort_by_key(|&frame| Reverse(trace.slices.start[frame]));
    open
}

/// The innermost line of the user's program, else of a library, among the event `id` of a Python lane and the
/// slices around it; none if there is no line, and for an event of another lane.
pub(super) fn innermost_line(trace: &Trace, id: SliceId) -> Option<SliceId> {
    if trace.lanes[trace.lane_of(id)].kind != LaneKind::Python {
        return None;
    }
    let stack = std::iter::once(id).chain(trace.slices.ancestors(id));
    line(stack, |id| frame(trace, id))
}

/// The script line in the call stack that the trace's files have of the call `launch` or of one of the
/// nearest slices around it; none if not found.
pub(super) fn recorded_line(session: &Session, launch: SliceId) -> Option<String> {
    let slices = &session.trace.slices;
    let calls = std::iter::once(launch).chain(slices.ancestors(launch)).take(CALLS);
    calls.filter_map(|id| stack(session.texts.read(slices.origin[id]))).find_map(|stack| {
        let frames = stack.split(';').map(str::trim).filter(|frame| !frame.is_empty());
        line(frames, |frame| Frame::of(frame.as_bytes())).map(str::to_owned)
    })
}

/// The call stack among the arguments in `text`, as one line; none if `text` has no call stack.
fn stack(text: EventText) -> Option<String> {
    let EventText::Members(members) = text else { return None };
    let args = members.into_iter().find(|member| member.name.as_str() == "args")?;
    let Value::Object(args) = args.value else { return None };
    let is_stack = |name: &str| name.to_lowercase().replace(' ', "").contains("callstack");
    args.into_iter().find(|arg| is_stack(arg.name.as_str())).map(|arg| arg.value.line().to_string())
}
