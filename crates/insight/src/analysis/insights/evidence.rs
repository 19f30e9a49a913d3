//! What the launching threads did in idle time: their slices at each time, and the piece of the gap around.
//!
//! Must not know rules, nor which slice is the reason (`reason`).

use crate::analysis::ledger::{DeviceLedger, Sides};
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, LaneKind, SliceId, Trace};

/// The lanes of the host thread that a slice is on, with that of its Python layer, if it has one.
pub fn lanes_of_thread(trace: &Trace, slice: SliceId) -> Vec<LaneId> {
    let own = &trace.lanes[trace.lane_of(slice)];
    let is_one = |lane: &LaneId| {
        let lane = &trace.lanes[*lane];
        lane.tid == own.tid && matches!(lane.kind, LaneKind::Python | LaneKind::Thread)
    };
    trace.groups[own.group].lanes.iter().filter(is_one).collect()
}

/// Calls `visit` for each piece of `span` between the starts and ends of the slices on `lanes`, in order of
/// time: with the piece, and the slices around it, the outermost first; a piece without a slice is left out.
pub fn stacks(trace: &Trace, lanes: &[LaneId], span: Span, mut visit: impl FnMut(Span, &[SliceId])) {
    let mut open: Vec<(Span, SliceId)> = Vec::new();
    for &lane in lanes {
        for row in trace.lanes[lane].rows {
            let ids = trace.rows[row].slices();
            let starts = &trace.slices.start[ids];
            let begun = ids.part(0..starts.partition_point(|&start| start < span.end));
            let ends = begun.iter().rev().take_while(|&id| trace.slices.end(id) > span.start);
            open.extend(ends.map(|id| (trace.slices.span(id), id)));
        }
    }
    let mut cuts: Vec<Ns> = open.iter().flat_map(|(time, _)| [time.start, time.end]).collect();
    cuts.extend([span.start, span.end]);
    cuts.retain(|&cut| span.start <= cut && cut <= span.end);
    cuts.sort_unstable();
    cuts.dedup();
    open.sort_by_key(|(time, _)| (time.start, std::cmp::Reverse(time.end)));
    let (mut next, mut stack, mut ends): (usize, Vec<SliceId>, Vec<Ns>) = (0, Vec::new(), Vec::new());
    for pair in cuts.windows(2) {
        while next < open.len() && open[next].0.start <= pair[0] {
            ends.push(open[next].0.end);
            stack.push(open[next].1);
            next += 1;
        }
        let mut at = 0;
        stack.retain(|_| {
            at += 1;
            ends[at - 1] > pair[0]
        });
        ends.retain(|&end| end > pair[0]);
        if !stack.is_empty() {
            visit(Span { start: pair[0], end: pair[1] }, &stack);
        }
    }
}

/// The innermost slice on `lanes` at each time of `span`, as disjoint pieces in order of time; times without
/// a slice are left out.
pub fn innermost(trace: &Trace, lanes: &[LaneId], span: Span) -> Vec<(Span, SliceId)> {
    let mut found = Vec::new();
    stacks(trace, lanes, span, |piece, stack| found.extend(stack.last().map(|&id| (piece, id))));
    found
}

/// The work on both sides of the gap at the start of `piece`, or of the next gap; `None` if there is neither.
pub(crate) fn gap_around(trace: &Trace, device: &DeviceLedger, piece: Span) -> Option<Sides> {
    device.sides(trace, device.idle.gap_at(piece.start)?)
}
