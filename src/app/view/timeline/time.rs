//! The viewport and the cursor: zooming, panning, going to times, the history of both.
//!
//! Must not know lines, but for the one that the history finds again.

use proftui_base::time::{Ns, Span};
use proftui_trace::model::Trace;

use super::Timeline;
use crate::app::session::Selection;
use crate::app::view::direction::Direction;
use crate::app::view::history::HistoryEntry;
use crate::app::view::viewport;

impl Timeline {
    /// The time range that the timeline shows.
    pub fn viewport(&self) -> Span {
        self.viewport
    }

    /// The time cursor, ns, a time within the viewport.
    pub fn cursor(&self) -> Ns {
        self.cursor
    }

    /// The time that one of `columns` columns covers, ns, rounded down; at least 1.
    pub(crate) fn ns_per_column(&self, columns: u16) -> Ns {
        (self.viewport.len() / Ns::from(columns.max(1))).max(1)
    }

    /// True if `span` is on the screen, at least in part.
    pub(crate) fn is_seen(&self, span: Span) -> bool {
        self.viewport.overlaps(span) || self.viewport.contains(span.start)
    }

    /// Shows the time range `viewport`, and keeps the cursor within it.
    pub fn show(&mut self, viewport: Span) {
        self.viewport = viewport;
        self.put_cursor(self.cursor);
    }

    /// Puts the cursor at `t`, or at the nearest time on the screen.
    pub fn put_cursor(&mut self, t: Ns) {
        self.cursor = t.clamp(self.viewport.start, (self.viewport.end - 1).max(self.viewport.start));
    }

    /// Puts the cursor at `t` or as close as possible; centers the viewport there if `t` is off the screen.
    pub(crate) fn go_to(&mut self, t: Ns, trace: &Trace) {
        if !self.viewport.contains(t) {
            self.center(t, trace);
        }
        self.put_cursor(t);
    }

    /// Centers the viewport on `t`, or on the nearest time of the trace, and keeps the cursor within it.
    pub(crate) fn center(&mut self, t: Ns, trace: &Trace) {
        self.show(viewport::center(self.viewport, t, trace.span));
    }

    /// Fits the viewport to a time range, with a margin on both sides, and keeps the cursor within it.
    pub(crate) fn fit(&mut self, span: Span, trace: &Trace) {
        self.show(viewport::fit(span, trace.span));
    }

    /// Fits the viewport to the trace without far outliers; if the viewport shows exactly that already, to
    /// the whole trace.
    pub(crate) fn fit_all(&mut self, trace: &Trace) {
        let main = viewport::main(trace);
        self.show(if self.viewport == main { viewport::fit(trace.span, trace.span) } else { main });
    }

    /// True if the viewport is longer than it would be if it were fitted to `span`.
    pub(crate) fn is_wider_than(&self, span: Span, trace: &Trace) -> bool {
        viewport::fit(span, trace.span).len() < self.viewport.len()
    }

    /// Scales the length of the viewport by `factor` (below 1 zooms in) about the time `anchor`, ns, within
    /// the lengths allowed; keeps it near the trace.
    pub(crate) fn zoom(&mut self, anchor: Ns, factor: f64, trace: &Trace) {
        self.show(viewport::zoom(self.viewport, anchor, factor, trace.span));
    }

    /// Pans the viewport, drawn in `columns` columns, by about the fraction `part` of its length (negative:
    /// to earlier times), but keeps it near the trace. The cursor moves along.
    pub(crate) fn pan(&mut self, columns: u16, part: f64, trace: &Trace) {
        let (before, cursor) = (self.viewport.start, self.cursor);
        self.viewport = viewport::pan(self.viewport, columns, part, trace.span);
        self.put_cursor(cursor.saturating_add(self.viewport.start.saturating_sub(before)));
    }

    /// Moves the viewport to `span`, without zooming, and the cursor to its start, unless all of `span` is on
    /// the screen, or part of one that is no shorter than the viewport.
    pub(crate) fn bring_into_view(&mut self, span: Span, trace: &Trace) {
        let is_within = self.viewport.start <= span.start && span.end <= self.viewport.end;
        if !self.is_seen(span) || !is_within && span.len() < self.viewport.len() {
            self.center(span.start + span.len().min(self.viewport.len()) / 2, trace);
            self.put_cursor(span.start);
        }
    }

    /// Shows the steps or the main part of the `new` trace if the viewport showed exactly that of the `old`
    /// one.
    pub(super) fn grow(&mut self, old: &Trace, new: &Trace) {
        if self.viewport == viewport::opening(old) {
            self.show(viewport::opening(new));
        } else if self.viewport == viewport::main(old) {
            self.show(viewport::main(new));
        }
    }

    /// The entry of the history for what is shown now, with this selection.
    pub(crate) fn here(&self, selection: Option<Selection>) -> HistoryEntry {
        let line = self.focused().map(|line| line.kind);
        HistoryEntry { viewport: self.viewport, cursor: self.cursor, line, selection }
    }

    /// How often the user left a viewport by a command, or moved in the history.
    pub(crate) fn moves(&self) -> u64 {
        self.history.moves()
    }

    /// Puts what was shown `before` a command into the history if the command changed the viewport, or
    /// selected `selection` in another line than what was selected before, other than by a move in the
    /// history. Of consecutive runs of the command `gradual` only the first counts.
    pub(crate) fn leave(
        &mut self,
        before: HistoryEntry,
        selection: Option<Selection>,
        moves: u64,
        gradual: Option<&'static str>,
    ) {
        let here = self.here(selection);
        let is_elsewhere = here.line != before.line && here.selection != before.selection;
        let has_followed = is_elsewhere && here.selection.is_some() && before.selection.is_some();
        if (self.viewport != before.viewport || has_followed) && self.history.moves() == moves {
            self.history.leave(before, gradual);
        }
    }

    /// Restores what the previous or next entry of the history showed, except the selection, and returns the
    /// entry; `None` if there is none.
    pub(crate) fn move_in_history(
        &mut self,
        direction: Direction,
        selection: Option<Selection>,
    ) -> Option<HistoryEntry> {
        let here = self.here(selection);
        let entry = match direction {
            Direction::Back => self.history.back(here),
            Direction::Forward => self.history.forward(here),
        }?;
        self.viewport = entry.viewport;
        self.put_cursor(entry.cursor);
        if let Some(kind) = entry.line {
            self.focus_on_kind(kind);
        }
        Some(entry)
    }
}
