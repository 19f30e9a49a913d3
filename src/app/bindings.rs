//! The commands that messages and screens mention by key: id and keys of each, so that nobody looks a command up by a text.
//!
//! THE TABLE (`command`) takes these bindings over; they stand below the state so that whoever changes it can name a key.
//! Must not know what a command does.

use super::key::Key;
use super::key::Key::{Char, Ctrl, Down, F, Right};

/// A command's id and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The command's id.
    pub id: &'static str,
    /// Its keys, at least one.
    pub keys: &'static [Key],
}

impl Binding {
    /// The first key, spelled in ASCII.
    pub fn label(self) -> String {
        self.keys[0].label(false)
    }
}

/// Selects the next event.
pub const NEXT_EVENT: Binding = Binding { id: "event.next", keys: &[Right, Char('l')] };
/// Moves the focus a line down.
pub const LINE_DOWN: Binding = Binding { id: "lane.down", keys: &[Down, Char('j')] };
/// Shows all hidden lanes.
pub const SHOW_ALL_LANES: Binding = Binding { id: "lane.show-all", keys: &[Char('X')] };
/// Goes to the next event that the search found.
pub const NEXT_HIT: Binding = Binding { id: "find.next", keys: &[Char('n')] };
/// Goes to the previous event that the search found.
pub const PREVIOUS_HIT: Binding = Binding { id: "find.previous", keys: &[Char('N')] };
/// Shows more rows in a chart.
pub const MORE_ROWS: Binding = Binding { id: "pane.chart-more", keys: &[Char('+')] };
/// Shows fewer rows in a chart.
pub const FEWER_ROWS: Binding = Binding { id: "pane.chart-fewer", keys: &[Char('-')] };
/// Loads the files again.
pub const RELOAD: Binding = Binding { id: "app.reload", keys: &[Char('R')] };
/// Leaves the pane, then the explorer.
pub const QUIT: Binding = Binding { id: "app.quit", keys: &[Char('q')] };
/// Leaves the explorer from wherever the person is.
pub const QUIT_NOW: Binding = Binding { id: "app.quit-now", keys: &[Ctrl('c')] };
/// Shows the help.
pub const HELP: Binding = Binding { id: "app.help", keys: &[Char('?'), F(1)] };
