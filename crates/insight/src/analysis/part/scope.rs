//! The scope of a summary: the time range and the lanes of a trace that it is about.
//!
//! Our own summaries cut slices at the bounds of the scope (`part`); layouts of other tools take whole
//! slices, in the scope in which they start, as those tools do. Either way the counts of adjacent scopes add
//! up to those of the trace. Must not know tables.

use std::ops::Range;

use proftui_base::ids::Ids;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneId, LaneKind, SliceId, Trace, WorkerId};

use super::per_worker;

/// The part of a trace that a summary is about; the default is the whole trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The time of the scope; `None` for all time.
    pub span: Option<Span>,
    /// The lanes of the scope, ascending; `None` for all lanes.
    pub lanes: Option<Vec<LaneId>>,
}

impl Scope {
    /// The scope of the lanes for which `is_wanted` is true, at all times.
    pub fn of_lanes(trace: &Trace, is_wanted: impl Fn(LaneId) -> bool) -> Self {
        let lanes = trace.lanes.ids().iter().filter(|&lane| is_wanted(lane)).collect();
        Self { span: None, lanes: Some(lanes) }
    }

    /// The scope with its time replaced by that from the first start to the last end of the steps with these
    /// numbers, of the workers in the scope; `None` if there is no such step.
    pub fn within_steps(self, trace: &Trace, numbers: &Range<u64>) -> Option<Self> {
        let steps =
            per_worker::steps(trace, &self.workers(trace)).filter(|step| numbers.contains(&step.number));
        let span = steps.map(|step| step.span).reduce(Span::union)?;
        Some(Self { span: Some(span), ..self })
    }

    /// True if the scope is limited neither in time nor to some lanes.
    pub fn is_all(&self) -> bool {
        self.span.is_none() && self.lanes.is_none()
    }

    /// True if the limits of `other`, in time and in lanes, lie within the limits of this scope.
    pub fn contains(&self, other: &Self) -> bool {
        let has_time = self
            .span
            .is_none_or(|own| other.span.is_some_and(|span| own.start <= span.start && span.end <= own.end));
        let has_lanes = self.lanes.is_none()
            || other.lanes.as_ref().is_some_and(|lanes| lanes.iter().all(|&lane| self.has_lane(lane)));
        has_time && has_lanes
    }

    /// True if `start` (ns) lies in the time of the scope, the end of which is not part of it.
    pub fn has_time(&self, start: Ns) -> bool {
        self.span.is_none_or(|span| span.start <= start && start < span.end)
    }

    /// True if the lane is in the scope.
    pub(crate) fn has_lane(&self, lane: LaneId) -> bool {
        self.lanes.as_ref().is_none_or(|lanes| lanes.binary_search(&lane).is_ok())
    }

    /// True if the scope has a lane of a kind for which `is_wanted` is true; also true if `lanes` is `None`.
    pub fn has_kind(&self, trace: &Trace, is_wanted: impl Fn(LaneKind) -> bool) -> bool {
        let has = |&lane: &LaneId| is_wanted(trace.lanes[lane].kind);
        self.lanes.as_ref().is_none_or(|lanes| lanes.iter().any(has))
    }

    /// Returns a filter that is true for device work on the scope's lanes; if none of the lanes is a stream,
    /// for work that calls on the lanes launched.
    pub(crate) fn work_filter<'a>(&'a self, trace: &'a Trace) -> impl Fn(SliceId) -> bool + 'a {
        let has_stream = self.has_kind(trace, |kind| kind == LaneKind::Stream);
        move |work| {
            let own = if has_stream { Some(work) } else { trace.links.launch_of(work) };
            own.is_some_and(|slice| self.has_lane(trace.lane_of(slice)))
        }
    }

    /// The whole slices of a lane that start in the time of the scope, row by row; none if the lane is not in
    /// the scope.
    pub fn starting<'a>(&'a self, trace: &'a Trace, lane: LaneId) -> impl Iterator<Item = SliceId> + 'a {
        let rows = if self.has_lane(lane) { trace.lanes[lane].rows } else { Ids::default() };
        rows.iter().flat_map(move |row| {
            let ids = trace.rows[row].slices();
            let Some(span) = self.span else { return ids };
            let starts = &trace.slices.start[ids];
            let from = starts.partition_point(|&start| start < span.start);
            let to = starts.partition_point(|&start| start < span.end);
            ids.part(from..to.max(from))
        })
    }

    /// The workers with lanes in the scope, ascending. For a scope of all lanes these are all workers of the
    /// trace: at least one, even if the trace names none.
    pub fn workers(&self, trace: &Trace) -> Vec<WorkerId> {
        let Some(lanes) = &self.lanes else { return trace.workers().iter().collect() };
        let worker = |&lane: &LaneId| trace.groups[trace.lanes[lane].group].worker;
        let mut workers: Vec<WorkerId> = lanes.iter().map(worker).collect();
        workers.sort_unstable();
        workers.dedup();
        workers
    }

