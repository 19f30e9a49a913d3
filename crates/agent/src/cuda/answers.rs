//! CUPTI's answers in the process's log: those of setting it up in a fact, and each later failure once.

use std::fmt::Write as _;

use proftui_wire::device::answer::MISSING;
use proftui_wire::device::reason::FAILED;
use proftui_wire::log::NoteKind;

use super::functions::OK;
use crate::lock::Lock;
use crate::process;

/// Most different failures that are logged; further ones are left out.
const FAILURES: usize = 16;

/// The failures that are in the log: function and answer.
static LOGGED: Lock<Vec<(&'static str, u32)>> = Lock::new(Vec::new());

/// Answers, in the order of the calls.
#[derive(Default)]
pub(super) struct Answers(String);

impl Answers {
    /// Adds an answer and returns it; `what` names the function and what it was called for.
    pub(super) fn add(&mut self, what: &str, answer: u32) -> u32 {
        let comma = if self.0.is_empty() { "" } else { ", " };
        // Writing to a text cannot fail.
        let _ = match answer {
            MISSING => write!(self.0, "{comma}{what}: none"),
            answer => write!(self.0, "{comma}{what}: {answer}"),
        };
        answer
    }

    /// True if an answer of `what` is there.
    pub(super) fn has(&self, what: &str) -> bool {
        self.0.contains(what)
    }

    /// Writes the answers to the log, as the fact `key`.
    pub(super) fn log(&self, key: &str) {
        process::note(NoteKind::Fact, &format!("{key}={}", self.0));
    }
}

/// Logs a call that failed after the setting up, unless it failed so before; returns its answer.
pub(super) fn check(function: &'static str, answer: u32) -> u32 {
    if answer != OK
        && let Some(mut logged) = LOGGED.take()
        && logged.len() < FAILURES
        && !logged.contains(&(function, answer))
    {
        logged.push((function, answer));
        let mut failed = Answers::default();
        logged.iter().for_each(|&(function, answer)| {
            failed.add(function, answer);
        });
        drop(logged);
        failed.log(FAILED);
    }
    answer
}
