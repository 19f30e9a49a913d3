//! `proftui summary`: the summary tables on standard output.
//!
//! Owns the options that all layouts share and the choice of the layout; each layout's own options and its printing stand in a
//! file of their own.

mod detail;
mod filter;
mod fluid;
mod layout;
mod output;
mod own;
mod paddle;
mod scope;
mod torch;
mod visualdl;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;

use crate::analysis::{Scope, VIEWS, View};
use crate::import::Loaded;

use super::Failure;
use super::load::load;
use super::select::SelectArgs;

use layout::{Given, Layout, Printer, Restricted};
use output::TableFormat;

#[derive(Debug, clap::Args)]
pub(super) struct SummaryArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Whose tables
    #[arg(long, value_enum, default_value_t)]
    layout: Layout,
    /// Which summary
    #[arg(long, value_name = "NAME", default_value = ALL, value_parser = view())]
    view: String,
    /// Sort by this column, largest first; KEY:asc smallest first
    ///
    /// In the layout torch: torch's own names. In the layout fluid: default, calls, total, max, min, ave, `gpu_time` or
    /// `cpu_time`. In the layout paddle: `CPUTotal`, `CPUAvg`, `CPUMax`, `CPUMin`, and the same of GPU.
    #[arg(long, value_name = "KEY")]
    sorted_by: Option<String>,
    #[command(flatten)]
    scope: scope::ScopeArgs,
    #[command(flatten)]
    filter: Given<filter::FilterArgs>,
    #[command(flatten)]
    limit: Given<output::LimitArgs>,
    #[command(flatten)]
    unit: Given<output::UnitArgs>,
    #[command(flatten)]
    own: Given<own::OwnArgs>,
    #[command(flatten)]
    shapes: Given<detail::ShapeArgs>,
    #[command(flatten)]
    torch: Given<torch::TorchArgs>,
    #[command(flatten)]
    explain: Given<output::ExplainArgs>,
    #[command(flatten)]
    paddle: Given<paddle::PaddleArgs>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    #[command(flatten)]
    fluid: Given<fluid::FluidArgs>,
}

/// The value of `--view` for all views of the layout.
const ALL: &str = "all";

/// The parser of `--view`: names and aliases of all layouts' views, each with its meaning for `--help`. Gives the view's name.
fn view() -> impl TypedValueParser<Value = String> {
    let all = PossibleValue::new(ALL).help("Every summary of the layout");
    let own = VIEWS.iter().flat_map(|view| {
        let name = PossibleValue::new(view.name).help(view.title);
        let same = |&alias| PossibleValue::new(alias).help(format!("The same as {}", view.name));
        std::iter::once(name).chain(view.aliases.iter().map(same))
    });
    let layouts = [
        PossibleValue::new(torch::VIEW).help("What --layout torch prints"),
        PossibleValue::new(fluid::VIEW).help("What --layout fluid prints"),
    ];
    PossibleValuesParser::new(std::iter::once(all).chain(own).chain(layouts))
        .map(|name| View::named(&name).map_or(name, |view| view.name.to_owned()))
}

impl SummaryArgs {
    /// The layout asked for, by itself or by the name of its only view.
    fn layout(&self) -> Layout {
        match (self.layout, self.view.as_str()) {
            (Layout::Proftui, torch::VIEW) => Layout::Torch,
            (Layout::Proftui, fluid::VIEW) => Layout::Fluid,
            (layout, _) => layout,
        }
    }

    /// True where every view of the layout is printed.
    fn has_all_views(&self) -> bool {
        self.view == ALL
    }

    /// True where this view is printed, by itself or with all others.
    fn has_view(&self, name: &str) -> bool {
        self.has_all_views() || self.view == name
    }

    /// Checks the options against the layout; the error is the message.
    fn check(&self, layout: Layout, printer: &Printer) -> Result<(), String> {
        let restricted: [&dyn Restricted; 9] = [
            &self.own,
            &self.filter,
            &self.shapes,
            &self.torch,
            &self.paddle,
            &self.fluid,
            &self.limit,
            &self.unit,
            &self.explain,
        ];
        restricted.iter().try_for_each(|options| options.check(layout))?;
        layout::check_view(&self.view, &(printer.views)())?;
        (printer.check)(self)
    }

    /// Loads the traces as one, and finds the scope in it.
    fn load(&self) -> Result<(Loaded, Scope), Failure> {
        let loaded = load(&self.select.request())?;
        let scope = self.scope.of(&loaded.trace)?;
        Ok((loaded, scope))
    }
}

/// Prints the summaries; options that the layout does not take end the program as any wrong command line does.
pub(super) fn run(args: &SummaryArgs) -> Result<(), Failure> {
    let layout = args.layout();
    let printer = match layout {
        Layout::Proftui => own::PRINTER,
        Layout::Torch => torch::PRINTER,
        Layout::Deeplink => torch::DEEPLINK,
        Layout::Fluid => fluid::PRINTER,
        Layout::Paddle => paddle::PRINTER,
        Layout::Visualdl => visualdl::PRINTER,
    };
    // What is wrong with the command line is said before the file is read.
    if let Err(why) = args.check(layout, &printer) {
        clap::Error::raw(ErrorKind::InvalidValue, why + "\n").exit();
    }
    (printer.run)(args)
}
