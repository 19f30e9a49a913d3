//! The options of `proftui capture` for operators.
//!
//! Must not know how operators are recorded.

use clap::ValueEnum;
use proftui_wire::options::{Ops, OpsOption};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Operators")]
pub(super) struct OpsArgs {
    /// Record operators of PyTorch and Paddle: their names and times, all that the framework's own profiler knows, or not
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    ops: How,
    /// Shapes and types of what operators are given (so --ops full)
    #[arg(long)]
    record_shapes: bool,
    /// The functions of Python that operators are called in (so --ops full)
    #[arg(long)]
    with_stack: bool,
    /// How many floating point operations they do (so --ops full)
    #[arg(long)]
    with_flops: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum How {
    /// None
    Off,
    /// Names and times, at the least cost
    #[default]
    Light,
    /// What the framework's own profiler knows
    Full,
}

impl OpsArgs {
    /// The options of the recorder for operators; `has_memory` is true where their allocations are to be recorded, too, for which
    /// another option asks.
    pub(super) fn options(&self, has_memory: bool) -> Vec<OpsOption> {
        let all = [
            (self.record_shapes, OpsOption::Shapes),
            (self.with_stack, OpsOption::Stack),
            (has_memory, OpsOption::Memory),
            (self.with_flops, OpsOption::Flops),
        ];
        all.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect()
    }

    /// How operators are recorded, given the options for them: each option means `full`.
    pub(super) fn how(&self, options: &[OpsOption]) -> Ops {
        match self.ops {
            _ if !options.is_empty() => Ops::Full,
            How::Off => Ops::Off,
            How::Light => Ops::Light,
            How::Full => Ops::Full,
        }
    }
}
