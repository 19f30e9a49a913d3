//! The text of Paddle's summaries, to the letter as `Profiler.summary` prints them.
//!
//! The tables hold raw integers; here they get units, widths and names cut to length. `sheet` lays out lines
//! and `cells` prints values. Only the notes under a table are ours.

mod cells;
mod names;
mod rows;
mod sheet;

use crate::analysis::{Table, Value};
use crate::compat::bounds::long_names;
use proftui_base::fmt::TimeUnit;

/// States how many rows of the tables of ranges have names longer than the widest column of names may be;
/// None if there are none.
pub fn note(tables: &[Table]) -> Option<String> {
    let rows = tables.iter().filter_map(|table| match table.view {
        "memcpy" => Some(vec![&table.rows]),
        "userdefined" => Some(table.rows.iter().map(|thread| &thread.children).collect()),
        _ => None,
    });
    let names: Vec<_> = rows.flatten().flatten().filter_map(|row| row.cells.first()).collect();
    long_names(names.into_iter().filter_map(|name| match name {
        Value::Text(name) => Some(name.as_str()),
        _ => None,
    }))
}

/// Prints the tables into a text, one after the other, in Paddle's layout and with all times in `unit`.
pub fn render(tables: &[Table], unit: TimeUnit) -> String {
    tables.iter().map(|table| rows::render(table, unit)).collect()
}
