//! The bars beside a table's rows: which column they show, and how long each is.
//!
//! Must not know how a bar is drawn.

use crate::analysis::table::chart::ChartKind;
use crate::analysis::{Chart, ColumnKind, Table, TableRow, Value};

/// The bars of a table: the column whose values they show, and the value of a full bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
    /// The index of the column whose values the bars show.
    pub column: usize,
    /// The value of a full bar: 1 for a share, else the largest value that a top-level row has in the column,
    /// at least 0.
    full: f64,
}

impl Bars {
    /// The bars of a table whose rows are sorted by the column `order` (an index; `None`: in the table's own
    /// order). `None` for a table without rows or without a column of shares.
    ///
    /// The bars show the column by which rows are sorted. In the table's own order, or where rows are sorted
    /// by a text, they show a column of shares: of those that have a chart of their own, the first whose
    /// values never rise from row to row and are not all the same, else the one with the largest value in the
    /// first row. Where no column of shares has a chart, they show the first column of shares.
    pub fn of(table: &Table, order: Option<usize>) -> Option<Self> {
        Self::of_rows(table, table.rows.iter(), order)
    }

    /// As [`Bars::of`], but with the table's rows in the order of `rows` instead of the table's own.
    pub fn of_rows<'a>(
        table: &Table,
        mut rows: impl Iterator<Item = &'a TableRow> + Clone,
        order: Option<usize>,
    ) -> Option<Self> {
        let kind = |at: usize| table.columns.get(at).map(|column| column.kind);
        let is_share = |at: &usize| kind(*at) == Some(ColumnKind::Ratio);
        let all = rows.clone();
        let first_row = rows.next()?;
        let first = (0..table.columns.len()).find(is_share)?;
        let ordered = order.filter(|&at| kind(at).is_some_and(|kind| kind != ColumnKind::Text));
        let with_chart = || (0..table.columns.len()).filter(|&at| is_share(&at) && has_chart(table, at));
        let in_first_row = |at: &usize| number(&first_row.cells[*at]).unwrap_or_default();
        // Of equal values `max_by` returns the last: from behind, that is the first column.
        let largest = || with_chart().rev().max_by(|a, b| in_first_row(a).total_cmp(&in_first_row(b)));
        let falling = || with_chart().find(|&at| falls(all.clone(), at));
        let column = ordered.or_else(falling).or_else(largest).unwrap_or(first);
        let values = all.clone().filter_map(|row| number(&row.cells[column]));
        let full = if is_share(&column) { 1.0 } else { values.fold(0.0, f64::max) };
        Some(Self { column, full })
    }

    /// The length of a row's bar as a share (0 to 1) of a full bar; `None` if the row has no number in the
    /// column of the bars.
    pub fn share(&self, row: &TableRow) -> Option<f64> {
        let value = number(&row.cells[self.column])?;
        Some(if self.full > 0.0 { (value / self.full).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// True when nothing else says which column the bars show: they show no share, the table has several
    /// columns of shares, or their column is not among the columns `shown` (indices).
    pub(crate) fn need_name(&self, table: &Table, shown: &[usize]) -> bool {
        let shares = table.columns.iter().filter(|column| column.kind == ColumnKind::Ratio).count();
        shares > 1 || table.columns[self.column].kind != ColumnKind::Ratio || !shown.contains(&self.column)
    }
}

/// True when the values of a column fall, or stay, from each row to the next, and are not all the same. A
/// cell without a number counts as less than any number.
fn falls<'a>(rows: impl Iterator<Item = &'a TableRow>, column: usize) -> bool {
    let mut values = rows.map(|row| number(&row.cells[column]).unwrap_or(f64::NEG_INFINITY));
    let Some(first) = values.next() else { return false };
    let mut last = first;
    let never_rises = values.all(|value| std::mem::replace(&mut last, value) >= value);
    never_rises && first > last
}

/// True when one of the table's charts shows the shares of this column.
fn has_chart(table: &Table, column: usize) -> bool {
    let is_of = |chart: &Chart| matches!(chart.kind, ChartKind::Shares { share, .. } if share == column);
    table.charts.iter().any(is_of)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Count(n) | Value::Amount(n) => Some(*n as f64),
        Value::Duration(n) | Value::Bytes(n) => Some(*n as f64),
        Value::Ratio(n) | Value::Factor(n) | Value::Rate(n) => Some(*n),
        Value::Text(_) | Value::Empty => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Column;

    /// Operators in the order of the larger of two times: no share falls from row to row.
    fn table() -> Table {
        let row = |own: f64, device: f64, calls: u64| {
            TableRow::new(vec![
                Value::text("a"),
                Value::Count(calls),
                Value::Ratio(own),
                Value::Ratio(device),
            ])
        };
        let table = Table {
            columns: vec![
                Column::new("name", "Name", ColumnKind::Text, ""),
                Column::new("calls", "Calls", ColumnKind::Count, ""),
                Column::new("own", "Self share", ColumnKind::Ratio, ""),
                Column::new("device", "Device share", ColumnKind::Ratio, ""),
            ],
            rows: vec![row(0.1, 0.5, 8), row(0.6, 0.2, 4), row(0.2, 0.3, 2)],
            ..Table::default()
        };
        let charts = ["own", "device"].map(|share| table.share_chart("", share, "calls"));
        table.with_charts(charts)
    }

    fn shares(table: &Table, order: Option<usize>) -> (usize, Vec<f64>) {
        let bars = Bars::of(table, order).expect("bars");
        (bars.column, table.rows.iter().filter_map(|row| bars.share(row)).collect())
    }

    #[test]
    fn bars_show_the_column_that_orders_the_rows() {
        let mut table = table();
        table.sort(1, false);
        assert_eq!(shares(&table, Some(1)), (1, vec![1.0, 0.5, 0.25]), "a number as a part of the largest");
        table.sort(2, true);
        assert_eq!(shares(&table, Some(2)), (2, vec![0.1, 0.2, 0.6]), "smallest first, too");
        assert_eq!(shares(&table, Some(0)).0, 3, "a text has no length");
    }

    #[test]
    fn bars_of_rows_in_their_own_order_show_the_share_that_orders_them() {
        let mut table = table();
        assert_eq!(
            shares(&table, None),
            (3, vec![0.5, 0.2, 0.3]),
            "the share that is larger in the first row"
        );
        table.rows.swap(0, 1);
        assert_eq!(shares(&table, None).0, 2);
        table.rows.swap(1, 2);
        assert_eq!(shares(&table, None).0, 2, "the share that falls from row to row");
        table.rows.iter_mut().for_each(|row| row.cells.swap(2, 3));
        assert_eq!(shares(&table, None).0, 3);
    }

    #[test]
    fn bars_never_show_a_column_that_falls_by_chance() {
        let mut table = Table { charts: Vec::new(), ..table() };
        assert_eq!(shares(&table, None).0, 2, "the number of calls falls, and it is no share");
        table.sort(3, false);
        assert_eq!(shares(&table, None).0, 2, "the second share falls, and has no chart");
        table.rows.truncate(1);
        assert_eq!(shares(&table, None).0, 2, "one row is in every order");
        table.columns.truncate(2);
        assert_eq!(Bars::of(&table, None), None, "no column of shares");
        assert_eq!(Bars::of(&Table { rows: Vec::new(), ..self::table() }, None), None, "no rows");
    }

    #[test]
    fn bars_are_named_if_their_column_is_not_shown() {
        let mut table = table();
        table.columns[3].kind = ColumnKind::Count;
        let bars = Bars::of(&table, None).expect("bars");
        assert_eq!(bars.column, 2);
        assert!(!bars.need_name(&table, &[0, 2]) && bars.need_name(&table, &[0, 1]));
    }
}
