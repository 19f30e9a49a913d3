//! The queue of each stream: device work that is launched but has not started.
//!
//! Must not know why device work waits.

use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::Trace;

use super::notes;
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{Launch, Work, devices};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// The queue length at which a further launch can block the host (HTA's `max_queue_length`).
pub const FULL: i64 = 1024;

/// The times (ns) at which a stream's queue changes, ascending, each with the length after the change. Work
/// with a known launch is queued from the launch's start to its own start.
pub fn lengths(work: &[Work]) -> Vec<(Ns, i64)> {
    let mut changes: Vec<(Ns, i64)> = Vec::with_capacity(work.len() * 2);
    for work in work {
        let Some(launch) = work.launch else { continue };
        // Clocks of host and device may disagree; no work starts before its launch.
        changes.push((launch.span.start.min(work.span.start), 1));
        changes.push((work.span.start, -1));
    }
    changes.sort_by_key(|&(at, change)| (at, -change));
    let mut length = 0;
    for (_, change) in &mut changes {
        length += *change;
        *change = length;
    }
    changes
}

/// The time that a queue had each length, ns, indexed by the length. `lengths` are the queue's changes, as
/// [`lengths`] lists them.
fn held(lengths: &[(Ns, i64)]) -> Vec<Ns> {
    let mut held: Vec<Ns> = Vec::new();
    for pair in lengths.windows(2) {
        let length = usize::try_from(pair[0].1).unwrap_or_default();
        if held.len() <= length {
            held.resize(length + 1, 0);
        }
        held[length] = held[length].saturating_add(pair[1].0.saturating_sub(pair[0].0));
    }
    held
}

/// A copy of `work` with its time in the queue cut to the part; `None` if its launch is unknown, or it
/// neither starts nor is queued there.
fn queued(work: &Work, part: &Part<'_>) -> Option<Work> {
    let launch = work.launch?;
    let start = part.trace().slices.start[work.id];
    let time = part.clip(Span { start: launch.span.start.min(start), end: start });
    let starts_inside = part.piece(work.id).is_some_and(|piece| piece.begins);
    (starts_inside || !time.is_empty()).then_some(Work {
        span: Span { start: time.end, end: time.end },
        launch: Some(Launch { span: Span { start: time.start, end: time.start }, ..launch }),
        ..*work
    })
}

/// Builds the table of queue lengths and waits: a row per stream, the longest queue first.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let mut rows = Vec::new();
    let anytime = Scope { span: None, lanes: scope.lanes.clone() };
    let (part, whole) = (Part::new(trace, scope), Part::new(trace, &anytime));
    for device in devices(&whole) {
        let title = trace.group_title(&trace.groups[device.group]);
        for (lane, work) in device.streams() {
            let work: Vec<Work> = work.iter().filter_map(|work| queued(work, &part)).collect();
            let lengths = lengths(&work);
            let held = held(&lengths);
            let whole = sum(held.iter().copied());
            let below = |share: i128| {
                let mut sum = 0_i128;
                let is_enough = |&dur: &Ns| {
                    sum += i128::from(dur);
                    sum * 100 >= i128::from(whole) * share
                };
                held.iter().position(is_enough).map_or(Value::Empty, |length| Value::Count(length as u64))
            };
            let most = lengths.iter().map(|&(_, length)| length).max();
            let full = sum(held.iter().skip(saturate::<usize>(FULL)).copied());
            let empty = held.first().copied().unwrap_or_default();
            let waited =
                |work: &&Work| work.launch.map(|launch| work.span.start.saturating_sub(launch.span.start));
            let longest = work.iter().filter(|work| work.launch.is_some()).max_by_key(waited);
            let cells = vec![
                Value::text(&format!("{title} · {}", trace.lane_title(&trace.lanes[lane]))),
                Value::Count(lengths.len() as u64 / 2),
                most.map_or(Value::Empty, |most| Value::Count(most.unsigned_abs())),
                below(50),
                below(90),
                Value::share(empty, whole),
                Value::Duration(full),
                longest.as_ref().and_then(waited).map_or(Value::Empty, Value::Duration),
            ];
            rows.push(TableRow { cells, children: Vec::new(), longest: longest.map(|work| work.id) });
        }
    }
    rows.sort_by(|a, b| b.cells[2].order(&a.cells[2]));
    Table {
        view: "queue",
        title: "Queue length of each stream: work launched but not started",
        columns: vec![
            Column::new("stream", "Stream", ColumnKind::Text, "Device and stream that the row is about"),
            Column::new(
                "work",
                "Work",
                ColumnKind::Count,
                "Number of kernels, copies and memsets, with a launch in the trace, that wait or start in \
                 the summarized part",
            ),
            Column::new(
                "most",
                "Max",
                ColumnKind::Count,
                "Largest queue length: kernels, copies and memsets that were launched but not started",
            ),
            Column::new("median", "Median", ColumnKind::Count, "Median queue length over time"),
            Column::new("p90", "p90", ColumnKind::Count, "90th percentile of the queue length over time"),
            Column::new(
                "empty",
                "Empty %",
                ColumnKind::Ratio,
                "Share of the time in the summarized part, from the first launch to the last start of work, \
                 with an empty queue",
            ),
            Column::new(
                "full",
                "Full",
                ColumnKind::Duration,
                "Time in which the queue length is 1024 or more, which can block further launches",
            ),
            Column::new(
                "longest",
                "Longest wait",
                ColumnKind::Duration,
                "Longest time in the summarized part from the start of a launch to the start of its work",
            ),
        ],
        notes: notes(
            &rows,
            "Work is in the queue from the start of its launch to its own start. Queue lengths are \
             weighted by time, from the first launch to the last start of work. HTA's \
             get_queue_length_summary differs: that function counts each queue length once, regardless of \
             its duration, and usually cuts off the last step.",
        ),
        rows,
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::model::{LaneId, SliceId};

    #[test]
    fn lengths_follow_launches_and_starts() {
        let work = |launch: Option<Ns>, start: Ns| Work {
            id: SliceId::new(0),
            lane: LaneId::new(0),
            span: Span { start, end: start + 1 },
            begins: true,
            kind: None,
            launch: launch.map(|start| Launch { id: SliceId::new(0), span: Span { start, end: start + 1 } }),
        };
        let found = lengths(&[work(Some(0), 10), work(Some(4), 12), work(None, 13), work(Some(12), 20)]);
        assert_eq!(found, [(0, 1), (4, 2), (10, 1), (12, 2), (12, 1), (20, 0)]);
        assert_eq!(held(&found), [0, 4 + 2 + 8, 6]);
        assert!(held(&lengths(&[])).is_empty());
    }
}
