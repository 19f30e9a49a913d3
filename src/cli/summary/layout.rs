//! The layouts of `proftui summary`, that is, which tool's tables are printed; and which options each layout
//! takes.
//!
//! An option that only some layouts take is in a struct that names them ([`LayoutOptions`]). Given with
//! another layout it is an error of the command line, reported before any file is read. Must not know what a
//! layout prints.

use std::ops::Deref;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::misuse::Misuse;

/// The name of the only view of the layouts `torch` and `deeplink`.
pub(super) const TORCH_VIEW: &str = "keyavg";

/// The name of the only view of the layout `fluid`.
pub(super) const FLUID_VIEW: &str = "fluid";

/// The layout of the output: which tool's tables are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Layout {
    /// Tables of proftui itself
    #[default]
    Proftui,
    /// PyTorch's table of averages, `key_averages().table()`, exactly as PyTorch prints it; DeepLink's for a
    /// DeepLink trace
    Torch,
    /// DeepLink's table of averages, in which nested device records of an operator count once
    Deeplink,
    /// The report of Paddle's old profiler, fluid.profiler: overhead, copies, events by call path
    Fluid,
    /// The tables of Paddle's profiler, exactly as Paddle prints them, for traces of any framework
    Paddle,
    /// The numbers of VisualDL's profiler pages, for traces of any framework
    Visualdl,
}

impl Layout {
    /// The layout's name as `--layout` takes it.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// A struct of command-line options that only some layouts take.
pub(super) trait LayoutOptions: Args {
    /// The layouts that take these options.
    const LAYOUTS: &'static [Layout];
}

/// The values of a struct of options, and the names of those options that were given on the command line.
#[derive(Debug)]
pub(super) struct Given<A> {
    options: A,
    /// The names of the given options, such as `--merged`.
    names: Vec<String>,
}

impl<A> Deref for Given<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.options
    }
}

impl<A: Args> FromArgMatches for Given<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let own = A::augment_args(Command::new("own"));
        let is_given =
            |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let names = own.get_arguments().filter(is_given).filter_map(|arg| arg.get_long());
        let names = names.map(|name| format!("--{name}")).collect();
        Ok(Self { options: A::from_arg_matches(matches)?, names })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: Args> Args for Given<A> {
    fn augment_args(command: Command) -> Command {
        A::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}

/// Options that only some layouts take, of any type: a [`Given`] whose type is erased.
pub(super) trait Restricted {
    /// Checks that `layout` takes the options, if any were given.
    fn check(&self, layout: Layout) -> Result<(), Misuse>;
}

impl<A: LayoutOptions> Restricted for Given<A> {
    fn check(&self, layout: Layout) -> Result<(), Misuse> {
        if self.names.is_empty() || A::LAYOUTS.contains(&layout) {
            return Ok(());
        }
        let layouts = A::LAYOUTS.iter().map(|layout| layout.name()).collect();
        Err(Misuse::Layout { options: self.names.clone(), layouts })
    }
}

/// Returns the value of a check of the command line. If the check failed, ends the process with exit status 2
/// and the message.
pub(super) fn or_exit<T>(checked: Result<T, Misuse>) -> T {
    checked.unwrap_or_else(|why| clap::Error::raw(ErrorKind::InvalidValue, format!("{why}\n")).exit())
}
