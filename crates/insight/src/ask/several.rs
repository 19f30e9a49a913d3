//! One answer about several traces or ranks: the tables of each, joined to one table per view.
//!
//! Who asks loads the traces, one after the other, and may free each once its answer was added. Must not know
//! how traces are loaded.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use proftui_base::text::SafeText;
use proftui_trace::import::Loaded;

use crate::analysis::table::compare::{self, NamedTable};
use crate::analysis::{Table, View};
use crate::report;

use super::error::AskError;
use super::request::{AnswerTable, Ask};

/// What a trace is called in an answer about several traces.
#[derive(Clone, Debug)]
pub struct TraceName {
    /// The path of the first of the trace's files.
    pub path: PathBuf,
    /// The trace's name among the several traces of a directory; `None` for any other trace.
    pub name: Option<String>,
}

/// A trace whose answer was added to [`Several`].
struct Added {
    name: TraceName,
    /// Number of the trace's sources: its workers that the request is about, or 1 if workers have no tables
    /// of their own.
    sources: usize,
}

/// One side of a comparison: one worker of a trace, or all that the request is about if workers have no
/// tables of their own.
struct Source {
    /// The index of the source's trace in `Several::traces`.
    trace: usize,
    /// The name of the worker, or of the first worker if the source is several; empty if the worker has no
    /// name.
    worker: String,
}

/// A table of one view, before it is joined with those of other sources.
struct Part {
    /// The index of the table's source in `Several::sources`; of a table about all workers of a trace, that
    /// of the trace's first source.
    source: usize,
    table: Table,
    /// The scope of the table, as JSON.
    scope: Json,
}

/// The answers about several traces to one request, before they are joined.
pub struct Several<'a> {
    ask: &'a Ask,
    traces: Vec<Added>,
    sources: Vec<Source>,
    /// For each view of the request, its tables so far.
    tables: Vec<Vec<Part>>,
    /// The names of all workers of all traces so far, whether or not the request is about them.
    workers: Vec<String>,
    /// Why the last added trace that lacks the lanes asked for has nothing of the part; `None` if no trace
    /// lacks them.
    missing: Option<AskError>,
    /// True once a trace was added that has the rank and the lanes asked for.
    has_part: bool,
}

impl<'a> Several<'a> {
    /// Starts without an answer to `ask`.
    pub fn new(ask: &'a Ask) -> Self {
        Self {
            ask,
            traces: Vec::new(),
            sources: Vec::new(),
            tables: ask.views.iter().map(|_| Vec::new()).collect(),
            workers: Vec::new(),
            missing: None,
            has_part: false,
        }
    }

    /// The number of sources so far: of workers if each has a table of its own, else of traces. A trace
    /// without the rank asked for has none.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Adds the answer about a trace: per view a table for each worker asked for, or one about all of them,
    /// if the request has no table per worker or the view cannot be compared by columns. Of a trace without
    /// the rank asked for, it notes only the names of its workers.
    ///
    /// # Errors
    /// When the trace lacks the steps that are asked for, by number or after the warm-up, or its files cannot
    /// be read again for a grouping.
    pub fn add(&mut self, loaded: &Loaded, name: TraceName) -> Result<(), AskError> {
        let trace = &loaded.trace;
        let answer = self.ask.answer(loaded, self.workers.len())?;
        self.workers.extend(trace.meta.workers.iter().cloned());
        if answer.workers.is_empty() {
            return Ok(());
        }
        match answer.missing {
            Some(why) => self.missing = Some(why),
            None => self.has_part = true,
        }
        for AnswerTable { view, worker, table, scope } in answer.tables {
            let scope = report::json::scope(&scope, trace);
            self.tables[view].push(Part { source: self.sources.len() + worker, table, scope });
        }
        let each = if self.ask.each_worker { &answer.workers[..] } else { &answer.workers[..1] };
        self.sources.extend(each.iter().map(|&worker| Source {
            trace: self.traces.len(),
            worker: trace.meta.workers.get(worker).cloned().unwrap_or_default(),
        }));
        self.traces.push(Added { name, sources: each.len() });
        Ok(())
    }

