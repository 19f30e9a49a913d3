//! The gaps in a device's or stream's work, with the work on both sides and the call that ended each.
//!
//! Must not know causes.

use proftui_base::ids::Ids;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, LaneKind, RowId, SliceFlags, SliceId, Trace};

use crate::analysis::vocabulary::graph_launch::is_graph_launch;

/// A time without work between two pieces of work of a device or stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) span: Span,
    /// The work that ended last before the gap.
    pub(super) before: SliceId,
    /// The work that begins at the end of the gap.
    pub(super) after: SliceId,
    /// The call that launched `after`; `None` if it is not known.
    pub(super) launch: Option<SliceId>,
    /// The time from the end of `launch` to the start of `after`, ns; 0 if `after` began before the call
    /// returned, or if `launch` is `None`.
    pub(super) lag: Ns,
}

impl Gap {
    /// True if the work on both sides of the gap is of one launch, such as two nodes of a graph.
    pub(super) fn is_within_launch(&self, trace: &Trace) -> bool {
        let correlation = |id: SliceId| trace.slices.correlation[id];
        match (self.launch, trace.links.launch_of(self.before)) {
            (Some(after), Some(before)) => after == before,
            (None, None) => {
                correlation(self.after) != 0 && correlation(self.after) == correlation(self.before)
            }
            _ => false,
        }
    }

    /// True if the call that launched the work after the gap is known to launch a graph.
    pub(super) fn ends_with_graph(&self, trace: &Trace) -> bool {
        self.launch.is_some_and(|launch| is_graph_launch(trace.strings.bytes(trace.slices.name[launch])))
    }
}

/// The kind of the work that ends a gap. Each kind has its own bound for launch delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkKind {
    Kernel,
    Copy,
    Memset,
    Collective,
    Graph,
}

impl WorkKind {
    /// The number of kinds.
    pub(super) const COUNT: usize = 5;

    /// The kind of the work that ends a gap.
    pub(super) fn of(trace: &Trace, gap: &Gap) -> Self {
        match trace.slices.category(gap.after) {
            _ if gap.ends_with_graph(trace) => Self::Graph,
            Category::Memcpy => Self::Copy,
            Category::Memset => Self::Memset,
            _ if trace.slices.flags[gap.after].has(SliceFlags::COMMUNICATION) => Self::Collective,
            _ => Self::Kernel,
        }
    }
}

/// Those of `lanes` that are streams with device work.
pub(super) fn streams(trace: &Trace, lanes: impl Iterator<Item = LaneId>) -> Vec<LaneId> {
    let has_work = |lane: &LaneId| {
        let lane = &trace.lanes[*lane];
        lane.kind == LaneKind::Stream
            && lane.slices.iter().any(|id| trace.slices.category(id).is_device_work())
    };
    lanes.filter(has_work).collect()
}

/// How many slices [`around`] adds before the others, since slices of a row may overlap slightly.
const BEFORE: usize = 4;

/// The slices of a row that may have time within `window`.
fn around(trace: &Trace, row: RowId, window: Span) -> Ids<SliceId> {
    let ids = trace.rows[row].slices();
    let starts = &trace.slices.start[ids];
    let to = starts.partition_point(|&start| start < window.end);
    let mut from = starts.partition_point(|&start| start < window.start).min(to);
    while from > 0 && trace.slices.end(ids.at(from - 1)) > window.start {
        from -= 1;
    }
    ids.part(from.saturating_sub(BEFORE)..to)
}

/// The gaps between the work of some lanes within `window`, and the time there from the first work to the
/// last; `None` if there is no work.
pub(super) fn gaps(trace: &Trace, lanes: &[LaneId], window: Span) -> Option<(Vec<Gap>, Span)> {
    let is_work = |id: &SliceId| trace.slices.category(*id).is_device_work() && trace.slices.dur[*id] > 0;
    let mut work: Vec<(Ns, SliceId)> = lanes
        .iter()
        .flat_map(|&lane| trace.lanes[lane].rows)
        .flat_map(|row| around(trace, row, window))
        .filter(is_work)
        .map(|id| (trace.slices.start[id], id))
        .filter(|&(start, id)| start < window.end && trace.slices.end(id) > window.start)
        .collect();
    work.sort_by_key(|work| work.0);
    let &(first, first_id) = work.first()?;
    let (mut end, mut before) = (trace.slices.end(first_id), first_id);
    let mut found = Vec::new();
    let mut at = 1;
    while at < work.len() {
        let (start, id) = work[at];
        if start > end {
            let together = work[at..].iter().take_while(|work| work.0 == start).map(|work| work.1);
            let by_launch = together.map(|id| (trace.links.launch_of(id), id));
            let launched = |launch: Option<SliceId>| launch.map_or(Ns::MAX, |id| trace.slices.start[id]);
            let (launch, after) = by_launch.min_by_key(|&(launch, _)| launched(launch)).unwrap_or((None, id));
            let lag = launch.map_or(0, |launch| start.saturating_sub(trace.slices.end(launch)).max(0));
            found.push(Gap { span: Span { start: end, end: start }, before, after, launch, lag });
        }
        let of = trace.slices.end(id);
        if of > end {
            (end, before) = (of, id);
        }
        at += 1;
    }
    Some((found, Span { start: first.max(window.start), end: end.min(window.end) }))
}
