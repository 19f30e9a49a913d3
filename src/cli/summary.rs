//! `proftui summary`: the summary tables on standard output.
//!
//! Tables in the layouts of other tools are in files of their own.

mod detail;
mod filter;
mod fits;
mod own;
mod paddle;
mod part;
mod torch;
mod visualdl;

use std::io::IsTerminal;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use serde_json::Value as Json;

use crate::analysis::{Table, VIEWS};
use crate::base::fmt::TimeUnit;
use crate::compat;
use crate::compat::paddle::VIEWS as PADDLE_VIEWS;
use crate::compat::torch::Rules;
use crate::compat::visualdl::VIEWS as VISUALDL_VIEWS;
use crate::report;
use crate::report::text::Look;

use super::fluid::FluidArgs;
use super::load::load;
use super::select::SelectArgs;
use super::{Failure, print};

/// Columns of a table where no terminal says.
const WIDTH: usize = 100;

#[derive(Debug, clap::Args)]
pub(super) struct SummaryArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Whose tables
    #[arg(long, value_enum, default_value_t)]
    layout: Layout,
    /// Which summary
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = views())]
    view: String,
    /// Sort by this column, largest first; KEY:asc smallest first
    ///
    /// In the layout torch: torch's own names. In the layout fluid: default, calls, total, max, min, ave, `gpu_time` or
    /// `cpu_time`. In the layout paddle: `CPUTotal`, `CPUAvg`, `CPUMax`, `CPUMin`, and the same of GPU.
    #[arg(long, value_name = "KEY")]
    sorted_by: Option<String>,
    #[command(flatten)]
    part: part::PartArgs,
    /// In the kernels of our own layout: a row for each grid, block, registers and shared memory, with occupancy
    #[arg(long)]
    group_by_launch: bool,
    #[command(flatten)]
    filter: filter::FilterArgs,
    /// Print at most this many rows; -1 for all
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    row_limit: Option<i64>,
    /// All times in one unit
    #[arg(long, value_enum, value_name = "UNIT")]
    time_unit: Option<Unit>,
    /// Cut longer names; in our own layout also: make tables as wide as that takes
    #[arg(long, value_name = "COLUMNS")]
    max_name_width: Option<usize>,
    #[command(flatten)]
    own: own::OwnArgs,
    #[command(flatten)]
    torch: torch::TorchArgs,
    /// Say what each column means
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    paddle: paddle::PaddleArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    #[command(flatten)]
    fluid: FluidArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// Our own: right where others double-count, for reading in a terminal
    #[default]
    Proftui,
    /// PyTorch's own table of averages, to the letter; of a DeepLink trace, DeepLink's
    Torch,
    /// DeepLink's own: nested device records of an operator count once
    Deeplink,
    /// Paddle's old profiler (fluid.profiler): overhead, copies, events by path
    Fluid,
    /// What Paddle's profiler prints, to the letter, for a trace of any producer
    Paddle,
    /// The numbers of VisualDL's profiler pages, for a trace of any producer
    Visualdl,
}

