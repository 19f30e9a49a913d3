//! How busy the lanes or the device of a line were in a time range: streams and threads by their events,
//! devices by the ledger.
//!
//! Must not know how it is drawn.

use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::part::run::Run;
use proftui_trace::model::{GroupId, GroupKind, Lane, LaneKind, RowId, Trace, WorkerId};

use super::line::{Line, LineKind};
use crate::app::session::{Session, order};

/// The row whose events state when a thread, Python layer or stream was busy; none for a lane of another
/// kind, or without rows.
pub fn row_of(lane: &Lane) -> Option<RowId> {
    let first = lane.rows.start;
    match lane.kind {
        _ if lane.rows.is_empty() => None,
        LaneKind::Thread | LaneKind::Python => Some(if lane.rows.len() > 1 { first + 1 } else { first }),
        LaneKind::Stream => Some(first),
        LaneKind::Async | LaneKind::StreamRanges | LaneKind::Counter => None,
    }
}

/// The rows that [`row_of`] chooses for the threads of a process, or for its Python layers if no thread has
/// one.
pub fn rows_of_threads(trace: &Trace, group: GroupId) -> Vec<RowId> {
    let lanes = trace.groups[group].lanes;
    let lanes = &trace.lanes[lanes];
    let of = |kind: LaneKind| lanes.iter().filter(move |lane| lane.kind == kind).filter_map(row_of);
    let threads: Vec<RowId> = of(LaneKind::Thread).collect();
    if threads.is_empty() { of(LaneKind::Python).collect() } else { threads }
}

/// The busy time of a line in `view`, and the time of which it is a share, ns. None for a line that shows no
/// busy share.
pub fn of(session: &Session, line: &Line, view: Span) -> Option<(Ns, Ns)> {
    let Session { trace, index, .. } = session;
    let of = |row: RowId, worker: WorkerId| {
        let seen = Run::of(trace, worker).within(view);
        let busy = seen.iter().map(|&time| index.sum(trace, row, time).busy.min(time.len()));
        let (busy, time): (Ns, Ns) = (busy.sum(), seen.iter().map(|time| time.len()).sum());
        (time > 0).then_some((busy, time))
    };
    match line.kind {
        LineKind::Group(group) if trace.groups[group].kind == GroupKind::Device => {
            let whole = session.device(group)?.sums(view).whole();
            (!whole.is_empty()).then_some((whole.busy, whole.time))
        }
        // The profiler's own events span the recording: they are no work of a thread.
        LineKind::Group(group) if order::is_profilers(trace, group) => None,
        LineKind::Group(group) => {
            let rows = rows_of_threads(trace, group).into_iter();
            rows.filter_map(|row| of(row, trace.groups[group].worker)).max()
        }
        LineKind::Row(lane, _) if line.is_head => {
            let of_lane = &trace.lanes[lane];
            of(row_of(of_lane)?, trace.groups[of_lane.group].worker)
        }
        _ => None,
    }
}
