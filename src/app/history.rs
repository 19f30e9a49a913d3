//! The history of viewports that the person can go back and forward in.
//!
//! Must not know which commands there are.

use crate::base::time::{Ns, Span};

use super::lines::LineKind;
use super::session::Selection;

/// One entry of the history: what was on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The time range that the screen showed.
    pub viewport: Span,
    /// The time cursor, ns.
    pub cursor: Ns,
    /// The line that had the focus; none where lines have been numbered anew since.
    pub line: Option<LineKind>,
    /// What was selected; none for nothing, and where slices have been numbered anew since.
    pub selection: Option<Selection>,
}

/// The most entries that are kept; the oldest ones go first.
const DEPTH: usize = 200;

/// The entries before and after what is on the screen now.
#[derive(Debug, Default)]
pub struct History {
    back: Vec<HistoryEntry>,
    forward: Vec<HistoryEntry>,
    /// The gradual command that moved last; none after any other move.
    last: Option<&'static str>,
    /// How often an entry was made or gone to.
    moves: u64,
}

impl History {
    /// How often an entry was made or gone to.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Remembers `here` before a command leaves it. A run of one gradual command, named by `gradual`, makes one entry.
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

    /// Removes lines and selections from all entries, since lanes and slices have been numbered anew.
    pub fn forget_numbers(&mut self) {
        for entry in self.back.iter_mut().chain(&mut self.forward) {
            (entry.line, entry.selection) = (None, None);
        }
    }

    /// Goes back: returns the entry before, if any; `here` becomes the next entry forward.
    pub fn back(&mut self, here: HistoryEntry) -> Option<HistoryEntry> {
        let entry = self.back.pop()?;
        self.moves += 1;
        self.forward.push(here);
        self.last = None;
        Some(entry)
    }

    /// Goes forward: returns the entry after, if any; `here` becomes the next entry back.
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
