//! Printing of tables: one file per output format, each of which prints any
//! [`Table`](crate::analysis::Table); `answer` prints the few lines at the end of a capture.
//!
//! Must not know the origin of a table or the terminal.

pub mod answer;
pub mod bars;
pub mod csv;
pub mod folded;
pub mod insights;
pub mod json;
pub mod markdown;
pub mod speedscope;
#[cfg(test)]
mod testing;
pub mod text;
