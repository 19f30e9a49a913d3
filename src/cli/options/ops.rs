//! The options of `proftui capture` for operators.
//!
//! Must not know how operators are recorded.

use clap::ValueEnum;
use proftui_wire::options::{Ops, OpsOption};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Operators")]
pub(crate) struct OpsArgs {
    /// Detail at which the operators of PyTorch and Paddle are recorded
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    ops: How,
    /// Record the shapes and data types of each operator's inputs (implies --ops full)
    #[arg(long)]
    record_shapes: bool,
    /// Record the Python call stack of each operator (implies --ops full)
    #[arg(long)]
    with_stack: bool,
    /// Record the number of floating point operations of each operator (implies --ops full)
    #[arg(long)]
    with_flops: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum How {
    /// Record no operators
    Off,
    /// Record names and times of operators, at the lowest cost
    #[default]
    Light,
    /// Record operators by the framework's own profiler, at a higher cost
    Full,
}

impl OpsArgs {
    /// What to record of operators beyond names and times; allocations if `has_memory` is true.
    pub(crate) fn options(&self, has_memory: bool) -> Vec<OpsOption> {
        let all = [
            (self.record_shapes, OpsOption::Shapes),
            (self.with_stack, OpsOption::Stack),
            (has_memory, OpsOption::Memory),
            (self.with_flops, OpsOption::Flops),
        ];
        all.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect()
    }

    /// How operators are recorded: `full` if `options` is not empty, else as `--ops` asks.
    pub(crate) fn how(&self, options: &[OpsOption]) -> Ops {
        match self.ops {
            _ if !options.is_empty() => Ops::Full,
            How::Off => Ops::Off,
            How::Light => Ops::Light,
            How::Full => Ops::Full,
        }
    }
}
