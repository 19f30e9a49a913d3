//! The same table of several ranks or traces as one: a column of each side by side, or their rows below each other.
//!
//! Rows are the same where their leading texts are. Must not know what the tables are about, nor where they come from.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::table::{Column, ColumnKind, Table, TableRow, Value};

/// One of the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Whose it is: `rank 0`, `before.json`.
    pub title: String,
    /// The table.
    pub table: Table,
}

/// Columns of parts that are shown whatever room there is.
const ALWAYS: usize = 2;

/// What stands behind the columns of the parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The second less the first.
    Difference,
    /// The second by the first.
    Factor,
    /// The largest less the smallest.
    Spread,
}

impl Measure {
    /// Those of `parts` columns; counts have no sign, so only their spread can be told.
    fn of(parts: usize, kind: ColumnKind) -> &'static [Self] {
        match parts {
            2 if kind == ColumnKind::Count => &[Self::Spread, Self::Factor],
            2 => &[Self::Difference, Self::Factor],
            _ => &[Self::Spread],
        }
    }

    fn column(self, kind: ColumnKind) -> Column {
        match self {
            Self::Difference => Column::new("difference", "Difference", kind, "The second less the first"),
            Self::Factor => {
                Column::new("factor", "Factor", ColumnKind::Factor, "How many times the first the second is")
            }
            Self::Spread => Column::new("spread", "Spread", kind, "The largest less the smallest"),
        }
    }

    /// Its value; what a part does not have is nothing of it.
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

/// Ratios are told apart to this part of one.
const FINE: f64 = 1e12;

/// A value as a whole number, so that differences are exact.
fn whole(value: &Value) -> i128 {
    match value {
        Value::Count(n) | Value::Amount(n) => i128::from(*n),
        Value::Duration(n) | Value::Bytes(n) => i128::from(*n),
        Value::Ratio(n) | Value::Factor(n) => (n * FINE).round() as i128,
        Value::Text(_) | Value::Empty => 0,
    }
}

fn of_kind(n: i128, kind: ColumnKind) -> Value {
    let narrow = || i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX });
    match kind {
        ColumnKind::Count => Value::Count(u64::try_from(n).unwrap_or_default()),
        ColumnKind::Amount => Value::Amount(u64::try_from(n).unwrap_or_default()),
        ColumnKind::Duration => Value::Duration(narrow()),
        ColumnKind::Bytes => Value::Bytes(narrow()),
        ColumnKind::Ratio => Value::Ratio(n as f64 / FINE),
        ColumnKind::Factor => Value::Factor(n as f64 / FINE),
        ColumnKind::Text => Value::Empty,
    }
}

/// The columns of a table that can stand side by side: its numbers.
pub fn numbers(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| column.kind != ColumnKind::Text)
}

/// Of the columns `wanted` the first that says anything in each of the tables with rows, else in one of them, else the last.
pub fn telling<'a>(parts: &[Part], wanted: &[&'a str]) -> Option<&'a str> {
    let says = |part: &Part, id: &str| {
        let at = part.table.column(id);
        at.is_some_and(|at| part.table.rows.iter().any(|row| row.cells[at] != Value::Empty))
    };
    let in_each = |id: &str| parts.iter().all(|part| part.table.rows.is_empty() || says(part, id));
    let in_one = |id: &str| parts.iter().any(|part| says(part, id));
    let has_rows = parts.iter().any(|part| !part.table.rows.is_empty());
    let first = wanted.iter().find(|id| has_rows && in_each(id));
    first.or_else(|| wanted.iter().find(|id| in_one(id))).or(wanted.last()).copied()
}

/// The tables as one: leading texts, the numbers of column `id` of each, how they differ. Rows stand where they stand
/// highest; they lead nowhere. None where no table has such a column.
pub fn side_by_side(parts: &[Part], id: &str) -> Option<Table> {
    let first = &parts.first()?.table;
    let keys = first.columns.iter().take_while(|column| column.kind == ColumnKind::Text).count();
    let places: Vec<Option<usize>> = parts.iter().map(|part| part.table.column(id)).collect();
    let of_part = |(part, place): (&Part, &Option<usize>)| Some(part.table.columns[(*place)?].clone());
    let measured = parts.iter().zip(&places).find_map(of_part)?;
    let measures = Measure::of(parts.len(), measured.kind);

    let mut columns: Vec<Column> = first.columns[..keys].to_vec();
    for (number, part) in parts.iter().enumerate() {
        columns.push(Column {
            id: Cow::Owned(plain(&part.title, &columns)),
            title: Cow::Owned(part.title.clone()),
            is_extra: number >= ALWAYS,
            ..measured.clone()
        });
    }
    columns.extend(measures.iter().map(|measure| measure.column(measured.kind)));

    let join = Join { keys, places, kind: measured.kind, measures };
    let rows = join.rows(&parts.iter().map(|part| part.table.rows.as_slice()).collect::<Vec<_>>());
    let others: Vec<&str> =
        numbers(first).map(|column| column.id.as_ref()).filter(|other| *other != measured.id).collect();
    let note = format!(
        "{} ({}) of each, side by side; --compare takes another column: {}.",
        measured.title,
        measured.id,
        others.join(", ")
    );
    let note = Some(note).filter(|_| !rows.is_empty());
    let notes = note.into_iter().chain(notes(parts)).collect();
    Some(Table { view: first.view, title: first.title, columns, rows, notes, ..Table::default() })
}

