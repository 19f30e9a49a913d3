//! The options of `proftui summary` that more than one layout takes.
//!
//! Must not know any one layout's own options, nor how tables are printed.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::cli::asked::{ALL_ROWS, failure};
use crate::cli::load::{load_for_tables, traces};
use crate::cli::options::scope::ScopeArgs;
use crate::cli::options::select::SelectArgs;
use crate::cli::options::values;
use crate::cli::output::streams::{Failure, notify};
use proftui_base::fmt::TimeUnit;
use proftui_insight::analysis::{Scope, VIEWS, View, views};
use proftui_insight::ask::Arrangement;
use proftui_insight::report::csv::Formulas;
use proftui_trace::import::{self, Loaded, Request};

use super::filter::FilterArgs;
use super::layout::{FLUID_VIEW, Given, Layout, LayoutOptions, Restricted, TORCH_VIEW};
use super::misuse::Misuse;

/// The value of `--view` for the summary as a whole, with no single view chosen.
pub(super) const ALL: &str = "all";

#[derive(Debug, clap::Args)]
pub(super) struct CommonArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// Tool whose tables or numbers are printed
    #[arg(long, value_enum, default_value_t)]
    pub(super) layout: Layout,
    /// Summary to print, such as kernel; the layouts of other tools have only some of them
    #[arg(long, value_name = "NAME", default_value = ALL, value_parser = view())]
    pub(super) view: String,
    /// Column by which rows are sorted, usually largest first; in the layouts proftui and visualdl the other
    /// way round with :asc after the column (default: set by each summary)
    ///
    /// The layouts proftui and visualdl take column names of their JSON output. The layouts torch and
    /// deeplink take the names of PyTorch's `sort_by`. The layout fluid takes default (earliest end first),
    /// calls, total, max, min, ave, `gpu_time` or `cpu_time`. The layout paddle takes `CPUTotal`, `CPUAvg`,
    /// `CPUMax`, `GPUTotal`, `GPUAvg` or `GPUMax`, or, for the smallest first, `CPUMin` or `GPUMin`.
    #[arg(long, value_name = "KEY")]
    pub(super) sorted_by: Option<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) filter: Given<FilterArgs>,
    #[command(flatten)]
    pub(super) limit: Given<LimitArgs>,
    #[command(flatten)]
    pub(super) unit: Given<UnitArgs>,
    #[command(flatten)]
    pub(super) groups: Given<GroupArgs>,
    #[command(flatten)]
    pub(super) explain: Given<ExplainArgs>,
    /// Output format of the tables
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: TableFormat,
    #[command(flatten)]
    pub(super) csv: Given<CsvArgs>,
}

/// The options that limit a table's length and width.
#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// Maximum number of rows per table, not counting rows below a row; -1 prints all rows (default: 100 in
    /// text of the layouts torch and deeplink, 20 in some tables of --view all, else all)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) row_limit: Option<i64>,
    /// Width at which text tables cut names, in characters; in the layouts proftui and visualdl at least 12
    /// (default: 55 in the layouts torch and deeplink, else what fits the terminal, or 100 characters)
    #[arg(long, value_name = "COLUMNS")]
    pub(super) max_name_width: Option<usize>,
}

impl LayoutOptions for LimitArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Visualdl];
}

impl LimitArgs {
    /// The value of `--row-limit`; `None` if it is negative or not given.
    pub(super) fn rows(&self) -> Option<usize> {
        self.row_limit.and_then(|limit| usize::try_from(limit).ok())
    }
}

/// The option that sets the unit of times.
#[derive(Debug, clap::Args)]
pub(super) struct UnitArgs {
    /// Unit of times in text and Markdown tables (default: ms in text of the layout paddle, else the unit
    /// that suits each time)
    #[arg(long, value_name = "UNIT", value_parser = values::time_unit())]
    pub(super) time_unit: Option<TimeUnit>,
}

impl LayoutOptions for UnitArgs {
    const LAYOUTS: &'static [Layout] =
        &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Paddle, Layout::Visualdl];
}

/// The options that give operators of one name several rows.
#[derive(Debug, clap::Args)]
pub(super) struct GroupArgs {
    /// Print one row per operator and set of input shapes; the layout proftui adds floating point operations
    #[arg(long)]
    pub(super) group_by_input_shape: bool,
    /// Print one row per operator and set of its N innermost Python stack frames (default: 0, stacks are
    /// ignored)
    #[arg(long, value_name = "N")]
    pub(super) group_by_stack: Option<usize>,
}

impl LayoutOptions for GroupArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Torch, Layout::Deeplink];
}

/// The option that prints the meaning of columns.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Print the meaning of each column below its table (format table)
    #[arg(long)]
    pub(super) explain: bool,
}

impl LayoutOptions for ExplainArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Visualdl];
}

/// The option of the format CSV.
#[derive(Debug, clap::Args)]
pub(super) struct CsvArgs {
    /// With --format csv: print texts that begin like a formula as they are, for programs; without it, a '
    /// stands before them, by which spreadsheets take them for texts
    #[arg(long)]
    csv_raw: bool,
}

impl LayoutOptions for CsvArgs {
    const LAYOUTS: &'static [Layout] =
        &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Paddle, Layout::Visualdl];
}

impl CsvArgs {
    /// How texts that begin like a formula are printed in CSV: as they are with `--csv-raw`, else with a `'`
    /// before them.
    pub(super) fn formulas(&self) -> Formulas {
        if self.csv_raw { Formulas::Raw } else { Formulas::Guarded }
    }
}

