//! torch's own table: the text of `EventList.table()` (`_build_table` in `torch/autograd/profiler_util.py`), to the letter,
//! and DeepLink's variant of it.
//!
//! Must not know how the averages were made.

mod columns;
mod format;
mod grid;

#[cfg(test)]
mod tests;

use super::{Averages, Rules};
use crate::base::fmt::TimeUnit;

use format::{Unit, Units};
use grid::Grid;

/// What of the averages is printed.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions {
    /// Rows at most; a negative number for all.
    pub row_limit: i64,
    /// True to leave out rows whose first event lay in another.
    pub is_top_level_only: bool,
    /// Columns that a name takes at most; a longer one is cut.
    pub name_width: usize,
    /// One unit for all times, instead of the fitting one.
    pub time_unit: Option<TimeUnit>,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { row_limit: 100, is_top_level_only: false, name_width: 55, time_unit: None }
    }
}

/// Columns that shapes take at most.
const SHAPES_WIDTH: usize = 80;
/// Columns that a source location takes at most.
const SOURCE_WIDTH: usize = 75;
/// Frames that DeepLink shows of a stack.
const DEEPLINK_FRAMES: usize = 5;

/// The table; where there is not one row, a sentence.
pub fn render(averages: &Averages, options: &TableOptions) -> String {
    if averages.rows.is_empty() {
        return "There is nothing to average: the trace has no operators, ranges, calls or kernels.\n".into();
    }
    let units = Units { time: options.time_unit, memory: Unit::of(averages.rules) };
    let columns = columns::Columns::new(averages, options, units);
    let grid = Grid::new(columns.widths());
    let mut out = String::new();
    if options.is_top_level_only {
        out.push_str(&"=".repeat(grid.line_length()));
        out.push_str("\nThis report only display top-level ops statistics\n");
    }
    grid.rule(&mut out);
    grid.row(&mut out, &columns.headings());
    grid.rule(&mut out);
    let shown = averages.rows.iter().filter(|row| !options.is_top_level_only || row.is_top_level);
    let limit = usize::try_from(options.row_limit).unwrap_or(usize::MAX);
    let frames = if averages.rules == Rules::DeepLink { DEEPLINK_FRAMES } else { usize::MAX };
    for row in shown.take(limit) {
        grid.row(&mut out, &columns.cells(row));
        if columns.has_stack() {
            for frame in row.stack.iter().take(frames).skip(1) {
                grid.last(&mut out, &columns.frame(frame));
            }
            grid.last(&mut out, "");
        }
    }
    grid.rule(&mut out);
    out.push_str(&format!("Self CPU time total: {}\n", units.time(averages.self_cpu_total())));
    if let Some(device) = columns.device() {
        out.push_str(&format!("Self {device} time total: {}\n", units.time(averages.self_device_total())));
    }
    out
}
