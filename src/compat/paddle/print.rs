//! Paddle's summaries as text, to the letter as `Profiler.summary` prints them.
//!
//! Numbers come as raw integers from `analysis::paddle`; here they get units, widths and names cut to length. `sheet` lays
//! out lines and `cells` writes numbers. Only the notes under a table are in our own words.

mod cells;
mod names;
mod rows;
mod sheet;

use crate::analysis::Table;
use crate::base::fmt::TimeUnit;

/// The tables one after the other.
pub fn render(tables: &[Table], unit: TimeUnit) -> String {
    tables.iter().map(|table| rows::render(table, unit)).collect()
}
