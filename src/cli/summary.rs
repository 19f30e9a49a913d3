//! `proftui summary`: the summary tables on standard output.
//!
//! Tables in the layouts of other tools are in files of their own.

mod detail;
mod filter;
mod paddle;
mod torch;
mod visualdl;

use std::io::IsTerminal;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;

use crate::analysis::paddle::VIEWS as PADDLE_VIEWS;
use crate::analysis::torch::Rules;
use crate::analysis::visualdl::VIEWS as VISUALDL_VIEWS;
use crate::analysis::{Scope, Table, VIEWS, View, kernel, operator};
use crate::base::fmt::TimeUnit;
use crate::base::time::{Ns, Span};
use crate::import::Loaded;
use crate::report;
use crate::report::text::Look;

use super::fluid::FluidArgs;
use super::load::load;
use super::select::{SelectArgs, time};
use super::{Failure, print};
use detail::Details;

/// Columns of a table where no terminal says.
const WIDTH: usize = 100;
/// Rows of a view of single events, beside other views.
const LISTED: usize = 20;

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
    /// Only what starts in these steps: 3 or 3..5
    #[arg(long, value_name = "A..B", value_parser = steps)]
    steps: Option<(u64, u64)>,
    /// Only what starts in this stretch of time after the trace's start: 10ms..20ms
    #[arg(long, value_name = "T0..T1", value_parser = range, conflicts_with = "steps")]
    range: Option<(Ns, Ns)>,
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
            Self::Paddle => PADDLE_VIEWS.to_vec(),
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
    fn of_text(self) -> TimeUnit {
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

fn steps(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse().map_err(|_| format!("\"{text}\" is no step's number"));
    Ok((number(from)?, number(to)?))
}

fn range(text: &str) -> Result<(Ns, Ns), String> {
    let (from, to) = text.split_once("..").ok_or("give two times, such as 10ms..20ms")?;
    let from = if from.is_empty() { 0 } else { time(from)? };
    let to = if to.is_empty() { Ns::MAX } else { time(to)? };
    Ok((from, to))
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
    let wrong = |what: String| clap::Error::raw(ErrorKind::InvalidValue, what + "\n").exit();
    if !matches!(layout, Layout::Torch | Layout::Deeplink) && args.torch.any() {
        wrong(format!("{} need --layout torch or deeplink", torch::FLAGS));
    }
    let has_shapes = match layout {
        Layout::Torch | Layout::Deeplink => true,
        Layout::Proftui => ["all", operator::VIEW].contains(&args.view.as_str()),
        Layout::Fluid | Layout::Paddle | Layout::Visualdl => false,
    };
    if args.torch.by_shape() && !has_shapes {
        wrong("--group-by-input-shape is for --view operator, and for --layout torch or deeplink".into());
    }
    let has_launches = layout == Layout::Proftui && ["all", kernel::VIEW].contains(&args.view.as_str());
    if args.group_by_launch && !has_launches {
        wrong("--group-by-launch is for --view kernel of --layout proftui".into());
    }
    if layout != Layout::Paddle && args.paddle.any() {
        wrong(format!("{} need --layout paddle", paddle::FLAGS));
    }
    if !matches!(layout, Layout::Proftui | Layout::Visualdl) && args.filter.any() {
        wrong(format!("{} need --layout proftui or visualdl", filter::FLAGS));
    }
    let views = layout.views();
    if args.view != "all" && !views.contains(&args.view.as_str()) {
        wrong(format!("--view {}: this layout has all, {}", args.view, views.join(", ")));
    }
    let of_fluid = (layout == Layout::Fluid)
        .then(|| args.fluid.options(args.sorted_by.as_deref(), args.format == TableFormat::Table));
    let of_paddle = (layout == Layout::Paddle).then(|| args.paddle.options(args.sorted_by.as_deref()));
    let loaded = load(&args.select.request())?;
    if let Some(options) = of_fluid {
        return args.fluid.run(options, &scope(args, &loaded)?, &loaded);
    }
    if let Some(options) = of_paddle {
        let scope = scope(args, &loaded)?;
        let tables = paddle::tables(&loaded, &scope, options, &args.view);
        if args.format == TableFormat::Table {
            return print(&report::paddle::render(&tables, paddle::unit(args.time_unit)));
        }
        return write(args, &tables, &scope, &loaded);
    }
    match layout {
        Layout::Torch => torch::print_table(args, &loaded, Rules::of(&loaded.trace)),
        Layout::Deeplink => torch::print_table(args, &loaded, Rules::DeepLink),
        Layout::Visualdl => visualdl::print_tables(args, &loaded),
        Layout::Proftui | Layout::Fluid | Layout::Paddle => own(args, &loaded),
    }
}

fn own(args: &SummaryArgs, loaded: &Loaded) -> Result<(), Failure> {
    let scope = scope(args, loaded)?;
    let views = VIEWS.iter().filter(|view| args.view == "all" || args.view == view.name);
    let details = Details::read(loaded, &scope, (args.torch.by_shape(), args.group_by_launch))?;
    let mut tables: Vec<Table> = views.map(|view| details.table(view, loaded, &scope)).collect();
    args.filter.apply(&mut tables, &args.view)?;
    for table in &mut tables {
        arrange(table, args)?;
        let is_list = View::named(table.view).is_some_and(View::is_list);
        if args.view == "all" && args.row_limit.is_none() && is_list {
            cut(table, LISTED);
        }
    }
    write(args, &tables, &scope, loaded)
}

/// Prints tables in the format asked for.
fn write(args: &SummaryArgs, tables: &[Table], scope: &Scope, loaded: &Loaded) -> Result<(), Failure> {
    let text = match args.format {
        TableFormat::Table => {
            let texts: Vec<String> = tables.iter().map(|table| for_people(table, args)).collect();
            texts.join("\n")
        }
        TableFormat::Markdown => {
            let texts: Vec<String> = tables.iter().map(report::markdown::render).collect();
            texts.join("\n")
        }
        TableFormat::Csv => tables.iter().map(report::csv::render).collect::<Vec<_>>().join("\r\n"),
        TableFormat::Json => {
            let values: Vec<_> =
                tables.iter().map(|table| report::json::render(table, scope, &loaded.trace)).collect();
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
    let look =
        Look { width: Some(width), unit: args.time_unit.map(Unit::of_text), name_width: args.max_name_width };
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

fn scope(args: &SummaryArgs, loaded: &Loaded) -> Result<Scope, Failure> {
    let trace = &loaded.trace;
    if let Some((from, to)) = args.steps {
        return Scope::steps(trace, from, to).ok_or_else(|| {
            let (first, last) = (trace.steps.first(), trace.steps.last());
            Failure(match first.zip(last) {
                Some((first, last)) => {
                    format!("no step {from}..{to}: the trace has steps {} to {}", first.number, last.number)
                }
                None => "the trace has no steps; --range takes a stretch of time".into(),
            })
        });
    }
    let start = trace.span.start;
    let span = args
        .range
        .map(|(from, to)| Span { start: start.saturating_add(from), end: start.saturating_add(to) });
    Ok(Scope { span, lanes: None })
}

/// Sorts and cuts as asked.
fn arrange(table: &mut Table, args: &SummaryArgs) -> Result<(), Failure> {
    if let Some(key) = &args.sorted_by {
        let (id, is_ascending) = key.strip_suffix(":asc").map_or((key.as_str(), false), |id| (id, true));
        match table.column(id) {
            Some(column) => table.sort(column, is_ascending),
            None if args.view == "all" => {}
            None => {
                let ids: Vec<&str> = table.columns.iter().map(|column| column.id).collect();
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
