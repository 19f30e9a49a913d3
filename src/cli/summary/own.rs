//! `proftui summary` in the layout `proftui`: tables of one trace, or of several ranks or traces side by
//! side.
//!
//! Unless `--merged` or `--cycle` is given, each path is loaded by itself, so its times count from its own
//! start, and is freed before the next path is loaded. A directory that has several traces counts as several
//! paths. Must not know how tables are joined.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::cli::load::{load_for_tables, traces};
use crate::cli::output::streams::Failure;
use proftui_base::text::SafeText;
use proftui_insight::analysis::table::compare::{self, NamedTable};
use proftui_insight::analysis::views::{grouping, kernel, operator};
use proftui_insight::analysis::{Grouping, Table, VIEWS, View};
use proftui_insight::ask::{AnswerTable, Arrangement, Ask};
use proftui_insight::report;
use proftui_trace::import::{Loaded, Request, TraceFiles};
use proftui_trace::model::WorkerId;

use super::common::{CommonArgs, GroupArgs};
use super::flame::{self, FlameArgs};
use super::layout::{Layout, LayoutOptions, or_exit};
use super::misuse::Misuse;
use super::output::{Scoped, write};

#[derive(Debug, clap::Args)]
pub(super) struct OwnArgs {
    /// Print one row per kernel and launch configuration (grid, block, registers, shared memory), with
    /// occupancy (layout proftui, view kernel)
    #[arg(long)]
    pub(super) group_by_launch: bool,
    /// Add up all given traces and ranks instead of comparing them in one column each (layout proftui)
    #[arg(long)]
    pub(super) merged: bool,
    /// Leave out tables without rows (layout proftui)
    #[arg(long)]
    pub(super) skip_empty: bool,
    /// Column to compare between several traces or ranks, such as calls or share (layout proftui; default:
    /// the time, if the table has one)
    #[arg(long, value_name = "COLUMN", conflicts_with = "merged")]
    pub(super) compare: Option<String>,
}

impl LayoutOptions for OwnArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui];
}

impl OwnArgs {
    /// The groupings that the options ask for, each with its view.
    fn groupings(&self, args: &CommonArgs) -> Vec<(&'static View, &'static Grouping)> {
        let GroupArgs { group_by_input_shape: by_shape, group_by_stack, .. } = *args.groups;
        let wanted = [
            (by_shape, operator::VIEW, grouping::INPUT_SHAPE),
            (group_by_stack.is_some_and(|frames| frames > 0), operator::VIEW, grouping::STACK),
            (self.group_by_launch, kernel::VIEW, grouping::LAUNCH),
        ];
        let asked = wanted.into_iter().filter(|(is_asked, ..)| *is_asked);
        let named = asked.filter_map(|(_, view, name)| {
            let view = View::named(view)?;
            Some((view, view.grouping(name)?))
        });
        named.collect()
    }

    /// What the options ask of each trace.
    fn ask(&self, args: &CommonArgs, flame: &FlameArgs) -> Ask {
        // With all views, a second pass over the files would cost more than the columns are worth.
        let is_one = !args.has_all_views();
        let is_plain = args.sorted_by.is_none() && !args.filter.filter().any();
        Ask {
            views: VIEWS.iter().filter(|view| args.has_view(view.name)).collect(),
            within: args.scope.within(),
            each_worker: !self.merged,
            groupings: self.groupings(args),
            frames: args.groups.group_by_stack.unwrap_or(0),
            flame: flame.choice(),
            has_more: is_one,
            brief: (is_brief(args) && is_plain).then_some(LISTED),
            arrangement: Arrangement {
                listed: is_brief(args).then_some(LISTED),
                least_share: flame::least_share(args),
                ..args.arrangement()
            },
            ..Ask::default()
        }
    }
}

/// Number of rows, where all views are printed, of a table that lists events one by one.
const LISTED: usize = 20;

/// True where all views are printed and no `--row-limit` is given: then tables that list events one by one
/// are cut to [`LISTED`] rows.
fn is_brief(args: &CommonArgs) -> bool {
    args.has_all_views() && args.limit.row_limit.is_none()
}

/// Checks that the view exists and that the options suit it.
fn check(args: &CommonArgs, own: &OwnArgs, flame: &FlameArgs) -> Result<(), Misuse> {
    args.check_view(&VIEWS.iter().map(|view| view.name).collect::<Vec<_>>())?;
    flame.check(args)?;
    let GroupArgs { group_by_input_shape: by_shape, group_by_stack, .. } = *args.groups;
    let by_stack = group_by_stack.is_some_and(|frames| frames > 0);
    let of_operators = [(by_shape, "--group-by-input-shape"), (by_stack, "--group-by-stack")];
    let refused = of_operators.iter().find(|(is_asked, _)| *is_asked && !args.has_view(operator::VIEW));
    if let Some((_, option)) = refused {
        return Err(Misuse::NoOperators { option });
    }
    if of_operators.iter().all(|(is_asked, _)| *is_asked) {
        return Err(Misuse::TwoGroupings);
    }
    if own.group_by_launch && !args.has_view(kernel::VIEW) {
        return Err(Misuse::View { option: "--group-by-launch", view: kernel::VIEW });
    }
    Ok(())
}