/// A title as a column's name: letters, digits, points and dashes, unlike those of `others`.
fn plain(title: &str, others: &[Column]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let mut id: String = title.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    while others.iter().any(|column| column.id == id) {
        id.push('_');
    }
    id
}

/// What all tables note once; what only some note, with whose it is.
fn notes(parts: &[Part]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in parts {
        for note in &part.table.notes {
            let is_common = parts.iter().all(|other| other.table.notes.contains(note));
            let text = if is_common { note.clone() } else { format!("{}: {note}", part.title) };
            if !out.contains(&text) {
                out.push(text);
            }
        }
    }
    out
}

/// How rows become one.
struct Join<'a> {
    keys: usize,
    places: Vec<Option<usize>>,
    kind: ColumnKind,
    measures: &'a [Measure],
}

impl Join<'_> {
    /// The rows of each part as one list.
    fn rows(&self, parts: &[&[TableRow]]) -> Vec<TableRow> {
        // A row that occurs twice in one table is joined with the second in the others.
        let mut found: FxHashMap<(Vec<&str>, usize), Vec<Option<usize>>> = FxHashMap::default();
        for (part, rows) in parts.iter().enumerate() {
            let mut seen: FxHashMap<Vec<&str>, usize> = FxHashMap::default();
            for (place, row) in rows.iter().enumerate() {
                let key = self.key(row);
                let times = seen.entry(key.clone()).or_default();
                found.entry((key, *times)).or_insert_with(|| vec![None; parts.len()])[part] = Some(place);
                *times += 1;
            }
        }
        let mut joined: Vec<Vec<Option<usize>>> = found.into_values().collect();
        joined.sort_by_key(|places| {
            places.iter().enumerate().filter_map(|(part, place)| Some(((*place)?, part))).min()
        });
        let row = |places: Vec<Option<usize>>| {
            let rows: Vec<Option<&TableRow>> =
                places.iter().zip(parts).map(|(place, rows)| Some(&rows[(*place)?])).collect();
            self.row(&rows)
        };
        joined.into_iter().map(row).collect()
    }

    fn key<'a>(&self, row: &'a TableRow) -> Vec<&'a str> {
        let text = |cell: &'a Value| match cell {
            Value::Text(text) => text.as_str(),
            _ => "",
        };
        row.cells[..self.keys].iter().map(text).collect()
    }

    /// One row of what each part has of it.
    fn row(&self, rows: &[Option<&TableRow>]) -> TableRow {
        let mut cells: Vec<Value> =
            rows.iter().flatten().next().map_or_else(Vec::new, |row| row.cells[..self.keys].to_vec());
        let value = |row: Option<&TableRow>, place: Option<usize>| Some(row?.cells[place?].clone());
        let values: Vec<Value> = rows
            .iter()
            .zip(&self.places)
            .map(|(row, place)| value(*row, *place).unwrap_or(Value::Empty))
            .collect();
        let differ = self.measures.iter().map(|measure| measure.value(&values, self.kind));
        let differ: Vec<Value> = differ.collect();
        cells.extend(values);
        cells.extend(differ);
        let children: Vec<&[TableRow]> =
            rows.iter().map(|row| row.map_or(&[] as &[_], |row| row.children.as_slice())).collect();
        let mut children = self.rows(&children);
        // What has no such number (device work where host time is compared) would only be names.
        children.retain(|row| {
            !row.children.is_empty() || row.cells[self.keys..].iter().any(|cell| *cell != Value::Empty)
        });
        TableRow { cells, children, longest: None }
    }
}

/// The rows of all tables below each other, each with whose it is; they lead nowhere.
pub fn stacked(parts: &[Part]) -> Option<Table> {
    let notes = notes(parts);
    let first = &parts.first()?.table;
    let from = Column::new("from", "From", ColumnKind::Text, "Whose row it is: the rank or the trace");
    let columns: Vec<Column> = std::iter::once(from).chain(first.columns.iter().cloned()).collect();
    let (view, title) = (first.view, first.title);
    let of_part = |part: &Part| {
        let places: Vec<Option<usize>> =
            columns[1..].iter().map(|column| part.table.column(&column.id)).collect();
        part.table.rows.iter().map(|row| stack(row, &part.title, &places)).collect::<Vec<_>>()
    };
    let rows = parts.iter().flat_map(of_part).collect();
    Some(Table { view, title, columns, rows, notes, ..Table::default() })
}