    /// Joins the tables of each view, if there are several, to one, and arranges their rows as the request
    /// asks; returns each table with its scope as JSON. Of a view that can be compared, the column with the
    /// id `compared` stands side by side for each source (the view's own choice for `None`, and where one of
    /// several views lacks the column), and there is no table if nothing can be compared; the rows of other
    /// views stand below each other.
    ///
    /// # Errors
    /// When no trace has the rank or the lanes asked for, when `compared` is given for one source only, and
    /// when the only view that was asked for cannot be compared by `compared`, or lacks the column by which
    /// it is to be sorted or filtered.
    pub fn joined(mut self, compared: Option<&str>) -> Result<Vec<(Table, Json)>, AskError> {
        if self.sources.is_empty() {
            return Err(self.ask.within.no_rank(&self.workers));
        }
        if let Some(why) = self.missing.take().filter(|_| !self.has_part) {
            return Err(why);
        }
        if self.sources.len() == 1 && compared.is_some() {
            return Err(AskError::OnlyOne);
        }
        let only_view = self.ask.only_view();
        let titles = self.titles();
        let mut found: Vec<(Table, Json)> = Vec::new();
        for (view, mut tables) in self.ask.views.iter().zip(std::mem::take(&mut self.tables)) {
            if tables.len() == 1 {
                found.extend(tables.pop().map(|part| (part.table, part.scope)));
                continue;
            }
            let title = |source: usize| match view.compared {
                [] => self.trace_title(source, &titles),
                _ => titles[source].clone(),
            };
            let named =
                |part: Part| (NamedTable { title: title(part.source), table: part.table }, part.scope);
            let (parts, scopes): (Vec<NamedTable>, Vec<Json>) = tables.into_iter().map(named).unzip();
            let scope = report::json::scopes(parts.iter().map(|part| part.title.as_str()).zip(&scopes));
            let joined = joined(view, &parts, compared, only_view.is_some())?;
            found.extend(joined.map(|table| (table, scope)));
        }
        self.ask.arrangement.apply(found.iter_mut().map(|(table, _)| table), only_view)?;
        Ok(found)
    }

    /// The title of a source's trace: if the trace has several sources, its name, or without one its path;
    /// else the title of the source in `titles`, which has those of all sources.
    fn trace_title(&self, source: usize, titles: &[String]) -> String {
        let Added { name, sources } = &self.traces[self.sources[source].trace];
        if *sources > 1 { name.or(safe) } else { titles[source].clone() }
    }

    /// The titles of all sources, in their order: the names of their workers if no two are equal; else those
    /// of their traces (without a name, of the file), each with the worker's name behind it if the trace has
    /// several sources; if two of these are equal, too, with the paths instead of the files.
    fn titles(&self) -> Vec<String> {
        let by = |path: &dyn Fn(&Path) -> String| -> Vec<String> {
            let title = |source: &Source| {
                let Added { name, sources } = &self.traces[source.trace];
                let name = name.or(path);
                if *sources > 1 { format!("{name} · {}", source.worker) } else { name }
            };
            self.sources.iter().map(title).collect()
        };
        let workers: Vec<String> = self.sources.iter().map(|source| source.worker.clone()).collect();
        let file = |path: &Path| path.file_name().map_or_else(|| safe(path), |name| safe(Path::new(name)));
        let differ = |titles: &Vec<String>| {
            let mut seen = HashSet::new();
            titles.iter().all(|title| seen.insert(title))
        };
        [workers, by(&file)].into_iter().find(differ).unwrap_or_else(|| by(&safe))
    }
}

impl TraceName {
    /// The trace's name, or without one what `shown` makes of the path.
    fn or(&self, shown: impl Fn(&Path) -> String) -> String {
        self.name.clone().unwrap_or_else(|| shown(&self.path))
    }
}

/// The path as text that is safe to show.
fn safe(path: &Path) -> String {
    SafeText::new(&path.to_string_lossy()).to_string()
}

/// Joins the tables of one view to one table. The rows of a view that cannot be compared stand below each
/// other. Otherwise the column with the id `wanted` stands side by side, or, without it or where no table has
/// it, one of the view's choice; `None` where no table has that.
///
/// # Errors
/// When `wanted` is given and the view is the only one (`is_only`), but cannot be compared, or no table has
/// that column with numbers.
fn joined(
    view: &View,
    parts: &[NamedTable],
    wanted: Option<&str>,
    is_only: bool,
) -> Result<Option<Table>, AskError> {
    if view.compared.is_empty() {
        return match wanted.filter(|_| is_only) {
            Some(_) => Err(AskError::NotCompared { view: view.name.to_owned() }),
            None => Ok(compare::stacked(parts)),
        };
    }
    let numbers = || parts.iter().flat_map(|part| compare::number_columns(&part.table));
    let known = wanted.filter(|id| numbers().any(|column| column.id == **id));
    if let (None, Some(column), true) = (known, wanted, is_only) {
        let of_first = parts.iter().take(1).flat_map(|part| compare::number_columns(&part.table));
        let ids: Vec<&str> = of_first.map(|column| column.id.as_ref()).collect();
        let (view, column) = (view.name.to_owned(), column.to_owned());
        return Err(AskError::NoNumbers { view, column, known: ids.join(", ") });
    }
    let id = known.or_else(|| compare::comparable_column(parts, view.compared));
    Ok(id.and_then(|id| compare::side_by_side(parts, id)))
}
