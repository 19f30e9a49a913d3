//! `proftui summary --layout paddle`: the tables of Paddle's profiler and the text of its benchmark timer.

use crate::base::fmt::TimeUnit;
use crate::cli::load::notify;
use crate::cli::{Failure, print};
use crate::compat::paddle::print::render;
use crate::compat::paddle::{Options, SortKey, VIEWS, summaries, timer};
use crate::report;

use super::SummaryArgs;
use super::layout::{Layout, LayoutOptions, Printer};
use super::output::{TableFormat, of_one, write};

/// Paddle's layout.
pub(super) const PRINTER: Printer =
    Printer { views: || VIEWS.iter().copied().chain([PERF]).collect(), check, run };

/// The view of Paddle's benchmark timer, which is text and no part of its summary.
const PERF: &str = "perf";

#[derive(Debug, clap::Args)]
pub(super) struct PaddleArgs {
    /// Keep threads apart (layout paddle)
    #[arg(long)]
    thread_sep: bool,
    /// Leave out what is inside operators (layout paddle)
    #[arg(long)]
    no_op_detail: bool,
    /// Samples in a step: `--view perf` then gives samples per second, not steps (layout paddle)
    #[arg(long, value_name = "N")]
    batch_size: Option<u64>,
}

impl LayoutOptions for PaddleArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Paddle];
}

fn check(args: &SummaryArgs) -> Result<(), String> {
    if args.view == PERF && args.format != TableFormat::Table {
        return Err(
            "--layout paddle --view perf is text; the view perf of the layout proftui has tables".into()
        );
    }
    if args.paddle.batch_size.is_some() && args.view != PERF {
        return Err("--batch-size needs --view perf".into());
    }
    options(args).map(|_| ())
}

fn run(args: &SummaryArgs) -> Result<(), Failure> {
    if args.view == PERF {
        return print_timer(args);
    }
    let options = options(args).map_err(Failure)?;
    let (loaded, scope) = args.load()?;
    let tables = summaries(&loaded.trace, &scope, options, |view| args.has_view(view));
    if args.format == TableFormat::Table {
        // Paddle's default is the millisecond.
        return print(&render(&tables, args.unit.time_unit.unwrap_or(TimeUnit::Milli)));
    }
    write(args, &of_one(tables, &report::json::scope(&scope, &loaded.trace)))
}

/// Prints the steps of a trace as Paddle's benchmark timer prints them.
fn print_timer(args: &SummaryArgs) -> Result<(), Failure> {
    let (loaded, scope) = args.load()?;
    let timed = timer::timed(&loaded.trace, &scope, args.paddle.batch_size);
    if timed.is_empty() {
        notify("there are no steps here, and Paddle's timer counts steps");
    }
    for one in timed.iter().filter(|one| one.summary.is_none()) {
        notify(&format!(
            "no Perf Summary of {}: Paddle's timer skips ten steps, and there are {}",
            one.worker, one.steps
        ));
    }
    print(&timer::print::render(&timed))
}

/// How the tables are made; the error names the sort keys that Paddle has, where the one given is none of them.
fn options(args: &SummaryArgs) -> Result<Options, String> {
    let key = |name: &str| {
        SortKey::named(name).ok_or_else(|| {
            let names: Vec<&str> = SortKey::ALL.iter().map(|(name, _)| *name).collect();
            format!("--sorted-by {name}: layout paddle sorts by {}", names.join(", "))
        })
    };
    let sorted_by = args.sorted_by.as_deref().map(key).transpose()?.unwrap_or_default();
    Ok(Options { sorted_by, by_thread: args.paddle.thread_sep, no_detail: args.paddle.no_op_detail })
}
