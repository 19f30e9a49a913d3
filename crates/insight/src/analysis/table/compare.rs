//! Joins the tables that one view made of several ranks or traces: their values of one column side by side,
//! or their rows below each other.
//!
//! Rows are joined if their leading text columns are equal. Must not know the contents or the origin of the
//! tables.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};
use proftui_base::saturate::saturate;

/// One of the tables to join, with the name of its rank or trace.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// The name of the rank or trace: `rank 0`, `before.json`.
    pub title: String,
    /// The table of the rank or trace; all tables to join are of one view.
    pub table: Table,
}

/// Number of tables, from the first on, whose compared columns are no extra columns ([`Column::is_extra`]).
const ALWAYS: usize = 2;

/// A column that shows how the compared values of a row differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The value of the second table minus that of the first.
    Difference,
    /// The value of the second table divided by that of the first.
    Factor,
    /// The largest value in any table minus the smallest.
    Spread,
}

impl Measure {
    /// The measures to show for this number of tables and kind of column.
    fn of(tables: usize, kind: ColumnKind) -> &'static [Self] {
        match tables {
            2 if matches!(kind, ColumnKind::Count | ColumnKind::Amount) => &[Self::Spread, Self::Factor],
            2 => &[Self::Difference, Self::Factor],
            _ => &[Self::Spread],
        }
    }

    fn column(self, kind: ColumnKind) -> Column {
        match self {
            Self::Difference => Column::new(
                "difference",
                "Difference",
                kind,
                "Value of the second rank or trace minus that of the first; a missing one counts as 0",
            ),
            Self::Factor => Column::new(
                "factor",
                "Factor",
                ColumnKind::Factor,
                "Value of the second rank or trace divided by that of the first",
            ),
            Self::Spread => Column::new(
                "spread",
                "Spread",
                kind,
                "Largest value minus smallest of the ranks or traces; a missing one counts as 0",
            ),
        }
    }

    /// Computes the measure from one row's values, one per table; missing values count as 0. Empty if all
    /// values are missing, or the divisor of a factor is 0.
    fn value(self, cells: &[Value], kind: ColumnKind) -> Value {
        let least = cells.iter().map(whole).min().unwrap_or_default();
        let most = cells.iter().map(whole).max().unwrap_or_default();
        match (self, cells) {
            _ if cells.iter().all(|cell| *cell == Value::Empty) => Value::Empty,
            (Self::Difference, [one, other]) => of_kind(whole(other).saturating_sub(whole(one)), kind),
            (Self::Factor, [one, other]) if whole(one) != 0 => {
                Value::Factor(whole(other) as f64 / whole(one) as f64)
            }
            (Self::Spread, _) => of_kind(most.saturating_sub(least), kind),
            (Self::Difference | Self::Factor, _) => Value::Empty,
        }
    }
}

/// Ratios, factors and rates are compared as integers, in units of 1 / `FINE`.
const FINE: f64 = 1e12;

/// Converts a value to an integer, for exact differences; ratios, factors and rates in units of 1 / [`FINE`].
fn whole(value: &Value) -> i128 {
    match value {
        Value::Count(n) | Value::Amount(n) => i128::from(*n),
        Value::Duration(n) | Value::Bytes(n) => i128::from(*n),
        Value::Ratio(n) | Value::Factor(n) | Value::Rate(n) => saturate::<i128>((n * FINE).round()),
        Value::Text(_) | Value::Empty => 0,
    }
}

/// Converts an integer in the units of [`whole`] to a value of a column of this kind.
fn of_kind(n: i128, kind: ColumnKind) -> Value {
    match kind {
        ColumnKind::Count => Value::Count(u64::try_from(n).unwrap_or_default()),
        ColumnKind::Amount => Value::Amount(u64::try_from(n).unwrap_or_default()),
        ColumnKind::Duration => Value::Duration(saturate(n)),
        ColumnKind::Bytes => Value::Bytes(saturate(n)),
        ColumnKind::Ratio => Value::Ratio(n as f64 / FINE),
        ColumnKind::Factor => Value::Factor(n as f64 / FINE),
        ColumnKind::Rate => Value::Rate(n as f64 / FINE),
        ColumnKind::Text => Value::Empty,
    }
}

/// The columns of a table that can be compared: all but texts.
pub(crate) fn number_columns(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| column.kind != ColumnKind::Text)
}

