//! The marks that the user sets at times of the trace, each with a text; those of an earlier session, and the
//! text that keeps them.
//!
//! A mark whose location the trace lacks stays in that text. Must not know how marks are shown, nor files.

use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::part::location::{Location, Subject};
use proftui_trace::model::{GroupId, GroupKind, LaneId, Trace};

use crate::app::view::line::LineKind;

/// A mark that the user set: a time of the trace, a line of the timeline, if any, and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The marked time of the trace, ns.
    pub at: Ns,
    /// The line of the timeline to which the mark belongs, if any.
    pub line: Option<LineKind>,
    /// The text that the user typed, or `mark` and a number.
    pub text: SafeText<'static>,
}

/// A mark as the file of a session keeps it: its location (`docs/locations.md`) and its text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptMark {
    /// The time of the mark and its device or lane, if any, as a location such as `12.5ms@gpu0`.
    pub location: String,
    /// The text of the mark: what the user typed, or `mark` and a number.
    pub text: String,
}

impl Mark {
    /// The mark as the file of a session keeps it, with the device or lane of the mark's line, if any.
    fn kept(&self, trace: &Trace) -> KeptMark {
        let at = self.line.and_then(|line| match line {
            LineKind::Group(group)
            | LineKind::Idle(group)
            | LineKind::Merged(group)
            | LineKind::More(group) => Some(Subject::Device(group)),
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                Some(Subject::Lane(lane))
            }
            LineKind::Others => None,
        });
        // A location names a device or a lane, never a process.
        let is_device = |group: GroupId| trace.groups[group].kind == GroupKind::Device;
        let at = at.filter(|at| !matches!(at, Subject::Device(group) if !is_device(*group)));
        let location = Location { span: Span { start: self.at, end: self.at }, at };
        KeptMark { location: location.text(trace), text: self.text.to_string() }
    }
}

/// The marks of a trace, in the order in which they were set, and the marks that an earlier session kept.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    list: Vec<Mark>,
    /// How many marks were set so far, removed ones too; a mark set without a text is named by this number.
    count: usize,
    /// The marks of an earlier session that are still to be set; none afterwards, and if no file keeps the
    /// marks of this trace.
    earlier: Option<Vec<KeptMark>>,
    /// True if changes are to be written to the file of the session.
    is_kept: bool,
    /// The marks of an earlier session whose location cannot be read for this trace; they stay in the file of
    /// the session.
    lost: Vec<KeptMark>,
}

impl Marks {
    /// The marks, the one set first at the front.
    pub fn list(&self) -> &[Mark] {
        &self.list
    }

    /// The index of the mark nearest to the time `t`; none if there are no marks.
    pub(crate) fn nearest(&self, t: Ns) -> Option<usize> {
        (0..self.list.len()).min_by_key(|&index| self.list[index].at.abs_diff(t))
    }

    /// Stores the marks that an earlier session kept for [`restore`](Self::restore); none if no file keeps
    /// the marks of this trace.
    pub(crate) fn keep(&mut self, earlier: Option<Vec<KeptMark>>) {
        self.earlier = earlier;
    }

    /// Sets the marks of an earlier session. Returns how many could not be set, and whether other marks were
    /// there before; none if no file keeps marks, or on a later call.
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

    /// All marks as they are kept, also those whose location cannot be read for this trace.
    pub(crate) fn kept(&self, trace: &Trace) -> Vec<KeptMark> {
        self.list.iter().map(|mark| mark.kept(trace)).chain(self.lost.iter().cloned()).collect()
    }

    /// All marks as the JSON text of a session's file.
    pub(crate) fn as_text(&self, trace: &Trace) -> String {
        format!("{:#}\n", serde_json::json!({ "marks": self.kept(trace) }))
    }

    /// The text for the session's file after a change; none if changes are not to be written.
    pub(crate) fn to_keep(&self, trace: &Trace) -> Option<String> {
        self.is_kept.then(|| self.as_text(trace))
    }

    /// Adds a mark at the time `at`, ns, with `text` trimmed or, if that is empty, `mark` and a number;
    /// returns the mark's text.
    pub(crate) fn set(&mut self, at: Ns, line: Option<LineKind>, text: &str) -> SafeText<'static> {
        self.count += 1;
        let text = text.trim();
        let text = if text.is_empty() { format!("mark {}", self.count) } else { text.to_owned() };
        let text = SafeText::new(&text).into_owned();
        self.list.push(Mark { at, line, text: text.clone() });
        text
    }

    /// Removes the mark with this index in the list, and returns it; none if there is no such mark.
    pub(crate) fn remove(&mut self, index: usize) -> Option<Mark> {
        (index < self.list.len()).then(|| self.list.remove(index))
    }

    /// Translates the marks' lines to lines of another session; a mark for whose line `line` returns none has
    /// no line from then on.
    pub(crate) fn renumber(&mut self, line: impl Fn(LineKind) -> Option<LineKind>) {
        self.list.iter_mut().for_each(|mark| mark.line = mark.line.and_then(&line));
    }
}
