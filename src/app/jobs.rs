//! Jobs, which take too long for the thread that draws: making a summary of a large trace, reading an event again from its file.
//!
//! A job holds all its inputs, and the result holds the job, so that an outdated result can be recognized. Must not
//! know threads: whoever runs the explorer runs a job on any thread and sends the result back as a message.

use std::sync::Arc;

use crate::analysis::{Scope, Table, VIEWS};
use crate::import::EventText;
use crate::model::Origin;

use super::session::{Selection, Session};

/// The job of making a summary: the trace, the view and the scope.
#[derive(Clone, Debug)]
pub struct SummaryJob {
    pub(super) session: Arc<Session>,
    /// Index of the view in [`VIEWS`].
    pub(super) view: usize,
    pub(super) scope: Scope,
}

impl SummaryJob {
    /// Computes the summary's table; takes long for a large trace.
    pub fn run(self) -> Summary {
        let table = VIEWS[self.view].table(&self.session.trace, &self.scope);
        Summary { job: self, table }
    }
}

/// The result of a [`SummaryJob`]: the job itself and the table.
#[derive(Debug)]
pub struct Summary {
    pub(super) job: SummaryJob,
    pub(super) table: Table,
}

/// The job of reading an event again from its file, for the event's arguments.
#[derive(Clone, Debug)]
pub struct ReadJob {
    pub(super) session: Arc<Session>,
    /// The selection whose event is to be read.
    pub(super) selection: Selection,
    /// The file locations of the event and, if it has one, of its separate end event.
    pub(super) origins: Vec<Origin>,
}

impl ReadJob {
    /// Reads the event from the trace's files; may block for as long as the disk does.
    pub fn run(self) -> EventRead {
        let texts = self.origins.iter().map(|&origin| self.session.texts.read(origin)).collect();
        EventRead { job: self, texts }
    }

    /// True when the job is for `selection` in `session`.
    pub(super) fn is_for(&self, session: &Arc<Session>, selection: Option<Selection>) -> bool {
        Arc::ptr_eq(&self.session, session) && selection == Some(self.selection)
    }
}

/// The result of a [`ReadJob`]: the job itself and the texts of its events.
#[derive(Debug)]
pub struct EventRead {
    pub(super) job: ReadJob,
    /// The text of the event and of its end event, in the order of the job's origins.
    pub(super) texts: Vec<EventText>,
}

/// Lets one job run at a time. A job that is wanted while another runs waits; a newer wanted job replaces it.
#[derive(Debug)]
pub(super) struct JobSlot<J> {
    /// The job to run next; none if no job is wanted.
    pub(super) wanted: Option<J>,
    /// The job that was started and whose result has not arrived yet.
    pub(super) running: Option<J>,
}

impl<J> Default for JobSlot<J> {
    fn default() -> Self {
        Self { wanted: None, running: None }
    }
}

impl<J: Clone> JobSlot<J> {
    /// Takes the job to start now and marks it as running; none if a job is running already or none is wanted.
    pub(super) fn next(&mut self) -> Option<J> {
        if self.running.is_some() {
            return None;
        }
        self.running = self.wanted.take();
        self.running.clone()
    }
}
