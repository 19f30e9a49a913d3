//! To what a memory event belongs: the innermost operator around it on its own thread, or the line of Python
//! in the call stack that the file states for it.

use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_trace::model::{MemoryEvent, RowId, SliceId, Trace};

use crate::analysis::vocabulary::script_line::{Frame, line};

/// Name shown instead of an operator's for memory events outside of all operators.
pub(crate) const OUTSIDE: &str = "(outside any operator)";

/// The slices on a memory event's lane that contain its time, the innermost first.
pub(crate) fn enclosing<'a>(trace: &'a Trace, event: &'a MemoryEvent) -> impl Iterator<Item = SliceId> + 'a {
    let lane = &trace.lanes[event.lane];
    let at = move |row: RowId| {
        let ids = trace.rows[row].slices();
        let starts = &trace.slices.start[ids];
        let last = ids.at(starts.partition_point(|&start| start <= event.ts).checked_sub(1)?);
        (event.ts <= trace.slices.end(last)).then_some(last)
    };
    lane.rows.iter().rev().filter_map(at)
}

/// The innermost operator on a memory event's lane that contains the event's time; `None` if there is none.
pub(crate) fn owner(trace: &Trace, event: &MemoryEvent) -> Option<SliceId> {
    enclosing(trace, event).find(|&id| trace.slices.category(id).is_operator())
}

/// To what a memory event belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Owner {
    /// Operators with this name.
    Operator(StrId),
    /// A frame of [`Trace::stacks`]: of the innermost line of the script, else of a library.
    Line(StrId),
}

impl Owner {
    /// To what the event belongs: the innermost operator around it, else the line in its call stack; `None`
    /// without both.
    pub(crate) fn of(trace: &Trace, event: &MemoryEvent) -> Option<Self> {
        let operator = owner(trace, event).map(|id| Self::Operator(trace.slices.name[id]));
        operator.or_else(|| stated_line(trace, event).map(Self::Line))
    }

    /// The name to show.
    pub(crate) fn title(self, trace: &Trace) -> SafeText<'static> {
        match self {
            Self::Operator(name) => trace.string_or(name, "(unnamed)").into_owned(),
            Self::Line(frame) => frame_title(trace, frame),
        }
    }
}

/// The innermost line of the script in the call stack that the file states for an event, else of a library,
/// else its innermost frame; `None` without a stack.
pub(crate) fn stated_line(trace: &Trace, event: &MemoryEvent) -> Option<StrId> {
    let frames = trace.stacks.ids(event.stack);
    let of_file = line(frames.iter().copied(), |frame| Frame::of(trace.stacks.bytes(frame)));
    of_file.or(frames.first().copied())
}

/// A frame as it is shown, without the folders of its file: `train.py(18): step`.
pub(crate) fn frame_title(trace: &Trace, frame: StrId) -> SafeText<'static> {
    let text = trace.stacks.bytes(frame);
    let end = text.iter().position(|&byte| byte == b'(').unwrap_or(0);
    let from = text[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    SafeText::from_bytes(&text[from..]).into_owned()
}

/// Beginnings of the names of operators that only take memory, for an operator around them.
const ONLY_TAKE: [&[u8]; 4] = [b"aten::empty", b"aten::new_empty", b"aten::resize_", b"aten::set_"];

/// The innermost operator on a memory event's lane that does something with the memory: `aten::conv2d`, not
/// the `aten::empty` within it; [`owner`] where there is no such operator.
pub(crate) fn user(trace: &Trace, event: &MemoryEvent) -> Option<SliceId> {
    let name = |id: SliceId| trace.strings.bytes(trace.slices.name[id]);
    let only_takes = |id: SliceId| ONLY_TAKE.iter().any(|beginning| name(id).starts_with(beginning));
    let mut operators = enclosing(trace, event).filter(|&id| trace.slices.category(id).is_operator());
    operators.find(|&id| !only_takes(id)).or_else(|| owner(trace, event))
}
