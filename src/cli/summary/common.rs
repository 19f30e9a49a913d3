//! The options of `proftui summary` that more than one layout takes.
//!
//! Must not know any one layout's own options, nor how tables are printed.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::analysis::{Scope, VIEWS, View};
use crate::base::fmt::TimeUnit;
use crate::cli::load::load;
use crate::cli::select::SelectArgs;
use crate::cli::streams::Failure;
use crate::cli::values;
use crate::import::Loaded;

use super::filter::FilterArgs;
use super::layout::{FLUID_VIEW, Given, Layout, LayoutOptions, Restricted, TORCH_VIEW};
use super::scope::ScopeArgs;

/// The value of `--view` for all views of the layout.
pub(super) const ALL: &str = "all";

#[derive(Debug, clap::Args)]
pub(super) struct CommonArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// Whose tables
    #[arg(long, value_enum, default_value_t)]
    pub(super) layout: Layout,
    /// Which summary
    #[arg(long, value_name = "NAME", default_value = ALL, value_parser = view())]
    pub(super) view: String,
    /// Sort by this column, largest first; KEY:asc smallest first
    ///
    /// In the layout torch: torch's own names. In the layout fluid: default, calls, total, max, min, ave, `gpu_time` or
    /// `cpu_time`. In the layout paddle: `CPUTotal`, `CPUAvg`, `CPUMax`, `CPUMin`, and the same of GPU.
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
    pub(super) shapes: Given<ShapeArgs>,
    #[command(flatten)]
    pub(super) explain: Given<ExplainArgs>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: TableFormat,
}

/// The options that limit a table's length and width.
#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// Print at most this many rows; -1 for all
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) row_limit: Option<i64>,
    /// Cut longer names; in our own layout also: make tables as wide as that takes
    #[arg(long, value_name = "COLUMNS")]
    pub(super) max_name_width: Option<usize>,
}

impl LayoutOptions for LimitArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Visualdl];
}

impl LimitArgs {
    /// The most rows to print; `None` for all, whether no limit was given or a negative one.
    pub(super) fn rows(&self) -> Option<usize> {
        self.row_limit.and_then(|limit| usize::try_from(limit).ok())
    }
}

/// The option for the unit of times.
#[derive(Debug, clap::Args)]
pub(super) struct UnitArgs {
    /// All times in one unit
    #[arg(long, value_name = "UNIT", value_parser = values::time_unit())]
    pub(super) time_unit: Option<TimeUnit>,
}

impl LayoutOptions for UnitArgs {
    const LAYOUTS: &'static [Layout] =
        &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Paddle, Layout::Visualdl];
}

/// The option for rows by the shapes of operators' inputs.
#[derive(Debug, clap::Args)]
pub(super) struct ShapeArgs {
    /// A row for each set of input shapes; in our own layout below each operator, with floating point operations
    #[arg(long)]
    pub(super) group_by_input_shape: bool,
}

impl LayoutOptions for ShapeArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Torch, Layout::Deeplink];
}

/// The option that explains columns.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Say what each column means
    #[arg(long)]
    pub(super) explain: bool,
}

impl LayoutOptions for ExplainArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Visualdl];
}

/// The form in which tables are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
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

/// The parser of `--view`: names and aliases of all layouts' views, each with its meaning for `--help`. Gives the view's name.
fn view() -> impl TypedValueParser<Value = String> {
    let all = PossibleValue::new(ALL).help("Every summary of the layout");
    let own = VIEWS.iter().flat_map(|view| {
        let name = PossibleValue::new(view.name).help(view.title);
        let same = |&alias| PossibleValue::new(alias).help(format!("The same as {}", view.name));
        std::iter::once(name).chain(view.aliases.iter().map(same))
    });
    let layouts = [
        PossibleValue::new(TORCH_VIEW).help("What --layout torch prints"),
        PossibleValue::new(FLUID_VIEW).help("What --layout fluid prints"),
    ];
    PossibleValuesParser::new(std::iter::once(all).chain(own).chain(layouts))
        .map(|name| View::named(&name).map_or(name, |view| view.name.to_owned()))
}

impl CommonArgs {
    /// The layout asked for, by itself or by the name of its only view.
    pub(super) fn layout(&self) -> Layout {
        match (self.layout, self.view.as_str()) {
            (Layout::Proftui, TORCH_VIEW) => Layout::Torch,
            (Layout::Proftui, FLUID_VIEW) => Layout::Fluid,
            (layout, _) => layout,
        }
    }

    /// The options of some layouts only, among these.
    pub(super) fn restricted(&self) -> [&dyn Restricted; 5] {
        [&self.filter, &self.shapes, &self.limit, &self.unit, &self.explain]
    }

    /// True where every view of the layout is printed.
    pub(super) fn has_all_views(&self) -> bool {
        self.view == ALL
    }

    /// The name of the only view that is printed; `None` for all of the layout.
    pub(super) fn only_view(&self) -> Option<&str> {
        (!self.has_all_views()).then_some(self.view.as_str())
    }

    /// True where this view is printed, by itself or with all others.
    pub(super) fn has_view(&self, name: &str) -> bool {
        self.has_all_views() || self.view == name
    }

    /// Checks that a layout with these views has the one asked for; the error is the message.
    pub(super) fn check_view(&self, views: &[&str]) -> Result<(), String> {
        if self.has_all_views() || views.contains(&self.view.as_str()) {
            return Ok(());
        }
        let shown = |name: &&str| match View::named(name).map(|view| view.aliases) {
            Some(aliases @ [_, ..]) => format!("{name} ({})", aliases.join(", ")),
            _ => (*name).to_owned(),
        };
        let names: Vec<String> = views.iter().map(shown).collect();
        Err(format!("--view {}: this layout has all, {}", self.view, names.join(", ")))
    }

    /// Loads the traces as one, and finds the scope in it.
    pub(super) fn load(&self) -> Result<(Loaded, Scope), Failure> {
        let loaded = load(&self.select.request())?;
        let scope = self.scope.of(&loaded.trace)?;
        Ok((loaded, scope))
    }
}
