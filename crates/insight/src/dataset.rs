//! A trace as tables for database engines: rows of slices, lanes, links, steps and so on, by a documented
//! schema, written batch by batch.
//!
//! `column` describes columns, `source` has what they are computed from, `tables` has the tables, a file
//! each, `format` writes them. Must not know the command line.

mod column;
mod communication;
mod format;
mod queries;
mod source;
mod table;
mod tables;

pub use column::{Description, Kind, Values};
pub use format::{Form, WriteError, write};
pub use queries::{QUERIES, Query};
pub use source::{Source, Texts};
pub use table::{Batches, Table, VERSION};
pub use tables::TABLES;
