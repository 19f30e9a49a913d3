//! Setting marks and returning to them.
//!
//! Must not know which key does what.

use crate::base::fmt;
use crate::base::text::SafeText;

use super::bindings;
use super::overlay::{ListItem, Overlay, Target};
use super::state::State;

impl State {
    /// Sets a mark with this text at the cursor.
    pub(super) fn set_mark(&mut self, text: &str) {
        let line = self.lines.get(self.focus).map(|line| line.kind);
        let text = self.marks.set(self.cursor, line, text);
        let key = bindings::MARKS.label();
        self.say(format!("marked as \"{text}\"; {key} returns to it"));
    }

    /// Lists the marks to return to one, the last set first.
    pub(super) fn list_marks(&mut self) {
        let trace = &self.session.trace;
        let item = |(index, mark): (usize, &super::marks::Mark)| {
            let at = fmt::duration(mark.at.saturating_sub(trace.main_span.start));
            ListItem { title: mark.text.clone(), note: SafeText::from(at), target: Target::Mark(index) }
        };
        let items: Vec<ListItem> = self.marks.list().iter().enumerate().map(item).rev().collect();
        if items.is_empty() {
            let key = bindings::SET_MARK.label();
            return self.say(format!("nothing is marked; {key} marks the time of the cursor"));
        }
        let title = format!("return to … ({})", fmt::counted(items.len() as u64, "mark"));
        self.overlay = Some(Overlay::list(SafeText::from(title), items));
    }

    /// Goes to the mark at this index: its time, and its line if that is shown.
    pub(super) fn go_to_mark(&mut self, index: usize) {
        let Some(mark) = self.marks.list().get(index).cloned() else { return };
        if let Some(line) = mark.line.and_then(|kind| self.lines.find(kind)) {
            self.focus = line;
        }
        self.go_to_time(mark.at);
        self.scroll_to_focus();
        self.say(format!("at \"{}\"", mark.text));
    }

    /// Removes the mark that is nearest to the cursor.
    pub(super) fn remove_mark(&mut self) {
        let marks = self.marks.list().iter().enumerate();
        let nearest = marks.min_by_key(|(_, mark)| mark.at.abs_diff(self.cursor)).map(|(index, _)| index);
        match nearest.and_then(|index| self.marks.remove(index)) {
            Some(mark) => self.say(format!("the mark \"{}\" is removed", mark.text)),
            None => self.say("nothing is marked"),
        }
    }
}
