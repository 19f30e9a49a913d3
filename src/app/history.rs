//! Where the person looked before: views to go back to and forth.

use crate::base::time::{Ns, Span};

use super::lines::LineKind;
use super::state::Selection;

/// A place: the view, the cursor, the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The view.
    pub view: Span,
    /// The time cursor.
    pub cursor: Ns,
    /// The line that had the focus.
    pub line: Option<LineKind>,
    /// What was selected.
    pub selection: Option<Selection>,
}

/// Most places kept.
const DEPTH: usize = 200;

/// Places before and after the present one.
#[derive(Debug, Default)]
pub struct History {
    back: Vec<Place>,
    forth: Vec<Place>,
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

    /// Remembers `here` before command `id` leaves it.
    pub fn leave(&mut self, here: Place, id: &'static str) {
        self.moves += 1;
        let is_repeat = self.last == Some(id) && is_gradual(id);
        self.last = Some(id);
        if is_repeat {
            return;
        }
        self.forth.clear();
        if self.back.len() == DEPTH {
            self.back.remove(0);
        }
        self.back.push(here);
    }

    /// Forgets what places say by number: lanes and slices are numbered anew.
    pub fn forget_numbers(&mut self) {
        for place in self.back.iter_mut().chain(&mut self.forth) {
            (place.line, place.selection) = (None, None);
        }
    }

    /// The place before, if any; `here` becomes the place after.
    pub fn back(&mut self, here: Place) -> Option<Place> {
        let place = self.back.pop()?;
        self.moves += 1;
        self.forth.push(here);
        self.last = None;
        Some(place)
    }

    /// The place after, if any.
    pub fn forth(&mut self, here: Place) -> Option<Place> {
        let place = self.forth.pop()?;
        self.moves += 1;
        self.back.push(here);
        self.last = None;
        Some(place)
    }
}

/// Commands that are pressed many times on the way to one place.
fn is_gradual(id: &str) -> bool {
    id.starts_with("view.zoom") || id.starts_with("view.pan") || id.starts_with("event.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_command_is_one_step() {
        let place =
            |t| Place { view: Span { start: t, end: t + 10 }, cursor: t, line: None, selection: None };
        let mut history = History::default();
        history.leave(place(1), "view.zoom-in");
        history.leave(place(2), "view.zoom-in");
        history.leave(place(3), "step.next");
        assert_eq!(history.back(place(4)), Some(place(3)));
        assert_eq!(history.back(place(3)), Some(place(1)));
        assert_eq!(history.back(place(1)), None);
        assert_eq!(history.forth(place(1)), Some(place(3)));
    }
}
