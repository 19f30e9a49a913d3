//! The idle time of each stream by its cause: waiting for the host, a short gap between kernels, or something
//! else.
//!
//! Must not know the work of other streams.

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{SliceId, Trace};

use super::notes;
use crate::analysis::part::Part;
use crate::analysis::part::device_time::DeviceTime;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{Device, Work, in_run};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// The length below which a gap that the host did not cause counts as delay between kernels, ns (HTA's
/// `consecutive_kernel_delay`).
pub const KERNEL_DELAY: Ns = 30_000;

/// A time without work of at most this length, ns, may come from rounding: it adds to the idle time, but is
/// not counted as a gap.
const ROUNDING: Ns = 1;

/// The cause of a gap in a stream's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The work after the gap was launched only after the gap had begun.
    Host,
    /// The gap is shorter than [`KERNEL_DELAY`], and the host did not cause it, as far as known.
    Kernel,
    /// The gap is [`KERNEL_DELAY`] long or longer, and the host did not cause it, as far as known.
    Other,
}

/// The gap in a stream between a piece of work and the work before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The work after the gap.
    pub next: SliceId,
    /// The gap's length, ns; negative for an overlap.
    pub dur: Ns,
    /// The cause of the gap.
    pub wait: Wait,
}

/// Lists the gaps in `work`, which is a stream's work sorted by start. If `of_neighbours`, each piece is
/// compared only with the piece before, and overlaps are listed, too, as in HTA.
pub fn gaps(work: &[Work], of_neighbours: bool) -> Vec<Gap> {
    let mut found = Vec::new();
    let mut work = work.iter();
    let Some(first) = work.next() else { return found };
    let mut end = first.span.end;
    for next in work {
        let dur = next.span.start.saturating_sub(end);
        if of_neighbours || dur > 0 {
            let wait = match next.launch {
                Some(launch) if launch.span.start > end => Wait::Host,
                _ if dur < KERNEL_DELAY => Wait::Kernel,
                _ => Wait::Other,
            };
            found.push(Gap { next: next.id, dur, wait });
        }
        end = if of_neighbours { next.span.end } else { end.max(next.span.end) };
    }
    found
}

/// The work that starts in `window` and has a length; `work` must be sorted by start.
fn inside(work: &[Work], window: Span) -> Vec<Work> {
    let from = work.partition_point(|work| work.span.start < window.start);
    let to = work.partition_point(|work| work.span.start < window.end).max(from);
    work[from..to].iter().filter(|work| work.dur() > 0).copied().collect()
}

/// Builds the table of idle time by cause: a row per stream, the most idle time first.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let mut rows = Vec::new();
    let part = Part::new(trace, scope);
    for device in in_run(&part) {
        let run = part.run(device.worker);
        let title = trace.group_title(&trace.groups[device.group]);
        for (lane, work) in device.streams() {
            let gaps: Vec<Gap> = run.iter().flat_map(|window| gaps(&inside(&work, *window), false)).collect();
            let of_stream = Device { work: work.clone(), ..Device::default() };
            let edges = DeviceTime::of(&of_stream, run).edges;
            let of = |wait| sum(gaps.iter().filter(|gap| gap.wait == wait).map(|gap| gap.dur));
            let real = gaps.iter().filter(|gap| gap.dur > ROUNDING);
            let longest = real.clone().max_by_key(|gap| gap.dur);
            let times = [Wait::Host, Wait::Kernel, Wait::Other].map(of);
            let idle = sum(times).saturating_add(edges);
            let mut cells = vec![
                Value::text(&format!("{title} · {}", trace.lane_title(&trace.lanes[lane]))),
                Value::Count(real.count() as u64),
                Value::Duration(idle),
                Value::share(times[0], idle),
            ];
            cells.extend(times.map(Value::Duration));
            cells.push(Value::Duration(edges));
            cells.push(longest.map_or(Value::Empty, |gap| Value::Duration(gap.dur)));
            rows.push((idle, TableRow { cells, children: Vec::new(), longest: longest.map(|gap| gap.next) }));
        }
    }
    rows.sort_by_key(|(idle, _)| std::cmp::Reverse(*idle));
    let rows: Vec<TableRow> = rows.into_iter().map(|(_, row)| row).collect();
    Table {
        view: "waits",
        title: "Idle time of streams: waiting for the host, short gaps, other",
        columns: vec![
            Column::new("stream", "Stream", ColumnKind::Text, "Device and stream that the row is about"),
            Column::new(
                "gaps",
                "Gaps",
                ColumnKind::Count,
                "Number of times of more than 1 ns without work between two kernels, copies or memsets",
            ),
            Column::new(
                "idle",
                "Idle",
                ColumnKind::Duration,
                "Time of the run in which the stream has no work",
            ),
            Column::new(
                "host_share",
                "Host %",
                ColumnKind::Ratio,
                "Share of the idle time that is in gaps whose next work was launched only after the gap had \
                 begun",
            ),
            Column::new(
                "host",
                "Host",
                ColumnKind::Duration,
                "Idle time in gaps whose next work was launched only after the gap had begun",
            ),
            Column::new(
                "kernel",
                "Kernel",
                ColumnKind::Duration,
                "Idle time in gaps below 30 µs whose next work was launched before the gap, or at an unknown \
                 time",
            ),
            Column::new(
                "other",
                "Other",
                ColumnKind::Duration,
                "Idle time in the gaps that Host and Kernel do not count, such as waits for other streams or \
                 events",
            ),
            Column::new(
                "edges",
                "Edges",
                ColumnKind::Duration,
                "Time before the stream's first work and after its last in each time of the run; \
                 all of one without work",
            ),
            Column::new("longest", "Longest", ColumnKind::Duration, "Duration of the stream's longest gap"),
        ],
        notes: notes(
            &rows,
            "Each gap counts whole for one cause. HTA's get_idle_time_breakdown differs: that function \
             measures a gap from the end of the work that started last, even if earlier work still runs, \
             and usually cuts off the last step and drops work without a launch.",
        ),
        rows,
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::part::work::Launch;
    use proftui_trace::model::{LaneId, SliceId};

    fn work(start: Ns, end: Ns, launch: Option<Ns>) -> Work {
        let launch =
            launch.map(|start| Launch { id: SliceId::new(0), span: Span { start, end: start + 10 } });
        Work {
            id: SliceId::new(1),
            lane: LaneId::new(0),
            span: Span { start, end },
            begins: true,
            kind: None,
            launch,
        }
    }

    #[test]
    fn a_gap_has_a_reason() {
        let row = [
            work(0, 1_000, None),
            work(1_100, 1_200, Some(500)),
            work(2_000, 9_000, Some(1_500)),
            work(3_000, 4_000, Some(1_600)),
            work(100_000, 100_001, Some(1_700)),
        ];
        let found: Vec<_> = gaps(&row, false).iter().map(|gap| (gap.dur, gap.wait)).collect();
        assert_eq!(found, [(100, Wait::Kernel), (800, Wait::Host), (91_000, Wait::Other)]);
        let found: Vec<_> = gaps(&row, true).iter().map(|gap| gap.dur).collect();
        assert_eq!(found, [100, 800, -6_000, 96_000], "between neighbours, overlaps included");
        assert!(gaps(&[], false).is_empty());
    }
}
