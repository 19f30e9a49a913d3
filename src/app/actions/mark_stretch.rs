//! Marking a stretch of time, and moving the cursor to where it is to end.
//!
//! A stretch begins at the selected event, else at the cursor, and goes on to whatever is selected next until
//! it is ended. Must not know which key does what.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::VIEWS;
use proftui_trace::index::Index;
use proftui_trace::model::{RowId, Trace};

use super::select::Direction;
use crate::app::input::bindings;
use crate::app::pane::stretch::Stretch;
use crate::app::pane::table_pane::ScopeChoice;
use crate::app::state::{Pane, State};
use crate::app::view::viewport;

impl State {
    /// Begins a stretch at the selected event or gap, else at the cursor; ends the one that was begun.
    pub(crate) fn start_or_end_stretch(&mut self) {
        if let Some(open) = self.stretch.as_mut().filter(|stretch| stretch.is_open) {
            open.is_open = false;
            return self.say_stretch();
        }
        let here = self.selected_span().unwrap_or(Span { start: self.cursor, end: self.cursor });
        self.set_stretch(here, true);
        let (end, clear) = (self.keys.label(bindings::STRETCH), self.keys.label(bindings::DESELECT));
        self.say(format!("a stretch begins here: move to where it ends; {end} ends it, {clear} clears it"));
    }

    /// Marks `span` as the stretch, and shows a table of what is in it.
    pub(crate) fn set_stretch(&mut self, span: Span, is_open: bool) {
        let before = self.stretch.map_or(self.scope_choice, |stretch| stretch.before);
        let before = if before == ScopeChoice::Stretch { ScopeChoice::Whole } else { before };
        self.stretch = Some(Stretch { span, is_open, anchor: span, before });
        self.scope_choice = ScopeChoice::Stretch;
        // A table that the user chose covers the stretch, too.
        if !(self.is_pane_chosen && matches!(self.pane, Pane::Table(_))) {
            self.pane =
                VIEWS.iter().position(|view| view.of_stretch.is_some()).map_or(self.pane, Pane::Table);
            self.is_pane_chosen = true;
        }
        self.unhide_pane();
        self.forget_tables();
    }

    /// Extends the stretch that is open to the selected event, or to the cursor.
    pub(crate) fn follow_stretch(&mut self) {
        let here = self.selected_span().unwrap_or(Span { start: self.cursor, end: self.cursor });
        if let Some(open) = self.stretch.as_mut().filter(|stretch| stretch.is_open) {
            open.span = open.anchor.union(here);
        }
    }

    /// Removes the stretch; summaries cover what they covered before. Returns false if there is none.
    pub(crate) fn clear_stretch(&mut self) -> bool {
        let Some(stretch) = self.stretch.take() else { return false };
        if self.scope_choice == ScopeChoice::Stretch {
            self.scope_choice = stretch.before;
            self.forget_tables();
        }
        true
    }

    pub(crate) fn say_stretch(&mut self) {
        let Some(Stretch { span, anchor, .. }) = self.stretch else { return };
        let between = match self.selected_span() {
            Some(last) if !anchor.is_empty() && last != anchor => {
                format!(", from start to start {}", fmt::duration((last.start - anchor.start).abs()))
            }
            _ => String::new(),
        };
        let (scope, lanes) = (self.keys.label(bindings::SCOPE), self.keys.label(bindings::CHOOSE_GROUP));
        self.say(format!(
            "a stretch of {}{between}: every summary can cover it ({scope} switches, {lanes} chooses lanes)",
            fmt::duration(span.len())
        ));
    }

    /// Moves the cursor by one column of the screen, to the first beginning or end of an event of the focused
    /// line in that column if there is one. Selects nothing, so that an open stretch ends at the cursor.
    pub(crate) fn move_cursor_by_column(&mut self, direction: Direction) {
        let columns = self.geometry().timeline.width.max(1);
        let here = viewport::column(self.viewport, columns, self.cursor).unwrap_or_default();
        let next = match direction {
            Direction::Forward => (here + 1 < columns).then_some(here + 1),
            Direction::Back => here.checked_sub(1),
        };
        let Some(next) = next else {
            return self.say("the cursor is at the edge of the screen: pan to move on");
        };
        let start = viewport::time(self.viewport, columns, next);
        let cell = Span { start, end: viewport::time(self.viewport, columns, next + 1).max(start + 1) };
        let rows = self.lines.get(self.focus).map_or(&[][..], |line| self.lines.rows_of(line));
        let (trace, index) = (&self.session.trace, &self.session.index);
        let edges = rows.iter().flat_map(|&row| edges(trace, index, row, cell));
        // The first edge on the way.
        let edge = if direction == Direction::Forward { edges.min() } else { edges.max() };
        self.cursor = edge.unwrap_or(cell.start + cell.len() / 2);
        self.keep_cursor();
        self.select(None);
    }
}

impl State {
    /// The beginning or end of an event of the focused line that is nearest to `t`, at most `most` away.
    pub(crate) fn nearest_edge(&self, t: Ns, most: Ns) -> Option<Ns> {
        let around = Span { start: t.saturating_sub(most), end: t.saturating_add(most) };
        let rows = self.lines.get(self.focus).map_or(&[][..], |line| self.lines.rows_of(line));
        let (trace, index) = (&self.session.trace, &self.session.index);
        rows.iter().flat_map(|&row| edges(trace, index, row, around)).min_by_key(|edge| edge.abs_diff(t))
    }
}

/// Beginnings and ends of a row's events within `cell`: the first and last of each that are found at its two
/// ends.
fn edges(trace: &Trace, index: &Index, row: RowId, cell: Span) -> impl Iterator<Item = Ns> {
    let around = [
        index.at(trace, row, cell.start),
        index.first_from(trace, row, cell.start),
        index.last_before(trace, row, cell.end),
    ];
    let spans = around.into_iter().flatten().map(|id| trace.slices.span(id));
    let edges: Vec<Ns> = spans.flat_map(|span| [span.start, span.end]).collect();
    edges.into_iter().filter(move |&edge| cell.contains(edge))
}
