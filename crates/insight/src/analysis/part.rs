//! A part of a trace: what of each slice lies in the time and on the lanes of a scope.
//!
//! Our own summaries cut slices by [`Part::pieces`], [`Part::piece`] or [`Part::clip`], so they agree with
//! each other: a slice adds the time that it has within the part, and counts as a call if it begins there. A
//! summary that is cancelled ends at the next slice. Must not know tables.

pub(super) mod covered;
pub mod device_time;
pub(crate) mod loading;
pub mod location;
pub(crate) mod memory_owner;
pub(crate) mod nesting;
pub(super) mod outer_call;
pub(crate) mod own_time;
pub(crate) mod owner;
pub(super) mod per_worker;
pub mod phase;
pub(crate) mod processor;
pub mod python_functions;
pub mod run;
pub mod scope;
pub mod steady;
pub(super) mod threads;
pub mod time;
pub mod titles;
pub mod work;

use std::borrow::Cow;

use rayon::prelude::*;

use proftui_base::cancel::{self, Token};
use proftui_base::ids::Ids;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Cycle, GroupId, LaneId, LaneKind, RowId, SliceId, Step, Trace, WorkerId};

use crate::analysis::part::run::Run;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::{length, union, within};

/// The number of [`Part::slices_of_workers`] from which on [`Part::par_lanes`] lets several threads work.
const LITTLE: usize = 4096;

/// What of a slice lies in a part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The slice.
    pub id: SliceId,
    /// The time of the slice within the part; it may be empty, as for a slice of no length.
    pub span: Span,
    /// True if the slice counts as a call in the part, usually because it begins there.
    pub begins: bool,
    /// The length of the whole slice, ns.
    pub whole: Ns,
}

impl Piece {
    /// Of the `bytes` that a copy moves, those in this piece, in proportion to its time; a copy of no length
    /// counts where it begins. Pieces in adjacent parts add up to `bytes`.
    pub(super) fn bytes_of(self, bytes: u64, trace: &Trace) -> u64 {
        let whole = trace.slices.span(self.id);
        if whole.is_empty() {
            return if self.begins { bytes } else { 0 };
        }
        if self.span.is_empty() {
            return 0;
        }
        let until =
            |at: Ns| u128::from(bytes) * saturate::<u128>(at - whole.start) / saturate::<u128>(whole.len());
        saturate::<u64>(until(self.span.end) - until(self.span.start))
    }

    /// The length of the slice's time within the part, ns.
    pub fn dur(&self) -> Ns {
        self.span.len()
    }
}

/// The part of a trace that a scope selects.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    trace: &'a Trace,
    scope: &'a Scope,
    /// The time in which a slice must begin to count as a call; `None` if all slices count.
    begins: Option<Span>,
    /// The time range of the part ([`Scope::extent`]).
    span: Span,
    /// The lanes of the scope, ascending.
    lanes: Cow<'a, [LaneId]>,
    /// The workers of the scope, ascending.
    workers: Vec<WorkerId>,
    /// For each of `workers`, what of the part is the whole that shares are of ([`Run::within`]), sorted and
    /// disjoint; all of `span` if it lies outside of all recorded times.
    run: Vec<Vec<Span>>,
    /// For each of `workers`, the length of the recorded times within `span` that are not in `run`, ns.
    outside: Vec<Ns>,
    /// The token by which the running summary is cancelled.
    token: Token,
}

impl<'a> Part<'a> {
    /// The part of `trace` that `scope` selects.
    pub fn new(trace: &'a Trace, scope: &'a Scope) -> Self {
        let span = scope.extent(trace);
        let loaded = trace.meta.is_cut.then_some(trace.main_span);
        let begins = match (scope.span, loaded) {
            (Some(asked), Some(loaded)) => {
                Some(Span { start: asked.start.max(loaded.start), end: asked.end.min(loaded.end) })
            }
            (asked, loaded) => asked.or(loaded),
        };
        let lanes = match &scope.lanes {
            Some(lanes) => Cow::Borrowed(lanes.as_slice()),
            None => Cow::Owned(trace.lanes.ids().iter().collect()),
        };
        let workers = scope.workers(trace);
        let (mut run, mut outside) = (Vec::new(), Vec::new());
        for &worker in &workers {
            let of_worker = Run::of(trace, worker);
            let inside = of_worker.within(span);
            outside.push(length(&within(&of_worker.recorded, span)).saturating_sub(length(&inside)));
            run.push(inside);
        }
        // Far from all recorded times, such as at a slice far from all others, all of the part counts.
        let has_time = |cycle: &Cycle| !within(&union(vec![cycle.span]), span).is_empty();
        if run.iter().all(Vec::is_empty) && !trace.cycles.iter().any(has_time) {
            run.fill(vec![span]);
        }
        Self { trace, scope, begins, span, lanes, workers, run, outside, token: cancel::current() }
    }

