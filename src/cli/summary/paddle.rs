//! `proftui summary --layout paddle`: the tables of Paddle's profiler and the text of its benchmark timer.
//!
//! Must not know how the tables are made.

use crate::cli::output::streams::{Failure, notify, print};
use proftui_base::fmt::{self, TimeUnit};
use proftui_insight::analysis::Scope;
use proftui_insight::compat::paddle::print::{note as text_note, render};
use proftui_insight::compat::paddle::{Options, SortKey, VIEWS, note, summaries, timer};
use proftui_insight::report;
use proftui_trace::import::Loaded;

use super::common::{CommonArgs, TableFormat};
use super::layout::{Layout, LayoutOptions, or_exit};
use super::misuse::Misuse;
use super::output::{of_one, write};

/// The name of the view that prints the text of Paddle's benchmark timer; `--view all` leaves it out.
const PERF: &str = "perf";

#[derive(Debug, clap::Args)]
pub(super) struct PaddleArgs {
    /// Print the operators and user-defined ranges per thread (layout paddle)
    #[arg(long)]
    thread_sep: bool,
    /// Leave out the rows of the inner operators and kernels of each operator (layout paddle)
    #[arg(long)]
    no_op_detail: bool,
    /// Number of samples per step, from which --view perf computes samples per second (layout paddle;
    /// default: steps per second are printed)
    #[arg(long, value_name = "N")]
    batch_size: Option<u64>,
}

impl LayoutOptions for PaddleArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Paddle];
}

/// Checks the view, the format, the sort key and `--batch-size`, and makes the options for Paddle's tables
/// from the command line's.
fn options(args: &CommonArgs, paddle: &PaddleArgs) -> Result<Options, Misuse> {
    args.check_view(&VIEWS.iter().copied().chain([PERF]).collect::<Vec<_>>())?;
    if args.view == PERF && args.format != TableFormat::Table {
        return Err(Misuse::PerfFormat);
    }
    if paddle.batch_size.is_some() && args.view != PERF {
        return Err(Misuse::View { option: "--batch-size", view: PERF });
    }
    let key = |name: &str| {
        SortKey::named(name).ok_or_else(|| {
            let known = SortKey::ALL.iter().map(|(name, _)| *name).collect();
            Misuse::SortKey { key: name.to_owned(), layout: "paddle", known }
        })
    };
    let sorted_by = args.sorted_by.as_deref().map(key).transpose()?.unwrap_or_default();
    Ok(Options { sorted_by, by_thread: paddle.thread_sep, no_detail: paddle.no_op_detail })
}

/// Loads the traces, and prints Paddle's tables, or for the view [`PERF`] the text of its benchmark timer.
/// Options that [`options`] refuses end the process with exit status 2.
pub(super) fn run(args: &CommonArgs, paddle: &PaddleArgs) -> Result<(), Failure> {
    let options = or_exit(options(args, paddle));
    let (loaded, scope) = args.load()?;
    if args.view == PERF {
        return print_timer(&loaded, &scope, paddle.batch_size);
    }
    args.scope.check_threads(&loaded.trace, &scope, "paddle")?;
    let tables = summaries(&loaded.trace, &scope, options, |view| args.has_view(view));
    if args.format == TableFormat::Table {
        note(&loaded.trace).filter(|_| args.has_view("device")).iter().for_each(|note| notify(note));
        text_note(&tables).iter().for_each(|note| notify(note));
        // Paddle's default is the millisecond.
        return print(&render(&tables, args.unit.time_unit.unwrap_or(TimeUnit::Milli)));
    }
    write(args, &of_one(tables, &report::json::scope(&scope, &loaded.trace)))
}

/// Prints the text of Paddle's benchmark timer for each worker with steps in `scope`.
fn print_timer(loaded: &Loaded, scope: &Scope, batch_size: Option<u64>) -> Result<(), Failure> {
    let timed = timer::timed(&loaded.trace, scope, batch_size);
    if timed.is_empty() {
        notify(
            "nothing to print: Paddle's timer counts steps, and no loaded step starts in the part asked for",
        );
    }
    for one in timed.iter().filter(|one| one.summary.is_none()) {
        notify(&format!(
            "no Perf Summary of {}: Paddle's timer skips the first 10 steps, and the part asked for has \
             only {}",
            one.worker,
            fmt::counted(one.steps as u64, "loaded step")
        ));
    }
    print(&timer::print::render(&timed))
}
