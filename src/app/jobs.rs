//! Jobs, which take too long for the thread that draws: making a summary of a large trace, reading an event again from its file.
//!
//! A job holds all its inputs, and the result holds the job, so that an outdated result can be recognized. Must not
//! know threads: whoever runs the explorer runs a job on any thread and sends the result back as a message.

use std::sync::Arc;

use crate::analysis::{Arguments, Needs, Scope, Table, VIEWS};
use crate::import::{EventText, Texts, VisitError};
use crate::model::{Origin, Trace};

use super::session::{Selection, Session};

/// The job of making a summary: the trace, the view and its grouping, and the scope.
#[derive(Clone, Debug)]
pub struct SummaryJob {
    pub(super) session: Arc<Session>,
    /// Index of the view in [`VIEWS`].
    pub(super) view: usize,
    /// Index of the grouping in the view's `groupings`; none for rows by name.
    pub(super) grouping: Option<usize>,
    pub(super) scope: Scope,
    /// Arguments of events that were read before, as far as they are those that the grouping needs; none if they are to be read.
    pub(super) known: Option<KnownArguments>,
}

impl SummaryJob {
    /// Computes the summary's table; takes long for a large trace. Reads the trace's files, and may block for as long as the disk
    /// does, if the job is for a grouping and the arguments of events are not known.
    pub fn run(mut self) -> Summary {
        let view = &VIEWS[self.view];
        let (trace, texts) = (&self.session.trace, &self.session.texts);
        let by_name = || view.table(trace, &self.scope);
        let Some(grouping) = self.grouping.and_then(|at| view.groupings.get(at)) else {
            return Summary { table: by_name(), failure: None, job: self };
        };
        let known = match self.known.take() {
            Some(known) => Ok(known),
            None => KnownArguments::read(trace, texts, &self.scope, grouping.needs),
        };
        match known {
            Ok(known) => {
                let table = view.table_by(grouping, trace, &self.scope, &known.arguments);
                self.known = Some(known);
                Summary { table, failure: None, job: self }
            }
            Err(error) => Summary { table: by_name(), failure: Some(error.to_string()), job: self },
        }
    }
}

/// Arguments of events that were read from the files, and which.
#[derive(Clone, Debug)]
pub(super) struct KnownArguments {
    needs: Needs,
    scope: Scope,
    arguments: Arc<Arguments>,
}

impl KnownArguments {
    fn read(trace: &Trace, texts: &Texts, scope: &Scope, needs: Needs) -> Result<Self, VisitError> {
        let arguments = Arc::new(Arguments::read(trace, texts, scope, needs)?);
        Ok(Self { needs, scope: scope.clone(), arguments })
    }

    /// True if these are all that is needed for a table about `scope`.
    pub(super) fn suffice(&self, needs: Needs, scope: &Scope) -> bool {
        self.needs.covers(needs) && self.scope.contains(scope)
    }
}

/// The result of a [`SummaryJob`]: the job itself and the table.
#[derive(Debug)]
pub struct Summary {
    /// The job, with the arguments that it read.
    pub(super) job: SummaryJob,
    pub(super) table: Table,
    /// Why the table is by name although the job was for a grouping; none if the table is what the job was for.
    pub(super) failure: Option<String>,
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
