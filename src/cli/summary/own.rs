//! `proftui summary` in the layout `proftui`: tables of one trace, or of several ranks or traces side by
//! side.
//!
//! Unless `--merged` or `--cycle` is given, each path is loaded by itself, so its times count from its own
//! start, and is freed before the next path is loaded. A directory that has several traces counts as several
//! paths. Must not know how tables are joined.

use std::path::PathBuf;

use crate::cli::asked::{ALL_FRAMES, failure};
use crate::cli::load::{load_for_tables, traces};
use crate::cli::options::peaks::PeaksArgs;
use crate::cli::output::streams::Failure;
use proftui_insight::analysis::views::{grouping, kernel, operator};
use proftui_insight::analysis::{Grouping, VIEWS, View};
use proftui_insight::ask::{Arrangement, Ask, Several, TraceName};
use proftui_trace::import::{self, Request, TraceFiles};

use super::common::{CommonArgs, GroupArgs};
use super::flame::{self, FlameArgs};
use super::layout::{Layout, LayoutOptions, or_exit};
use super::misuse::Misuse;
use super::output::write;

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
    /// set by each summary)
    #[arg(long, value_name = "COLUMN", conflicts_with = "merged")]
    pub(super) compare: Option<String>,
    #[command(flatten)]
    peaks: PeaksArgs,
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

    /// The request that the options make about each trace.
    fn ask(&self, args: &CommonArgs, flame: &FlameArgs) -> Ask {
        // With all views, a second pass over the files would cost more than the columns are worth.
        let is_one = !args.has_all_views();
        let arrangement = args.arrangement();
        let is_plain = arrangement.sorted_by.is_none() && !arrangement.filter.any();
        let listed = is_brief(args).then_some(LISTED);
        Ask {
            views: VIEWS.iter().filter(|view| args.has_view(view.name)).collect(),
            within: args.scope.within(),
            each_worker: !self.merged,
            groupings: self.groupings(args),
            frames: args.groups.group_by_stack.unwrap_or(0),
            flame: flame.choice(),
            has_more: is_one,
            brief: listed.filter(|_| is_plain),
            arrangement: Arrangement {
                listed,
                least_share: flame::least_share(args),
                all_frames: ALL_FRAMES,
                ..arrangement
            },
            ..Ask::default()
        }
    }
}

/// The default limit on the rows of the tables of names and of allocations where all views are printed.
const LISTED: usize = 20;

/// True if the tables of names and of allocations are to be cut to [`LISTED`] rows.
fn is_brief(args: &CommonArgs) -> bool {
    args.has_all_views() && args.limit.row_limit.is_none()
}

/// Checks the view asked for, and the options of groupings and flames, for the layout proftui.
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

/// Loads the traces, and prints the tables of the views asked for in the layout proftui. Options that
/// [`check`] refuses end the process with exit status 2.
pub(super) fn run(args: &CommonArgs, own: &OwnArgs, flame: &FlameArgs) -> Result<(), Failure> {
    or_exit(check(args, own, flame));
    own.peaks.take()?;
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
    let mut several = Several::new(&ask);
    for files in loads {
        let path = files.request.paths.first().cloned().unwrap_or_default();
        let loaded = load_for_tables(&files.request)?;
        let name = TraceName { path, name: files.span.map(|_| files.name) };
        let shown = import::shown(&name.path);
        several
            .add(&loaded, name)
            .map_err(failure)
            .map_err(|Failure(why)| if is_one { Failure(why) } else { Failure(format!("{shown}: {why}")) })?;
    }
    if several.sources() > 1 && args.format.is_of_frames() {
        return Err(Failure(
            "a file of frames is about one rank of one trace (--rank), or about the sum of several (--merged)"
                .into(),
        ));
    }
    let mut tables = several.joined(own.compare.as_deref()).map_err(failure)?;
    if own.skip_empty {
        tables.retain(|(table, _)| !table.rows.is_empty());
    }
    write(args, &tables)
}
