//! Summaries of large traces, made beside the loop: what is asked for, and what came of it.
//!
//! Must not know threads: whoever runs the loop takes a job, runs it where it likes and hands back what was made.

use std::sync::Arc;

use crate::analysis::{Scope, Table, VIEWS};

use super::state::{Pane, Session, State};

/// A summary of at most this many slices is made at once, within a frame.
const AT_ONCE: usize = 300_000;

/// A summary to be made.
#[derive(Debug)]
pub struct Job {
    session: Arc<Session>,
    view: usize,
    scope: Scope,
}

impl Job {
    /// Makes it.
    pub fn run(self) -> Made {
        let table = (VIEWS[self.view].run)(&self.session.trace, &self.scope);
        Made { job: self, table }
    }
}

/// A summary that was made.
#[derive(Debug)]
pub struct Made {
    job: Job,
    table: Table,
}

impl State {
    /// Makes the summary that is shown, where it is not there or no longer of what it should be; of a large trace, asks for it.
    pub(super) fn refresh_table(&mut self) {
        self.job = None;
        let (Pane::Table(view), Some(scope)) = (self.pane, self.scope()) else { return };
        if self.tables.get(&view).is_some_and(|known| known.scope == scope) {
            return;
        }
        let job = Job { session: Arc::clone(&self.session), view, scope };
        if self.session.trace.slices.len() <= AT_ONCE {
            self.keep(job.run());
        } else {
            self.job = Some(job);
        }
    }

    /// Takes in what was made, and asks for the next where the person has moved on meanwhile.
    pub fn summed(&mut self, made: Made) {
        // Of a trace that has grown since, it would name events by numbers of the time before.
        if Arc::ptr_eq(&made.job.session, &self.session) {
            self.keep(made);
        }
        self.refresh_table();
    }

    fn keep(&mut self, made: Made) {
        let Made { job: Job { view, scope, .. }, table } = made;
        self.tables.entry(view).or_default().renew(table, scope);
    }

    /// True when the summary shown is not yet of what it should be.
    pub fn is_summing(&self) -> bool {
        let Pane::Table(view) = self.pane else { return false };
        let known = self.tables.get(&view).map(|pane| &pane.scope);
        self.scope().is_some_and(|scope| known != Some(&scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Value;
    use crate::app::{Incident, Key, update};
    use crate::import::{Progress, Request, load_bytes};

    /// A session of so many events, one after the other.
    fn session(count: usize) -> Session {
        let event = |n: usize| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"add","pid":1,"tid":1,"ts":{n},"dur":1}}"#)
        };
        let text = format!("[{}]", (0..count).map(event).collect::<Vec<_>>().join(","));
        Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads"))
    }

    fn press(state: &mut State, keys: &str) {
        keys.chars().for_each(|key| {
            update(state, Incident::Key(Key::Char(key)));
        });
    }

    fn calls(state: &State) -> Option<u64> {
        let pane = state.table()?;
        let Value::Count(calls) = pane.row(0)?.cells[pane.table.column("calls")?] else { return None };
        Some(calls)
    }

    #[test]
    fn a_large_trace_is_summed_up_beside_the_loop() {
        let mut state = State::new(session(AT_ONCE + 1), (80, 24));
        press(&mut state, "5");
        assert!(state.table().is_none() && state.is_summing());
        let made = state.job.take().expect("a summary is asked for").run();
        state.summed(made);
        assert_eq!((calls(&state), state.is_summing()), (Some(AT_ONCE as u64 + 1), false));
        assert!(state.job.is_none(), "nothing is left to do");

        // The person moves on while one is made: that one is shown, and the next is asked for.
        press(&mut state, "bw");
        let made = state.job.take().expect("one of the screen").run();
        press(&mut state, "www");
        state.summed(made);
        let first = calls(&state).expect("the one before");
        assert!(state.is_summing());
        let made = state.job.take().expect("one of the new screen").run();
        state.summed(made);
        assert!(calls(&state).is_some_and(|now| now < first) && !state.is_summing());

        // What was made of another trace names its events by other numbers.
        press(&mut state, "6");
        let made = state.job.take().expect("one of kernels").run();
        state.grow(session(AT_ONCE + 2), None);
        state.summed(made);
        assert!(state.table().is_none() && state.job.is_some());
    }

    #[test]
    fn a_small_one_is_there_at_once() {
        let mut state = State::new(session(10), (80, 24));
        press(&mut state, "5");
        assert_eq!((calls(&state), state.is_summing()), (Some(10), false));
    }
}
