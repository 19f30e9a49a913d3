//! The options of `proftui capture` for operators.
//!
//! Must not know how operators are recorded.

use clap::ValueEnum;
use proftui_wire::options::{Ops, OpsOption};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Operators")]
pub(super) struct OpsArgs {
    /// How much to record of the operators of PyTorch and Paddle
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    ops: How,
    /// Record shapes and types of operators' inputs (implies --ops full)
    #[arg(long)]
    record_shapes: bool,
    /// Record the Python call stack of operators (implies --ops full)
    #[arg(long)]
    with_stack: bool,
    /// Record the number of floating point operations of operators (implies --ops full)
    #[arg(long)]
    with_flops: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum How {
    /// No operators
    Off,
    /// Names and times, at the least cost
    #[default]
    Light,
    /// What the framework's own profiler records, at a higher cost
    Full,
}

impl OpsArgs {
    /// The options that the operator recorder needs. `has_memory` is true where operators' allocations are to be recorded, too
    /// (`--profile-memory`).
    pub(super) fn options(&self, has_memory: bool) -> Vec<OpsOption> {
        let all = [
            (self.record_shapes, OpsOption::Shapes),
            (self.with_stack, OpsOption::Stack),
            (has_memory, OpsOption::Memory),
            (self.with_flops, OpsOption::Flops),
        ];
        all.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect()
    }

    /// How operators are recorded: `full` if there are any `options` for them, else as `--ops` asks.
    pub(super) fn how(&self, options: &[OpsOption]) -> Ops {
        match self.ops {
            _ if !options.is_empty() => Ops::Full,
            How::Off => Ops::Off,
            How::Light => Ops::Light,
            How::Full => Ops::Full,
        }
    }
}
