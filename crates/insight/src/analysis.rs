//! Summaries of a part of a trace: tables, the idle time of devices by cause, findings, flames.
//!
//! The modules, each of which uses only modules that are listed before it (a test checks this):
//!
//! - [`thresholds`] has the numbers with which causes and findings are decided, in one table
//! - [`vocabulary`] has what names of kernels, calls and functions say
//! - [`part`] is a part of a trace, and who did what in it: spans of time, nesting, owners of device work,
//!   phases, threads
//! - [`flame`] sums up the frames of a part as trees
//! - [`table`] is the table of a summary with its charts, and what fills tables: tallies, comparisons
//! - [`arguments`] has what the arguments of events state: shapes, launch configurations, how well kernels
//!   use a device
//! - [`ledger`] has the cause of each nanosecond in which a device had no work
//! - [`insights`] has findings, and [`graph_names`] the names of work inside graphs
//! - [`views`] has the summaries, each a function from a trace and a [`Scope`] to a [`Table`]
//! - [`search`] has the language of queries, and the events, groups and gaps that a query finds
//!
//! Summaries by other tools' rules are in `compat`. Must not know how a table is drawn or printed.

pub mod arguments;
pub(crate) mod clocks;
pub mod flame;
pub mod graph_names;
pub mod insights;
pub mod ledger;
pub mod part;
pub mod search;
pub mod table;
pub mod thresholds;
pub mod views;
pub mod vocabulary;

pub use arguments::{Arguments, Needs};
pub use part::scope::Scope;
pub use part::{Part, Piece};
pub use table::chart::Chart;
pub use table::{Column, ColumnKind, Table, TableRow, Value};
pub use views::grouping::Grouping;
pub use views::{VIEWS, View};
