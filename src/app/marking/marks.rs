//! The marks that the user sets at times of the trace, each with a text.
//!
//! Must not know how they are set, shown or kept.

use proftui_base::text::SafeText;
use proftui_base::time::Ns;

use crate::app::view::line::LineKind;

/// A marked time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The marked time, ns.
    pub at: Ns,
    /// The line that had the focus; none if it is not known.
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
    /// What the user typed.
    pub text: String,
}

/// All marks, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    list: Vec<Mark>,
    /// How many were ever set: the number of the next one without a text.
    count: usize,
}

impl Marks {
    /// The marks, the one set first at the front.
    pub fn list(&self) -> &[Mark] {
        &self.list
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
