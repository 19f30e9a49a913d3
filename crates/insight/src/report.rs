//! Printing: `text`, `csv`, `json` and `markdown` print any [`Table`](crate::analysis::Table), `folded` and
//! `speedscope` those of frames, `insights` findings, `answer` the few lines at the end of a capture. `bars`
//! computes the bars beside rows.
//!
//! Must not know how a table was made, or the terminal.

pub mod answer;
pub mod bars;
pub mod csv;
pub mod folded;
pub mod insights;
pub mod json;
pub mod markdown;
pub mod speedscope;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
