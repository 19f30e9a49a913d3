//! Keeping the summary shown up to date: made at once for a small trace, by a job on another thread for a large one.
//!
//! Must not know how a table is made or drawn.

use std::sync::Arc;

use super::jobs::{Summary, SummaryJob};
use super::state::{Pane, State};

/// The most slices of a trace whose summaries are made at once, on the thread that draws.
const AT_ONCE: usize = 300_000;

impl State {
    /// Makes the summary of the pane shown if there is none yet or its scope is not the chosen one; for a large trace, requests a
    /// job for it.
    pub(super) fn refresh_table(&mut self) {
        self.summary_jobs.wanted = None;
        let (Pane::Table(view), Some(scope)) = (self.pane, self.scope()) else { return };
        if self.tables.get(&view).is_some_and(|known| known.scope == scope) {
            return;
        }
        let job = SummaryJob { session: Arc::clone(&self.session), view, scope };
        if self.session.trace.slices.len() <= AT_ONCE {
            self.keep_summary(job.run());
        } else {
            self.summary_jobs.wanted = Some(job);
        }
    }

    /// Stores a summary that a job made, unless it is of another session; then requests another one if the pane or the scope has
    /// changed since.
    pub(super) fn take_summary(&mut self, summary: Summary) {
        self.summary_jobs.running = None;
        // A summary names events by numbers, which differ in another session.
        if Arc::ptr_eq(&summary.job.session, &self.session) {
            self.keep_summary(summary);
        }
        self.refresh_table();
    }

    fn keep_summary(&mut self, summary: Summary) {
        let Summary { job: SummaryJob { view, scope, .. }, table } = summary;
        let is_snapshot = self.is_snapshot();
        self.tables.entry(view).or_default().replace(table, scope, is_snapshot);
    }

    /// True when the pane shows a summary that is missing or not of the chosen scope, so that a job is to make it.
    pub fn is_summary_pending(&self) -> bool {
        let Pane::Table(view) = self.pane else { return false };
        let known = self.tables.get(&view).map(|pane| &pane.scope);
        self.scope().is_some_and(|scope| known != Some(&scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Value;
    use crate::app::session::Session;
    use crate::app::{Effect, Key, Msg, update};
    use crate::import::{Progress, Request, load_bytes};

    /// A session of `count` events, one after the other.
    fn session(count: usize) -> Session {
        let event = |n: usize| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"add","pid":1,"tid":1,"ts":{n},"dur":1}}"#)
        };
        let text = format!("[{}]", (0..count).map(event).collect::<Vec<_>>().join(","));
        Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads"))
    }

    /// Presses each character of `keys` as a key; returns the last job that was requested.
    fn press(state: &mut State, keys: &str) -> Option<SummaryJob> {
        keys.chars().filter_map(|key| job(update(state, Msg::Key(Key::Char(key))))).last()
    }

    fn job(effects: Vec<Effect>) -> Option<SummaryJob> {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Summarize(job) => Some(job),
            _ => None,
        })
    }

    /// Sends the summary of a job to the state; returns the next job that the state requests.
    fn answer(state: &mut State, summary: Summary) -> Option<SummaryJob> {
        job(update(state, Msg::Summarized(Box::new(summary))))
    }

    fn calls(state: &State) -> Option<u64> {
        let pane = state.table()?;
        let Value::Count(calls) = pane.row(0)?.cells[pane.table.column("calls")?] else { return None };
        Some(calls)
    }

    #[test]
    fn a_large_trace_is_summarized_by_jobs() {
        let mut state = State::new(session(AT_ONCE + 1), (80, 24));
        let made = press(&mut state, "5").expect("a job").run();
        assert!(state.table().is_none() && state.is_summary_pending());
        assert!(answer(&mut state, made).is_none(), "nothing is left to do");
        assert_eq!((calls(&state), state.is_summary_pending()), (Some(AT_ONCE as u64 + 1), false));

        // The user moves on while a summary is made: that summary is kept, and the next one is requested.
        let made = press(&mut state, "bw").expect("one of the screen").run();
        assert!(press(&mut state, "www").is_none(), "one at a time");
        let next = answer(&mut state, made).expect("one of the new screen");
        let first = calls(&state).expect("the one before");
        assert!(state.is_summary_pending());
        assert!(answer(&mut state, next.run()).is_none());
        assert!(calls(&state).is_some_and(|now| now < first) && !state.is_summary_pending());

        // A summary of another trace is dropped, since it names events by the numbers of that trace.
        let made = press(&mut state, "6").expect("one of kernels").run();
        let pane = state.pane;
        state.migrate(session(AT_ONCE + 2), None);
        assert!(answer(&mut state, made).is_some());
        assert!(state.pane == pane && state.table().is_none());
    }

    #[test]
    fn a_small_one_is_there_at_once() {
        let mut state = State::new(session(10), (80, 24));
        press(&mut state, "5");
        assert_eq!((calls(&state), state.is_summary_pending()), (Some(10), false));
    }
}
