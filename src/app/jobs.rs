//! Work that takes too long for the thread that draws: making a summary of a large trace, reading an event again.
//!
//! A job holds all that it needs, and its result holds the job, so that a result that comes too late can be recognized. Must not
//! know threads: whoever runs the explorer runs a job on any thread and sends the result back as a message.

use std::sync::Arc;

use crate::analysis::{Scope, Table, VIEWS};
use crate::import::EventText;
use crate::model::Origin;

use super::session::{Selection, Session};

/// A summary that is to be made: of which trace, which view, about which part.
#[derive(Clone, Debug)]
pub struct SummaryJob {
    pub(super) session: Arc<Session>,
    /// The view, as an index into [`VIEWS`].
    pub(super) view: usize,
    pub(super) scope: Scope,
}

impl SummaryJob {
    /// Makes the summary's table; takes long for a large trace.
    pub fn run(self) -> Summary {
        let table = (VIEWS[self.view].run)(&self.session.trace, &self.scope);
        Summary { job: self, table }
    }
}

/// A summary that was made, with the job that it answers.
#[derive(Debug)]
pub struct Summary {
    pub(super) job: SummaryJob,
    pub(super) table: Table,
}

/// An event that is to be read again, for its arguments.
#[derive(Clone, Debug)]
pub struct ReadJob {
    pub(super) session: Arc<Session>,
    /// The selection that the event is read for.
    pub(super) selection: Selection,
    /// The location of the event, and of its end event where it has one.
    pub(super) origins: Vec<Origin>,
}

impl ReadJob {
    /// Reads from the trace's files; may block for as long as the disk does.
    pub fn run(self) -> EventRead {
        let texts = self.origins.iter().map(|&origin| self.session.texts.read(origin)).collect();
        EventRead { job: self, texts }
    }

    /// True when the two are for the same selection of the same trace.
    pub(super) fn is_for(&self, session: &Arc<Session>, selection: Option<Selection>) -> bool {
        Arc::ptr_eq(&self.session, session) && selection == Some(self.selection)
    }
}

/// An event that was read again, with the job that it answers.
#[derive(Debug)]
pub struct EventRead {
    pub(super) job: ReadJob,
    /// The text of the event and of its end event, in the order of the job's origins.
    pub(super) texts: Vec<EventText>,
}

/// One job at a time; of those that are wanted while it runs, only the last one will run.
#[derive(Debug)]
pub(super) struct JobSlot<J> {
    /// The job to run next.
    pub(super) wanted: Option<J>,
    /// The job that was given out and whose result is not here yet.
    pub(super) running: Option<J>,
}

impl<J> Default for JobSlot<J> {
    fn default() -> Self {
        Self { wanted: None, running: None }
    }
}

impl<J: Clone> JobSlot<J> {
    /// The job to start now: the wanted one, unless one is running.
    pub(super) fn next(&mut self) -> Option<J> {
        if self.running.is_some() {
            return None;
        }
        self.running = self.wanted.take();
        self.running.clone()
    }
}
