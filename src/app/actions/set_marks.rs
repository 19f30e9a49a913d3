//! Setting marks, returning to them, and keeping them in the file of a session.
//!
//! Must not know the table of commands: messages take the names of keys from `bindings`.

use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_trace::model::LaneId;

use crate::app::input::bindings;
use crate::app::marking::marks::Mark;
use crate::app::pane::overlay::{ListItem, Overlay, Target};
use crate::app::state::State;
use crate::app::view::line::LineKind;
use crate::app::wires::msg::{Effect, Exported};

impl State {
    /// Sets a mark with this text (`mark` and a number if it is blank) at the cursor and the focused line,
    /// and has it kept in the session's file, if there is one.
    pub(crate) fn set_mark(&mut self, text: &str) {
        let line = self.timeline.focused().map(|line| line.kind);
        let text = self.marks.set(self.timeline.cursor(), line, text);
        self.keep_marks();
        let key = self.keys.label(bindings::MARKS);
        self.say(format!("the time of the cursor is marked as \"{text}\"; {key} lists the marks"));
    }

    /// Opens the list of marks, to return to one; says so if there are none.
    pub(crate) fn list_marks(&mut self) {
        let trace = &self.session.trace;
        let item = |(index, mark): (usize, &Mark)| {
            let at = fmt::duration(mark.at.saturating_sub(trace.main_span.start));
            ListItem { title: mark.text.clone(), note: SafeText::from(at), target: Target::Mark(index) }
        };
        let items: Vec<ListItem> = self.marks.list().iter().enumerate().map(item).rev().collect();
        if items.is_empty() {
            let key = self.keys.label(bindings::SET_MARK);
            return self.say(format!("no mark is set; in the timeline, {key} marks the time of the cursor"));
        }
        let title = format!("return to … ({})", fmt::counted(items.len() as u64, "mark"));
        self.dialog.open(Overlay::list(SafeText::from(title), items));
    }

    /// Returns to the time, and usually the line, of the mark at this index of `Marks::list`. Does nothing if
    /// there is no such mark.
    pub(crate) fn go_to_mark(&mut self, index: usize) {
        let Some(mark) = self.marks.list().get(index).cloned() else { return };
        if let Some(kind) = mark.line {
            self.timeline.focus_on_kind(kind);
        }
        self.go_to_time(mark.at);
        self.scroll_to_focus();
        self.say(format!("at \"{}\"", mark.text));
    }

    /// Removes the mark that is nearest to the cursor, also from the session's file, if there is one. Says
    /// which, or that there is none.
    pub(crate) fn remove_mark(&mut self) {
        let nearest = self.marks.nearest(self.timeline.cursor());
        match nearest.and_then(|index| self.marks.remove(index)) {
            Some(mark) => {
                self.keep_marks();
                self.say(format!("the mark \"{}\" is removed", mark.text));
            }
            None => self.say("no mark is set"),
        }
    }

    /// Has the marks written to the session's file, if there is one, but not before the marks of an earlier
    /// session are set.
    fn keep_marks(&mut self) {
        let text = self.marks.to_keep(&self.session.trace);
        self.effects.extend(text.map(Effect::KeepMarks));
    }

    /// Has the marks written to the file `path`, which the user names.
    pub(crate) fn save_marks_to(&mut self, path: &str) {
        let text = self.marks.as_text(&self.session.trace);
        self.write(path, Exported::Text(text));
    }

    /// Sets the marks of an earlier session that the session's file has, unless that was done before. Must
    /// not be called before the whole trace is loaded.
    pub(crate) fn restore_marks(&mut self) {
        let trace = &self.session.trace;
        let head = |lane: LaneId| {
            let lines = self.timeline.lines().list().iter();
            let mut own =
                lines.filter(|line| line.is_head && line.lane() == Some(lane)).map(|line| line.kind);
            own.next_back().unwrap_or(LineKind::Group(trace.lanes[lane].group))
        };
        let Some((lost, is_changed)) = self.marks.restore(trace, head) else { return };
        if is_changed {
            self.keep_marks();
        }
        if lost > 0 {
            let lost = fmt::counted(lost as u64, "mark");
            self.say(format!(
                "{lost} of the session's file not set: the location cannot be read for this trace"
            ));
        }
    }
}