/// Chooses, of the ids `wanted`, the column to compare, preferably the first with values in all tables.
/// `None` if `wanted` is empty.
pub fn comparable_column<'a>(tables: &[NamedTable], wanted: &[&'a str]) -> Option<&'a str> {
    let has_values = |named: &NamedTable, id: &str| {
        let at = named.table.column(id);
        at.is_some_and(|at| named.table.rows.iter().any(|row| row.cells[at] != Value::Empty))
    };
    let in_each = |id: &str| tables.iter().all(|named| named.table.rows.is_empty() || has_values(named, id));
    let in_one = |id: &str| tables.iter().any(|named| has_values(named, id));
    let has_rows = tables.iter().any(|named| !named.table.rows.is_empty());
    let first = wanted.iter().find(|id| has_rows && in_each(id));
    first.or_else(|| wanted.iter().find(|id| in_one(id))).or(wanted.last()).copied()
}

/// Joins the tables into one that shows the column `id` of each side by side, with columns on how the values
/// differ. `None` if no table has the column.
pub fn side_by_side(tables: &[NamedTable], id: &str) -> Option<Table> {
    let first = &tables.first()?.table;
    let keys = first.columns.iter().take_while(|column| column.kind == ColumnKind::Text).count();
    let indices: Vec<Option<usize>> = tables.iter().map(|named| named.table.column(id)).collect();
    let of_table =
        |(named, index): (&NamedTable, &Option<usize>)| Some(named.table.columns[(*index)?].clone());
    let measured = tables.iter().zip(&indices).find_map(of_table)?;
    let measures = Measure::of(tables.len(), measured.kind);

    let mut columns: Vec<Column> = first.columns[..keys].to_vec();
    let mut ids: FxHashSet<String> = columns.iter().map(|column| column.id.to_string()).collect();
    for (number, named) in tables.iter().enumerate() {
        columns.push(Column {
            id: Cow::Owned(plain(&named.title, &mut ids)),
            title: Cow::Owned(named.title.clone()),
            is_extra: number >= ALWAYS,
            ..measured.clone()
        });
    }
    columns.extend(measures.iter().map(|measure| measure.column(measured.kind)));

    let join = Join { keys, indices, kind: measured.kind, measures };
    let rows = join.rows(&tables.iter().map(|named| named.table.rows.as_slice()).collect::<Vec<_>>());
    let others: Vec<&str> = number_columns(first)
        .map(|column| column.id.as_ref())
        .filter(|other| *other != measured.id)
        .collect();
    let note = format!(
        "Compared column: {} ({}). To compare another column, give --compare one of: {}.",
        measured.title,
        measured.id,
        others.join(", ")
    );
    let note = Some(note).filter(|_| !rows.is_empty());
    let notes = note.into_iter().chain(notes(tables)).collect();
    Some(Table { view: first.view, title: first.title, columns, rows, notes, ..Table::default() })
}

/// Makes a column id of a title, different from all in `others`, and adds it to `others`.
fn plain(title: &str, others: &mut FxHashSet<String>) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let mut id: String = title.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    while !others.insert(id.clone()) {
        id.push('_');
    }
    id
}

/// Gathers the headlines and notes of all tables, each after its table's title; a note that all tables have
/// appears once, without a title.
fn notes(tables: &[NamedTable]) -> Vec<String> {
    // For each note the last table that has it, and how many do.
    let mut of: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for (at, named) in tables.iter().enumerate() {
        for note in &named.table.notes {
            let (last, count) = of.entry(note).or_insert((at, 1));
            if std::mem::replace(last, at) != at {
                *count += 1;
            }
        }
    }
    let mut out: Vec<String> = Vec::new();
    let mut known: FxHashSet<String> = FxHashSet::default();
    for named in tables {
        let headline = (!named.table.headline.is_empty()).then_some(&named.table.headline);
        for note in headline.into_iter().chain(&named.table.notes) {
            let is_common = of.get(note.as_str()).is_some_and(|(_, count)| *count == tables.len());
            let text = if is_common { note.clone() } else { format!("{}: {note}", named.title) };
            if known.insert(text.clone()) {
                out.push(text);
            }
        }
    }
    out
}

/// Joins rows with equal leading texts.
struct Join<'a> {
    /// Number of leading text columns.
    keys: usize,
    /// The index of the compared column in each table, `None` where a table lacks it.
    indices: Vec<Option<usize>>,
    /// The kind of the compared column.
    kind: ColumnKind,
    measures: &'a [Measure],
}

/// Rows with equal leading texts.
#[derive(Default)]
struct Equal {
    /// The indices of joined rows whose leading texts are equal.
    joined: Vec<usize>,
    /// The index of the table that is being read, and how many of its rows with these leading texts were seen
    /// so far.
    seen: (usize, usize),
}

impl Equal {
    /// Counts a row of `table` that has these leading texts, and returns the index of the joined row to which
    /// it belongs: `new`, which is added, if a new joined row is needed.
    fn next(&mut self, table: usize, new: usize) -> usize {
        if self.seen.0 != table {
            self.seen = (table, 0);
        }
        let times = self.seen.1;
        self.seen.1 += 1;
        if times == self.joined.len() {
            self.joined.push(new);
        }
        self.joined[times]
    }
}

