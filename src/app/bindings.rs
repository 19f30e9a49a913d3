//! The commands that messages and screens mention by key: id and keys of each, so that no command is looked up by a text.
//!
//! The table of commands takes its ids and keys from here. This file is below the state in the order of files, so that code that
//! changes the state can name a key in a message.
//! Must not know what a command does.

use super::key::Key;
use super::key::Key::{Char, Ctrl, Down, F, Right};

/// A command's id and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The command's id, unique in the table of commands.
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

/// Binding of the command that selects the next event of the row with the focus.
pub const NEXT_EVENT: Binding = Binding { id: "event.next", keys: &[Right, Char('l')] };
/// Binding of the command that moves the focus one line down.
pub const LINE_DOWN: Binding = Binding { id: "lane.down", keys: &[Down, Char('j')] };
/// Binding of the command that shows all hidden lanes.
pub const SHOW_ALL_LANES: Binding = Binding { id: "lane.show-all", keys: &[Char('X')] };
/// Binding of the command that goes to the next event that the search found.
pub const NEXT_HIT: Binding = Binding { id: "find.next", keys: &[Char('n')] };
/// Binding of the command that goes to the previous event that the search found.
pub const PREVIOUS_HIT: Binding = Binding { id: "find.previous", keys: &[Char('N')] };
/// Binding of the command that gives more rows of a chart a bar of their own.
pub const MORE_ROWS: Binding = Binding { id: "pane.chart-more", keys: &[Char('+')] };
/// Binding of the command that gives fewer rows of a chart a bar of their own.
pub const FEWER_ROWS: Binding = Binding { id: "pane.chart-fewer", keys: &[Char('-')] };
/// Binding of the command that loads the files again.
pub const RELOAD: Binding = Binding { id: "app.reload", keys: &[Char('R')] };
/// Binding of the command that leaves the pane or, on the timeline, ends the explorer.
pub const QUIT: Binding = Binding { id: "app.quit", keys: &[Char('q')] };
/// Binding of the command that ends the explorer whatever is open.
pub const QUIT_NOW: Binding = Binding { id: "app.quit-now", keys: &[Ctrl('c')] };
/// Binding of the command that opens the help.
pub const HELP: Binding = Binding { id: "app.help", keys: &[Char('?'), F(1)] };
