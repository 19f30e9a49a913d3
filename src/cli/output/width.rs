//! How wide text tables are.
//!
//! Must not know what is in them.

use std::io::IsTerminal;

/// Width where standard output is not a terminal or its size cannot be read, in characters.
const WIDTH: usize = 100;

/// The width for text tables: of the terminal behind standard output at least 40, else 100 characters.
pub(in crate::cli) fn of_tables() -> usize {
    let width = || rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let of_terminal = std::io::stdout().is_terminal().then(width).flatten();
    of_terminal.map_or(WIDTH, |size| usize::from(size.ws_col).max(40))
}
