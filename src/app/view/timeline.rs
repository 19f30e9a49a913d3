//! The timeline: the time that it shows, its lines, the line with the focus.
//!
//! The cursor is always within the viewport, and the focus is always a line if there are any, whatever moves
//! the viewport or folds, hides or orders lines. `time` moves the viewport and the cursor, `lanes` changes
//! the lines, `scroll` says which of them are on the screen, `events` finds events by the line with the
//! focus. Is given what is selected where it needs that. Must not know how a line is drawn.

pub(crate) mod events;
mod lanes;
mod scroll;
mod time;

use std::rc::Rc;

use proftui_base::time::{Ns, Span};
use proftui_trace::index::Cell;
use proftui_trace::model::{GroupId, LaneId, RowId, Trace};

use super::history::History;
use super::in_view::InView;
use super::lines::{Line, LineKind, Lines};
use super::viewport;
use crate::app::session::Session;

/// The viewport, the cursor and their history, the lines, and the line with the focus.
#[derive(Debug)]
pub struct Timeline {
    viewport: Span,
    cursor: Ns,
    history: History,
    lines: Lines,
    /// The line with the focus, an index into `lines`.
    focus: usize,
    /// The index into `lines` from which on lines are shown below the pinned ones.
    scroll: usize,
    /// The text for filtering lanes; empty if there is none.
    filter: String,
    /// The time range in which a row usually must have an event to take a line of the screen.
    shown_time: Span,
    /// The length of the viewport when `shown_time` was last set, ns.
    shown_length: Ns,
    /// What was computed of rows and lines for the viewport and for `shown_time`, kept while these stay.
    in_view: InView,
}

impl Timeline {
    /// The timeline of a newly opened trace, on a screen of `screen` lines: it usually shows the time of the
    /// steps, if there are any.
    pub(crate) fn new(session: &Session, screen: u16) -> Self {
        let trace = &session.trace;
        let lines = Lines::new(session, screen);
        let viewport = viewport::opening(trace);
        let mut timeline = Self {
            viewport,
            cursor: viewport.start,
            history: History::default(),
            focus: lines.first_focus(trace),
            lines,
            scroll: 0,
            filter: String::new(),
            shown_time: viewport,
            shown_length: viewport.len(),
            in_view: InView::default(),
        };
        timeline.put_cursor(trace.steps.first().map_or(trace.main_span.start, |step| step.span.start));
        timeline
    }

    /// The lines, and which groups and lanes are folded, pinned or hidden.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The index of the line with the focus.
    pub fn focus(&self) -> usize {
        self.focus
    }

    /// The line with the focus; none if there are no lines.
    pub fn focused(&self) -> Option<&Line> {
        self.lines.get(self.focus)
    }

    /// The rows of slices that the line with the focus shows; empty if it shows none.
    pub(crate) fn focused_rows(&self) -> &[RowId] {
        self.focused().map_or(&[], |line| self.lines.rows_of(line))
    }

    /// The group of the line with the focus; none if there are no lines.
    pub(crate) fn focused_group(&self, trace: &Trace) -> Option<GroupId> {
        match self.focused()?.kind {
            LineKind::Group(group)
            | LineKind::Idle(group)
            | LineKind::Merged(group)
            | LineKind::More(group) => Some(group),
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                Some(trace.lanes[lane].group)
            }
            LineKind::Others => None,
        }
    }

    /// Moves the focus to the line with this index, at most to the last one.
    pub fn focus_on(&mut self, line: usize) {
        self.focus = line.min(self.lines.len().saturating_sub(1));
    }

    /// Moves the focus to the line with this content; the focus stays if no such line is shown.
    pub(crate) fn focus_on_kind(&mut self, kind: LineKind) {
        self.focus_on(self.lines.find(kind).unwrap_or(self.focus));
    }

    /// Moves the focus to the first line of a lane; the focus stays if the lane has no line of its own.
    pub(crate) fn focus_on_lane(&mut self, lane: LaneId) {
        self.focus_on(self.lines.head_of(lane).unwrap_or(self.focus));
    }

    /// The cells of a row in the viewport, drawn in `columns` columns.
    pub fn cells(&self, session: &Session, row: RowId, columns: u16) -> Rc<[Cell]> {
        self.in_view.cells(session, row, self.viewport, columns)
    }

    /// The busy time of a line in the viewport, and the time of which it is a share, ns; none for a line that
    /// shows no busy share.
    pub fn share(&self, session: &Session, line: &Line) -> Option<(Ns, Ns)> {
        self.in_view.share(session, line, self.viewport)
    }
}
