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
