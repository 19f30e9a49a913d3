//! The marks that the user sets at times of the trace, each with a text; those of an earlier session, and the
//! text that keeps them.
//!
//! A mark whose location the trace lacks stays in that text. Must not know how marks are shown, nor files.

use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::part::location::{Location, Subject};
use proftui_trace::model::{GroupId, GroupKind, LaneId, Trace};

use crate::app::view::line::LineKind;

/// A marked time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The marked time, ns.
    pub at: Ns,
    /// The line that had the focus; none if there was none, or the trace has no such line.
    pub line: Option<LineKind>,
    /// What the user typed, or `mark` with a number.
    pub text: SafeText<'static>,
}

/// A mark as a session keeps it: its location (`docs/locations.md`) and its text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptMark {
    /// Where it is, such as `12.5ms@gpu0`.
    pub location: String,
    /// What the user typed, or `mark` with a number.
    pub text: String,
}

impl Mark {
    /// The mark as a session keeps it.
    fn kept(&self, trace: &Trace) -> KeptMark {
        let at = self.line.map(|line| match line {
            LineKind::Group(group)
            | LineKind::Idle(group)
            | LineKind::Merged(group)
            | LineKind::More(group) => Subject::Device(group),
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                Subject::Lane(lane)
            }
        });
        // A location names a device or a lane, never a process.
        let is_device = |group: GroupId| trace.groups[group].kind == GroupKind::Device;
        let at = at.filter(|at| !matches!(at, Subject::Device(group) if !is_device(*group)));
        let location = Location { span: Span { start: self.at, end: self.at }, at };
        KeptMark { location: location.text(trace), text: self.text.to_string() }
    }
}

/// All marks, in the order in which they were set, and those of an earlier session.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    list: Vec<Mark>,
    /// How many were ever set: one that is set without a text is named by its number among these.
    count: usize,
    /// The marks of an earlier session, until the whole trace is loaded; none if marks are not kept in a
    /// file.
    earlier: Option<Vec<KeptMark>>,
    /// True if every change is written to the file of the session.
    is_kept: bool,
    /// Marks of an earlier session whose location the trace lacks.
    lost: Vec<KeptMark>,
}

impl Marks {
    /// The marks, the one set first at the front.
    pub fn list(&self) -> &[Mark] {
        &self.list
    }

    /// The index of the mark that is nearest to `t`; none if there are no marks.
    pub(crate) fn nearest(&self, t: Ns) -> Option<usize> {
        (0..self.list.len()).min_by_key(|&index| self.list[index].at.abs_diff(t))
    }

    /// Takes the marks of an earlier session, to be set once the whole trace is loaded; none if marks are not
    /// kept in a file.
    pub(crate) fn keep(&mut self, earlier: Option<Vec<KeptMark>>) {
        self.earlier = earlier;
    }

    /// Sets the marks of an earlier session; `head` returns the first line of a lane. Returns how many have a
    /// location that the trace lacks, and whether others were set before; none if there are no earlier marks
    /// to set.
    pub(crate) fn restore(
        &mut self,
        trace: &Trace,
        head: impl Fn(LaneId) -> LineKind,
    ) -> Option<(usize, bool)> {
        let earlier = self.earlier.take()?;
        self.is_kept = true;
        let has_others = !self.list.is_empty();
        for mark in earlier {
            let Ok(location) = Location::parse(&mark.location, trace) else {
                self.lost.push(mark);
                continue;
            };
            let line = location.at.map(|at| match at {
                Subject::Device(group) => LineKind::Group(group),
                Subject::Lane(lane) => head(lane),
            });
            self.set(location.span.start, line, &mark.text);
        }
        Some((self.lost.len(), has_others))
    }

    /// The marks as the text of a session's file.
    pub(crate) fn as_text(&self, trace: &Trace) -> String {
        let lost = self.lost.iter().cloned();
        let marks: Vec<KeptMark> = self.list.iter().map(|mark| mark.kept(trace)).chain(lost).collect();
        format!("{:#}\n", serde_json::json!({ "marks": marks }))
    }

    /// The text to write to the session's file after a change; none if there is no such file.
    pub(crate) fn to_keep(&self, trace: &Trace) -> Option<String> {
        self.is_kept.then(|| self.as_text(trace))
    }

    /// Sets a mark; without a text it gets a number. Returns its text.
    pub(crate) fn set(&mut self, at: Ns, line: Option<LineKind>, text: &str) -> SafeText<'static> {
        self.count += 1;
        let text = text.trim();
        let text = if text.is_empty() { format!("mark {}", self.count) } else { text.to_owned() };
        let text = SafeText::new(&text).into_owned();
        self.list.push(Mark { at, line, text: text.clone() });
        text
    }

    /// Removes the mark at this index, if there is one.
    pub(crate) fn remove(&mut self, index: usize) -> Option<Mark> {
        (index < self.list.len()).then(|| self.list.remove(index))
    }

    /// Translates the lines to those of another session by `line`; a mark keeps its time where the other
    /// session lacks its line.
    pub(crate) fn renumber(&mut self, line: impl Fn(LineKind) -> Option<LineKind>) {
        self.list.iter_mut().for_each(|mark| mark.line = mark.line.and_then(&line));
    }
}
