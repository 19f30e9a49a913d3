//! A request about one trace, and its answer: which table a view has for a part, a grouping or a flame, and
//! which arguments of events are read for it.
//!
//! Must not know how tables are shown, nor other traces.

use std::ops::Range;

use rayon::prelude::*;

use proftui_base::cancel;
use proftui_trace::import::{Loaded, Texts, VisitError};
use proftui_trace::model::{Trace, WorkerId};

use crate::analysis::flame::Choice;
use crate::analysis::insights::{Insights, insights};
use crate::analysis::ledger::Ledger;
use crate::analysis::views::{idle_causes, outside};
use crate::analysis::{Arguments, Grouping, Needs, Scope, Table, VIEWS, View};

use super::arrange::Arrangement;
use super::error::AskError;
use super::known::Known;
use super::within::{Time, Within};

/// What is asked of a trace: views, a part, groupings, limits, findings. [`Several`](super::Several) asks the
/// same of several traces.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked for or not, whatever the others are")]
pub struct Ask {
    /// The views of which tables are wanted.
    pub views: Vec<&'static View>,
    /// The part of the trace that the answer is about.
    pub within: Within,
    /// True if views that can be compared (`View::compared`) have one table per worker, rather than one for
    /// all workers.
    pub each_worker: bool,
    /// The groupings of rows that are wanted, each with its view.
    pub groupings: Vec<(&'static View, &'static Grouping)>,
    /// By how many of the innermost frames of Python stacks rows are grouped; 0 for the grouping's own
    /// number.
    pub frames: usize,
    /// Which flame is made for a view of flames; other views ignore it.
    pub flame: Choice,
    /// True if views also get the columns or rows that need the arguments of events (see
    /// `View::starts_grouped`).
    pub has_more: bool,
    /// True if arguments of events are usually read for the whole trace, so that another part needs no second
    /// reading.
    pub reads_whole: bool,
    /// True if the part is a stretch of time that the user marked; some tables then have a sentence on it
    /// (`View::of_stretch`).
    pub is_stretch: bool,
    /// The number of rows that are enough: views that have a shorter table (`View::brief`) then make that
    /// one, which may have more rows. `None` for whole tables.
    pub brief: Option<usize>,
    /// True if findings are wanted: why devices were idle, and what would save the most time.
    pub has_findings: bool,
    /// Which rows of the tables are kept, in which order, and how many; [`Self::answer`] ignores it.
    pub arrangement: Arrangement,
}

/// The answer of one trace to an [`Ask`]: tables and findings.
#[derive(Debug, Default)]
pub struct Answer {
    /// The numbers of the trace's workers that have the rank asked for, empty if it lacks the rank; all
    /// workers if none is asked for.
    pub workers: Vec<WorkerId>,
    /// The error for a trace without the rank or the lanes asked for; else `None`.
    pub missing: Option<AskError>,
    /// The tables, by view, then by worker.
    pub tables: Vec<AnswerTable>,
    /// The findings; `None` if none were wanted or the trace lacks the rank asked for.
    pub findings: Option<Findings>,
}

/// A table of an answer.
#[derive(Debug)]
pub struct AnswerTable {
    /// The index of the view in the request's `views`.
    pub view: usize,
    /// The index of the worker in the answer's `workers`; 0 for a table of all workers.
    pub worker: usize,
    /// The table; [`Ask::of`] arranges its rows, [`Ask::answer`] does not.
    pub table: Table,
    /// The scope that the table is about (see `View::scope`).
    pub scope: Scope,
}

/// The findings about a part, and the idle time of its devices.
#[derive(Debug)]
pub struct Findings {
    /// The verdict, the findings, and the rules that abstained, each with the reason.
    pub insights: Insights,
    /// The idle time of each device by cause.
    pub causes: Table,
}

