//! Marking a stretch of time, and moving the cursor to where it is to end.
//!
//! A stretch begins at the selected event, else at the cursor, and goes on to whatever is selected next until
//! it is ended. Must not know the table of commands: messages take the names of keys from `bindings`.

use proftui_base::fmt;
use proftui_base::time::Span;

use crate::app::input::bindings;
use crate::app::pane::stretch::Stretch;
use crate::app::pane::table_pane::ScopeChoice;
use crate::app::state::State;
use crate::app::view::direction::Direction;

impl State {
    /// The time of the selected slice or gap; if none is selected, an empty time range at the cursor.
    fn here(&self) -> Span {
        let cursor = self.timeline.cursor();
        self.selected.span(&self.session.trace).unwrap_or(Span { start: cursor, end: cursor })
    }

    /// Ends the open stretch or, if there is none, begins one at the selected slice or gap, or else at the
    /// cursor.
    pub(crate) fn start_or_end_stretch(&mut self) {
        if self.stretch.as_mut().is_some_and(Stretch::end) {
            return self.say_stretch();
        }
        let here = self.here();
        self.set_stretch(here, true);
        let (end, clear) = (self.keys.label(bindings::STRETCH), self.keys.label(bindings::DESELECT));
        self.say(format!(
            "a stretch begins here: move to where it ends; {end} ends it, {clear} in the timeline clears it"
        ));
    }

    /// Marks `span` as the stretch, has summaries cover it and shows a summary. If `is_open`, the stretch
    /// follows the selection and the cursor until it is ended.
    pub(crate) fn set_stretch(&mut self, span: Span, is_open: bool) {
        let scope = self.summaries.scope_choice();
        self.stretch = Some(Stretch::new(span, is_open, self.stretch, scope));
        self.summaries.choose_scope(ScopeChoice::Stretch);
        self.panes.show_stretch();
    }

    /// Has the open stretch, if there is one, go on to the selected slice or gap, or else to the cursor.
    pub(crate) fn follow_stretch(&mut self) {
        let here = self.here();
        if let Some(stretch) = &mut self.stretch {
            stretch.follow(here);
        }
    }

    /// Removes the stretch, and has summaries that cover it return to their scope before it was marked or, if
    /// it replaced other stretches, before the first of these was. False if there is none.
    pub(crate) fn clear_stretch(&mut self) -> bool {
        let Some(stretch) = self.stretch.take() else { return false };
        if self.summaries.scope_choice() == ScopeChoice::Stretch {
            self.summaries.choose_scope(stretch.before());
        }
        true
    }

    /// Says how long the stretch is, if there is one, and which keys change what summaries cover.
    pub(crate) fn say_stretch(&mut self) {
        let Some(stretch) = self.stretch else { return };
        let last = self.selected.span(&self.session.trace);
        let between = last.and_then(|last| stretch.start_to_start(last));
        let between =
            between.map_or(String::new(), |ns| format!(", from start to start {}", fmt::duration(ns)));
        let (scope, lanes) = (self.keys.label(bindings::SCOPE), self.keys.label(bindings::CHOOSE_GROUP));
        self.say(format!(
            "a stretch of {}{between}; in most summaries, {scope} switches the time, {lanes} the lanes that \
             they cover",
            fmt::duration(stretch.span.len())
        ));
    }

    /// Moves the cursor into the next or previous column of the screen and clears the selection; says so at
    /// the edge of the screen.
    pub(crate) fn move_cursor_by_column(&mut self, direction: Direction) {
        let columns = self.geometry().timeline.width.max(1);
        if !self.timeline.move_cursor_by_column(&self.session, columns, direction) {
            return self.say("the cursor is at the edge of the screen");
        }
        self.select(None);
    }
}
