//! The gaps in a device's or stream's work, with the work on both sides, if any, and the call that ended
//! each.
//!
//! Must not know causes.

use proftui_base::ids::Ids;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, LaneKind, RowId, SliceFlags, SliceId, Trace};

use crate::analysis::vocabulary::graph_launch::is_graph_launch;

/// A recorded time without work of a device or stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) span: Span,
    /// The work that ended last before the gap; `None` for a gap at the start of a recorded time.
    pub(super) before: Option<SliceId>,
    /// The work that begins at the end of the gap; `None` for a gap at the end of a recorded time.
    pub(super) after: Option<SliceId>,
    /// The call that launched `after`; `None` if it is not known.
    pub(super) launch: Option<SliceId>,
    /// The time from the end of `launch` to the start of `after`, ns; 0 if `after` began before the call
    /// returned, or if `launch` is `None`.
    pub(super) lag: Ns,
}

impl Gap {
    /// True if the work on both sides of the gap is of one launch, such as two nodes of a graph.
    pub(super) fn is_within_launch(&self, trace: &Trace) -> bool {
        let (Some(before), Some(after)) = (self.before, self.after) else { return false };
        let correlation = |id: SliceId| trace.slices.correlation[id];
        match (self.launch, trace.links.launch_of(before)) {
            (Some(after), Some(before)) => after == before,
            (None, None) => correlation(after) != 0 && correlation(after) == correlation(before),
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

    /// The kind of the work that ends a gap; [`Kernel`](Self::Kernel) for a gap without work after it.
    pub(super) fn of(trace: &Trace, gap: &Gap) -> Self {
        let Some(after) = gap.after else { return Self::Kernel };
        match trace.slices.category(after) {
            _ if gap.ends_with_graph(trace) => Self::Graph,
            Category::Memcpy => Self::Copy,
            Category::Memset => Self::Memset,
            _ if trace.slices.flags[after].has(SliceFlags::COMMUNICATION) => Self::Collective,
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

/// The gaps in the work of some lanes within `window`: the times without work between two pieces of it,
/// before the first and after the last; all of `window` if there is none.
pub(super) fn gaps(trace: &Trace, lanes: &[LaneId], window: Span) -> Vec<Gap> {
    // Work of no length, whose times were rounded, divides a gap, too.
    let is_work = |id: &SliceId| trace.slices.category(*id).is_device_work();
    let mut work: Vec<(Ns, SliceId)> = lanes
        .iter()
        .flat_map(|&lane| trace.lanes[lane].rows)
        .flat_map(|row| around(trace, row, window))
        .filter(is_work)
        .map(|id| (trace.slices.start[id], id))
        .filter(|&(start, id)| {
            let end = trace.slices.end(id);
            start < window.end && (end > window.start || end == start && start == window.start)
        })
        .collect();
    work.sort_by_key(|work| work.0);
    let (mut end, mut before) = (window.start, None);
    let mut found = Vec::new();
    for (at, &(start, id)) in work.iter().enumerate() {
        if start > end {
            let together = work[at..].iter().take_while(|work| work.0 == start).map(|work| work.1);
            let by_launch = together.map(|id| (trace.links.launch_of(id), id));
            let launched = |launch: Option<SliceId>| launch.map_or(Ns::MAX, |id| trace.slices.start[id]);
            let (launch, after) = by_launch.min_by_key(|&(launch, _)| launched(launch)).unwrap_or((None, id));
            let lag = launch.map_or(0, |launch| start.saturating_sub(trace.slices.end(launch)).max(0));
            found.push(Gap {
                span: Span { start: end, end: start },
                before,
                after: Some(after),
                launch,
                lag,
            });
        }
        let of = trace.slices.end(id);
        if of > end || of == end && start == end {
            (end, before) = (of, Some(id));
        }
    }
    if end < window.end {
        let span = Span { start: end, end: window.end };
        found.push(Gap { span, before, after: None, launch: None, lag: 0 });
    }
    found
}