    /// The time of the scope, cut to the recorded time of its workers; if the two do not overlap, cut to the
    /// time of the whole trace; if these do not overlap either, uncut.
    pub fn extent(&self, trace: &Trace) -> Span {
        let recorded = self.recorded(trace);
        let Some(asked) = self.span else { return recorded };
        let shared = Span { start: asked.start.max(recorded.start), end: asked.end.min(recorded.end) };
        let is_outside =
            || Span { start: asked.start.max(trace.span.start), end: asked.end.min(trace.span.end) };
        [shared, is_outside()].into_iter().find(|span| span.start < span.end).unwrap_or(asked)
    }

    /// The time in which the scope's workers recorded: the time of their cycles, usually cut to the trace's
    /// main span, or the main span itself.
    fn recorded(&self, trace: &Trace) -> Span {
        let whole = trace.main_span;
        if self.lanes.is_none() {
            return whole;
        }
        let workers = self.workers(trace);
        let recorded = || {
            let cycles = workers.iter().flat_map(|&worker| per_worker::cycles(trace, worker));
            let span = cycles.map(|cycle| cycle.span).reduce(Span::union)?;
            let shared = Span { start: span.start.max(whole.start), end: span.end.min(whole.end) };
            Some(if shared.is_empty() { span } else { shared })
        };
        let has_all = workers.len().max(1) == trace.meta.workers.len();
        if has_all { whole } else { recorded().unwrap_or(whole) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_base::intern::StrId;
    use proftui_trace::model::{Cycle, Group, GroupId, GroupKind, Lane, Step};

    /// Two workers with a lane each, recorded one after the other, with a step of the same number.
    fn trace() -> Trace {
        let mut trace = Trace { main_span: Span { start: 0, end: 100 }, ..Trace::default() };
        for worker in 0..2_u16 {
            let lane = LaneId::new(u32::from(worker));
            trace.meta.workers.push(format!("rank {worker}"));
            trace.groups.push(Group {
                kind: GroupKind::Process,
                worker: WorkerId::new(worker),
                pid: StrId::EMPTY,
                name: StrId::EMPTY,
                lanes: Ids::from(lane..lane + 1),
            });
            trace.lanes.push(Lane {
                kind: LaneKind::Thread,
                group: GroupId::new(u32::from(worker)),
                tid: StrId::EMPTY,
                name: StrId::EMPTY,
                rows: Ids::default(),
                depth: 0,
                slices: Ids::default(),
                instants: 0..0,
                counter: None,
            });
            let start = i64::from(worker) * 50;
            let span = Span { start, end: start + 40 };
            trace.cycles.push(Cycle { number: 0, worker: WorkerId::new(worker), file: worker, span });
            trace.steps.push(Step { number: 3, worker: WorkerId::new(worker), span, ..Step::default() });
        }
        trace
    }

    #[test]
    fn the_extent_of_a_workers_lanes_is_the_time_recorded_of_it() {
        let trace = trace();
        let second = Scope::of_lanes(&trace, |lane| lane == LaneId::new(1));
        assert_eq!(second.extent(&trace), Span { start: 50, end: 90 });
        assert_eq!(second.workers(&trace), [WorkerId::new(1)]);
        let all = Scope::of_lanes(&trace, |_| true);
        assert_eq!(all.extent(&trace), trace.main_span);
        assert_eq!(Scope::default().workers(&trace), [0, 1].map(WorkerId::new));
    }

    #[test]
    fn a_scope_contains_its_parts() {
        let span = |start, end| Some(Span { start, end });
        let all = Scope::default();
        let early = Scope { span: span(0, 50), lanes: None };
        let within = Scope { span: span(10, 50), lanes: Some(vec![LaneId::new(1)]) };
        assert!(all.contains(&early) && early.contains(&within) && all.contains(&within));
        assert!(early.contains(&early) && !early.contains(&all) && !within.contains(&early));
        let late = Scope { span: span(10, 51), lanes: None };
        assert!(
            !early.contains(&late)
                && !within.contains(&Scope {
                    span: span(10, 50),
                    lanes: Some(vec![LaneId::new(0), LaneId::new(1)])
                })
        );
    }

    #[test]
    fn steps_are_those_of_its_workers() {
        let trace = trace();
        let of = |scope: Scope| scope.within_steps(&trace, &(3..4)).and_then(|scope| scope.span);
        assert_eq!(
            of(Scope::of_lanes(&trace, |lane| lane == LaneId::new(1))),
            Some(Span { start: 50, end: 90 })
        );
        assert_eq!(of(Scope::default()), Some(Span { start: 0, end: 90 }));
        assert_eq!(Scope::default().within_steps(&trace, &(4..10)), None);
    }
}
