//! The text of `EventList.table()` (`_build_table` in `torch/autograd/profiler_util.py`), to the letter, and
//! DeepLink's variant of it.
//!
//! Must not know how the averages were made.

mod columns;
mod format;
mod grid;
mod options;

#[cfg(test)]
mod tests;

use super::Averages;

use format::{MemoryUnits, Units};
use grid::Grid;

pub use options::TableOptions;

/// Prints the table, or a sentence if the averages have no row.
pub fn render(averages: &Averages, options: &TableOptions) -> String {
    if averages.rows.is_empty() {
        return "There is nothing to average: the trace has no operators, ranges, calls or kernels.\n".into();
    }
    let units = Units { time: options.time_unit, memory: MemoryUnits::of(averages.rules) };
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
    let frames = averages.rules.frames();
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
