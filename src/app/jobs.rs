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
    /// All arguments of events that were read before; those that the grouping needs beside them are to be read.
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
        match KnownArguments::read(trace, texts, &self.scope, grouping.needs, self.known.take()) {
            Ok(known) => {
                let table = view.table_by(grouping, trace, &self.scope, &known.arguments);
                self.known = Some(known);
                Summary { table, failure: None, job: self }
            }
            Err(error) => Summary { table: by_name(), failure: Some(error.to_string()), job: self },
        }
    }
}

/// The most slices of a trace whose arguments are read and kept for the whole trace, so that no other scope needs another reading.
/// Each kind of argument takes up to about 50 bytes per operator or kernel, so all of them some hundred MB. Of a larger trace only
/// the scope last asked for is kept.
const WHOLE: usize = 5_000_000;

/// Arguments of events that were read from the files, and which.
#[derive(Clone, Debug)]
pub(super) struct KnownArguments {
    needs: Needs,
    scope: Scope,
    arguments: Arguments,
}

impl KnownArguments {
    /// Reads what `known` lacks for a table about `scope`: for the whole trace, unless that is too large, and beside what is known of
    /// the same scope.
    fn read(
        trace: &Trace,
        texts: &Texts,
        scope: &Scope,
        needs: Needs,
        known: Option<Self>,
    ) -> Result<Self, VisitError> {
        let scope = if trace.slices.len() <= WHOLE { Scope::default() } else { scope.clone() };
        Self::read_within(trace, texts, scope, needs, known)
    }

    /// Reads what `known` lacks for a table about `scope`. `known` stays where it is about all of `scope`, and is dropped otherwise.
    fn read_within(
        trace: &Trace,
        texts: &Texts,
        scope: Scope,
        needs: Needs,
        known: Option<Self>,
    ) -> Result<Self, VisitError> {
        let known = known.filter(|known| known.scope.contains(&scope));
        let nothing = Self { needs: Needs::NOTHING, scope, arguments: Arguments::default() };
        let Self { needs: before, scope, arguments } = known.unwrap_or(nothing);
        let arguments = arguments.and_read(trace, texts, &scope, needs.without(before))?;
        Ok(Self { needs: before.and(needs), scope, arguments })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Span;
    use crate::import::{Progress, Request, load_bytes};

    #[test]
    fn of_a_trace_that_is_too_large_the_scope_is_kept() {
        let event = r#"[{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":0,"dur":5}]"#;
        let loaded = load_bytes(event.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let (trace, texts) = (&loaded.trace, &loaded.texts);
        let scope = |start, end| Scope { span: Some(Span { start, end }), ..Scope::default() };
        let shapes = Needs { shapes: true, ..Needs::NOTHING };
        let configs = Needs { launch_configs: true, ..Needs::NOTHING };
        let within = |start, end, needs, known| {
            KnownArguments::read_within(trace, texts, scope(start, end), needs, known).expect("reads")
        };
        let first = within(0, 100, shapes, None);
        assert!(!first.suffice(shapes, &Scope::default()) && !first.suffice(configs, &scope(0, 100)));
        // Another kind joins those of the same scope; those of another scope are dropped.
        let both = within(10, 50, configs, Some(first));
        assert!(both.suffice(shapes.and(configs), &scope(0, 100)));
        let other = within(50, 200, configs, Some(both));
        assert!(other.suffice(configs, &scope(50, 200)) && !other.suffice(shapes, &scope(50, 100)));
        // A small trace is read whole.
        let whole = KnownArguments::read(trace, texts, &scope(0, 1), shapes, None).expect("reads");
        assert!(whole.suffice(shapes, &Scope::default()));
    }
}
