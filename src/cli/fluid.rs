//! `proftui summary --layout fluid`: the report of Paddle's old profiler, and the options that it had.

use clap::error::ErrorKind;
use clap::{CommandFactory, ValueEnum};

use crate::analysis::Scope;
use crate::compat;
use crate::compat::fluid::{self, Detail, Options, SortKey, State};
use crate::import::Loaded;

use super::{Cli, Failure, print};

/// The options of this layout, as messages name them.
pub(super) const FLAGS: &str = "--state and --tracer-option";

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of --layout fluid")]
pub(super) struct FluidArgs {
    /// Whose time counts: the host's, the device's, or their sum; All where the trace has device work
    #[arg(long, value_enum, ignore_case = true, value_name = "STATE")]
    state: Option<StateChoice>,
    /// How much of an operator to print: stages within it, and its instances
    ///
    /// Stages are in traces of Paddle and in binary profiles (.prof.pb). Instances are only in binary profiles that were
    /// recorded with `AllOpDetail`; of anything else it prints what `OpDetail` does.
    #[arg(long, value_enum, ignore_case = true, value_name = "OPTION")]
    tracer_option: Option<DetailChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StateChoice {
    #[value(name = "CPU")]
    Cpu,
    #[value(name = "GPU")]
    Gpu,
    #[value(name = "All")]
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DetailChoice {
    #[default]
    #[value(name = "Default")]
    Default,
    #[value(name = "OpDetail")]
    OpDetail,
    #[value(name = "AllOpDetail")]
    AllOpDetail,
}

impl FluidArgs {
    /// True when one of them was given.
    pub(super) fn any(&self) -> bool {
        self.state.is_some() || self.tracer_option.is_some()
    }

    /// What was asked for; what the layout does not have ends the program as a wrong command line does.
    pub(super) fn options(&self, sorted_by: Option<&str>, is_text: bool) -> Options {
        let refuse = |why: &str| -> ! { Cli::command().error(ErrorKind::InvalidValue, why).exit() };
        if !is_text {
            refuse("--layout fluid is text; --format has tables of the layout proftui");
        }
        let name = sorted_by.unwrap_or("default");
        let key = SortKey::named(name).unwrap_or_else(|| {
            let names: Vec<&str> = SortKey::ALL.iter().map(|(name, _)| *name).collect();
            let why = format!("--layout fluid sorts by {}; \"{name}\" is none of them", names.join(", "));
            refuse(&why)
        });
        let detail = match self.tracer_option.unwrap_or_default() {
            DetailChoice::Default => Detail::Default,
            DetailChoice::OpDetail => Detail::OpDetail,
            DetailChoice::AllOpDetail => Detail::AllOpDetail,
        };
        let state = match self.state {
            Some(StateChoice::Cpu) => State::Cpu,
            Some(StateChoice::Gpu) => State::Gpu,
            Some(StateChoice::All) | None => State::All,
        };
        Options { state, key, detail }
    }

    /// Prints the report of a trace.
    pub(super) fn run(&self, options: Options, scope: &Scope, loaded: &Loaded) -> Result<(), Failure> {
        let trace = &loaded.trace;
        let has_work = || (0..trace.slices.len() as u32).any(|id| trace.slices.category(id).is_device_work());
        let state = if self.state.is_none() && !has_work() { State::Cpu } else { options.state };
        print(&compat::fluid::print::render(&fluid::report(trace, scope, Options { state, ..options })))
    }
}
