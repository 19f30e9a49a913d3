//! Finding events by the line with the focus and the cursor: the next one, the one under the cursor, a
//! relative on another line, edges.
//!
//! Must not change anything, nor know what is done with what was found.

use std::cmp::Reverse;

use proftui_base::ids::Ids;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::ledger::DeviceLedger;
use proftui_trace::index::Index;
use proftui_trace::model::{Category, Lane, LaneId, LaneKind, RowId, SliceId, Trace};

use super::Timeline;
use crate::app::session::{Selection, Session};
use crate::app::view::direction::Direction;
use crate::app::view::line::{Line, LineKind};
use crate::app::view::viewport;

impl Timeline {
    /// The next or previous slice of the focused line from what is selected there on the screen, else from
    /// the cursor, whose own slice counts as next; `None` if there is none.
    pub(crate) fn next_slice(
        &self,
        session: &Session,
        selection: Option<Selection>,
        direction: Direction,
    ) -> Option<SliceId> {
        let rows = self.focused_rows();
        let Session { trace, index, .. } = session;
        let is_here = |id: SliceId| rows.contains(&trace.row_of(id));
        let key = |&id: &SliceId| (trace.slices.start[id], id);
        let from = |t: Ns| rows.iter().filter_map(move |&row| index.first_from(trace, row, t));
        let before = |t: Ns| rows.iter().filter_map(move |&row| index.last_before(trace, row, t));
        match (selection, direction) {
            (Some(Selection::Slice(id)), _) if is_here(id) && self.is_seen(trace.slices.span(id)) => {
                beside(session, id, rows, direction)
            }
            (Some(Selection::Gap(of, gap)), _) if rows.contains(&of) && self.is_seen(gap) => {
                match direction {
                    Direction::Forward => from(gap.end).min_by_key(key),
                    Direction::Back => before(gap.start).max_by_key(key),
                }
            }
            (_, Direction::Forward) => {
                let at = rows.iter().filter_map(|&row| index.at(trace, row, self.cursor)).min_by_key(key);
                at.or_else(|| from(self.cursor).min_by_key(key))
            }
            (_, Direction::Back) => before(self.cursor).max_by_key(key),
        }
    }

    /// The time of the nearest value of a counter after or before the cursor; none if there is none.
    pub(crate) fn next_value(&self, trace: &Trace, counter: u32, direction: Direction) -> Option<Ns> {
        let ts = &trace.counters[counter as usize].ts;
        neighbour(ts.len(), |i| ts[i], self.cursor, direction).map(|i| ts[i])
    }

    /// The next or previous instant of a lane, counted from the selection or the cursor: its index in
    /// `Trace::instants`. `None` if there is none.
    pub(crate) fn next_instant(
        &self,
        trace: &Trace,
        lane: LaneId,
        selection: Option<Selection>,
        direction: Direction,
    ) -> Option<u32> {
        let range = trace.lanes[lane].instants.clone();
        let instants = &trace.instants[range.start as usize..range.end as usize];
        let at = match selection {
            Some(Selection::Instant(i)) if range.contains(&i) => {
                step_index((i - range.start) as usize, instants.len(), direction)
            }
            _ => neighbour(instants.len(), |i| instants[i].ts, self.cursor, direction),
        };
        at.map(|i| range.start + saturate::<u32>(i))
    }

    /// The longest slice of the focused line that is on the screen, at least in part; `None` if there is
    /// none.
    pub(crate) fn longest(&self, session: &Session) -> Option<SliceId> {
        let Session { trace, index, .. } = session;
        let of_row = |&row: &RowId| {
            Some(index.sum(trace, row, self.viewport).longest).filter(|&id| id != SliceId::NONE)
        };
        let of_rows = self.focused_rows().iter().filter_map(of_row);
        of_rows.max_by_key(|&id| trace.slices.dur[id])
    }

