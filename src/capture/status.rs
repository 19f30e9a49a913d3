//! The line that tells how the capture goes, on a terminal's stderr.

use std::io::{IsTerminal, Write};

use proftui_wire::live::Word;
use proftui_wire::schedule::State;

use crate::base::fmt;

use super::family::Family;

/// The line; nothing is written where nobody looks.
#[derive(Debug)]
pub struct Status {
    is_shown: bool,
    has_line: bool,
}

impl Default for Status {
    /// One that is shown when stderr is a terminal.
    fn default() -> Self {
        Self { is_shown: std::io::stderr().is_terminal(), has_line: false }
    }
}

impl Status {
    /// Shows how things are.
    pub fn show(&mut self, family: &Family) {
        if !self.is_shown {
            return;
        }
        // Of several ranks, the one that has come furthest.
        let lives = family.all().map(super::process::Process::live);
        let Some(live) = lives.max_by_key(|live| live.get(Word::Step)) else { return };
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
        // Then to the line's beginning: what the program prints next goes over it.
        let _ = write!(std::io::stderr(), "\r\x1b[Kproftui: {}\r", words.join(", "));
        self.has_line = true;
    }

    /// A line that stays.
    pub fn tell(&mut self, line: &str) {
        self.clear();
        // A closed stderr is no reason to stop.
        let _ = writeln!(std::io::stderr(), "proftui: {line}");
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
