//! The options that keep only some rows of a table, by text or by size, and the filter itself.
//!
//! Must not know which view a table is of.

use crate::cli::options::values::size;
use crate::cli::output::streams::Failure;
use proftui_insight::analysis::{Table, TableRow, Value};

use super::layout::{Layout, LayoutOptions};

#[derive(Debug, clap::Args)]
pub(super) struct FilterArgs {
    /// Print only rows that contain this text in any column, ignoring case (default: all rows)
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Print only rows of at least this size, such as 64k, 1.5M or 2G, in tables with a column `size` (default: all rows)
    #[arg(long, value_name = "BYTES", value_parser = size)]
    min_size: Option<u64>,
    /// Print only rows of at most this size, such as 64k, 1.5M or 2G, in tables with a column `size` (default: all rows)
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_size: Option<u64>,
}

impl LayoutOptions for FilterArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Visualdl];
}

impl FilterArgs {
    /// True where one of the options was given.
    pub(super) fn any(&self) -> bool {
        self.name.is_some() || self.has_size()
    }

    fn has_size(&self) -> bool {
        self.min_size.is_some() || self.max_size.is_some()
    }

    /// Removes the rows that do not match the options. Sizes are compared only in tables with a column `size`. `view` is the view
    /// asked for, `None` for all.
    ///
    /// # Errors
    /// When a size is given and one view is asked for, whose tables have no column `size`.
    pub(super) fn apply<'a>(
        &self,
        tables: impl Iterator<Item = &'a mut Table>,
        view: Option<&str>,
    ) -> Result<(), Failure> {
        let mut tables: Vec<&mut Table> = tables.collect();
        let has_none = || tables.iter().all(|table| table.column("size").is_none());
        if let Some(view) = view
            && self.has_size()
            && has_none()
        {
            return Err(Failure(format!(
                "the view {view} has no column size for --min-size and --max-size; the view allocations has one"
            )));
        }
        let wanted = self.name.as_ref().map(|name| name.to_lowercase());
        for table in &mut tables {
            let had_rows = !table.rows.is_empty();
            if let (Some(column), true) = (table.column("size"), self.has_size()) {
                table.rows.retain(|row| self.has_size_of(&row.cells[column]));
            }
            if let Some(wanted) = &wanted {
                keep_named(&mut table.rows, wanted);
            }
            if had_rows && table.rows.is_empty() {
                table.notes = vec!["No row matches --name, --min-size and --max-size.".into()];
            }
        }
        Ok(())
    }

    fn has_size_of(&self, cell: &Value) -> bool {
        let Value::Bytes(bytes) = cell else { return false };
        let bytes = u64::try_from(*bytes).unwrap_or_default();
        self.min_size.is_none_or(|least| bytes >= least) && self.max_size.is_none_or(|most| bytes <= most)
    }
}

/// Keeps rows that have the text `wanted` (in lower case), with all their children, and rows with such a row among their
/// children, with these children only.
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
