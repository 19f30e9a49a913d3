//! Setting marks, returning to them, and keeping them in the file of a session.
//!
//! Must not know which key does what.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_base::time::Span;
use proftui_insight::analysis::part::location::{Location, Subject};
use proftui_trace::model::GroupKind;

use crate::app::input::bindings;
use crate::app::marking::marks::{KeptMark, Mark};
use crate::app::pane::overlay::{ListItem, Overlay, Target};
use crate::app::state::State;
use crate::app::view::line::LineKind;
use crate::app::wires::msg::{Effect, Exported};

impl State {
    /// Sets a mark with this text at the cursor.
    pub(crate) fn set_mark(&mut self, text: &str) {
        let line = self.timeline.focused().map(|line| line.kind);
        let text = self.marks.set(self.timeline.cursor(), line, text);
        self.keep_marks();
        let key = self.keys.label(bindings::MARKS);
        self.say(format!("marked as \"{text}\"; {key} returns to it"));
    }

    /// Lists the marks to return to one, the last set first.
    pub(crate) fn list_marks(&mut self) {
        let trace = &self.session.trace;
        let item = |(index, mark): (usize, &Mark)| {
            let at = fmt::duration(mark.at.saturating_sub(trace.main_span.start));
            ListItem { title: mark.text.clone(), note: SafeText::from(at), target: Target::Mark(index) }
        };
        let items: Vec<ListItem> = self.marks.list().iter().enumerate().map(item).rev().collect();
        if items.is_empty() {
            let key = self.keys.label(bindings::SET_MARK);
            return self.say(format!("nothing is marked; {key} marks the time of the cursor"));
        }
        let title = format!("return to … ({})", fmt::counted(items.len() as u64, "mark"));
        self.overlay = Some(Overlay::list(SafeText::from(title), items));
    }

    /// Goes to the mark at this index: its time, and its line if that is shown.
    pub(crate) fn go_to_mark(&mut self, index: usize) {
        let Some(mark) = self.marks.list().get(index).cloned() else { return };
        if let Some(kind) = mark.line {
            self.timeline.focus_on_kind(kind);
        }
        self.go_to_time(mark.at);
        self.scroll_to_focus();
        self.say(format!("at \"{}\"", mark.text));
    }

    /// Removes the mark that is nearest to the cursor.
    pub(crate) fn remove_mark(&mut self) {
        let marks = self.marks.list().iter().enumerate();
        let nearest =
            marks.min_by_key(|(_, mark)| mark.at.abs_diff(self.timeline.cursor())).map(|(index, _)| index);
        match nearest.and_then(|index| self.marks.remove(index)) {
            Some(mark) => {
                self.keep_marks();
                self.say(format!("the mark \"{}\" is removed", mark.text));
            }
            None => self.say("nothing is marked"),
        }
    }

    /// The marks as the text of a session's file.
    fn marks_as_text(&self) -> String {
        let trace = &self.session.trace;
        let kept = |mark: &Mark| {
            let at = mark.line.map(|line| match line {
                LineKind::Group(group)
                | LineKind::Idle(group)
                | LineKind::Merged(group)
                | LineKind::More(group) => Subject::Device(group),
                LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                    Subject::Lane(lane)
                }
            });
            // Of a process there is no location.
            let is_device = |group: u32| trace.groups[group as usize].kind == GroupKind::Device;
            let at = at.filter(|at| !matches!(at, Subject::Device(group) if !is_device(*group)));
            let location = Location { span: Span { start: mark.at, end: mark.at }, at };
            KeptMark { location: location.text(trace), text: mark.text.to_string() }
        };
        let lost = self.lost_marks.iter().cloned();
        let marks: Vec<KeptMark> = self.marks.list().iter().map(kept).chain(lost).collect();
        format!("{:#}\n", serde_json::json!({ "marks": marks }))
    }

    /// Writes the marks to the session's file, if there is one.
    fn keep_marks(&mut self) {
        if self.keeps_marks {
            let text = self.marks_as_text();
            self.effects.push(Effect::KeepMarks(text));
        }
    }

    /// Writes the marks to a file that the user names.
    pub(crate) fn save_marks_to(&mut self, path: &str) {
        let text = self.marks_as_text();
        self.write(path, Exported::Text(text));
    }

    /// Sets the marks of an earlier session once the whole trace is loaded: a snapshot numbers lanes
    /// otherwise. Marks whose location the trace does not have stay in the file, and are counted in a
    /// message.
    pub(crate) fn restore_marks(&mut self) {
        let Some(kept) = self.opening_marks.take() else { return };
        self.keeps_marks = true;
        let trace = Arc::clone(&self.session);
        let is_changed = !self.marks.list().is_empty();
        for mark in kept {
            let Ok(location) = Location::parse(&mark.location, &trace.trace) else {
                self.lost_marks.push(mark);
                continue;
            };
            let line = location.at.map(|at| match at {
                Subject::Device(group) => LineKind::Group(group),
                Subject::Lane(lane) => {
                    let lines = self.timeline.lines().list().iter();
                    let mut own =
                        lines.filter(|line| line.is_head && line.lane() == Some(lane)).map(|line| line.kind);
                    own.next_back().unwrap_or(LineKind::Group(trace.trace.lanes[lane as usize].group))
                }
            });
            self.marks.set(location.span.start, line, &mark.text);
        }
        if is_changed {
            self.keep_marks();
        }
        if !self.lost_marks.is_empty() {
            let lost = fmt::counted(self.lost_marks.len() as u64, "mark");
            self.say(format!("{lost} of the session not set: the trace has no such location"));
        }
    }
}
