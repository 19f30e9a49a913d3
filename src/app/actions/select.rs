//! Selecting events, gaps and instants, and moving from one to the next along rows and lines.
//!
//! Must not know which key does what.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{NONE, RowId, SliceId};

use crate::app::input::bindings::{self, Keys};
use crate::app::pane::details::Details;
use crate::app::pane::details::event::EventLines;
use crate::app::session::{Selection, Session};
use crate::app::state::{Pane, State};
use crate::app::view::lines::{Line, LineKind};
use crate::app::view::viewport;
use crate::app::wires::jobs::{EventRead, ReadJob};

/// The direction of a move in time, along links or in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To earlier times, from device work to its launch, to the previous entry of the history.
    Back,
    /// To later times, from a launch to its device work, to the next entry of the history.
    Forward,
}

impl State {
    /// Replaces the selection (none selects nothing) without moving the viewport, and requests the arguments
    /// of the selected event.
    pub fn select(&mut self, selection: Option<Selection>) {
        if self.selection == selection {
            return;
        }
        self.selection = selection;
        if selection.is_some() && !self.is_pane_chosen {
            self.pane = Pane::Details;
        }
        self.details = Details::of(&self.session, selection, self.is_snapshot());
        self.pane_line = 0;
        let job = selection.and_then(|selection| {
            let origins = Details::origins(&self.session.trace, selection);
            let session = Arc::clone(&self.session);
            let is_gap = matches!(selection, Selection::Idle(..));
            (is_gap || !origins.is_empty()).then_some(ReadJob { session, selection, origins })
        });
        match job {
            // It is never done at once.
            Some(job) => drop(self.jobs.event.start(job)),
            None => self.jobs.event.forget(),
        }
        if self.jobs.event.is_slow() {
            self.say_reading();
        }
    }

    /// Writes "reading …" in the Details pane if the arguments of the selected event are still to come.
    pub(crate) fn say_reading(&mut self) {
        if self.jobs.event.current().is_some_and(|job| job.is_for(&self.session, self.selection)) {
            self.details.say_reading();
        }
    }

    /// Adds the arguments of an event that was read again to the details. Returns false, and drops the event,
    /// if something else has been selected since.
    pub(crate) fn take_event(&mut self, read: EventRead) -> bool {
        if !read.job.is_for(&self.session, self.selection) {
            return false;
        }
        let EventLines { arguments, fields } = read.lines;
        self.pane_line = self.details.add_event(arguments, fields, self.pane_line);
        true
    }

    /// Selects a slice, brings its line and as much of its time range as fits onto the screen, and moves the
    /// cursor into its time range.
    pub fn go_to_slice(&mut self, id: SliceId) {
        let trace = &self.session.trace;
        if let Some(line) = self.lines.reveal(trace, trace.row_of(id)) {
            self.focus = line;
        }
        let span = trace.slices.span(id);
        self.cursor = self.cursor.clamp(span.start, (span.end - 1).max(span.start));
        self.bring_into_view(span);
        self.select(Some(Selection::Slice(id)));
        self.scroll_to_focus();
    }

    /// Selects a slice as [`Self::go_to_slice`] does and puts the cursor at its start.
    pub fn jump(&mut self, target: SliceId) {
        let start = self.session.trace.slices.start[target as usize];
        self.cursor = start;
        self.go_to_slice(target);
        self.cursor = start.clamp(self.viewport.start, self.viewport.end - 1);
    }

    /// Moves the viewport, without zooming, so that as much of `span` as fits is on the screen. The viewport
    /// stays if `span` is longer than it and partly visible already.
    pub(crate) fn bring_into_view(&mut self, span: Span) {
        let bounds = self.session.trace.span;
        let is_seen = self.viewport.overlaps(span) || self.viewport.contains(span.start);
        let is_within = self.viewport.start <= span.start && span.end <= self.viewport.end;
        if !is_seen || !is_within && span.len() < self.viewport.len() {
            let middle = span.start + span.len().min(self.viewport.len()) / 2;
            self.viewport = viewport::center(self.viewport, middle, bounds);
            self.cursor = span.start;
        }
        self.keep_cursor();
    }

    /// Moves the cursor to the nearest time of the viewport if the cursor lies outside.
    pub fn keep_cursor(&mut self) {
        self.cursor =
            self.cursor.clamp(self.viewport.start, (self.viewport.end - 1).max(self.viewport.start));
    }

