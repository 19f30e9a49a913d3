//! `proftui summary --layout fluid`: the report of Paddle's old profiler, with that profiler's options.
//!
//! Must not know how the report is made.

use clap::ValueEnum;

use crate::cli::output::streams::{Failure, notify, print};
use proftui_insight::compat::fluid::print::render;
use proftui_insight::compat::fluid::{Detail, Options, SortKey, State, report};

use super::common::{CommonArgs, TableFormat};
use super::layout::{FLUID_VIEW, Layout, LayoutOptions, or_exit};
use super::misuse::Misuse;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of --layout fluid")]
pub(super) struct FluidArgs {
    /// Time that the report sums up: on the host, on devices, or both (default: All if the trace has device
    /// work, else CPU)
    #[arg(long, value_enum, ignore_case = true, value_name = "STATE")]
    state: Option<StateChoice>,
    /// Detail at which the report shows operators (default: Default, without their inner parts)
    ///
    /// Inner parts are in traces of Paddle and in its binary profiles (.prof.pb). Instances are only in
    /// binary profiles that were recorded with `AllOpDetail`; for all other files, `AllOpDetail` prints the
    /// same as `OpDetail`.
    #[arg(long, value_enum, ignore_case = true, value_name = "OPTION")]
    tracer_option: Option<DetailChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StateChoice {
    /// Time on the host
    #[value(name = "CPU")]
    Cpu,
    /// Time on devices
    #[value(name = "GPU")]
    Gpu,
    /// Sum of the times on the host and on devices
    #[value(name = "All")]
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DetailChoice {
    /// One row per operator
    #[default]
    #[value(name = "Default")]
    Default,
    /// Also rows for the inner parts of operators
    #[value(name = "OpDetail")]
    OpDetail,
    /// Also rows for the inner parts and the single instances of operators
    #[value(name = "AllOpDetail")]
    AllOpDetail,
}

impl LayoutOptions for FluidArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Fluid];
}

/// The options of the report. Without `--state`, they ask for both host and device time.
///
/// # Errors
/// On a view, format or sort key that the layout does not have.
fn options(args: &CommonArgs, fluid: &FluidArgs) -> Result<Options, Misuse> {
    args.check_view(&[FLUID_VIEW])?;
    if args.format != TableFormat::Table {
        return Err(Misuse::FluidFormat);
    }
    let name = args.sorted_by.as_deref().unwrap_or("default");
    let key = SortKey::named(name).ok_or_else(|| {
        let known = SortKey::ALL.iter().map(|(name, _)| *name).collect();
        Misuse::SortKey { key: name.to_owned(), layout: "fluid", known }
    })?;
    let detail = match fluid.tracer_option.unwrap_or_default() {
        DetailChoice::Default => Detail::Default,
        DetailChoice::OpDetail => Detail::OpDetail,
        DetailChoice::AllOpDetail => Detail::AllOpDetail,
    };
    let state = match fluid.state {
        Some(StateChoice::Cpu) => State::Cpu,
        Some(StateChoice::Gpu) => State::Gpu,
        Some(StateChoice::All) | None => State::All,
    };
    Ok(Options { state, key, detail })
}

/// Loads the traces and prints the report of the layout `fluid`.
pub(super) fn run(args: &CommonArgs, fluid: &FluidArgs) -> Result<(), Failure> {
    let mut options = or_exit(options(args, fluid));
    let (loaded, scope) = args.load()?;
    args.scope.check_threads(&loaded.trace, &scope, "fluid")?;
    let trace = &loaded.trace;
    let has_work = || trace.slices.ids().iter().any(|id| trace.slices.category(id).is_device_work());
    if fluid.state.is_none() && !has_work() {
        options.state = State::Cpu;
    }
    let report = report(trace, &scope, options);
    report.notes().iter().for_each(|note| notify(note));
    print(&render(&report))
}