/// What is kept of paths that were loaded as one trace (one path, or all of them) once that trace is freed.
struct Batch {
    /// The first of the paths.
    path: PathBuf,
    /// The name among the traces of a directory; `None` for paths that were given.
    name: Option<String>,
    /// Number of sources in the batch: its workers, or 1 with `--merged`.
    workers: usize,
}

/// A column of a comparison: one worker of a batch; with `--merged` all workers of the batch together.
struct Source {
    /// The index of the source's batch.
    batch: usize,
    /// The name of the worker, with `--merged` of the first worker.
    worker: String,
}

/// A table of one view, before it is joined with those of other sources.
struct Part {
    /// The index of its source; of a table about a whole batch, that of the batch's first source.
    source: usize,
    table: Table,
    /// The scope of the table, as JSON.
    scope: Json,
}

/// The tables of all batches and sources, before they are joined to one table per view.
#[derive(Default)]
struct Gathered {
    batches: Vec<Batch>,
    sources: Vec<Source>,
    /// For each view its tables.
    tables: Vec<Vec<Part>>,
    /// The names of all workers of all traces loaded so far, whether or not `--rank` asks for them.
    workers: Vec<String>,
    /// The error for the last trace that has no lane that `--lanes` asks for; `None` if there is no such
    /// trace.
    no_lane: Option<Failure>,
    /// True once a trace had a lane that the options ask for.
    has_lane: bool,
}

/// Loads the paths, one by one or together, and prints the tables of the views asked for.
pub(super) fn run(args: &CommonArgs, own: &OwnArgs, flame: &FlameArgs) -> Result<(), Failure> {
    or_exit(check(args, own, flame));
    let ask = own.ask(args, flame);
    let request = args.select.request();
    // Cycles are counted over all files of a process.
    let loads: Vec<TraceFiles> = if own.merged || request.cycle.is_some() {
        vec![TraceFiles { name: String::new(), span: None, request }]
    } else {
        let of_path = |path: &PathBuf| traces(&Request { paths: vec![path.clone()], ..request.clone() });
        let traces: Vec<Vec<TraceFiles>> = request.paths.iter().map(of_path).collect::<Result<_, _>>()?;
        traces.into_iter().flatten().collect()
    };
    let is_one = loads.len() == 1;
    let mut gathered =
        Gathered { tables: ask.views.iter().map(|_| Vec::new()).collect(), ..Gathered::default() };
    for files in loads {
        let path = files.request.paths.first().cloned().unwrap_or_default();
        let loaded = load_for_tables(&files.request)?;
        gathered
            .add(&ask, &files, &loaded)
            .map_err(|Failure(why)| Failure(if is_one { why } else { format!("{}: {why}", safe(&path)) }))?;
    }
    let shown = gathered.finish(args, own, &ask)?;
    write(args, &shown)
}

impl Gathered {
    /// Adds the answer of a loaded trace: per view a table for each worker asked for, or, for a view that
    /// cannot be compared by columns, one about all of them.
    ///
    /// # Errors
    /// When the trace lacks a step that is asked for, or its files cannot be read again.
    fn add(&mut self, ask: &Ask, files: &TraceFiles, loaded: &Loaded) -> Result<(), Failure> {
        let trace = &loaded.trace;
        let answer = ask.answer(loaded, self.workers.len())?;
        self.workers.extend(trace.meta.workers.iter().cloned());
        if answer.workers.is_empty() {
            return Ok(());
        }
        match answer.missing {
            Some(why) => self.no_lane = Some(why.into()),
            None => self.has_lane = true,
        }
        for AnswerTable { view, worker, table, scope } in answer.tables {
            let scope = report::json::scope(&scope, trace);
            self.tables[view].push(Part { source: self.sources.len() + worker, table, scope });
        }
        let each: Vec<WorkerId> = if ask.each_worker { answer.workers } else { answer.workers[..1].to_vec() };
        self.sources.extend(each.iter().map(|worker| Source {
            batch: self.batches.len(),
            worker: trace.meta.workers.get(*worker).cloned().unwrap_or_default(),
        }));
        self.batches.push(Batch {
            path: files.request.paths.first().cloned().unwrap_or_default(),
            name: files.span.map(|_| files.name.clone()),
            workers: each.len(),
        });
        Ok(())
    }

