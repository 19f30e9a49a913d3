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
    /// The line that had the focus; none if there was none, or if it is not known any more.
    pub line: Option<LineKind>,
    /// What was selected; none if nothing was, or if it is not known any more.
    pub selection: Option<Selection>,
}

/// The most entries to go back to that are kept; the oldest is dropped first.
const DEPTH: usize = 200;

/// The history: a stack of entries to go back to, and one of entries to go forward to.
#[derive(Debug, Default)]
pub struct History {
    back: Vec<HistoryEntry>,
    forward: Vec<HistoryEntry>,
    /// The id of the command that changed the viewport last, if it is gradual; else none.
    last: Option<&'static str>,
    /// How often a command has changed the viewport so far, moves in the history among them.
    moves: u64,
}

impl History {
    /// How often a command has changed the viewport so far, moves in the history among them.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Records `here`, the entry of a viewport that a command has just left. Consecutive runs of a gradual
    /// command, whose id is `gradual`, record only the first entry.
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

    /// Removes lines and selections from all entries, since they do not hold for another trace.
    pub fn forget_numbers(&mut self) {
        for entry in self.back.iter_mut().chain(&mut self.forward) {
            (entry.line, entry.selection) = (None, None);
        }
    }

    /// Goes back to the previous entry and returns it; `here` becomes the entry to go forward to. None,
    /// without a change, if there is no previous entry.
    pub fn back(&mut self, here: HistoryEntry) -> Option<HistoryEntry> {
        let entry = self.back.pop()?;
        self.moves += 1;
        self.forward.push(here);
        self.last = None;
        Some(entry)
    }

    /// Goes forward to the next entry and returns it; `here` becomes the entry to go back to. None, without a
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