impl Ask {
    /// Asks for the table of the view with this name or alias, of the whole trace; in the view's first
    /// grouping if `View::starts_grouped` is true.
    ///
    /// # Errors
    /// [`AskError::NoView`] if no view has the name.
    pub fn view(name: &str) -> Result<Self, AskError> {
        let view = View::named(name).ok_or_else(|| AskError::NoView { name: name.to_owned() })?;
        Ok(Self { views: vec![view], has_more: true, ..Self::default() })
    }

    /// Asks for the tables of all views, of the whole trace.
    pub fn everything() -> Self {
        Self { views: VIEWS.iter().collect(), ..Self::default() }
    }

    /// Asks for findings alone, of the whole trace.
    pub fn findings() -> Self {
        Self { has_findings: true, ..Self::default() }
    }

    /// The same request, about the steps with these numbers.
    #[must_use]
    pub fn steps(mut self, steps: Range<u64>) -> Self {
        self.within.time = Time::Steps(steps);
        self
    }

    /// The same request, about exactly this scope.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.within.time = Time::Scope(scope);
        self
    }

    /// The same request, with the rows of `view` in `grouping`, which must be one of the view's groupings; a
    /// view of flames ignores it.
    #[must_use]
    pub fn grouped(mut self, view: &'static View, grouping: &'static Grouping) -> Self {
        self.groupings.push((view, grouping));
        self
    }

    /// The same request, with rows sorted by the column with the id `column`, largest value first, or with
    /// `:asc` appended smallest first.
    #[must_use]
    pub fn sorted_by(mut self, column: &str) -> Self {
        self.arrangement.sorted_by = Some(column.to_owned());
        self
    }

    /// The same request, with at most `most` top-level rows per table.
    #[must_use]
    pub fn rows(mut self, most: usize) -> Self {
        self.arrangement.rows = Some(most);
        self
    }

    /// Answers the request about one trace, with the rows of tables arranged.
    ///
    /// # Errors
    /// As [`Self::answer`], when the trace lacks the rank or lanes asked for, or when the only view asked for
    /// lacks the column to sort or filter by.
    pub fn of(&self, loaded: &Loaded) -> Result<Answer, AskError> {
        let mut answer = self.answer(loaded, 0)?;
        if let Some(missing) = answer.missing.take() {
            return Err(missing);
        }
        self.arrangement.apply(answer.tables.iter_mut().map(|made| &mut made.table), self.only_view())?;
        Ok(answer)
    }

    /// Answers the request about one of several traces, before tables are joined and arranged. The traces
    /// before it have `before` workers.
    ///
    /// # Errors
    /// When the trace, or with [`Self::each_worker`] one of its workers, lacks the steps asked for, or the
    /// files cannot be read again for a grouping asked for.
    pub fn answer(&self, loaded: &Loaded, before: usize) -> Result<Answer, AskError> {
        let Loaded { trace, texts } = loaded;
        let workers = self.within.workers(trace, before);
        if workers.is_empty() {
            let missing = Some(self.within.no_rank(&trace.meta.workers));
            return Ok(Answer { missing, ..Answer::default() });
        }
        let whole = self.within.of_workers(trace, &workers)?;
        let missing = self.within.no_lane(trace, &whole);
        let each: Vec<Scope> = if self.each_worker && workers.len() > 1 {
            let of_one = |worker: &WorkerId| self.within.of_workers(trace, std::slice::from_ref(worker));
            workers.iter().map(of_one).collect::<Result<_, _>>()?
        } else {
            vec![whole.clone()]
        };
        let is_grouped = self.views.iter().any(|view| self.grouping(view).is_some());
        let (known, lacks) = match is_grouped.then(|| self.read(trace, texts, &whole, None)).transpose() {
            Ok(known) => (known, None),
            Err(why) if self.groupings.is_empty() => (None, Some(why.to_string())),
            Err(why) => return Err(why.into()),
        };
        let wanted: Vec<(usize, usize, &Scope)> = self
            .views
            .iter()
            .enumerate()
            .flat_map(|(at, view)| {
                let scopes = if view.compared.is_empty() { std::slice::from_ref(&whole) } else { &each[..] };
                scopes.iter().enumerate().map(move |(worker, scope)| (at, worker, scope))
            })
            .collect();
        if wanted.len() > 1 {
            // Several views would make it at the same time.
            Ledger::of(trace);
        }
        let token = cancel::current();
        let make = |&(at, worker, scope): &(usize, usize, &Scope)| {
            let view = self.views[at];
            let mut table = cancel::under(&token, || self.table(view, trace, scope, known.as_ref()));
            if let Some(why) = lacks.as_ref().filter(|_| self.grouping(view).is_some()) {
                table.notes.push(format!("What needs the arguments of events is left out: {why}."));
            }
            table.notes.extend(self.within.warm_up(trace, scope));
            if each.len() > 1 && !view.compared.is_empty() {
                table.charts = Vec::new();
            }
            AnswerTable { view: at, worker, table, scope: view.scope(trace, scope) }
        };
        let tables = wanted.par_iter().map(make).collect();
        let findings = self.has_findings.then(|| Findings::of(trace, texts, &whole));
        Ok(Answer { workers, missing, tables, findings })
    }

    /// The name of the only view that is wanted; `None` where several are, or none is.
    pub fn only_view(&self) -> Option<&'static str> {
        match self.views[..] {
            [one] => Some(one.name),
            _ => None,
        }
    }

    /// The grouping of a view's rows that the request wants; `None` for the view's own table.
    pub fn grouping(&self, view: &View) -> Option<&'static Grouping> {
        let asked = self.groupings.iter().find(|(of, _)| of.name == view.name).map(|(_, grouping)| *grouping);
        asked.or_else(|| view.groupings.first().filter(|_| self.has_more && view.starts_grouped))
    }

    /// The kinds of arguments of events that the wanted tables need.
    pub fn needs(&self) -> Needs {
        let needs = self.views.iter().filter_map(|view| self.grouping(view)).map(|grouping| grouping.needs);
        let needs = needs.fold(Needs::NOTHING, Needs::and);
        if self.frames > 0 && needs.stack > 0 { Needs { stack: self.frames, ..needs } } else { needs }
    }

    /// Returns at least the arguments of events that the tables about `scope` need, read from the files
    /// unless `known` has them.
    ///
    /// # Errors
    /// When a file cannot be read again.
    pub fn read(
        &self,
        trace: &Trace,
        texts: &Texts,
        scope: &Scope,
        known: Option<Known>,
    ) -> Result<Known, VisitError> {
        Known::read(trace, texts, scope, self.needs(), known, self.reads_whole)
    }

    /// The table of a view about a scope, its rows not arranged; grouped by arguments of events only if
    /// `known` is given.
    pub fn table(&self, view: &View, trace: &Trace, scope: &Scope, known: Option<&Known>) -> Table {
        let grouping = self.grouping(view);
        let mut table = match (grouping, known, self.brief) {
            _ if view.flame.is_some() => view.flame(trace, scope, self.flame),
            (Some(grouping), Some(known), _) => view.table_by(grouping, trace, scope, known.arguments()),
            (_, _, Some(count)) => view.brief(trace, scope, count),
            _ => view.table(trace, scope),
        };
        if let Some(of_stretch) = view.of_stretch.filter(|_| self.is_stretch) {
            table.headline = of_stretch(trace, scope);
        }
        table
    }
}

impl Findings {
    /// Makes the findings about a scope; one not limited in time loses start-up and teardown, as far as
    /// known. Reads the arguments of events that findings need from the files.
    fn of(trace: &Trace, texts: &Texts, scope: &Scope) -> Self {
        let scope = outside::without_start_up(trace, scope);
        let read = Arguments::of_findings(trace, texts, &scope);
        let insights = insights(trace, &scope, &read);
        Self { insights, causes: idle_causes::of_devices(trace, &scope) }
    }
}