impl Join<'_> {
    /// Joins the rows of all tables by their leading texts, in order of their smallest index in any table.
    fn rows(&self, tables: &[&[TableRow]]) -> Vec<TableRow> {
        // The second row with some texts in one table is joined with the second one in the others.
        let mut found: FxHashMap<Vec<&str>, Equal> = FxHashMap::default();
        let mut joined: Vec<Vec<Option<usize>>> = Vec::new();
        for (table, rows) in tables.iter().enumerate() {
            for (index, row) in rows.iter().enumerate() {
                let at = found.entry(self.key(row)).or_default().next(table, joined.len());
                if at == joined.len() {
                    joined.push(vec![None; tables.len()]);
                }
                joined[at][table] = Some(index);
            }
        }
        joined.sort_by_key(|indices| {
            indices.iter().enumerate().filter_map(|(table, index)| Some(((*index)?, table))).min()
        });
        let row = |indices: Vec<Option<usize>>| {
            let rows: Vec<Option<&TableRow>> =
                indices.iter().zip(tables).map(|(index, rows)| Some(&rows[(*index)?])).collect();
            self.row(&rows)
        };
        joined.into_iter().map(row).collect()
    }

    /// The texts in the row's leading text columns; an empty text for a cell that holds none.
    fn key<'a>(&self, row: &'a TableRow) -> Vec<&'a str> {
        let text = |cell: &'a Value| match cell {
            Value::Text(text) => text.as_str(),
            _ => "",
        };
        row.cells[..self.keys].iter().map(text).collect()
    }

    /// Makes one joined row from the row as it is in each table, `None` where a table lacks it.
    fn row(&self, rows: &[Option<&TableRow>]) -> TableRow {
        let mut cells: Vec<Value> =
            rows.iter().flatten().next().map_or_else(Vec::new, |row| row.cells[..self.keys].to_vec());
        let value = |row: Option<&TableRow>, index: Option<usize>| Some(row?.cells[index?].clone());
        let values: Vec<Value> = rows
            .iter()
            .zip(&self.indices)
            .map(|(row, index)| value(*row, *index).unwrap_or(Value::Empty))
            .collect();
        let differ = self.measures.iter().map(|measure| measure.value(&values, self.kind));
        let differ: Vec<Value> = differ.collect();
        cells.extend(values);
        cells.extend(differ);
        let children: Vec<&[TableRow]> =
            rows.iter().map(|row| row.map_or(&[] as &[_], |row| row.children.as_slice())).collect();
        let mut children = self.rows(&children);
        // Children without a value (such as device work where host time is compared) would show only a name.
        children.retain(|row| {
            !row.children.is_empty() || row.cells[self.keys..].iter().any(|cell| *cell != Value::Empty)
        });
        TableRow { cells, children, longest: None }
    }
}

/// Joins the tables by listing their rows below each other, with the title of each row's table in a first
/// column. `None` if `tables` is empty.
pub fn stacked(tables: &[NamedTable]) -> Option<Table> {
    let notes = notes(tables);
    let first = &tables.first()?.table;
    let from = Column::new("from", "From", ColumnKind::Text, "Rank or trace that the row belongs to");
    let columns: Vec<Column> = std::iter::once(from).chain(first.columns.iter().cloned()).collect();
    let (view, title) = (first.view, first.title);
    let of_table = |named: &NamedTable| {
        let indices: Vec<Option<usize>> =
            columns[1..].iter().map(|column| named.table.column(&column.id)).collect();
        named.table.rows.iter().map(|row| stack(row, &named.title, &indices)).collect::<Vec<_>>()
    };
    let rows = tables.iter().flat_map(of_table).collect();
    Some(Table { view, title, columns, rows, notes, ..Table::default() })
}

