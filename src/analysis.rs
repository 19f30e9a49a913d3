//! Our own summaries of a trace: one file per summary, each a function from the trace and a [`Scope`] to a [`Table`].
//!
//! Summaries by other tools' rules are in `compat`. Must not know how a table is drawn or printed.

pub mod allocation;
pub mod arguments;
mod by_name;
pub mod calls;
pub mod chart;
pub mod compare;
pub mod copies;
mod covered;
pub mod curve;
pub mod device;
pub(crate) mod flops;
pub mod gpu;
pub mod grouping;
pub(crate) mod hook_frames;
pub mod host;
mod in_use;
pub mod kernel;
pub mod launch_config;
mod levels;
pub mod memory;
pub(crate) mod memory_owner;
pub mod model;
pub mod names;
pub mod operator;
mod outer_call;
pub mod overview;
mod own_time;
mod owner;
pub mod part;
pub mod perf;
mod phase;
pub mod phase_matrix;
mod phase_times;
pub mod quality;
pub mod ranges;
pub mod scope;
mod script_line;
pub mod shapes;
pub mod stacks;
pub mod steps;
pub mod table;
mod tally;
pub(crate) mod tensor_cores;
mod threads;
pub mod time;
pub mod view;
pub(crate) mod waits;

pub use arguments::{Arguments, Needs};
pub use chart::Chart;
pub use grouping::Grouping;
pub use part::{Part, Piece};
pub use scope::Scope;
pub use table::{Column, ColumnKind, Table, TableRow, Value};
pub use view::{VIEWS, View};
