//! The options of `key_averages()`: the tool whose rules are used, and the grouping of rows.

use proftui_trace::model::Trace;

/// The tool whose rules make the averages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// The rules of PyTorch.
    #[default]
    Torch,
    /// The rules of DeepLink, a variant of PyTorch 2.0's.
    DeepLink,
}

impl Rules {
    /// The rules of the profiler that recorded the trace: DeepLink's for its traces, else torch's.
    pub fn of(trace: &Trace) -> Self {
        if trace.meta.producer == "deeplink" { Self::DeepLink } else { Self::Torch }
    }
}

/// Further properties that give events separate rows, besides properties that always do, such as the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// True to give events with different input shapes separate rows (`group_by_input_shape`).
    pub by_shape: bool,
    /// How many of the innermost stack frames distinguish rows (`group_by_stack_n`); 0 to group without
    /// stacks.
    pub by_stack: usize,
}
