//! The order of a table's rows, and which of them are kept.
//!
//! Must not name a view: what concerns some views only is asked of the table's `View`.

use proftui_base::fmt;
use proftui_base::saturate::saturate;

use crate::analysis::{Table, TableRow, Value, View};

use super::error::AskError;

/// Which rows of tables are kept, in which order, and how many of them; by default all rows, in the view's
/// order.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// Which rows are kept, by text and by size; applied before the order and the limits.
    pub filter: Filter,
    /// The id of the column by which rows are sorted, largest value first and texts by the alphabet, or with
    /// `:asc` appended the other way round. `None` for the view's order.
    pub sorted_by: Option<String>,
    /// The most top-level rows of each table, child rows not counted; `None` for no limit.
    pub rows: Option<usize>,
    /// The most top-level rows of tables that can be shorter (`View::brief`). With a limit, these tables also
    /// lose all child rows; `None` for no limit.
    pub listed: Option<usize>,
    /// The least share of a flame's weight, 0 to 1, of the frames that stay in its table; joined tables of
    /// flames keep all frames. `None` for all frames.
    pub least_share: Option<f64>,
    /// Advice on how to see all rows, for the note below a table that was cut; empty for no advice.
    pub all_rows: &'static str,
    /// Advice on how to see all frames, for the note below a flame of which some were left out for their
    /// share; empty for no advice.
    pub all_frames: &'static str,
}

/// Conditions on the text and size of the rows that are kept; none by default.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// A text that a row, or a row above or below it, must have, in whatever case. `None` for no condition.
    pub name: Option<String>,
    /// The least size of a top-level row, bytes, in tables with a column `size`. `None` for no condition.
    pub min_size: Option<u64>,
    /// The largest size of a top-level row, bytes, in tables with a column `size`. `None` for no condition.
    pub max_size: Option<u64>,
}

impl Arrangement {
    /// The id of the column by which rows are sorted, and true if the smallest values come first; `None` for
    /// the view's order.
    pub fn order(&self) -> Option<(&str, bool)> {
        let key = self.sorted_by.as_deref()?;
        Some(key.strip_suffix(":asc").map_or((key, false), |id| (id, true)))
    }

    /// Filters and sorts the rows of tables, then cuts tables to the limits. `view` is the only view that was
    /// asked for, `None` for several.
    ///
    /// # Errors
    /// When no table of `view` has the column by which rows are sorted or filtered.
    pub fn apply<'a>(
        &self,
        tables: impl Iterator<Item = &'a mut Table>,
        view: Option<&str>,
    ) -> Result<(), AskError> {
        let mut tables: Vec<&mut Table> = tables.collect();
        self.filter.apply(&mut tables, view)?;
        self.sort(&mut tables, view)?;
        for table in tables {
            if let Some(limit) = self.rows {
                cut(table, limit, self.all_rows);
            }
            let of = View::named(table.view);
            if let Some(least) = self.least_share.filter(|_| of.is_some_and(|view| view.flame.is_some())) {
                thin(table, least, self.all_frames);
            }
            if let Some(limit) = self.listed.filter(|_| of.is_some_and(|view| view.brief.is_some())) {
                cut(table, limit, self.all_rows);
                table.rows.iter_mut().for_each(|row| row.children.clear());
            }
        }
        Ok(())
    }

    /// Sorts the rows of each table by the column asked for, if any; leaves tables without the column as they
    /// are. Fails if no table of `view`, the only view asked for, has the column.
    fn sort(&self, tables: &mut [&mut Table], view: Option<&str>) -> Result<(), AskError> {
        let Some((id, is_ascending)) = self.order() else { return Ok(()) };
        let is_known = tables.iter().any(|table| table.column(id).is_some());
        if let (Some(_), false, Some(table)) = (view, is_known, tables.first()) {
            let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
            let (view, column) = (table.view.to_owned(), id.to_owned());
            return Err(AskError::NoColumn { view, column, known: ids.join(", ") });
        }
        for table in tables {
            if let Some(column) = table.column(id) {
                table.sort(column, is_ascending);
            }
        }
        Ok(())
    }
}

/// Keeps the first `limit` top-level rows of a table. If there were more, adds a note on their number, with
/// `advice` on how to see them.
pub fn cut(table: &mut Table, limit: usize, advice: &str) {
    if let Some(left) = table.rows.len().checked_sub(limit).filter(|&left| left > 0) {
        table.rows.truncate(limit);
        table.notes.push(with_advice(&fmt::counted(left as u64, "more row"), advice));
    }
}

