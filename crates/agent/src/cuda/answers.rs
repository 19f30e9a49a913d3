//! CUPTI's answers in the process's log: those of setting it up in a fact, and each later failure once.

use std::fmt::Write as _;

use proftui_wire::device::answer::MISSING;
use proftui_wire::device::reason::FAILED;
use proftui_wire::log::NoteKind;

use super::functions::OK;
use crate::lock::Lock;
use crate::process;

/// How many different failures (a function and its answer) are logged at most; further ones are left out.
const FAILURES: usize = 16;

/// The failures that are in the log: the name of CUPTI's function, and its error code.
static LOGGED: Lock<Vec<(&'static str, u32)>> = Lock::new(Vec::new());

/// CUPTI's answers as text, in the order of the calls: `cuptiSubscribe: 0, kind 10: 0`.
#[derive(Default)]
pub(super) struct Answers(String);

impl Answers {
    /// Adds the name `what` of a call and its result code `answer`, and returns the code.
    pub(super) fn add(&mut self, what: &str, answer: u32) -> u32 {
        let comma = if self.0.is_empty() { "" } else { ", " };
        // Writing to a text cannot fail.
        let _ = match answer {
            MISSING => write!(self.0, "{comma}{what}: none"),
            answer => write!(self.0, "{comma}{what}: {answer}"),
        };
        answer
    }

    /// True if the text of the answers contains `what`.
    pub(super) fn has(&self, what: &str) -> bool {
        self.0.contains(what)
    }

    /// Writes the fact `<key>=<answers>` to the process's log.
    pub(super) fn log(&self, key: &str) {
        process::note(NoteKind::Fact, &format!("{key}={}", self.0));
    }
}

/// Returns `answer`, the result code of CUPTI's function `function`, and usually logs a failure that is new.
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
