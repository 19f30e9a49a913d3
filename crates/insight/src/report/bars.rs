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
    /// The value that a full bar stands for.
    full: f64,
}

impl Bars {
    /// Chooses the column that a table's bars show: `order`, by which the rows are sorted, if it has numbers,
    /// else a column of shares. `None` without rows or without a column of shares.
    pub fn of(table: &Table, order: Option<usize>) -> Option<Self> {
        Self::of_rows(table, table.rows.iter(), order)
    }

    /// As [`Bars::of`], for rows in the order of `rows`.
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

    /// True when the bars should name their column: if it is not among `shown` (indices), has no shares, or
    /// the table has further columns of shares.
    pub(crate) fn need_name(&self, table: &Table, shown: &[usize]) -> bool {
        let shares = table.columns.iter().filter(|column| column.kind == ColumnKind::Ratio).count();
        shares > 1 || table.columns[self.column].kind != ColumnKind::Ratio || !shown.contains(&self.column)
    }
}

/// True when the values of a column never rise from row to row and are not all the same.
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
