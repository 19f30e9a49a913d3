//! The terms of a query: conditions on events and gaps, and how what is found is ordered and summed up.
//!
//! Must not know how they are typed, nor which events meet them.

use std::ops::RangeInclusive;

use regex::Regex;

use proftui_base::time::Ns;
use proftui_trace::model::{Category, Trace};

use super::value::{Axis, Bound, Line};
use crate::analysis::ledger::Cause;

/// A condition on an event, or its opposite.
#[derive(Clone, Debug)]
pub struct Term {
    /// True if an event must not meet the condition.
    pub is_not: bool,
    /// The condition.
    pub field: Field,
}

/// A condition on an event.
#[derive(Clone, Debug)]
pub enum Field {
    /// The name, in lower case, contains this text, which is in lower case.
    Name(String),
    /// The name has a part that matches this regular expression.
    Regex(Regex),
    /// The duration, ns.
    Duration(Bound<Ns>),
    /// The category's name, in lower case, is or contains this text, which is in lower case.
    Category(String),
    /// The title of the lane or of its group, in lower case, contains this text, which is in lower case.
    Lane(String),
    /// The event is on the stream with this number, of whichever device.
    Stream(String),
    /// The event is of one of these steps (by number, both ends included) of its worker.
    Steps(RangeInclusive<u64>),
    /// The event is of the phase with this index in `PHASES`, or, with the index after the last, of a step
    /// but of no phase.
    Phase(usize),
    /// The event is of the worker with this rank.
    Rank(usize),
    /// The event is on a lane of the device with this number, in lower case.
    Gpu(String),
    /// The bytes of a copy or memset.
    Size(Bound<f64>),
    /// The number by which a launch and its device work are joined.
    Correlation(Bound<f64>),
    /// A number of a kernel's launch configuration.
    Launch {
        /// Which number.
        value: LaunchValue,
        /// A component of it; `None` for the product of all.
        axis: Option<Axis>,
        /// What it is compared with.
        bound: Bound<f64>,
    },
    /// The event is device work that was launched below an operator with this in its name, in lower case.
    Operator(String),
    /// The innermost script line around the event, or around its launch.
    Line(Line),
    /// The gap has one of these causes.
    Causes(Vec<Cause>),
    /// The event has an argument named `key`, whose value meets what follows.
    Argument {
        /// The argument's name.
        key: String,
        /// The text, without blanks, that the argument's value has to equal or contain when blanks are
        /// removed from the value; `None` if any value will do, or only `bound` counts.
        text: Option<String>,
        /// True if the argument's value only has to contain `text`, in upper or lower case.
        is_part: bool,
        /// The number that the value is compared with; beside `text`, either may hold.
        bound: Option<Bound<f64>>,
    },
}

/// A number of a kernel's launch configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchValue {
    /// Blocks in the grid.
    Grid,
    /// Threads per block.
    Block,
    /// Registers per thread.
    Registers,
}

/// The order of what is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The longest first; of groups, the largest sum.
    #[default]
    Duration,
    /// The earliest first.
    Start,
    /// The group with most events first.
    Count,
}

/// By what events are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Their name; of gaps, the cause.
    Name,
    /// Their step.
    Step,
    /// The innermost script line around them.
    Line,
    /// The lane, with its process or device; of gaps, the device.
    Stream,
    /// The innermost operator at or around them, of device work around its launch.
    Operator,
}

impl By {
    /// All groupings.
    pub(super) const ALL: [Self; 5] = [Self::Name, Self::Step, Self::Line, Self::Stream, Self::Operator];

    /// The name by which the grouping is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Step => "step",
            Self::Line => "line",
            Self::Stream => "stream",
            Self::Operator => "op",
        }
    }
}

impl Term {
    /// True if events of `trace` have to be read again to know which meet the term.
    pub fn needs_files(&self, trace: &Trace) -> bool {
        match self.field {
            Field::Argument { .. } | Field::Launch { .. } => true,
            Field::Line(_) => !has_functions(trace),
            _ => false,
        }
    }
}

/// True if the trace has Python functions on its timeline; else lines can only be in the arguments of
/// operators.
pub(super) fn has_functions(trace: &Trace) -> bool {
    trace.slices.category.contains(&(Category::PythonFunction as u8))
}