    /// Joins the tables of all sources to one table per view, and filters, sorts and cuts them.
    ///
    /// # Errors
    /// When no trace has the rank or the lanes asked for, or the options do not suit the tables.
    fn finish(mut self, args: &CommonArgs, own: &OwnArgs, ask: &Ask) -> Result<Vec<Scoped>, Failure> {
        if self.sources.is_empty() {
            return Err(ask.within.no_rank(&self.workers).into());
        }
        if let Some(why) = self.no_lane.take().filter(|_| !self.has_lane) {
            return Err(why);
        }
        if self.sources.len() == 1 && own.compare.is_some() {
            return Err(Failure("--compare needs several traces or ranks; there is only one".into()));
        }
        if self.sources.len() > 1 && args.format.is_of_frames() {
            return Err(Failure(
                "a file of frames is about one trace: --merged adds up all traces and ranks, --rank chooses \
                 one"
                .into(),
            ));
        }
        let titles = self.titles();
        let mut shown: Vec<Scoped> = Vec::new();
        for (view, mut tables) in ask.views.iter().zip(std::mem::take(&mut self.tables)) {
            if tables.len() == 1 {
                shown.extend(tables.pop().map(|part| (part.table, part.scope)));
                continue;
            }
            let title = |source: usize| match view.compared {
                [] => self.batch_title(source, &titles),
                _ => titles[source].clone(),
            };
            let named =
                |part: Part| (NamedTable { title: title(part.source), table: part.table }, part.scope);
            let (parts, scopes): (Vec<NamedTable>, Vec<Json>) = tables.into_iter().map(named).unzip();
            let scope = report::json::scopes(parts.iter().map(|part| part.title.as_str()).zip(&scopes));
            shown.extend(joined(args, own.compare.as_deref(), view, &parts)?.map(|table| (table, scope)));
        }
        ask.arrangement.apply(shown.iter_mut().map(|(table, _)| table), args.only_view())?;
        if own.skip_empty {
            shown.retain(|(table, _)| !table.rows.is_empty());
        }
        Ok(shown)
    }

    /// The title of a source's batch: the batch's name or path where it has several sources, else the title
    /// of the source.
    fn batch_title(&self, source: usize, titles: &[String]) -> String {
        let batch = &self.batches[self.sources[source].batch];
        let name = || batch.name.clone().unwrap_or_else(|| safe(&batch.path));
        if batch.workers > 1 { name() } else { titles[source].clone() }
    }

    /// The titles of all sources: the names of their workers if these differ, else the names of their files,
    /// else the paths.
    fn titles(&self) -> Vec<String> {
        let by = |name: &dyn Fn(&Path) -> String| -> Vec<String> {
            let title = |source: &Source| {
                let batch = &self.batches[source.batch];
                let name = batch.name.clone().unwrap_or_else(|| name(&batch.path));
                if batch.workers > 1 { format!("{name} · {}", source.worker) } else { name }
            };
            self.sources.iter().map(title).collect()
        };
        let workers: Vec<String> = self.sources.iter().map(|source| source.worker.clone()).collect();
        let file = |path: &Path| path.file_name().map_or_else(|| safe(path), |name| safe(Path::new(name)));
        let differ = |titles: &Vec<String>| {
            let mut seen = std::collections::HashSet::new();
            titles.iter().all(|title| seen.insert(title))
        };
        [workers, by(&file)].into_iter().find(differ).unwrap_or_else(|| by(&safe))
    }
}

/// The path as text that is safe to show.
fn safe(path: &Path) -> String {
    SafeText::new(&path.to_string_lossy()).to_string()
}

/// Joins the tables of one view to one table; `wanted` is the column that `--compare` names. `None` where the
/// tables have nothing to compare.
///
/// # Errors
/// When one view is asked for that does not have the column `wanted`.
fn joined(
    args: &CommonArgs,
    wanted: Option<&str>,
    view: &View,
    parts: &[NamedTable],
) -> Result<Option<Table>, Failure> {
    let is_named = !args.has_all_views();
    if view.compared.is_empty() {
        return match wanted.filter(|_| is_named) {
            Some(_) => Err(Failure(format!(
                "--compare: the view {} has rows per rank or trace, not columns to compare",
                view.name
            ))),
            None => Ok(compare::stacked(parts)),
        };
    }
    let numbers = || parts.iter().flat_map(|part| compare::number_columns(&part.table));
    let known = wanted.filter(|id| numbers().any(|column| column.id == **id));
    if known.is_none()
        && is_named
        && let Some(id) = wanted
    {
        let ids: Vec<&str> = parts
            .iter()
            .take(1)
            .flat_map(|part| compare::number_columns(&part.table))
            .map(|column| column.id.as_ref())
            .collect();
        return Err(Failure(format!(
            "--compare {id}: the view {} has no such column of numbers; it has {}",
            view.name,
            ids.join(", ")
        )));
    }
    let id = known.or_else(|| compare::comparable_column(parts, view.compared));
    Ok(id.and_then(|id| compare::side_by_side(parts, id)))
}
