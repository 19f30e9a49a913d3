//! What the launching threads did in idle time: the names of their innermost slices, each with its share of
//! that time.
//!
//! Must not know rules.

use rustc_hash::FxHashMap;

use crate::analysis::ledger::{DeviceLedger, Sides};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, LaneKind, SliceId, Trace};

use super::context::Context;

/// How long each slice name was innermost on the launching threads in the idle time that was looked at.
#[derive(Debug, Default)]
pub struct Seen {
    by_name: FxHashMap<StrId, Ns>,
    /// All idle time that was looked at, ns.
    pub total: Ns,
}

/// The lanes of the host thread that a slice is on, with that of its Python layer, if it has one.
pub fn lanes_of_thread(trace: &Trace, slice: SliceId) -> Vec<LaneId> {
    let own = &trace.lanes[trace.lane_of(slice)];
    let is_one = |lane: &LaneId| {
        let lane = &trace.lanes[*lane];
        lane.tid == own.tid && matches!(lane.kind, LaneKind::Python | LaneKind::Thread)
    };
    trace.groups[own.group].lanes.iter().filter(is_one).collect()
}

/// The innermost slice on `lanes` at each time of `span`, as disjoint pieces in order of time; times without
/// a slice are left out.
pub fn innermost(trace: &Trace, lanes: &[LaneId], span: Span) -> Vec<(Span, SliceId)> {
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
    let mut found = Vec::new();
    let (mut next, mut stack): (usize, Vec<(Ns, SliceId)>) = (0, Vec::new());
    for pair in cuts.windows(2) {
        while next < open.len() && open[next].0.start <= pair[0] {
            stack.push((open[next].0.end, open[next].1));
            next += 1;
        }
        stack.retain(|&(end, _)| end > pair[0]);
        if let Some(&(_, id)) = stack.last() {
            found.push((Span { start: pair[0], end: pair[1] }, id));
        }
    }
    found
}

impl Seen {
    /// Adds a piece of a device's idle time, with what the thread that launched the next work did in that
    /// time, if known.
    pub fn add(&mut self, trace: &Trace, device: &DeviceLedger, piece: Span) {
        self.total = self.total.saturating_add(piece.len());
        let Some(Sides { launch: Some(launch), .. }) = gap_around(trace, device, piece) else { return };
        for (span, id) in innermost(trace, &lanes_of_thread(trace, launch), piece) {
            let time = self.by_name.entry(trace.slices.name[id]).or_default();
            *time = time.saturating_add(span.len());
        }
    }

    /// The `most` names with the largest shares (0 to 1) of all time that was looked at, the largest first.
    pub fn shares(&self, trace: &Trace, most: usize) -> Vec<(String, f64)> {
        let mut all: Vec<(&StrId, &Ns)> = self.by_name.iter().collect();
        all.sort_by_key(|&(name, ns)| (std::cmp::Reverse(*ns), *name));
        let share = |ns: Ns| ns as f64 / self.total.max(1) as f64;
        all.into_iter()
            .take(most)
            .map(|(&name, &ns)| (trace.string_or(name, "(unnamed)").to_string(), share(ns)))
            .collect()
    }
}

/// The work on both sides of the gap at the start of `piece`, or of the next gap; `None` if there is neither.
pub(crate) fn gap_around(trace: &Trace, device: &DeviceLedger, piece: Span) -> Option<Sides> {
    device.sides(trace, device.idle.gap_at(piece.start)?)
}

/// What the launching threads did in `pieces` of idle time; each piece comes with the index of its device in
/// `context.devices`.
pub fn seen(context: &Context<'_>, pieces: &[(usize, Span)]) -> Seen {
    let mut seen = Seen::default();
    for &(device, piece) in pieces {
        context.part.check();
        seen.add(context.trace, context.devices[device].0, piece);
    }
    seen
}
