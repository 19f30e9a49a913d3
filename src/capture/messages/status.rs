//! Prints to the terminal during a capture: messages, and a status row at the bottom that shows its progress.
//!
//! The terminal belongs to the program: a scroll region keeps its output above the row, and its cursor stays
//! where it is.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proftui_wire::live::{Live, Word};
use proftui_wire::schedule::State;

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use crate::capture::process::Process;
use crate::capture::process::tree::ProcessTree;

/// Fewest rows of a terminal in which a status row is shown.
const MIN_ROWS: u16 = 3;

/// Size of a terminal: columns, rows.
type Size = (u16, u16);

/// Prints the messages and the status row of a capture to stderr. Dropping the value, or a clone, removes the
/// row from the terminal.
#[derive(Clone, Debug)]
pub struct Status {
    is_quiet: bool,
    /// True if a status row is to be shown.
    has_row: bool,
    /// Size of the terminal when the status row was last drawn; `None` while no row is shown.
    drawn_size: Arc<Mutex<Option<Size>>>,
}

impl Status {
    /// Makes a status, whose row is shown only on a terminal and without `is_quiet`.
    pub fn new(is_quiet: bool) -> Self {
        let is_able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        let has_row = !is_quiet && is_able && std::io::stderr().is_terminal();
        Self { is_quiet, has_row, drawn_size: Arc::default() }
    }

    /// Draws the status row, the progress of the process that has completed the most steps, or removes it
    /// where it cannot be shown.
    pub fn show(&self, tree: &ProcessTree) {
        if !self.has_row {
            return;
        }
        let lives = tree.all().map(Process::live);
        let Some(live) = lives.max_by_key(|live| live.steps()) else { return };
        let mut drawn_size = self.lock();
        let size = size();
        if size.1 < MIN_ROWS || !is_foreground() {
            remove(&mut drawn_size);
            return;
        }
        put(&drawn(*drawn_size, size, &progress(live, usize::from(size.0).saturating_sub(1))));
        *drawn_size = Some(size);
    }

    /// True if only errors and what the user requested are printed (`--quiet`).
    pub fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Prints a message as [`Status::print`] does; does nothing with `--quiet`.
    pub fn print_unless_quiet(&self, line: &str) {
        if !self.is_quiet {
            self.print(line);
        }
    }

    /// Prints a message to stderr after `proftui: `, also with `--quiet`. Characters that control the
    /// terminal, except line breaks, are escaped or left out.
    pub fn print(&self, text: &str) {
        let lines: Vec<String> = text.split('\n').map(|line| SafeText::new(line).to_string()).collect();
        // The text is inside the scroll region, and scrolls with the program's output.
        put(&format!("proftui: {}\n", lines.join("\n")));
    }

    /// Removes the status row from the terminal until the next [`Status::show`].
    pub fn clear(&self) {
        remove(&mut self.lock());
    }

