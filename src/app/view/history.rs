//! The history of viewports, through which the user can go back and forward.
//!
//! Must not know which commands there are.

use proftui_base::time::{Ns, Span};

use super::lines::LineKind;
use crate::app::session::Selection;

/// One entry of the history: the viewport, cursor, focus and selection at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The time range that the screen showed.
    pub viewport: Span,
    /// The time cursor, ns.
    pub cursor: Ns,
    /// The line that had the focus; none if there was none, or if the trace was replaced since and lines have
    /// new numbers.
    pub line: Option<LineKind>,
    /// The selection; none if nothing was selected, or if the trace was replaced since and slices have new
    /// numbers.
    pub selection: Option<Selection>,
}

/// The most entries to go back to that are kept; the oldest is dropped first.
const DEPTH: usize = 200;

/// The history: a stack of entries to go back to, and one of entries to go forward to.
#[derive(Debug, Default)]
pub struct History {
    back: Vec<HistoryEntry>,
    forward: Vec<HistoryEntry>,
    /// The id of the command that changed the viewport last, if it is a gradual one; none otherwise, and
    /// after a move back or forward.
    last: Option<&'static str>,
    /// The number of calls of `leave`, and of moves back and forward to an entry.
    moves: u64,
}

impl History {
    /// The number of viewport changes so far: calls of [`Self::leave`], and moves back and forward to an
    /// entry.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Records `here`, the entry for the viewport that a command has just left, and drops the entries to go
    /// forward to. `gradual` is the id of the command if it is a gradual one: its consecutive runs record
    /// only the first entry.
    pub fn leave(&mut self, here: HistoryEntry, gradual: Option<&'static str>) {
        self.moves += 1;
        let is_repeat = gradual.is_some() && self.last == gradual;
        self.last = gradual;
        if is_repeat {
            return;
        }
        self.forward.clear();
        if self.back.len() == DEPTH {
            self.back.remove(0);
        }
        self.back.push(here);
    }

    /// Removes lines and selections from all entries; called when another trace, with other numbers of lanes
    /// and slices, is shown.
    pub fn forget_numbers(&mut self) {
        for entry in self.back.iter_mut().chain(&mut self.forward) {
            (entry.line, entry.selection) = (None, None);
        }
    }

    /// Goes back: returns the previous entry and records `here` as the entry to go forward to; none, without
    /// a change, if there is no previous entry.
    pub fn back(&mut self, here: HistoryEntry) -> Option<HistoryEntry> {
        let entry = self.back.pop()?;
        self.moves += 1;
        self.forward.push(here);
        self.last = None;
        Some(entry)
    }

    /// Goes forward: returns the next entry and records `here` as the entry to go back to; none, without a
    /// change, if there is no next entry.
    pub fn forward(&mut self, here: HistoryEntry) -> Option<HistoryEntry> {
        let entry = self.forward.pop()?;
        self.moves += 1;
        self.back.push(here);
        self.last = None;
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_command_is_one_step() {
        let entry = |t| HistoryEntry {
            viewport: Span { start: t, end: t + 10 },
            cursor: t,
            line: None,
            selection: None,
        };
        let mut history = History::default();
        history.leave(entry(1), Some("zoom"));
        history.leave(entry(2), Some("zoom"));
        history.leave(entry(3), None);
        assert_eq!(history.back(entry(4)), Some(entry(3)));
        assert_eq!(history.back(entry(3)), Some(entry(1)));
        assert_eq!(history.back(entry(1)), None);
        assert_eq!(history.forward(entry(1)), Some(entry(3)));
    }
}
