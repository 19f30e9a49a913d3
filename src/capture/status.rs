//! A row of its own at the bottom of the terminal that tells how the capture goes, and the lines that stay.
//!
//! The terminal is the program's: a scroll region keeps what it prints above the row, and its cursor stays where it is.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proftui_wire::live::{Live, Word};
use proftui_wire::schedule::State;

use crate::base::fmt;

use super::family::Family;
use super::process::Process;

/// Fewest rows of a terminal that has one to spare.
const FEWEST: u16 = 3;

/// Columns and rows.
type Size = (u16, u16);

/// The row, and what is told beside it. Its clones are the same row.
#[derive(Clone, Debug)]
pub struct Status {
    is_quiet: bool,
    has_row: bool,
    /// The size of the terminal that the row stands in; none while it does not.
    stands: Arc<Mutex<Option<Size>>>,
}

impl Status {
    /// One whose row is shown where stderr is a terminal that can; a quiet one has none, and tells only what went wrong.
    pub fn new(is_quiet: bool) -> Self {
        let is_able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        let has_row = !is_quiet && is_able && std::io::stderr().is_terminal();
        Self { is_quiet, has_row, stands: Arc::default() }
    }

    /// Shows how things are.
    pub fn show(&self, family: &Family) {
        if !self.has_row {
            return;
        }
        // Of several ranks, the one that has come furthest.
        let lives = family.all().map(Process::live);
        let Some(live) = lives.max_by_key(|live| live.get(Word::Step)) else { return };
        let mut stands = self.lock();
        let size = size();
        if size.1 < FEWEST || !is_foreground() {
            take_away(&mut stands);
            return;
        }
        put(&drawn(*stands, size, &words(live, usize::from(size.0).saturating_sub(1))));
        *stands = Some(size);
    }

    /// A line that stays.
    pub fn tell(&self, line: &str) {
        if !self.is_quiet {
            self.say(line);
        }
    }

    /// A line that stays, whoever wants it quiet: what went wrong, or what was asked for.
    pub fn say(&self, line: &str) {
        // Within the scroll region it scrolls as what the program prints does.
        put(&format!("proftui: {line}\n"));
    }

    /// Takes the row away.
    pub fn clear(&self) {
        take_away(&mut self.lock());
    }

    /// Does something while there is no row, and none comes.
    pub fn without(&self, act: impl FnOnce()) {
        let mut stands = self.lock();
        take_away(&mut stands);
        act();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Size>> {
        self.stands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.clear();
    }
}

fn size() -> Size {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map_or((0, 0), |size| (size.ws_col, size.ws_row))
}

/// False where a shell, or a program that works as one, has given the terminal to others.
fn is_foreground() -> bool {
    let foreground = rustix::termios::tcgetpgrp(std::io::stderr());
    foreground.map_or(true, |foreground| foreground == rustix::process::getpgrp())
}

/// Writes at once, so that what the program writes comes before or after it.
fn put(text: &str) {
    // A closed stderr is no reason to stop.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The row with a text, in a terminal of a size; `stood` is what it stood in before.
fn drawn(stood: Option<Size>, size: Size, text: &str) -> String {
    let (_, rows) = size;
    let mut out = String::new();
    if stood != Some(size) {
        if stood.is_some() {
            out.push_str("\x1b7\x1b[r\x1b8");
        }
        // A vertical tab is a line feed that keeps the column: where the cursor is at the bottom, all goes up a row.
        out.push_str("\x0b\x1b[A");
        if stood.is_some() {
            // Where the old row is now nobody knows, but it is below the cursor.
            out.push_str("\x1b7\x1b[B\r\x1b[0m\x1b[J\x1b8");
        }
    }
    // To set the region moves the cursor. It is set each time: the program may have reset the terminal.
    out.push_str(&format!("\x1b7\x1b[1;{}r\x1b[{rows};1H\x1b[0;2m\x1b[2K{text}\x1b8", rows - 1));
    out
}

fn take_away(stands: &mut Option<Size>) {
    if let Some((_, rows)) = stands.take() {
        put(&format!("\x1b7\x1b[r\x1b[{rows};1H\x1b[0m\x1b[2K\x1b8"));
    }
}

/// The step, its state, how long steps take, how many ranges there are: as much of it as there is room for.
fn words(live: &Live, room: usize) -> String {
    let timer = live.timer();
    let (sum, _) = timer.best();
    let mut words = vec![format!("proftui: step {}", fmt::count(live.get(Word::Step)))];
    words.extend(State::of(live.get(Word::State) as u8).map(|state| state.name().to_lowercase()));
    if let Some(batch) = sum.batch.checked_div(sum.steps) {
        words.push(format!("{} a step", fmt::duration(batch as i64)));
        words.push(format!("{:.1} steps/s", sum.steps as f64 * 1e9 / sum.batch.max(1) as f64));
    }
    if live.get(Word::Ranges) > 0 {
        words.push(fmt::counted(live.get(Word::Ranges), "range"));
    }
    while words.len() > 1 && words.join(", ").chars().count() > room {
        words.pop();
    }
    words.join(", ").chars().take(room).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_least_goes_first() {
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
            words(&live, 100),
            "proftui: step 1,234, record, 2.000 ms a step, 500.0 steps/s, 99 ranges"
        );
        assert_eq!(words(&live, 50), "proftui: step 1,234, record, 2.000 ms a step");
        assert_eq!(words(&live, 5), "proft");
    }

    #[test]
    fn what_is_printed_scrolls_above_the_row() {
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