    /// The trace of the part.
    pub fn trace(&self) -> &'a Trace {
        self.trace
    }

    /// The scope that selects the part.
    pub fn scope(&self) -> &'a Scope {
        self.scope
    }

    /// The time range of the part ([`Scope::extent`]).
    pub fn span(&self) -> Span {
        self.span
    }

    /// The lanes of the part, ascending.
    pub fn lanes(&self) -> &[LaneId] {
        &self.lanes
    }

    /// The lanes of the part, for a parallel loop; one thread gets all of them if there are few slices.
    pub(super) fn par_lanes(&self) -> impl IndexedParallelIterator<Item = LaneId> + '_ {
        let is_little = self.slices_of_workers().len() < LITTLE;
        self.lanes.par_iter().copied().with_min_len(if is_little { self.lanes.len().max(1) } else { 1 })
    }

    /// The workers of the part, ascending.
    pub(super) fn workers(&self) -> &[WorkerId] {
        &self.workers
    }

    /// The numbers of the groups from the part's first worker to its last.
    pub(super) fn groups_of_workers(&self) -> Ids<GroupId> {
        let groups = &self.trace.groups;
        let (Some(first), Some(last)) = (self.workers.first(), self.workers.last()) else {
            return Ids::default();
        };
        let from = groups.partition_point(|group| group.worker < *first);
        let to = groups.partition_point(|group| group.worker <= *last);
        Ids::from(GroupId::from_index(from)..GroupId::from_index(to.max(from)))
    }

    /// The numbers of all lanes of the groups of [`groups_of_workers`](Self::groups_of_workers).
    pub(super) fn lanes_of_workers(&self) -> Ids<LaneId> {
        let groups = self.trace.groups[self.groups_of_workers()].iter();
        let lanes = groups.map(|group| group.lanes).filter(|lanes| !lanes.is_empty());
        lanes
            .reduce(|all, lanes| Ids::from(all.start.min(lanes.start)..all.end.max(lanes.end)))
            .unwrap_or_default()
    }

    /// The numbers of all slices on the lanes of [`lanes_of_workers`](Self::lanes_of_workers).
    pub(super) fn slices_of_workers(&self) -> Ids<SliceId> {
        let lanes = self.lanes_of_workers();
        let lanes = self.trace.lanes[lanes].iter();
        let slices = lanes.map(|lane| lane.slices).filter(|slices| !slices.is_empty());
        slices
            .reduce(|all, slices| Ids::from(all.start.min(slices.start)..all.end.max(slices.end)))
            .unwrap_or_default()
    }

    /// What shares are of in the part, for a worker: its run, or, of a chosen part, its recorded time
    /// ([`Run::within`]), sorted and disjoint. Empty for other workers.
    pub fn run(&self, worker: WorkerId) -> &[Span] {
        self.workers.binary_search(&worker).map_or(&[], |at| &self.run[at])
    }

    /// The length of the recorded times of the part that are outside of [`run`](Self::run), ns; 0 for a
    /// worker that is not in the part.
    pub fn outside(&self, worker: WorkerId) -> Ns {
        self.workers.binary_search(&worker).map_or(0, |at| self.outside[at])
    }

    /// The summed length of the times that [`run`](Self::run) returns for a worker, ns.
    pub fn len(&self, worker: WorkerId) -> Ns {
        length(self.run(worker))
    }

    /// The sum of [`len`](Self::len) over all workers of the part, ns.
    pub(crate) fn run_of_workers(&self) -> Ns {
        self.run.iter().fold(0, |sum: Ns, spans| sum.saturating_add(length(spans)))
    }

    /// The pairs (launch, work) whose work is on the part's lanes, at any time; in a part without streams,
    /// those whose launch is on its lanes.
    pub(super) fn links(&self) -> impl Iterator<Item = (SliceId, SliceId)> + '_ {
        let links = &self.trace.links;
        let has_stream = self.scope.has_kind(self.trace, |kind| kind == LaneKind::Stream);
        let of_lane = move |&lane: &LaneId| {
            let slices = self.trace.lanes[lane].slices;
            let none = || &[][..];
            let of_work = if has_stream { links.launched_within(slices) } else { none() };
            let of_launches = if has_stream { none() } else { links.within(slices) };
            let of_work = of_work.iter().map(|&(work, launch)| (launch, work));
            of_work.chain(of_launches.iter().copied())
        };
        self.lanes.iter().flat_map(of_lane)
    }

    /// Ends the running summary (`cancel::run`) if it was cancelled. Long loops must call it, as
    /// [`pieces`](Self::pieces) does.
    pub fn check(&self) {
        self.token.check();
    }

    /// What of a slice lies in the time of the part, whatever its lane; `None` if the slice neither has time
    /// in the part nor counts as a call there.
    pub fn piece(&self, id: SliceId) -> Option<Piece> {
        self.check();
        let whole = self.trace.slices.span(id);
        let (span, begins) = self.within(whole)?;
        Some(Piece { id, span, begins, whole: whole.len() })
    }

    /// What of a slice's span lies in the part, and whether the slice counts as a call there; `None` if it
    /// has no time in the part and does not count.
    fn within(&self, slice: Span) -> Option<(Span, bool)> {
        let begins = self.begins.is_none_or(|span| span.contains(slice.start));
        let start = slice.start.clamp(self.span.start, self.span.end);
        let span = Span { start, end: slice.end.clamp(start, self.span.end) };
        (begins || !span.is_empty()).then_some((span, begins))
    }

    /// The pieces of a lane's slices in the part, row by row; none if the lane is not in the scope.
    pub fn pieces(&self, lane: LaneId) -> impl Iterator<Item = Piece> + '_ {
        self.check();
        let rows = if self.scope.has_lane(lane) { self.trace.lanes[lane].rows } else { Ids::default() };
        let until = self.begins.map(|span| span.end);
        let ids = move |row: RowId| -> Ids<SliceId> {
            let ids = self.trace.rows[row].slices();
            let Some(until) = until else { return ids };
            let starts = &self.trace.slices.start[ids];
            ids.part(0..starts.partition_point(|&start| start < until))
        };
        rows.iter().flat_map(ids).filter_map(|id| self.piece(id))
    }

    /// The steps of the scope's workers that have time in the part or begin in it, in order of time.
    pub fn steps(&self) -> impl Iterator<Item = &'a Step> + '_ {
        let is_inside = |step: &&Step| {
            self.check();
            self.within(step.span).is_some()
        };
        self.steps_at_any_time().filter(is_inside)
    }

    /// All steps of the scope's workers, in order of time, whatever the time of the part.
    pub(crate) fn steps_at_any_time(&self) -> impl Iterator<Item = &'a Step> + use<'a> {
        per_worker::steps(self.trace, &self.workers)
    }

    /// The [`steps`](Self::steps) as a list for each worker of the trace, by the worker's index.
    pub(crate) fn steps_by_worker(&self) -> Vec<Vec<&'a Step>> {
        by_worker(self.trace, self.steps())
    }

    /// What of a span lies in the part's time; an empty span if nothing does.
    pub fn clip(&self, span: Span) -> Span {
        self.check();
        let start = span.start.clamp(self.span.start, self.span.end);
        Span { start, end: span.end.clamp(start, self.span.end) }
    }
}