    /// The longest kernel that starts in `span`: on the focused line if that shows streams, else on any
    /// stream of the devices of the focused line's process; `None` if there is none.
    pub(crate) fn longest_kernel(&self, session: &Session, span: Span) -> Option<SliceId> {
        let trace = &session.trace;
        let is_stream = |row: &RowId| trace.lanes[trace.rows[*row].lane].kind == LaneKind::Stream;
        let mut rows: Vec<RowId> = self.focused_rows().iter().copied().filter(is_stream).collect();
        if rows.is_empty() {
            let worker = self.focused_group(trace).map(|group| trace.groups[group].worker);
            let is_own = |lane: &&Lane| Some(trace.groups[lane.group].worker) == worker;
            let lanes = trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream).filter(is_own);
            rows = lanes.flat_map(|lane| lane.rows).collect();
        }
        let of_row = |&row: &RowId| {
            let ids = trace.rows[row].slices();
            let starts = &trace.slices.start[ids];
            let within = starts.partition_point(|&start| start < span.start)
                ..starts.partition_point(|&start| start < span.end);
            let kernels =
                within.map(|at| ids.at(at)).filter(|&id| trace.slices.category(id) == Category::Kernel);
            kernels.max_by_key(|&id| (trace.slices.dur[id], Reverse(id)))
        };
        rows.iter().filter_map(of_row).max_by_key(|&id| (trace.slices.dur[id], Reverse(id)))
    }

    /// A slice of the focused row that is related to slice `id`, such as its parent or a child; `None` if
    /// there is none.
    pub(crate) fn relative(&self, session: &Session, id: SliceId) -> Option<SliceId> {
        let row = self.focused().and_then(Line::row)?;
        let Session { trace, index, .. } = session;
        let slices = &trace.slices;
        let parent = slices.parent(id);
        let is_child = |child: &SliceId| slices.parent(*child) == Some(id);
        let next = index.first_from(trace, row, slices.start[id]);
        let is_lane = trace.rows[row].lane == trace.lane_of(id);
        parent
            .filter(|parent| trace.rows[row].slices().contains(*parent))
            .or_else(|| index.nearest(trace, row, self.cursor).filter(is_child))
            .or_else(|| next.filter(is_child))
            .or_else(|| {
                next.filter(|&next| is_lane && parent.is_some_and(|p| slices.start[next] < slices.end(p)))
            })
    }

    /// The slice of the focused line that is nearest to the cursor, if it is on the screen; on a line of idle
    /// time the gap at the cursor.
    pub(crate) fn under_cursor(&self, session: &Session) -> Option<Selection> {
        if let LineKind::Idle(group) = self.focused()?.kind {
            let gap = session.device(group).and_then(|device| device.idle.gap_at(self.cursor));
            let here = gap.filter(|gap| gap.contains(self.cursor));
            return here.map(|gap| Selection::Idle(group, gap));
        }
        let Session { trace, index, .. } = session;
        let distance = |&id: &SliceId| {
            let span = trace.slices.span(id);
            (span.start.saturating_sub(self.cursor).max(self.cursor.saturating_sub(span.end)).max(0), id)
        };
        let rows = self.focused_rows().iter();
        let nearest = rows.filter_map(|&row| index.nearest(trace, row, self.cursor)).min_by_key(distance);
        nearest.filter(|&id| self.is_seen(trace.slices.span(id))).map(Selection::Slice)
    }

    /// A device that has idle gaps, preferably the device of the focused line; `None` if no device has gaps.
    pub(crate) fn device_with_gaps<'a>(&self, session: &'a Session) -> Option<&'a DeviceLedger> {
        let (trace, ledger) = (&session.trace, &session.ledger);
        let own = self.focused().and_then(|line| match line.kind {
            LineKind::Idle(group) | LineKind::Merged(group) | LineKind::More(group) => session.device(group),
            LineKind::Group(group) => ledger.device_of(trace, trace.groups[group].lanes.start),
            _ => ledger.device_of(trace, line.lane()?),
        });
        let has_gaps = |device: &&DeviceLedger| !device.idle.is_empty();
        own.filter(has_gaps).or_else(|| ledger.devices.iter().find(has_gaps))
    }

    /// Moves the cursor to the next or previous of the `columns` columns, there to a beginning or end of an
    /// event if possible. False if there is no further column.
    pub(crate) fn move_cursor_by_column(
        &mut self,
        session: &Session,
        columns: u16,
        direction: Direction,
    ) -> bool {
        let here = viewport::column(self.viewport, columns, self.cursor).unwrap_or_default();
        let next = match direction {
            Direction::Forward => (here + 1 < columns).then_some(here + 1),
            Direction::Back => here.checked_sub(1),
        };
        let Some(next) = next else { return false };
        let start = viewport::time(self.viewport, columns, next);
        let cell = Span { start, end: viewport::time(self.viewport, columns, next + 1).max(start + 1) };
        let edges = self.edges(session, cell);
        // The first edge on the way.
        let edge = if direction == Direction::Forward { edges.min() } else { edges.max() };
        self.put_cursor(edge.unwrap_or(cell.start + cell.len() / 2));
        true
    }

    /// A beginning or end of an event of the focused line within `most` ns of `t`, usually the nearest;
    /// `None` if there is none.
    pub(crate) fn nearest_edge(&self, session: &Session, t: Ns, most: Ns) -> Option<Ns> {
        let around = Span { start: t.saturating_sub(most), end: t.saturating_add(most) };
        self.edges(session, around).min_by_key(|edge| edge.abs_diff(t))
    }

    /// Some times in `cell` at which events of the focused line begin or end, usually the first and the last
    /// of each row among them.
    fn edges(&self, session: &Session, cell: Span) -> impl Iterator<Item = Ns> {
        let Session { trace, index, .. } = session;
        self.focused_rows().iter().flat_map(move |&row| edges_of(trace, index, row, cell))
    }
}

