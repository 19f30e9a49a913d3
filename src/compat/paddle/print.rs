//! The text of Paddle's summaries, to the letter as `Profiler.summary` prints them.
//!
//! The tables hold raw integers; here they get units, widths and names cut to length. `sheet` lays out lines and `cells`
//! prints values. Only the notes under a table are ours.

mod cells;
mod names;
mod rows;
mod sheet;

use crate::analysis::Table;
use crate::base::fmt::TimeUnit;

/// Prints the tables one after the other, with all times in `unit`.
pub fn render(tables: &[Table], unit: TimeUnit) -> String {
    tables.iter().map(|table| rows::render(table, unit)).collect()
}