/// Divides `steps` into a list for each worker of the trace, by the worker's index.
pub(crate) fn by_worker<'a>(trace: &Trace, steps: impl Iterator<Item = &'a Step>) -> Vec<Vec<&'a Step>> {
    let mut found = vec![Vec::new(); trace.meta.workers.len().max(1)];
    for step in steps {
        found.get_mut(step.worker.index()).into_iter().for_each(|of_worker| of_worker.push(step));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};

    fn trace(events: &[(i64, i64)]) -> Trace {
        let event = |(ts, dur): &(i64, i64)| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"add","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
        };
        let text = format!("[{}]", events.iter().map(event).collect::<Vec<_>>().join(","));
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
    }

    fn pieces(trace: &Trace, span: Option<(Ns, Ns)>) -> Vec<(Ns, bool)> {
        let scope = Scope { span: span.map(|(start, end)| Span { start, end }), lanes: None };
        Part::new(trace, &scope).pieces(LaneId::new(0)).map(|piece| (piece.dur(), piece.begins)).collect()
    }

    #[test]
    fn a_slice_adds_what_lies_inside_and_counts_where_it_begins() {
        let trace = trace(&[(0, 10), (20, 10), (30, 0), (40, 10)]);
        assert_eq!(pieces(&trace, None), [(10_000, true), (10_000, true), (0, true), (10_000, true)]);
        assert_eq!(pieces(&trace, Some((5_000, 25_000))), [(5_000, false), (5_000, true)]);
        assert_eq!(pieces(&trace, Some((22_000, 24_000))), [(2_000, false)], "inside one slice");
        assert_eq!(pieces(&trace, Some((30_000, 40_000))), [(0, true)], "a slice of no length");
    }

    #[test]
    fn a_cancelled_summary_visits_no_further_slice() {
        let trace = trace(&[(0, 10), (20, 10), (30, 0), (40, 10)]);
        let (token, mut visited) = (Token::new(), 0);
        let ended = cancel::run(&token, || {
            let scope = Scope::default();
            let part = Part::new(&trace, &scope);
            part.pieces(LaneId::new(0)).for_each(|_| {
                visited += 1;
                token.cancel();
            });
        });
        assert_eq!((ended, visited), (Err(cancel::Cancelled), 1));
    }

    #[test]
    fn margins_outside_the_trace_are_no_part_of_it() {
        let trace = trace(&[(10, 10), (40, 10)]);
        let scope = Scope { span: Some(Span { start: -90_000, end: 30_000 }), lanes: None };
        let part = Part::new(&trace, &scope);
        assert_eq!((part.span(), part.len(WorkerId::new(0))), (Span { start: 10_000, end: 30_000 }, 20_000));
    }
}