/// The next or previous slice of `rows` from slice `id`, in order of start; `None` if there is none.
fn beside(session: &Session, id: SliceId, rows: &[RowId], direction: Direction) -> Option<SliceId> {
    let Session { trace, index, .. } = session;
    let key = |id: SliceId| (trace.slices.start[id], id);
    let (start, _) = key(id);
    let candidate = |&row: &RowId| {
        let ids = trace.rows[row].slices();
        match direction {
            Direction::Forward if ids.contains(id) => Some(id + 1).filter(|&id| ids.contains(id)),
            Direction::Back if ids.contains(id) => (id > ids.start).then(|| SliceId::new(id.get() - 1)),
            // Other rows have one slice at most that starts at the same time and counts as later or
            // earlier.
            Direction::Forward => index
                .first_from(trace, row, start)
                .and_then(|first| Ids::from(first..ids.end).iter().find(|&other| key(other) > key(id))),
            Direction::Back => {
                let last = index.last_before(trace, row, start.saturating_add(1))?;
                Ids::from(ids.start..last + 1).iter().rev().find(|&other| key(other) < key(id))
            }
        }
    };
    let found = rows.iter().filter_map(candidate);
    match direction {
        Direction::Forward => found.min_by_key(|&id| key(id)),
        Direction::Back => found.max_by_key(|&id| key(id)),
    }
}

/// The next or previous slice of the same name on the lane of slice `id`; `None` if there is none.
pub(crate) fn same_name(trace: &Trace, id: SliceId, direction: Direction) -> Option<SliceId> {
    let lane = &trace.lanes[trace.lane_of(id)];
    let key = |id: SliceId| (trace.slices.start[id], id);
    let name = trace.slices.name[id];
    let same = lane.slices.iter().filter(|&other| trace.slices.name[other] == name);
    match direction {
        Direction::Forward => same.filter(|&other| key(other) > key(id)).min_by_key(|&other| key(other)),
        Direction::Back => same.filter(|&other| key(other) < key(id)).max_by_key(|&other| key(other)),
    }
}

/// Some times in `cell` at which events of a row begin or end, usually the first and the last among them.
fn edges_of(trace: &Trace, index: &Index, row: RowId, cell: Span) -> impl Iterator<Item = Ns> {
    let around = [
        index.at(trace, row, cell.start),
        index.first_from(trace, row, cell.start),
        index.last_before(trace, row, cell.end),
    ];
    let spans = around.into_iter().flatten().map(|id| trace.slices.span(id));
    let edges: Vec<Ns> = spans.flat_map(|span| [span.start, span.end]).collect();
    edges.into_iter().filter(move |&edge| cell.contains(edge))
}

/// The index after or before `i` in a list of `len` items; none beyond either end.
fn step_index(i: usize, len: usize, direction: Direction) -> Option<usize> {
    match direction {
        Direction::Forward => Some(i + 1).filter(|&i| i < len),
        Direction::Back => i.checked_sub(1),
    }
}

/// The index of the nearest of `len` ascending times that is strictly after or before `t`; none if there is
/// no such time.
fn neighbour(len: usize, time: impl Fn(usize) -> Ns, t: Ns, direction: Direction) -> Option<usize> {
    let is_past = |i: usize| if direction == Direction::Forward { time(i) <= t } else { time(i) < t };
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_past(middle) { low = middle + 1 } else { high = middle }
    }
    match direction {
        Direction::Forward => Some(low).filter(|&i| i < len),
        Direction::Back => low.checked_sub(1),
    }
}
