//! The bars beside a table's rows: which column they show, and how long each is.
//!
//! Must not know characters or cells.

use crate::analysis::{ColumnKind, Table, TableRow, Value};

/// The bars of a table: the column whose values they show, and the value of a full bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
    /// The index of the column.
    pub column: usize,
    /// The value of a full bar: 1 for a share, else the largest value of the column.
    full: f64,
}

impl Bars {
    /// The bars of a table whose rows are sorted by the column `order` (`None`: in the table's own order); `None` for a table
    /// without rows or without a column of shares.
    ///
    /// The bars show the column by which rows are sorted. In the table's own order, that is the first column of shares whose
    /// values fall from row to row, else the first such column of numbers, else the first column of shares whose largest value is in
    /// the first row. Where there is none, or where rows are sorted by a text, bars show the first column of shares.
    pub fn of(table: &Table, order: Option<usize>) -> Option<Self> {
        let of_kind = |is_wanted: fn(ColumnKind) -> bool| {
            (0..table.columns.len()).filter(move |&at| is_wanted(table.columns[at].kind))
        };
        let is_share = |kind| kind == ColumnKind::Ratio;
        let is_number = |kind| kind != ColumnKind::Text;
        let first = of_kind(is_share).next().filter(|_| !table.rows.is_empty())?;
        let column = match order {
            Some(at) => {
                Some(at).filter(|&at| table.columns.get(at).is_some_and(|column| is_number(column.kind)))
            }
            None => of_kind(is_share)
                .chain(of_kind(is_number))
                .find(|&at| falls(table, at))
                .or_else(|| of_kind(is_share).find(|&at| is_first_largest(table, at))),
        };
        let column = column.unwrap_or(first);
        let values = table.rows.iter().filter_map(|row| number(&row.cells[column]));
        let full = if is_share(table.columns[column].kind) { 1.0 } else { values.fold(0.0, f64::max) };
        Some(Self { column, full })
    }

    /// The length of a row's bar, 0 to 1; `None` if the row has no value.
    pub fn share(&self, row: &TableRow) -> Option<f64> {
        let value = number(&row.cells[self.column])?;
        Some(if self.full > 0.0 { (value / self.full).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// True when the bars could be taken for those of another column: they show no share, or there are several columns of
    /// shares.
    pub fn need_name(&self, table: &Table) -> bool {
        let shares = table.columns.iter().filter(|column| column.kind == ColumnKind::Ratio).count();
        shares > 1 || table.columns[self.column].kind != ColumnKind::Ratio
    }
}

/// True when the values of a column fall, or stay, from each row to the next, and are not all the same.
fn falls(table: &Table, column: usize) -> bool {
    let value = |row: &TableRow| number(&row.cells[column]).unwrap_or(f64::NEG_INFINITY);
    let (Some(first), Some(last)) = (table.rows.first(), table.rows.last()) else { return false };
    value(first) > value(last) && table.rows.windows(2).all(|pair| value(&pair[0]) >= value(&pair[1]))
}

/// True when no row has a larger value in a column than the first row.
fn is_first_largest(table: &Table, column: usize) -> bool {
    let value = |row: &TableRow| number(&row.cells[column]);
    let first = table.rows.first().and_then(value);
    first.is_some_and(|first| table.rows.iter().filter_map(value).all(|value| value <= first))
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

    /// Operators in the order of their device time: the share of self time does not fall from row to row.
    fn table() -> Table {
        let row = |own: f64, device: f64, calls: u64| {
            TableRow::new(vec![
                Value::text("a"),
                Value::Count(calls),
                Value::Ratio(own),
                Value::Ratio(device),
            ])
        };
        Table {
            columns: vec![
                Column::new("name", "Name", ColumnKind::Text, ""),
                Column::new("calls", "Calls", ColumnKind::Count, ""),
                Column::new("own", "Self share", ColumnKind::Ratio, ""),
                Column::new("device", "Device share", ColumnKind::Ratio, ""),
            ],
            rows: vec![row(0.1, 0.5, 4), row(0.6, 0.3, 8), row(0.2, 0.2, 2)],
            ..Table::default()
        }
    }

    fn shares(table: &Table, order: Option<usize>) -> (usize, Vec<f64>) {
        let bars = Bars::of(table, order).expect("bars");
        (bars.column, table.rows.iter().filter_map(|row| bars.share(row)).collect())
    }

    #[test]
    fn bars_show_the_column_that_orders_the_rows() {
        let mut table = table();
        assert_eq!(shares(&table, None), (3, vec![0.5, 0.3, 0.2]), "the share that falls from row to row");
        table.sort(1, false);
        assert_eq!(shares(&table, Some(1)), (1, vec![1.0, 0.5, 0.25]), "a number as a part of the largest");
        table.sort(2, true);
        assert_eq!(shares(&table, Some(2)), (2, vec![0.1, 0.2, 0.6]), "smallest first, too");
        assert_eq!(shares(&table, Some(0)).0, 2, "a text has no length");
    }

    #[test]
    fn bars_of_rows_in_another_order_show_the_first_share() {
        let mut table = table();
        table.rows.reverse();
        assert_eq!(shares(&table, None).0, 2);
        table.rows.truncate(1);
        assert_eq!(shares(&table, None).0, 2, "one row is in every order");
        let mut table = self::table();
        table.rows.swap(1, 2);
        assert_eq!(shares(&table, None).0, 3, "the share that is largest in the first row");
        table.rows.truncate(1);
        table.columns.truncate(2);
        assert_eq!(Bars::of(&table, None), None, "no column of shares");
        assert_eq!(Bars::of(&Table { rows: Vec::new(), ..self::table() }, None), None, "no rows");
    }
}
