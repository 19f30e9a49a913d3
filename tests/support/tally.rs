//! Counts comparisons of our numbers with another tool's, and keeps those that differ. Must not know what
//! makes two alike.

use std::fmt::Display;

/// Most differences that are printed.
const SHOWN: usize = 80;

/// The comparisons with one tool.
pub(crate) struct Tally {
    tool: &'static str,
    count: usize,
    wrong: Vec<String>,
}

impl Tally {
    /// No comparison yet with the numbers of `tool`.
    pub(crate) fn with(tool: &'static str) -> Self {
        Self { tool, count: 0, wrong: Vec::new() }
    }

    /// Adds one comparison.
    pub(crate) fn compare(&mut self, is_same: bool, what: &str, ours: impl Display, theirs: impl Display) {
        self.count += 1;
        if !is_same {
            self.wrong.push(format!("{what}: {ours}, {} has {theirs}", self.tool));
        }
    }

    /// Prints how many comparisons there were, and fails if any differ.
    pub(crate) fn finish(&self) {
        println!("{}: {} comparisons, {} differ", self.tool, self.count, self.wrong.len());
        self.wrong.iter().take(SHOWN).for_each(|wrong| eprintln!("{wrong}"));
        assert!(self.wrong.is_empty(), "{} numbers differ", self.wrong.len());
    }
}