    /// Removes the status row, and runs `act`, during which the row is not drawn.
    pub fn without(&self, act: impl FnOnce()) {
        let mut drawn_size = self.lock();
        remove(&mut drawn_size);
        act();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Size>> {
        self.drawn_size.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Size of the terminal on stderr; (0, 0) if stderr is no terminal.
fn size() -> Size {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map_or((0, 0), |size| (size.ws_col, size.ws_row))
}

/// True if proftui's process group is in the foreground of the terminal, or the foreground is not known.
fn is_foreground() -> bool {
    let foreground = rustix::termios::tcgetpgrp(std::io::stderr());
    foreground.map_or(true, |foreground| foreground == rustix::process::getpgrp())
}

/// Writes to stderr, in one call if possible, and ignores errors.
fn put(text: &str) {
    // If stderr is closed, the capture continues without messages.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The escape sequences that draw the row with `text`; `before` is the terminal's size when the row was last
/// drawn, `None` while no row is shown.
fn drawn(before: Option<Size>, size: Size, text: &str) -> String {
    let (_, rows) = size;
    let mut out = String::new();
    if before != Some(size) {
        if before.is_some() {
            out.push_str("\x1b7\x1b[r\x1b8");
        }
        // A vertical tab is a line feed that keeps the column: with the cursor in the last row, the screen
        // scrolls by one.
        out.push_str("\x0b\x1b[A");
        if before.is_some() {
            // The old row is somewhere below the cursor.
            out.push_str("\x1b7\x1b[B\r\x1b[0m\x1b[J\x1b8");
        }
    }
    // Setting the scroll region moves the cursor, whose position is therefore saved. The region is set each
    // time, since the program may have reset the terminal.
    out.push_str(&format!("\x1b7\x1b[1;{}r\x1b[{rows};1H\x1b[0;2m\x1b[2K{text}\x1b8", rows - 1));
    out
}

/// Removes the row and its scroll region from the terminal if the row is shown, and sets `drawn_size` to
/// `None`.
fn remove(drawn_size: &mut Option<Size>) {
    if let Some((_, rows)) = drawn_size.take() {
        put(&format!("\x1b7\x1b[r\x1b[{rows};1H\x1b[0m\x1b[2K\x1b8"));
    }
}

/// Text of the status row, of at most `room` characters: steps, state, times and ranges, as far as they fit.
fn progress(live: &Live, room: usize) -> String {
    let timer = live.timer();
    let (sum, _) = timer.best();
    let mut items = vec![format!("proftui: step {}", fmt::count(live.steps()))];
    let state = State::of(saturate::<u8>(live.get(Word::State)));
    let full = live.get(Word::Full).checked_sub(1).filter(|_| state.is_some_and(State::is_recording));
    match full {
        Some(step) => items.push(format!("not recorded since step {}", fmt::count(step))),
        None => items.extend(state.map(|state| state.name().to_lowercase())),
    }
    if let Some(batch) = sum.batch.checked_div(sum.steps) {
        items.push(format!("{} per step", fmt::duration(saturate::<i64>(batch))));
        items.push(format!("{:.1} steps/s", sum.steps as f64 * 1e9 / sum.batch.max(1) as f64));
    }
    if live.get(Word::Ranges) > 0 {
        items.push(fmt::counted(live.get(Word::Ranges), "range"));
    }
    while items.len() > 1 && items.join(", ").chars().count() > room {
        items.pop();
    }
    items.join(", ").chars().take(room).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_important_items_are_left_out_first() {
        let mut page = [0_u8; proftui_wire::live::BYTES];
        let mut put =
            |at: usize, number: u64| page[8 * at..8 * at + 8].copy_from_slice(&number.to_le_bytes());
        put(Word::Step as usize, 1234);
        put(Word::State as usize, State::Record as u64);
        put(Word::Ranges as usize, 99);
        put(Word::AllSteps as usize, 10);
        put(Word::AllSteps as usize + 1, 20_000_000);
        let live = Live::read(&page);
        assert_eq!(
            progress(&live, 100),
            "proftui: step 1,234, record, 2.000 ms per step, 500.0 steps/s, 99 ranges"
        );
        assert_eq!(progress(&live, 50), "proftui: step 1,234, record, 2.000 ms per step");
        assert_eq!(progress(&live, 5), "proft");
        page[8 * Word::Full as usize] = 201;
        let row = progress(&Live::read(&page), 50);
        assert_eq!(row, "proftui: step 1,234, not recorded since step 200");
    }

    #[test]
    fn output_scrolls_above_the_row() {
        let [rows, columns] = [4, 20].map(|n| std::num::NonZeroU16::new(n).expect("some"));
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        let mut show = |text: &str| {
            terminal.process(text.as_bytes());
            let rows = terminal.screen().rows(0, 20).collect::<Vec<_>>();
            (rows.join("|"), terminal.screen().cursor_position())
        };
        show("one\r\ntwo\r\nthree\r\nfo");
        assert_eq!(show(&drawn(None, (20, 4), "row")), ("two|three|fo|row".into(), (2, 2)));
        assert_eq!(show("ur\r\nfive"), ("three|four|five|row".into(), (2, 4)));
        assert_eq!(show(&drawn(Some((20, 4)), (20, 4), "new")).0, "three|four|five|new");
        assert_eq!(show("\x1b[2J\x1b[Hsix"), ("six|||".into(), (0, 3)));
        assert_eq!(show(&drawn(Some((20, 4)), (20, 4), "row")), ("six|||row".into(), (0, 3)));
        assert_eq!(show(&drawn(Some((20, 9)), (20, 4), "row")), ("six|||row".into(), (0, 3)));
    }
}
