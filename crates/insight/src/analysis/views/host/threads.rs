//! Threads of the host, and the division of their time by activity.
//!
//! A thread has up to two lanes: operators, calls and ranges, and the Python layer. Each instant belongs to
//! the first activity, in the order of [`ACTIVITIES`], that has an event then, so nested and overlapping
//! events count once. Must not know rows or columns.

use crate::analysis::part::Part;
use crate::analysis::part::outer_call::OuterCalls;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::threads::Threads;
use crate::analysis::part::time::levels::divide;
use crate::analysis::part::time::stretches::Stretches;
use crate::analysis::table::tally::longer;
use crate::analysis::vocabulary::waits::Waits;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, GroupId, LaneId, SliceId, Trace, WorkerId};

/// The number of activities: waiting calls, other calls, operators, data loading, and ranges and the like,
/// numbered from 0 in this order.
pub(super) const ACTIVITIES: usize = 5;

/// `scope` with all lanes of each thread of which the scope has a lane.
pub(super) fn with_whole_threads(trace: &Trace, scope: &Scope) -> Scope {
    let threads = Threads::of(trace);
    let lanes = scope.lanes.as_ref().map(|lanes| {
        let own = threads.of_lanes(lanes.iter().copied()).into_iter().flat_map(|at| &threads.all()[at]);
        let mut lanes: Vec<LaneId> = lanes.iter().chain(own).copied().collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes
    });
    Scope { lanes, ..scope.clone() }
}

/// A thread of the host with lanes in a part.
pub(super) struct Thread {
    /// The worker that the thread belongs to, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The process of the thread, an index into `Trace::groups`.
    pub group: GroupId,
    /// The number of steps in the part that the thread itself runs.
    pub steps: u64,
    lanes: Vec<LaneId>,
}

impl Thread {
    /// All threads with a lane in the part, in the order of their first lanes.
    pub(super) fn all(part: &Part<'_>) -> Vec<Self> {
        let trace = part.trace();
        let threads = Threads::of(trace);
        let mut steps = vec![0; threads.all().len()];
        for step in part.steps() {
            if let Some(at) = threads.index(trace.lane_of(step.slice)) {
                steps[at] += 1;
            }
        }
        let of_thread = |(lanes, &steps): (&Vec<LaneId>, &u64)| {
            let is_kept = |lane: &LaneId| part.scope().has_lane(*lane);
            let lanes: Vec<LaneId> = lanes.iter().copied().filter(is_kept).collect();
            let group = trace.lanes[*lanes.first()?].group;
            Some(Self { worker: trace.groups[group].worker, group, steps, lanes })
        };
        threads.all().iter().zip(&steps).filter_map(of_thread).collect()
    }

    /// The thread's title; if `has_process` is true, with the title of its process in front.
    pub(super) fn title(&self, trace: &Trace, has_process: bool) -> String {
        let Some(&lane) = self.lanes.last() else { return String::new() };
        let title = trace.lane_title(&trace.lanes[lane]);
        let title = title.strip_suffix(" · Python").unwrap_or(&title);
        if !has_process {
            return title.to_owned();
        }
        format!("{} · {title}", trace.group_title(&trace.groups[self.group]))
    }

    /// Divides the thread's time in the part by activity; where several overlap, the first in the order of
    /// [`ACTIVITIES`] counts.
    pub(super) fn timeline(&self, part: &Part<'_>, waits: &Waits) -> Timeline {
        let trace = part.trace();
        let mut spans: Vec<(Ns, Ns, usize)> = Vec::new();
        let mut longest = None;
        for &lane in &self.lanes {
            let calls = OuterCalls::of(&trace.slices, &trace.lanes[lane]);
            for piece in part.pieces(lane) {
                let Some(activity) = activity(trace, waits, &calls, piece.id) else { continue };
                spans.push((piece.span.start, piece.span.end, activity));
                longest = longer(longest, Some((piece.dur(), piece.id)));
            }
        }
        spans.sort_unstable();
        let mut stretches: Vec<(Span, usize)> = Vec::new();
        let spans = spans.into_iter().map(|(start, end, activity)| (Span { start, end }, activity));
        divide::<ACTIVITIES>(spans, |span, activity| match stretches.last_mut() {
            Some((last, of_last)) if *of_last == activity && last.end == span.start => last.end = span.end,
            _ => stretches.push((span, activity)),
        });
        Timeline { stretches: Stretches::of(stretches), longest: longest.map(|(_, id)| id) }
    }
}

/// The number of the activity (see [`ACTIVITIES`]) for which a slice counts; `None` if it counts for none.
fn activity(trace: &Trace, waits: &Waits, calls: &OuterCalls, id: SliceId) -> Option<usize> {
    match trace.slices.category(id) {
        category if category.is_runtime() => {
            calls.has(&trace.slices, id).then(|| usize::from(!waits.has(trace, id)))
        }
        category if category.is_operator() => Some(2),
        Category::Dataloader => Some(3),
        Category::UserDefined
        | Category::PythonUserDefined
        | Category::Communication
        | Category::GarbageCollection
        | Category::Compile
        | Category::Checkpoint
        | Category::Import => Some(4),
        _ => None,
    }
}

/// The time of a thread in a part, divided by activity.
pub(super) struct Timeline {
    /// Stretches of time with the numbers of their activities.
    stretches: Stretches<ACTIVITIES>,
    /// Of the events that count for an activity, the one with the most time in the part; `None` if there is
    /// none.
    pub longest: Option<SliceId>,
}

impl Timeline {
    /// The time of each activity within `span`, ns, by the number of the activity.
    pub(super) fn times(&self, span: Span) -> [Ns; ACTIVITIES] {
        self.stretches.within(span)
    }
}
