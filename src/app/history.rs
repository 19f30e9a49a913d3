//! Where the person looked before: views to go back to and forth.

use crate::base::time::{Ns, Span};

use super::lines::LineKind;
use super::session::Selection;

/// A place: the view, the cursor, the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The viewport.
    pub viewport: Span,
    /// The time cursor.
    pub cursor: Ns,
    /// The line that had the focus.
    pub line: Option<LineKind>,
    /// What was selected.
    pub selection: Option<Selection>,
}

/// Most places kept.
const DEPTH: usize = 200;

/// HistoryEntrys before and after the present one.
#[derive(Debug, Default)]
pub struct History {
    back: Vec<HistoryEntry>,
    forward: Vec<HistoryEntry>,
    /// The command that moved last: a run of one command is one step.
    last: Option<&'static str>,
    /// How often a place was left or gone back to.
    moves: u64,
}

impl History {
    /// How often a place was left or gone back to.
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

    /// Forgets what places say by number: lanes and slices are numbered anew.
    pub fn forget_numbers(&mut self) {
        for place in self.back.iter_mut().chain(&mut self.forward) {
            (place.line, place.selection) = (None, None);
        }
    }

    /// The place before, if any; `here` becomes the place after.
    pub fn back(&mut self, here: HistoryEntry) -> Option<HistoryEntry> {
        let place = self.back.pop()?;
        self.moves += 1;
        self.forward.push(here);
        self.last = None;
        Some(place)
    }

    /// The place after, if any.
    pub fn forward(&mut self, here: HistoryEntry) -> Option<HistoryEntry> {
        let place = self.forward.pop()?;
        self.moves += 1;
        self.back.push(here);
        self.last = None;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_command_is_one_step() {
        let place = |t| HistoryEntry {
            viewport: Span { start: t, end: t + 10 },
            cursor: t,
            line: None,
            selection: None,
        };
        let mut history = History::default();
        history.leave(place(1), Some("zoom"));
        history.leave(place(2), Some("zoom"));
        history.leave(place(3), None);
        assert_eq!(history.back(place(4)), Some(place(3)));
        assert_eq!(history.back(place(3)), Some(place(1)));
        assert_eq!(history.back(place(1)), None);
        assert_eq!(history.forward(place(1)), Some(place(3)));
    }
}
