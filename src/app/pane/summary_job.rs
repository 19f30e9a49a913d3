//! The job of making a summary's table, which may read the arguments of events from the files.
//!
//! Must not know how a table is shown.

use std::sync::Arc;

use proftui_base::text::SafeText;
use proftui_insight::analysis::{Needs, Scope, Table, VIEWS, View, flame};
use proftui_insight::ask::{Ask, Known};

use super::rows::{RowChoice, Rows};
use super::table_pane::{SharedTable, shared};
use crate::app::run::Run;
use crate::app::session::Session;

/// The job of making the table of a summary.
#[derive(Clone, Debug)]
pub struct SummaryJob {
    pub(crate) session: Arc<Session>,
    /// Index of the view in [`VIEWS`].
    pub(crate) view: usize,
    /// Index of the grouping in the view's `groupings`; none for rows by name.
    pub(crate) grouping: Option<usize>,
    /// What the flame is to show; the default for a view without a flame.
    pub(crate) flame: flame::Choice,
    pub(crate) scope: Scope,
    /// True if the scope is a stretch that the user marked.
    pub(crate) is_stretch: bool,
    /// The arguments of events that were read before, if any.
    pub(crate) known: Option<Known>,
    /// How the rows are to be arranged.
    pub(crate) choice: RowChoice,
    /// If the grouping changes: the name of the top-level row with the focus, or around the focused row.
    pub(crate) focused: Option<SafeText<'static>>,
}

impl SummaryJob {
    fn view(&self) -> &'static View {
        &VIEWS[self.view]
    }

    /// The request for the view's table, in the job's grouping.
    fn ask(&self) -> Ask {
        let view = self.view();
        let grouping = self.grouping.and_then(|at| view.groupings.get(at));
        Ask {
            views: vec![view],
            groupings: grouping.map(|grouping| (view, grouping)).into_iter().collect(),
            flame: self.flame,
            is_stretch: self.is_stretch,
            reads_whole: true,
            ..Ask::default()
        }
    }

    /// True if the arguments that the table needs are yet to be read.
    pub(crate) fn reads(&self) -> bool {
        let needs = self.ask().needs();
        let suffice = |known: &Known| known.suffice(needs, &self.scope);
        needs != Needs::NOTHING && !self.known.as_ref().is_some_and(suffice)
    }

    fn done(self, table: Table, failure: Option<String>) -> Summary {
        let rows = Rows::of(&table, &self.choice, &self.session.short_names);
        let focused = self.focused.as_ref();
        let lines_of_focused = focused.map_or(Vec::new(), |name| rows.lines_named(&table, name));
        Summary { table: shared(table), rows, lines_of_focused, failure, job: self }
    }
}

impl Run for SummaryJob {
    type Done = Summary;

    /// The estimated time, ns, by the size of the trace; `u64::MAX` for a job that must not run on the thread
    /// that draws.
    fn cost(&self) -> u64 {
        let trace = &self.session.trace;
        let links = trace.links.len() + trace.flows.len();
        let things =
            trace.slices.len() + trace.lanes.len() + trace.instants.len() + trace.memory.len() + links;
        if self.reads() || self.view().is_verdict { u64::MAX } else { 1_000 * things as u64 }
    }

    /// Reads the arguments that the table lacks, makes the table and arranges its rows. If the reading fails,
    /// the table is the view's own, without a grouping.
    fn run(mut self) -> Summary {
        let (ask, session) = (self.ask(), Arc::clone(&self.session));
        let (trace, texts) = (&session.trace, &session.texts);
        let mut failure = None;
        if self.reads() {
            match ask.read(trace, texts, &self.scope, self.known.take()) {
                Ok(known) => self.known = Some(known),
                Err(error) => failure = Some(error.to_string()),
            }
        }
        let table = ask.table(self.view(), trace, &self.scope, self.known.as_ref());
        self.done(table, failure)
    }

    fn is_same(&self, other: &Self) -> bool {
        let key = |job: &Self| (Arc::as_ptr(&job.session), job.view, job.grouping);
        let is_same = self.is_stretch == other.is_stretch && self.flame == other.flame;
        key(self) == key(other) && self.scope == other.scope && is_same
    }
}

/// The result of a [`SummaryJob`].
#[derive(Debug)]
pub struct Summary {
    /// The job, with the arguments of events that were read by it or before; with none if its reading failed.
    pub(crate) job: SummaryJob,
    pub(crate) table: SharedTable,
    /// The rows of the table as the job's choice arranges them.
    pub(crate) rows: Rows,
    /// The lines of the top-level rows named `job.focused`; empty if that is none.
    pub(crate) lines_of_focused: Vec<usize>,
    /// Why the arguments that the table needs could not be read, if that failed.
    pub(crate) failure: Option<String>,
}
