//! The groupings of a view's rows: further tables of the view, beside its own. Most need the arguments of
//! events.
//!
//! A view lists its groupings (`View::groupings`); command line and explorer choose among them, read the
//! arguments that the chosen one needs, and build its table. Must not know how a view builds its tables.

use proftui_trace::model::Trace;

use crate::analysis::arguments::{Arguments, Needs};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::Table;

/// The name of the grouping of devices that adds columns of occupancy and SM efficiency.
pub(crate) const OCCUPANCY: &str = "occupancy";
/// The name of the grouping of operators by the shapes of their inputs.
pub const INPUT_SHAPE: &str = "input-shape";
/// The name of the groupings by Python stack: of operators, and of the flame.
pub const STACK: &str = "stack";
/// The name of the grouping of the flame whose frames are modules and operators.
pub const MODULE: &str = "module";
/// The name of the grouping of kernels by launch configuration.
pub const LAUNCH: &str = "launch";
/// The name of the grouping of the verdict that adds findings about how well kernels use the device.
pub(crate) const EFFICIENCY: &str = "efficiency";
/// The name of the grouping of the roofline that reads the inputs of operators.
pub(crate) const INPUTS: &str = "inputs";
/// The name of the grouping of calls that adds rows for the lines of operators' call stacks.
pub(crate) const STACK_LINES: &str = "stack-lines";

/// A further table of a view, beside the view's own.
#[derive(Clone, Copy, Debug)]
pub struct Grouping {
    /// The grouping's name, unique in its view.
    pub name: &'static str,
    /// The title, such as "by input shape" or "with occupancy".
    pub title: &'static str,
    /// The arguments of events that must be read from the files for the table.
    pub needs: Needs,
    /// Builds the table for a scope of the trace from the arguments of the events in the scope.
    pub(crate) build: fn(&Trace, &Scope, &Arguments) -> Table,
}