/// Copies a row and its children, with `title` as the first cell. `indices` are the columns to take from the
/// row, `None` for an empty cell.
fn stack(row: &TableRow, title: &str, indices: &[Option<usize>]) -> TableRow {
    let cell = |index: &Option<usize>| index.map_or(Value::Empty, |index| row.cells[index].clone());
    let cells = std::iter::once(Value::text(title)).chain(indices.iter().map(cell)).collect();
    let children = row.children.iter().map(|child| stack(child, title, indices)).collect();
    TableRow { cells, children, longest: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Duration, Empty};
    use proftui_trace::model::SliceId;

    fn row(name: &str, time: i64, children: Vec<TableRow>) -> TableRow {
        let cells = vec![Value::text(name), Value::Count(1), Duration(time)];
        TableRow { cells, children, longest: Some(SliceId::new(7)) }
    }

    fn table(title: &str, rows: Vec<TableRow>) -> NamedTable {
        let columns = vec![
            Column::new("name", "Name", ColumnKind::Text, ""),
            Column::new("calls", "Calls", ColumnKind::Count, ""),
            Column::new("total", "Total", ColumnKind::Duration, ""),
        ];
        let notes = vec!["common".into(), format!("of {title}")];
        NamedTable {
            title: title.into(),
            table: Table { view: "kernel", title: "Kernels", columns, rows, notes, ..Table::default() },
        }
    }

    fn cells(table: &Table) -> Vec<&[Value]> {
        table.rows.iter().map(|row| row.cells.as_slice()).collect()
    }

    #[test]
    fn two_differ_by_a_difference_and_a_factor() {
        let one = table("rank 0", vec![row("a", 30, vec![row("x", 5, vec![])]), row("b", 10, vec![])]);
        let other = table("rank 1", vec![row("c", 40, vec![]), row("a", 15, vec![row("x", 10, vec![])])]);
        let table = side_by_side(&[one, other], "total").expect("a table");
        let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
        assert_eq!(ids, ["name", "rank_0", "rank_1", "difference", "factor"]);
        let want = [
            [Value::text("a"), Duration(30), Duration(15), Duration(-15), Value::Factor(0.5)],
            [Value::text("c"), Empty, Duration(40), Duration(40), Empty],
            [Value::text("b"), Duration(10), Empty, Duration(-10), Value::Factor(0.0)],
        ];
        assert_eq!(cells(&table), want.each_ref().map(<[Value; 5]>::as_slice), "the highest position counts");
        assert_eq!(table.rows[0].children[0].cells[1..4], [Duration(5), Duration(10), Duration(5)]);
        assert!(table.rows[0].longest.is_none(), "the event is in one of several traces");
        assert_eq!(table.notes[1..], ["common", "rank 0: of rank 0", "rank 1: of rank 1"]);
    }

    #[test]
    fn more_differ_by_their_spread() {
        let tables =
            [30, 10, 20].map(|time| table("same", vec![row("a", time, vec![]), row("a", 1, vec![])]));
        let table = side_by_side(&tables, "total").expect("a table");
        let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
        assert_eq!(ids, ["name", "same", "same_", "same__", "spread"], "one id per column");
        let times = [30, 10, 20, 20].map(Duration);
        assert_eq!(table.rows[0].cells[1..], times);
        assert_eq!(table.rows.len(), 2, "a name that comes twice stays two rows");
        assert!(
            table.columns[3].is_extra && !table.columns[4].is_extra,
            "the spread stays in a narrow window"
        );
        let counts = side_by_side(&tables[..2], "calls").expect("a table");
        assert_eq!(counts.rows[0].cells[3..], [Value::Count(0), Value::Factor(1.0)]);
        let amounts = [30, 10].map(|flops| {
            let mut named = self::table("same", vec![row("a", 1, vec![])]);
            named.table.columns[1] = Column::new("flops", "FLOP", ColumnKind::Amount, "");
            named.table.rows[0].cells[1] = Value::Amount(flops);
            named
        });
        let amounts = side_by_side(&amounts, "flops").expect("a table");
        assert_eq!(amounts.rows[0].cells[3], Value::Amount(20), "none is below 0");
        assert_eq!(side_by_side(&tables, "nothing"), None);
        let mut silent = tables;
        for row in silent.iter_mut().map(|named| &mut named.table.rows[0]) {
            row.cells[2] = Empty;
            row.children.push(row.clone());
        }
        let table = side_by_side(&silent, "total").expect("a table");
        assert!(table.rows[0].children.is_empty(), "children without a value are left out");
        assert_eq!(table.rows[0].cells[4], Empty, "where none has a value nothing differs");
    }

    #[test]
    fn stacked_rows_stand_below_each_other() {
        let tables = ["one", "other"].map(|title| table(title, vec![row("a", 3, vec![])]));
        let table = stacked(&tables).expect("a table");
        assert_eq!(table.columns[0].id, "from");
        assert_eq!(table.rows[1].cells[..2], [Value::text("other"), Value::text("a")]);
    }

    #[test]
    fn the_first_column_with_values_is_shown() {
        let mut silent = table("one", vec![row("a", 3, vec![])]);
        silent.table.rows[0].cells[1] = Empty;
        let loud = table("other", vec![row("a", 3, vec![])]);
        let tables = [silent, loud, table("none", vec![])];
        assert_eq!(
            comparable_column(&tables, &["calls", "total"]),
            Some("total"),
            "a column with values in each goes first"
        );
        assert_eq!(comparable_column(&tables, &["calls"]), Some("calls"));
        assert_eq!(comparable_column(&[table("one", vec![])], &["calls", "total"]), Some("total"));
    }
}
