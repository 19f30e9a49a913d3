//! Makes bytes of the commands of crossterm. Must not know which command, nor who writes the bytes.
//!
//! The commands are not executed by crossterm itself, which would write them to standard output: that may
//! block for ever, and a frame may be on its way there.

use crossterm::Command;

/// The control sequence of a command as text.
pub(super) fn ansi(command: &impl Command) -> String {
    let mut text = String::new();
    // Writing to a `String` does not fail.
    let _ = command.write_ansi(&mut text);
    text
}
