//! The options and widths of torch's printed table.

use proftui_base::fmt::TimeUnit;

/// The options of the printed table, which are arguments of torch's `EventList.table()`.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions {
    /// Most rows printed; all for a negative number.
    pub row_limit: i64,
    /// True to leave out rows whose first event is inside another event (`top_level_events_only`).
    pub is_top_level_only: bool,
    /// Largest width of the column of names, in characters (`max_name_column_width`).
    pub name_width: usize,
    /// The unit of all times; None chooses a unit for each time by its size.
    pub time_unit: Option<TimeUnit>,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { row_limit: 100, is_top_level_only: false, name_width: 55, time_unit: None }
    }
}

/// Most characters of the input shapes (`max_shapes_column_width`).
pub(super) const SHAPES_WIDTH: usize = 80;
/// Most characters of a source location (`max_src_column_width`).
pub(super) const SOURCE_WIDTH: usize = 75;