/// Leaves out the frames whose value in a column `share` is below `least`, 0 to 1, and all frames below them.
/// If there were any, adds a note with `advice`.
fn thin(table: &mut Table, least: f64, advice: &str) {
    let Some(share) = table.column("share") else { return };
    let mut left_out = 0;
    keep(&mut table.rows, share, least, &mut left_out);
    if left_out > 0 {
        let frames = fmt::counted(left_out, "frame");
        let have = if left_out == 1 { "has" } else { "have" };
        let are = if left_out == 1 { "is" } else { "are" };
        let percent = least * 100.0;
        let what = format!("{frames} {have} less than {percent}% of the flame's weight and {are} left out");
        table.notes.push(with_advice(&what, advice));
    }
}

/// The sentence `what`, with `advice` at its end unless that is empty.
fn with_advice(what: &str, advice: &str) -> String {
    if advice.is_empty() { format!("{what}.") } else { format!("{what}; {advice}.") }
}

/// Removes rows whose value in the column `share` is less than `least`, with all rows below them. Adds the
/// number of removed rows to `left_out`.
fn keep(rows: &mut Vec<TableRow>, share: usize, least: f64, left_out: &mut u64) {
    rows.retain_mut(|row| {
        let is_kept = row.cells[share].ratio_or_zero() >= least;
        if is_kept {
            keep(&mut row.children, share, least, left_out);
        } else {
            *left_out += count(row);
        }
        is_kept
    });
}

fn count(row: &TableRow) -> u64 {
    1 + row.children.iter().map(count).sum::<u64>()
}

impl Filter {
    /// True if there is a condition, so that rows may be left out.
    pub fn any(&self) -> bool {
        self.name.is_some() || self.has_size()
    }

    fn has_size(&self) -> bool {
        self.min_size.is_some() || self.max_size.is_some()
    }

    /// Removes the rows that do not meet the conditions; a table that loses all rows gets one note instead of
    /// its own. Fails if a size is asked for, and no table of `view`, the only view, has a column `size`.
    fn apply(&self, tables: &mut [&mut Table], view: Option<&str>) -> Result<(), AskError> {
        let has_none = || tables.iter().all(|table| table.column("size").is_none());
        if let Some(view) = view
            && self.has_size()
            && has_none()
        {
            return Err(AskError::NoSize { view: view.to_owned() });
        }
        let wanted = self.name.as_ref().map(|name| name.to_lowercase());
        for table in tables {
            let had_rows = !table.rows.is_empty();
            if let (Some(column), true) = (table.column("size"), self.has_size()) {
                table.rows.retain(|row| self.has_size_of(&row.cells[column]));
            }
            if let Some(wanted) = &wanted {
                keep_named(&mut table.rows, wanted);
            }
            if had_rows && table.rows.is_empty() {
                table.notes = vec![self.no_row()];
            }
        }
        Ok(())
    }

    /// The note that no row meets the conditions.
    fn no_row(&self) -> String {
        let name = self.name.as_ref().map(|name| format!("the text \"{name}\""));
        let size = |bytes: u64| fmt::bytes(saturate::<i64>(bytes));
        let least = self.min_size.map(|bytes| format!("a size of at least {}", size(bytes)));
        let most = self.max_size.map(|bytes| format!("a size of at most {}", size(bytes)));
        let conditions: Vec<String> = [name, least, most].into_iter().flatten().collect();
        format!("No row has {}.", conditions.join(" and "))
    }

    fn has_size_of(&self, cell: &Value) -> bool {
        let Value::Bytes(bytes) = cell else { return false };
        let bytes = u64::try_from(*bytes).unwrap_or_default();
        self.min_size.is_none_or(|least| bytes >= least) && self.max_size.is_none_or(|most| bytes <= most)
    }
}

/// Keeps the rows that have the text `wanted` (in lower case), and all rows above and below these rows.
fn keep_named(rows: &mut Vec<TableRow>, wanted: &str) {
    rows.retain_mut(|row| {
        if row.has_text(wanted) {
            return true;
        }
        keep_named(&mut row.children, wanted);
        !row.children.is_empty()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stays_for_its_own_text_or_for_a_childs() {
        let row = |name: &str, children| TableRow { children, ..TableRow::new(vec![Value::text(name)]) };
        let leaf = |name| row(name, Vec::new());
        let mut rows = vec![
            row("Aten::MM", vec![leaf("sgemm")]),
            row("aten::linear", vec![leaf("aten::mm"), leaf("sgemm")]),
            leaf("aten::add"),
        ];
        keep_named(&mut rows, "aten::mm");
        assert_eq!(rows, [row("Aten::MM", vec![leaf("sgemm")]), row("aten::linear", vec![leaf("aten::mm")])]);
    }
}
