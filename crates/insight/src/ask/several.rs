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
    /// The number of the trace's sources: its workers in the answer, or 1 without [`Ask::each_worker`].
    sources: usize,
}

/// One side of a comparison: a trace, or one of its workers.
struct Source {
    /// The index of the source's trace in `Several::traces`.
    trace: usize,
    /// The name of the source's first worker; empty if the worker has no name.
    worker: String,
}

/// A table of one view, before it is joined with those of other sources.
struct Part {
    /// The index in `Several::sources` of the table's source, or of the first of several.
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
    /// The error of the last added trace without the lanes asked for; `None` if no trace lacks them.
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

    /// The number of sides of the comparison so far: workers, or traces without [`Ask::each_worker`].
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Adds the answer about a trace.
    ///
    /// # Errors
    /// As [`Ask::answer`].
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

    /// Joins the tables of each view, arranges the rows, and returns each result with its scope as JSON.
    /// `compared` is the id of the column to show side by side, `None` for the view's choice.
    ///
    /// # Errors
    /// When no trace has the rank and lanes asked for, there is only one side but `compared` is given, or the
    /// only view cannot be compared by it, or when joined lacks the column to sort or filter by.
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

    /// The title of a source's trace; `titles` has the titles of all sources.
    fn trace_title(&self, source: usize, titles: &[String]) -> String {
        let Added { name, sources } = &self.traces[self.sources[source].trace];
        if *sources > 1 { name.or(safe) } else { titles[source].clone() }
    }

    /// The titles of all sources, in their order: the workers' names if all differ, else made of the names of
    /// traces or files, else with whole paths for the files' names.
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

/// Joins the tables of one view to one table; `None` if nothing can be joined. `wanted` is the id of the
/// column to show side by side.
///
/// # Errors
/// When the view is the only one (`is_only`) and cannot be compared by the column `wanted`.
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
