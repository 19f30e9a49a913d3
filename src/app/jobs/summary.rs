//! The job of making a summary's table, which may read the arguments of events from the files.
//!
//! Must not know how a table is shown.

use std::sync::Arc;

use proftui_base::dispose::Disposed;
use proftui_base::text::SafeText;
use proftui_insight::analysis::ledger::stretch;
use proftui_insight::analysis::views::{names, verdict};
use proftui_insight::analysis::{Arguments, Needs, Scope, Table, VIEWS, flame, views};
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::Trace;

use super::super::rows::{RowChoice, Rows};
use super::super::run::Run;
use super::super::session::Session;
use super::super::table_pane::{SharedTable, shared};

/// The job of making a summary: the trace, the view and its grouping, and the scope.
#[derive(Clone, Debug)]
pub struct SummaryJob {
    pub(in crate::app) session: Arc<Session>,
    /// Index of the view in [`VIEWS`].
    pub(in crate::app) view: usize,
    /// Index of the grouping in the view's `groupings`; none for rows by name.
    pub(in crate::app) grouping: Option<usize>,
    /// The flame, if the view is of flames; else the default.
    pub(in crate::app) flame: flame::Choice,
    pub(in crate::app) scope: Scope,
    /// True if the scope is a stretch that the user marked: the table of names then begins with what devices did in it.
    pub(in crate::app) is_stretch: bool,
    /// All arguments of events that were read before; those that the grouping needs beside them are to be read.
    pub(in crate::app) known: Option<KnownArguments>,
    /// How the rows are to be arranged.
    pub(in crate::app) choice: RowChoice,
    /// The name of the row that has the focus, if the table is to replace one of another grouping.
    pub(in crate::app) focused: Option<SafeText<'static>>,
}

impl SummaryJob {
    /// The arguments that the table needs.
    fn needs(&self) -> Needs {
        self.grouping.map_or(Needs::NOTHING, |at| VIEWS[self.view].groupings[at].needs)
    }

    /// True if the arguments that the table needs are yet to be read.
    pub(in crate::app) fn reads(&self) -> bool {
        let needs = self.needs();
        let suffice = |known: &KnownArguments| known.suffice(needs, &self.scope);
        needs != Needs::NOTHING && !self.known.as_ref().is_some_and(suffice)
    }
}

impl SummaryJob {
    fn done(self, mut table: Table, failure: Option<String>) -> Summary {
        if self.is_stretch && table.view == names::VIEW {
            table.headline = stretch::headline(&self.session.trace, &self.session.ledger, &self.scope);
        }
        let rows = Rows::of(&table, &self.choice);
        let focused = self.focused.as_ref();
        let lines_of_focused = focused.map_or(Vec::new(), |name| rows.lines_named(&table, name));
        Summary { table: shared(table), rows, lines_of_focused, failure, job: self }
    }
}

impl Run for SummaryJob {
    type Done = Summary;

    /// Summaries take from 0.3 to 1.5 µs for each thing that the trace has, whatever the scope: some visit all of them for any. The verdict
    /// is never made at once: the first screen does not wait for it.
    fn cost(&self) -> u64 {
        let trace = &self.session.trace;
        let links = trace.links.len() + trace.flows.len();
        let things =
            trace.slices.len() + trace.lanes.len() + trace.instants.len() + trace.memory.len() + links;
        if self.reads() || VIEWS[self.view].name == verdict::VIEW { u64::MAX } else { 1_000 * things as u64 }
    }

    /// Computes the summary's table and arranges its rows; takes long for a large trace. Reads the trace's files, and may block for as long as the disk
    /// does, if the job is for a grouping and the arguments of events are not known.
    fn run(mut self) -> Summary {
        let view = &VIEWS[self.view];
        let (trace, texts) = (&self.session.trace, &self.session.texts);
        if view.name == views::flame::VIEW {
            let table = view.flame(trace, &self.scope, self.flame);
            return self.done(table, None);
        }
        let by_name = || view.table_from(trace, &self.session.ledger, &self.scope);
        let Some(grouping) = self.grouping.and_then(|at| view.groupings.get(at)) else {
            let table = by_name();
            return self.done(table, None);
        };
        match KnownArguments::read(trace, texts, &self.scope, grouping.needs, self.known.take()) {
            Ok(known) => {
                let table =
                    view.table_by(grouping, trace, Some(&self.session.ledger), &self.scope, &known.arguments);
                self.known = Some(known);
                self.done(table, None)
            }
            Err(error) => {
                let table = by_name();
                self.done(table, Some(error.to_string()))
            }
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let key = |job: &Self| (Arc::as_ptr(&job.session), job.view, job.grouping);
        let is_same = self.is_stretch == other.is_stretch && self.flame == other.flame;
        key(self) == key(other) && self.scope == other.scope && is_same
    }
}

/// The most slices of a trace whose arguments are read and kept for the whole trace, so that no other scope needs another reading.
/// Each kind of argument takes up to about 50 bytes per operator or kernel, so all of them some hundred MB. Of a larger trace only
/// the scope last asked for is kept.
const WHOLE: usize = 5_000_000;

/// Arguments of fewer slices are freed on the thread that drops them.
const MANY: usize = 10_000;

/// Arguments of events that were read from the files, and which.
#[derive(Clone, Debug)]
pub(in crate::app) struct KnownArguments {
    needs: Needs,
    scope: Scope,
    arguments: Arc<Disposed<Arguments>>,
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
        let nothing = Self { needs: Needs::NOTHING, scope, arguments: Arc::default() };
        let Self { needs: before, scope, arguments } = known.unwrap_or(nothing);
        let arguments = Arguments::clone(&arguments).and_read(trace, texts, &scope, needs.without(before))?;
        let is_large = trace.slices.len() >= MANY;
        Ok(Self { needs: before.and(needs), scope, arguments: Arc::new(Disposed::new(arguments, is_large)) })
    }

    /// True if these are all that is needed for a table about `scope`.
    pub(in crate::app) fn suffice(&self, needs: Needs, scope: &Scope) -> bool {
        self.needs.covers(needs) && self.scope.contains(scope)
    }
}

/// The result of a [`SummaryJob`]: the job itself and the table.
#[derive(Debug)]
pub struct Summary {
    /// The job, with the arguments that it read.
    pub(in crate::app) job: SummaryJob,
    pub(in crate::app) table: SharedTable,
    /// The rows of the table as the job's choice arranges them.
    pub(in crate::app) rows: Rows,
    /// The lines of the rows with the name that had the focus.
    pub(in crate::app) lines_of_focused: Vec<usize>,
    /// Why the table is by name although the job was for a grouping; none if the table is what the job was for.
    pub(in crate::app) failure: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_base::time::Span;
    use proftui_trace::import::{Progress, Request, load_bytes};

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
