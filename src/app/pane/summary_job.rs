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

/// The job of making the table of a summary: the trace, the view, its grouping and flame, the scope, and how
/// the rows are to be arranged.
#[derive(Clone, Debug)]
pub struct SummaryJob {
    pub(crate) session: Arc<Session>,
    /// Index of the view in [`VIEWS`].
    pub(crate) view: usize,
    /// Index of the grouping in the view's `groupings`; none for rows by name.
    pub(crate) grouping: Option<usize>,
    /// What the flame is to show, if the view is the one of flames; else the default.
    pub(crate) flame: flame::Choice,
    pub(crate) scope: Scope,
    /// True if the scope is a stretch that the user marked: the headline of the view `names` then says how
    /// long it is and how busy devices were in it.
    pub(crate) is_stretch: bool,
    /// The arguments of events that were read before, none if none were. The job reads what the grouping
    /// needs beyond them, or all that it needs if they are not about all of the scope.
    pub(crate) known: Option<Known>,
    /// How the rows are to be arranged.
    pub(crate) choice: RowChoice,
    /// The name of the top-level row that has the focus, or in which the focused row is nested, if the table
    /// is to replace one of another grouping; else none, also if a note has the focus.
    pub(crate) focused: Option<SafeText<'static>>,
}

impl SummaryJob {
    fn view(&self) -> &'static View {
        &VIEWS[self.view]
    }

    /// What is asked of the trace: the view's table in its grouping, with arguments read for the whole trace,
    /// unless that is too large, so that they suffice for other scopes.
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
        let rows = Rows::of(&table, &self.choice);
        let focused = self.focused.as_ref();
        let lines_of_focused = focused.map_or(Vec::new(), |name| rows.lines_named(&table, name));
        Summary { table: shared(table), rows, lines_of_focused, failure, job: self }
    }
}

impl Run for SummaryJob {
    type Done = Summary;

    /// The estimated time, ns: 1 µs (measured: 0.3 to 1.5) for each slice, lane, instant, memory event, link
    /// and flow of the trace, whatever the scope, as some summaries visit all of them. The largest number if
    /// arguments are to be read, and for the verdict, for which the first screen does not wait.
    fn cost(&self) -> u64 {
        let trace = &self.session.trace;
        let links = trace.links.len() + trace.flows.len();
        let things =
            trace.slices.len() + trace.lanes.len() + trace.instants.len() + trace.memory.len() + links;
        if self.reads() || self.view().is_verdict { u64::MAX } else { 1_000 * things as u64 }
    }

    /// Computes the summary's table and arranges its rows; takes long for a large trace. If the arguments
    /// that the grouping needs are not known, reads the trace's files for them, and may block for as long as
    /// the disk does; if that fails, the table is by name.
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

/// The result of a [`SummaryJob`]: the job itself and the table.
#[derive(Debug)]
pub struct Summary {
    /// The job, with the arguments that were read by it or before; with none if its reading failed.
    pub(crate) job: SummaryJob,
    pub(crate) table: SharedTable,
    /// The rows of the table as the job's choice arranges them.
    pub(crate) rows: Rows,
    /// The lines of the top-level rows named as the one that had the focus (`job.focused`); empty if that is
    /// none.
    pub(crate) lines_of_focused: Vec<usize>,
    /// Why the table is by name although the job was for a grouping; none if the table is what the job was
    /// for.
    pub(crate) failure: Option<String>,
}