/// The output format of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// Text tables
    #[default]
    Table,
    /// One JSON document, with times as integers in ns and sizes in bytes
    Json,
    /// Comma-separated values, with times as integers in ns and sizes in bytes
    Csv,
    /// Markdown tables
    Markdown,
    /// A file for speedscope (view flame)
    Speedscope,
    /// Folded stacks for flamegraph.pl, inferno and speedscope (view flame)
    Folded,
}

impl TableFormat {
    /// True for the formats of flames, `Speedscope` and `Folded`.
    pub(super) fn is_of_frames(self) -> bool {
        matches!(self, Self::Speedscope | Self::Folded)
    }
}

/// The parser of `--view`; it parses an alias to the view's own name.
fn view() -> impl TypedValueParser<Value = String> {
    let all = PossibleValue::new(ALL).help("The summaries that the layout prints by default");
    let own = VIEWS.iter().flat_map(|view| {
        let name = PossibleValue::new(view.name).help(view.title);
        let same = |&alias| PossibleValue::new(alias).help(format!("Same as {}", view.name));
        std::iter::once(name).chain(view.aliases.iter().map(same))
    });
    let layouts = [
        PossibleValue::new(TORCH_VIEW).help("The table of averages of the layouts torch and deeplink"),
        PossibleValue::new(FLUID_VIEW).help("The report of Paddle's old profiler, of the layout fluid"),
    ];
    PossibleValuesParser::new(std::iter::once(all).chain(own).chain(layouts))
        .map(|name| View::named(&name).map_or(name, |view| view.name.to_owned()))
}

impl CommonArgs {
    /// The layout to print, by `--layout` and, where that is the default, by `--view`.
    pub(super) fn layout(&self) -> Layout {
        match (self.layout, self.view.as_str()) {
            (Layout::Proftui, TORCH_VIEW) => Layout::Torch,
            (Layout::Proftui, FLUID_VIEW) => Layout::Fluid,
            (layout, _) => layout,
        }
    }

    /// The groups of options in this struct that only some layouts take.
    pub(super) fn restricted(&self) -> [&dyn Restricted; 6] {
        [&self.filter, &self.groups, &self.limit, &self.unit, &self.explain, &self.csv]
    }

    /// Checks that a format of flames is given with the view flame only, and `--csv-raw` with the format CSV
    /// only.
    pub(super) fn check_format(&self) -> Result<(), Misuse> {
        if self.format.is_of_frames() && self.only_view() != Some(views::flame::VIEW) {
            let format =
                self.format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            return Err(Misuse::FlameFormat { format });
        }
        match (self.csv.formulas(), self.format) {
            (Formulas::Raw, format) if format != TableFormat::Csv => Err(Misuse::NoCsv),
            _ => Ok(()),
        }
    }

    /// True where `--view` is `all`, which is the default.
    pub(super) fn has_all_views(&self) -> bool {
        self.view == ALL
    }

    /// The name of the view asked for; `None` where `--view` is `all`.
    pub(super) fn only_view(&self) -> Option<&str> {
        (!self.has_all_views()).then_some(self.view.as_str())
    }

    /// True if `--view` is this name or `all`.
    pub(super) fn has_view(&self, name: &str) -> bool {
        self.has_all_views() || self.view == name
    }

    /// Checks that the view asked for is `all` or one of `views`, the names of the layout's views.
    pub(super) fn check_view(&self, views: &[&str]) -> Result<(), Misuse> {
        if self.has_all_views() || views.contains(&self.view.as_str()) {
            return Ok(());
        }
        let shown = |name: &&str| match View::named(name).map(|view| view.aliases) {
            Some(aliases @ [_, ..]) => format!("{name} ({})", aliases.join(", ")),
            _ => (*name).to_owned(),
        };
        Err(Misuse::NoView { view: self.view.clone(), known: views.iter().map(shown).collect() })
    }

    /// Which rows of tables the options keep, in which order, and how many at most.
    pub(super) fn arrangement(&self) -> Arrangement {
        Arrangement {
            filter: self.filter.filter(),
            sorted_by: self.sorted_by.clone(),
            rows: self.limit.rows(),
            all_rows: ALL_ROWS,
            ..Arrangement::default()
        }
    }

    /// Loads all paths as one trace, and returns it with the scope that the options ask for. May print notes
    /// on standard error.
    ///
    /// # Errors
    /// When the trace cannot be loaded, when the path is a folder of several traces and no cycle is asked
    /// for, or when the trace lacks what the options ask for.
    pub(super) fn load(&self) -> Result<(Loaded, Scope), Failure> {
        let request = self.select.request();
        let traces = traces(&request)?;
        if let [first, _, ..] = traces.as_slice() {
            let path = |of: &Request| of.paths.first().map_or_else(String::new, |path| import::shown(path));
            return Err(Failure(format!(
                "{}: this directory has {} traces; name the files of one, such as {}, or all files to add \
                 them up (proftui info --format json lists them)",
                path(&request),
                traces.len(),
                path(&first.request)
            )));
        }
        let loaded = load_for_tables(&request)?;
        let within = self.scope.within();
        let scope = within.of(&loaded.trace).map_err(failure)?;
        // The tables of other tools have no notes.
        within.warm_up(&loaded.trace, &scope).iter().for_each(|note| notify(note));
        Ok((loaded, scope))
    }
}