impl Layout {
    /// The names of its tables.
    fn views(self) -> Vec<&'static str> {
        match self {
            Self::Proftui => VIEWS.iter().map(|view| view.name).collect(),
            Self::Paddle => PADDLE_VIEWS.iter().copied().chain([paddle::PERF]).collect(),
            Self::Visualdl => VISUALDL_VIEWS.to_vec(),
            Self::Torch | Self::Deeplink => vec!["keyavg"],
            Self::Fluid => vec!["fluid"],
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    /// For people
    #[default]
    Table,
    /// One JSON document: raw integers, ns and bytes
    Json,
    /// Comma-separated values, raw numbers
    Csv,
    /// For a pull request or a wiki
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unit {
    /// Seconds
    S,
    /// Milliseconds
    Ms,
    /// Microseconds
    Us,
    /// Nanoseconds
    Ns,
}

impl Unit {
    fn time_unit(self) -> TimeUnit {
        match self {
            Self::S => TimeUnit::Second,
            Self::Ms => TimeUnit::Milli,
            Self::Us => TimeUnit::Micro,
            Self::Ns => TimeUnit::Nano,
        }
    }
}

/// What `--view` may name, each with what it tells.
fn views() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("Every summary of the layout");
    let layouts = [
        PossibleValue::new("keyavg").help("What --layout torch prints"),
        PossibleValue::new("fluid").help("What --layout fluid prints"),
    ];
    let own = VIEWS.iter().map(|view| PossibleValue::new(view.name).help(view.title));
    PossibleValuesParser::new(std::iter::once(all).chain(own).chain(layouts))
}

impl SummaryArgs {
    /// True when all views are asked for and no more is said of their rows: then the first rows of a list of events are enough.
    fn is_brief(&self) -> bool {
        self.view == "all" && self.row_limit.is_none()
    }
}

/// The layout asked for, by itself or by the name of its only view.
fn layout(args: &SummaryArgs) -> Layout {
    match (args.layout, args.view.as_str()) {
        (Layout::Proftui, "keyavg") => Layout::Torch,
        (Layout::Proftui, "fluid") => Layout::Fluid,
        (layout, _) => layout,
    }
}

pub(super) fn run(args: &SummaryArgs) -> Result<(), Failure> {
    let layout = layout(args);
    // What is wrong with the command line is said before the file is read.
    if let Err(why) = fits::check(args, layout) {
        clap::Error::raw(ErrorKind::InvalidValue, why + "\n").exit();
    }
    let of_fluid = (layout == Layout::Fluid)
        .then(|| args.fluid.options(args.sorted_by.as_deref(), args.format == TableFormat::Table));
    let of_paddle = (layout == Layout::Paddle).then(|| args.paddle.options(args.sorted_by.as_deref()));
    if layout == Layout::Proftui {
        return own::run(args);
    }
    let loaded = load(&args.select.request())?;
    if let Some(options) = of_fluid {
        return args.fluid.run(options, &args.part.scope(&loaded.trace)?, &loaded);
    }
    if let Some(options) = of_paddle {
        let scope = args.part.scope(&loaded.trace)?;
        if args.view == paddle::PERF {
            return args.paddle.print_perf(&loaded, &scope);
        }
        let tables = paddle::tables(&loaded, &scope, options, &args.view);
        if args.format == TableFormat::Table {
            return print(&compat::paddle::print::render(&tables, paddle::unit(args.time_unit)));
        }
        return write(args, &of_one(tables, &report::json::scope(&scope, &loaded.trace)));
    }
    match layout {
        Layout::Deeplink => torch::print_table(args, &loaded, Rules::DeepLink),
        Layout::Visualdl => visualdl::print_tables(args, &loaded),
        _ => torch::print_table(args, &loaded, Rules::of(&loaded.trace)),
    }
}

/// A table, and what it is of as JSON tells it.
type Scoped = (Table, Json);

/// Tables of one part of one trace.
fn of_one(tables: Vec<Table>, scope: &Json) -> Vec<Scoped> {
    tables.into_iter().map(|table| (table, scope.clone())).collect()
}

/// Prints tables in the format asked for.
fn write(args: &SummaryArgs, tables: &[Scoped]) -> Result<(), Failure> {
    let text = match args.format {
        TableFormat::Table => {
            let texts: Vec<String> = tables.iter().map(|(table, _)| for_people(table, args)).collect();
            texts.join("\n")
        }
        TableFormat::Markdown => {
            let texts: Vec<String> =
                tables.iter().map(|(table, _)| report::markdown::render(table)).collect();
            texts.join("\n")
        }
        TableFormat::Csv => {
            let texts: Vec<String> = tables.iter().map(|(table, _)| report::csv::render(table)).collect();
            texts.join("\r\n")
        }
        TableFormat::Json => {
            let values: Vec<Json> =
                tables.iter().map(|(table, scope)| report::json::render(table, scope)).collect();
            let text = match values.as_slice() {
                [one] if args.view != "all" => serde_json::to_string(one)?,
                all => serde_json::to_string(all)?,
            };
            text + "\n"
        }
    };
    print(&text)
}

fn for_people(table: &Table, args: &SummaryArgs) -> String {
    let width = std::io::stdout().is_terminal().then(columns).unwrap_or(WIDTH);
    let look = Look {
        width: Some(width),
        unit: args.time_unit.map(Unit::time_unit),
        name_width: args.max_name_width,
    };
    let mut text = report::text::render(table, look);
    if args.explain {
        for column in &table.columns {
            text.push_str(&format!("  {}: {}\n", column.title, column.about));
        }
    }
    text
}

/// Columns of the terminal.
fn columns() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout()).map_or(WIDTH, |size| usize::from(size.ws_col).max(40))
}

/// Sorts and cuts as asked.
fn arrange(table: &mut Table, args: &SummaryArgs) -> Result<(), Failure> {
    if let Some(key) = &args.sorted_by {
        let (id, is_ascending) = key.strip_suffix(":asc").map_or((key.as_str(), false), |id| (id, true));
        match table.column(id) {
            Some(column) => table.sort(column, is_ascending),
            None if args.view == "all" => {}
            None => {
                let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
                return Err(Failure(format!("{} has no column {id}; it has {}", table.view, ids.join(", "))));
            }
        }
    }
    if let Some(limit) = args.row_limit.and_then(|limit| usize::try_from(limit).ok()) {
        cut(table, limit);
    }
    Ok(())
}

/// Leaves at most `limit` rows.
fn cut(table: &mut Table, limit: usize) {
    if let Some(left) = table.rows.len().checked_sub(limit).filter(|&left| left > 0) {
        table.rows.truncate(limit);
        table.notes.push(format!("{left} more rows; --row-limit -1 prints all."));
    }
}
