//! What tells how the capture goes, at the right end of the line that a terminal's cursor is on.
//!
//! The terminal is the program's, too: its cursor stays where it is, and what it wrote is left alone as far as there is room.

use std::io::{IsTerminal, Write};

use proftui_wire::live::{Live, Word};
use proftui_wire::schedule::State;

use crate::base::fmt;

use super::family::Family;
use super::process::Process;

/// The words; nothing is written where nobody looks.
#[derive(Debug)]
pub struct Status {
    is_shown: bool,
    /// Columns of what stands there now.
    shown: usize,
}

impl Default for Status {
    /// One that is shown when stderr is a terminal.
    fn default() -> Self {
        Self { is_shown: std::io::stderr().is_terminal(), shown: 0 }
    }
}

impl Status {
    /// Shows how things are.
    pub fn show(&mut self, family: &Family) {
        if !self.is_shown {
            return;
        }
        // Of several ranks, the one that has come furthest.
        let lives = family.all().map(Process::live);
        let Some(live) = lives.max_by_key(|live| live.get(Word::Step)) else { return };
        let width =
            rustix::termios::tcgetwinsize(std::io::stderr()).map_or(80, |size| usize::from(size.ws_col));
        let text = words(live, width / 2);
        self.clear();
        self.shown = text.chars().count();
        put(self.shown, &format!("\x1b[2m{text}\x1b[0m"));
    }

    /// A line that stays.
    pub fn tell(&mut self, line: &str) {
        self.clear();
        // A closed stderr is no reason to stop.
        let _ = writeln!(std::io::stderr(), "proftui: {line}");
    }

    /// Takes the words away.
    pub fn clear(&mut self) {
        let columns = std::mem::take(&mut self.shown);
        if columns > 0 {
            put(columns, "\x1b[K");
        }
    }
}

/// Writes at the right end, `columns` from it, and goes back to where the cursor was.
fn put(columns: usize, text: &str) {
    // Far to the right is the last column, whatever the width. A closed stderr is no reason to stop.
    let back = columns.saturating_sub(1).max(1);
    let _ = write!(std::io::stderr(), "\x1b7\x1b[9999C\x1b[{back}D{text}\x1b8");
}

/// The step, its state, how long steps take, how many ranges there are: as much of it as there is room for.
fn words(live: &Live, room: usize) -> String {
    let timer = live.timer();
    let (sum, _) = timer.best();
    let mut words = vec![format!("step {}", fmt::count(live.get(Word::Step)))];
    words.extend(State::of(live.get(Word::State) as u8).map(|state| state.name().to_lowercase()));
    if let Some(batch) = sum.batch.checked_div(sum.steps) {
        words.push(format!("{} a step", fmt::duration(batch as i64)));
        words.push(format!("{:.1} steps/s", sum.steps as f64 * 1e9 / sum.batch.max(1) as f64));
    }
    if live.get(Word::Ranges) > 0 {
        words.push(format!("{} ranges", fmt::count(live.get(Word::Ranges))));
    }
    while words.len() > 1 && words.join(", ").chars().count() > room {
        words.pop();
    }
    words.join(", ")
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
        assert_eq!(words(&live, 100), "step 1,234, record, 2.000 ms a step, 500.0 steps/s, 99 ranges");
        assert_eq!(words(&live, 40), "step 1,234, record, 2.000 ms a step");
        assert_eq!(words(&live, 5), "step 1,234");
    }
}