    /// Selects the next or previous event, instant or counter value of the line with the focus.
    pub fn move_to_event(&mut self, direction: Direction) {
        let line = self.lines.get(self.focus).copied();
        match line.map(|line| line.kind) {
            Some(LineKind::Row(..) | LineKind::Merged(_)) => {
                line.into_iter().for_each(|line| self.move_to_slice(line, direction));
            }
            Some(LineKind::Counter(_, counter)) => {
                let ts = &self.session.trace.counters[counter as usize].ts;
                let found = neighbour(ts.len(), |i| ts[i], self.cursor, direction);
                self.move_cursor(found.map(|i| ts[i]));
            }
            Some(LineKind::Marks(lane)) => {
                let range = self.session.trace.lanes[lane as usize].instants.clone();
                let instants = &self.session.trace.instants[range.start as usize..range.end as usize];
                let at = match self.selection {
                    Some(Selection::Instant(i)) if range.contains(&i) => {
                        step_index((i - range.start) as usize, instants.len(), direction)
                    }
                    _ => neighbour(instants.len(), |i| instants[i].ts, self.cursor, direction),
                };
                let ts = at.map(|i| instants[i].ts);
                self.move_cursor(ts);
                if let Some(i) = at {
                    self.select(Some(Selection::Instant(range.start + i as u32)));
                }
            }
            Some(LineKind::Idle(_)) => self.move_to_gap(direction),
            _ => self.say(format!(
                "this line has no events; {} moves to the next line",
                self.keys.label(bindings::LINE_DOWN)
            )),
        }
    }

    /// Selects the next or previous event of the line's rows, of which there are several where streams are
    /// merged.
    fn move_to_slice(&mut self, line: Line, direction: Direction) {
        let rows = self.lines.rows_of(&line);
        let Session { trace, index, .. } = &*self.session;
        // If the selection is off the screen, the move starts from the cursor.
        let is_seen = |span: Span| self.viewport.overlaps(span) || self.viewport.contains(span.start);
        let is_here = |id: SliceId| rows.contains(&trace.row_of(id));
        let key = |&id: &SliceId| (trace.slices.start[id as usize], id);
        let from = |t: Ns| rows.iter().filter_map(move |&row| index.first_from(trace, row, t));
        let before = |t: Ns| rows.iter().filter_map(move |&row| index.last_before(trace, row, t));
        let next = match (self.selection, direction) {
            (Some(Selection::Slice(id)), _) if is_here(id) && is_seen(trace.slices.span(id)) => {
                self.beside(id, rows, direction)
            }
            (Some(Selection::Gap(of, gap)), _) if rows.contains(&of) && is_seen(gap) => match direction {
                Direction::Forward => from(gap.end).min_by_key(key),
                Direction::Back => before(gap.start).max_by_key(key),
            },
            (_, Direction::Forward) => {
                let at = rows.iter().filter_map(|&row| index.at(trace, row, self.cursor)).min_by_key(key);
                at.or_else(|| from(self.cursor).min_by_key(key))
            }
            (_, Direction::Back) => before(self.cursor).max_by_key(key),
        };
        match next {
            Some(id) => {
                self.cursor = self.session.trace.slices.start[id as usize];
                self.go_to_slice(id);
            }
            None => self.say(if direction == Direction::Forward {
                "no later event on this line"
            } else {
                "no earlier event on this line"
            }),
        }
    }

    /// The slice of `rows` that starts next after or before slice `id`; of several that start at once the
    /// next by number.
    fn beside(&self, id: SliceId, rows: &[RowId], direction: Direction) -> Option<SliceId> {
        let Session { trace, index, .. } = &*self.session;
        let key = |id: SliceId| (trace.slices.start[id as usize], id);
        let (start, _) = key(id);
        let candidate = |&row: &RowId| {
            let ids = trace.rows[row as usize].slices();
            match direction {
                Direction::Forward if ids.contains(&id) => Some(id + 1).filter(|id| ids.contains(id)),
                Direction::Back if ids.contains(&id) => id.checked_sub(1).filter(|id| ids.contains(id)),
                // Other rows have one slice at most that starts at the same time and counts as later or
                // earlier.
                Direction::Forward => index
                    .first_from(trace, row, start)
                    .and_then(|first| (first..ids.end).find(|&other| key(other) > key(id))),
                Direction::Back => {
                    let last = index.last_before(trace, row, start.saturating_add(1))?;
                    (ids.start..=last).rev().find(|&other| key(other) < key(id))
                }
            }
        };
        let found = rows.iter().filter_map(candidate);
        match direction {
            Direction::Forward => found.min_by_key(|&id| key(id)),
            Direction::Back => found.max_by_key(|&id| key(id)),
        }
    }

    /// Selects the next or previous event with the same name as the selected one on the same lane.
    pub fn move_to_same_name(&mut self, direction: Direction) {
        let Some(id) = self.selected_slice() else {
            return self.say(select_first(&self.keys));
        };
        let trace = &self.session.trace;
        let lane = &trace.lanes[trace.lane_of(id) as usize];
        let key = |id: SliceId| (trace.slices.start[id as usize], id);
        let same = lane
            .slices
            .clone()
            .filter(|&other| trace.slices.name[other as usize] == trace.slices.name[id as usize]);
        let found = match direction {
            Direction::Forward => same.filter(|&other| key(other) > key(id)).min_by_key(|&other| key(other)),
            Direction::Back => same.filter(|&other| key(other) < key(id)).max_by_key(|&other| key(other)),
        };
        match found {
            Some(found) => {
                self.cursor = self.session.trace.slices.start[found as usize];
                self.go_to_slice(found);
            }
            None => self.say(match direction {
                Direction::Forward => "no later event of this name on this lane",
                Direction::Back => "no earlier event of this name on this lane",
            }),
        }
    }

