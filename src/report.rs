//! Tables as text: one file an output format, each rendering any [`Table`](crate::analysis::Table).
//!
//! Must not know where a table comes from, nor a terminal.

pub mod csv;
pub mod json;
pub mod markdown;
pub mod text;