fn stack(row: &TableRow, title: &str, places: &[Option<usize>]) -> TableRow {
    let cell = |place: &Option<usize>| place.map_or(Value::Empty, |place| row.cells[place].clone());
    let cells = std::iter::once(Value::text(title)).chain(places.iter().map(cell)).collect();
    let children = row.children.iter().map(|child| stack(child, title, places)).collect();
    TableRow { cells, children, longest: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Duration, Empty};

    fn row(name: &str, time: i64, children: Vec<TableRow>) -> TableRow {
        let cells = vec![Value::text(name), Value::Count(1), Duration(time)];
        TableRow { cells, children, longest: Some(7) }
    }

    fn part(title: &str, rows: Vec<TableRow>) -> Part {
        let columns = vec![
            Column::new("name", "Name", ColumnKind::Text, ""),
            Column::new("calls", "Calls", ColumnKind::Count, ""),
            Column::new("total", "Total", ColumnKind::Duration, ""),
        ];
        let notes = vec!["common".into(), format!("of {title}")];
        Part {
            title: title.into(),
            table: Table { view: "kernel", title: "Kernels", columns, rows, notes, ..Table::default() },
        }
    }

    fn cells(table: &Table) -> Vec<&[Value]> {
        table.rows.iter().map(|row| row.cells.as_slice()).collect()
    }

    #[test]
    fn two_differ_by_a_difference_and_a_factor() {
        let one = part("rank 0", vec![row("a", 30, vec![row("x", 5, vec![])]), row("b", 10, vec![])]);
        let other = part("rank 1", vec![row("c", 40, vec![]), row("a", 15, vec![row("x", 10, vec![])])]);
        let table = side_by_side(&[one, other], "total").expect("a table");
        let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
        assert_eq!(ids, ["name", "rank_0", "rank_1", "difference", "factor"]);
        let want = [
            [Value::text("a"), Duration(30), Duration(15), Duration(-15), Value::Factor(0.5)],
            [Value::text("c"), Empty, Duration(40), Duration(40), Empty],
            [Value::text("b"), Duration(10), Empty, Duration(-10), Value::Factor(0.0)],
        ];
        assert_eq!(cells(&table), want.each_ref().map(<[Value; 5]>::as_slice), "the highest place counts");
        assert_eq!(table.rows[0].children[0].cells[1..4], [Duration(5), Duration(10), Duration(5)]);
        assert!(table.rows[0].longest.is_none(), "the event is in one of several traces");
        assert_eq!(table.notes[1..], ["common", "rank 0: of rank 0", "rank 1: of rank 1"]);
    }

    #[test]
    fn more_differ_by_their_spread() {
        let parts = [30, 10, 20].map(|time| part("same", vec![row("a", time, vec![]), row("a", 1, vec![])]));
        let table = side_by_side(&parts, "total").expect("a table");
        let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
        assert_eq!(ids, ["name", "same", "same_", "same__", "spread"], "one name a column");
        let times = [30, 10, 20, 20].map(Duration);
        assert_eq!(table.rows[0].cells[1..], times);
        assert_eq!(table.rows.len(), 2, "a name that comes twice stays two rows");
        assert!(
            table.columns[3].is_extra && !table.columns[4].is_extra,
            "the spread stays in a narrow window"
        );
        let counts = side_by_side(&parts[..2], "calls").expect("a table");
        assert_eq!(counts.rows[0].cells[3..], [Value::Count(0), Value::Factor(1.0)]);
        assert_eq!(side_by_side(&parts, "nothing"), None);
        let mut silent = parts;
        for row in silent.iter_mut().map(|part| &mut part.table.rows[0]) {
            row.cells[2] = Empty;
            row.children.push(row.clone());
        }
        let table = side_by_side(&silent, "total").expect("a table");
        assert!(table.rows[0].children.is_empty(), "children without a value are left out");
        assert_eq!(table.rows[0].cells[4], Empty, "where none has a value nothing differs");
    }

    #[test]
    fn rows_of_their_own_stand_below_each_other() {
        let parts = ["one", "other"].map(|title| part(title, vec![row("a", 3, vec![])]));
        let table = stacked(&parts).expect("a table");
        assert_eq!(table.columns[0].id, "from");
        assert_eq!(table.rows[1].cells[..2], [Value::text("other"), Value::text("a")]);
    }

    #[test]
    fn the_first_column_that_says_anything_is_shown() {
        let mut silent = part("one", vec![row("a", 3, vec![])]);
        silent.table.rows[0].cells[1] = Empty;
        let loud = part("other", vec![row("a", 3, vec![])]);
        let parts = [silent, loud, part("none", vec![])];
        assert_eq!(telling(&parts, &["calls", "total"]), Some("total"), "what each says goes first");
        assert_eq!(telling(&parts, &["calls"]), Some("calls"));
        assert_eq!(telling(&[part("one", vec![])], &["calls", "total"]), Some("total"));
    }
}
