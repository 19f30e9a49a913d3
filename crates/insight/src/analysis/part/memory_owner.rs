//! The operator to which a memory event belongs: the innermost one around it on its own thread.

use proftui_trace::model::{MemoryEvent, RowId, SliceId, Trace};

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