    /// Selects the longest event of the focused line that has time on the screen.
    pub(crate) fn go_to_longest(&mut self) {
        let Session { trace, index, .. } = &*self.session;
        let rows = self.lines.get(self.focus).map_or(&[][..], |line| self.lines.rows_of(line));
        let of_row =
            |&row: &RowId| Some(index.sum(trace, row, self.viewport).longest).filter(|&id| id != NONE);
        let longest = rows.iter().filter_map(of_row).max_by_key(|&id| trace.slices.dur[id as usize]);
        let Some(longest) = longest else { return self.say("this line has no event on the screen") };
        self.jump(longest);
        let took = fmt::duration(self.session.trace.slices.dur[longest as usize]);
        self.say(format!("the longest event of this line on the screen: {took}"));
    }

    /// Moves the focus by `by` lines (negative: up) and selects a slice of the new line: after a move by one
    /// line a relative of the selected slice (see `relative`) if there is one, otherwise the slice under the
    /// cursor.
    pub fn move_focus(&mut self, by: isize) {
        let target = self.line_after(self.focus, by);
        if target == self.focus {
            return;
        }
        self.focus = target;
        self.scroll_to_focus();
        let row = self.lines.get(target).and_then(Line::row);
        match (self.selected_slice(), row) {
            (Some(id), Some(row)) if by.unsigned_abs() == 1 => match self.relative(id, row) {
                Some(found) => self.go_to_slice(found),
                None => self.select_under_cursor(),
            },
            _ => self.select_under_cursor(),
        }
    }

    /// The slice of `row` to select when the focus moves there from slice `id`: its parent, else a child (the
    /// one nearest to the cursor, or the first), else the next slice within the parent of `id`.
    fn relative(&self, id: SliceId, row: RowId) -> Option<SliceId> {
        let Session { trace, index, .. } = &*self.session;
        let slices = &trace.slices;
        let parent = slices.parent(id);
        let is_child = |child: &SliceId| slices.parent(*child) == Some(id);
        let next = index.first_from(trace, row, slices.start[id as usize]);
        let is_lane = trace.rows[row as usize].lane == trace.lane_of(id);
        parent
            .filter(|parent| trace.rows[row as usize].slices().contains(parent))
            .or_else(|| index.nearest(trace, row, self.cursor).filter(is_child))
            .or_else(|| next.filter(is_child))
            .or_else(|| {
                next.filter(|&next| {
                    is_lane && parent.is_some_and(|p| slices.start[next as usize] < slices.end(p))
                })
            })
    }

    /// Selects the slice of the focused row that is nearest to the cursor, on a line of idle time the gap at
    /// the cursor; selects nothing if that slice is off the screen.
    pub fn select_under_cursor(&mut self) {
        if let Some(LineKind::Idle(group)) = self.lines.get(self.focus).map(|line| line.kind) {
            let gap = self.session.device(group).and_then(|device| device.idle.gap_at(self.cursor));
            let here = gap.filter(|gap| gap.contains(self.cursor));
            return self.select(here.map(|gap| Selection::Idle(group, gap)));
        }
        let Some(line) = self.lines.get(self.focus) else { return self.select(None) };
        let Session { trace, index, .. } = &*self.session;
        let distance = |&id: &SliceId| {
            let span = trace.slices.span(id);
            (span.start.saturating_sub(self.cursor).max(self.cursor.saturating_sub(span.end)).max(0), id)
        };
        let of_rows = self.lines.rows_of(line).iter();
        let nearest = of_rows.filter_map(|&row| index.nearest(trace, row, self.cursor)).min_by_key(distance);
        let seen = nearest.filter(|&id| {
            let span = trace.slices.span(id);
            self.viewport.overlaps(span) || self.viewport.contains(span.start)
        });
        self.select(seen.map(Selection::Slice));
    }

    fn move_cursor(&mut self, t: Option<Ns>) {
        let Some(t) = t else { return self.say("no further sample or mark in that direction") };
        self.cursor = t;
        if !self.viewport.contains(t) {
            self.viewport = viewport::center(self.viewport, t, self.session.trace.span);
        }
        self.keep_cursor();
    }
}

/// The message of a command that needs a selected event when nothing is selected.
pub(crate) fn select_first(keys: &Keys) -> String {
    format!("nothing is selected; {} selects the next event", keys.label(bindings::NEXT_EVENT))
}

/// The index after or before `i` in a list of `len` items; none at the end.
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
