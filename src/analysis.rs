//! Summaries of a trace: one file a summary, each a function from the trace to a [`Table`].
//!
//! Must not know how a table is drawn or printed.

pub mod overview;
pub mod quality;
pub mod table;

pub use table::{Column, ColumnKind, Table, TableRow, Value};
