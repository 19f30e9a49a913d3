//! The options of `key_averages()`: the tool whose rules are used, and the grouping of rows.

use proftui_trace::model::Trace;

/// The tool whose rules make the averages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// The rules of PyTorch.
    #[default]
    Torch,
    /// The rules of DeepLink, a variant of PyTorch 2.0's: of device records of an operator that are nested,
    /// the outermost counts; the device total is that of the host rows; user annotations share rows with
    /// other events of their name; Python functions have rows.
    DeepLink,
}

impl Rules {
    /// The rules of the profiler that recorded the trace: DeepLink's for its traces, else torch's.
    pub fn of(trace: &Trace) -> Self {
        if trace.meta.producer == "deeplink" { Self::DeepLink } else { Self::Torch }
    }
}

/// The properties that give events of one name separate rows, besides those that always do: the side (host or
/// device) and, by torch's rules, whether the event is a user annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// True for a row per set of input shapes (`group_by_input_shape`).
    pub by_shape: bool,
    /// How many of the innermost stack frames distinguish rows (`group_by_stack_n`); 0 to group without
    /// stacks.
    pub by_stack: usize,
}
