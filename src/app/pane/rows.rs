//! Which rows of a table are shown, and in which order: sorted by columns, filtered, with the rows below
//! unfolded ones.
//!
//! The table stays as it is, so that its rows can be arranged on another thread while they are drawn. Must
//! not know how a row is drawn.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rayon::prelude::*;

use proftui_base::cancel::{self, Token};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::vocabulary::short_names::ShortNames;
use proftui_insight::analysis::{Table, TableRow, Value};
use proftui_insight::report::bars::Bars;

/// The path of a row in its table: the index of a top-level row, then the index among that row's children,
/// and so on.
pub type Path = Vec<u32>;

/// The names of a row and of the rows in which it is nested, the top-level row first: the texts of their
/// first cells.
pub(crate) type Names = Vec<SafeText<'static>>;

/// What the user chose about the rows of a table: their order, a filter, and which rows are unfolded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowChoice {
    /// The ids of the columns that order the rows, the latest choice first, each with true if ascending by
    /// [`Value::order`].
    order: Vec<(Cow<'static, str>, bool)>,
    /// The text that a top-level row or one of its children must match for the top-level row to be shown;
    /// empty shows all.
    pub filter: String,
    /// The rows whose children are to be shown, by their names, since indices change with the scope.
    open: Arc<HashSet<Names>>,
}

impl RowChoice {
    /// Orders the rows by the column with the id `column`, ascending by [`Value::order`] or descending; equal
    /// rows keep the order chosen before.
    pub(crate) fn order_by(&mut self, column: Cow<'static, str>, is_ascending: bool) {
        self.order.retain(|(known, _)| *known != column);
        self.order.insert(0, (column, is_ascending));
    }

    /// The index in `table` of the column that orders the rows first, and true if ascending by
    /// [`Value::order`]; none if no order was chosen, or `table` lacks the column.
    pub(crate) fn order(&self, table: &Table) -> Option<(usize, bool)> {
        let (column, is_ascending) = self.order.first()?;
        Some((table.column(column)?, *is_ascending))
    }

    /// Unfolds the row with these names, or folds it if it is unfolded.
    pub(crate) fn toggle(&mut self, names: Names) {
        let open = Arc::make_mut(&mut self.open);
        if !open.remove(&names) {
            open.insert(names);
        }
    }

    /// True when the children of the row with these names are to be shown.
    pub(crate) fn is_open(&self, names: &[SafeText<'static>]) -> bool {
        self.open.contains(names)
    }

    /// The choice for another table of the same view, ordered by the latest chosen column alone. If
    /// `is_regrouped`, only top-level rows stay unfolded.
    pub(crate) fn for_another(mut self, is_regrouped: bool) -> Self {
        self.order.truncate(1);
        if is_regrouped && self.open.iter().any(|names| names.len() > 1) {
            Arc::make_mut(&mut self.open).retain(|names| names.len() == 1);
        }
        self
    }

    /// The choice, ordered only by columns that `table` has.
    pub(crate) fn within(mut self, table: &Table) -> Self {
        self.order.retain(|(column, _)| table.column(column).is_some());
        self
    }
}

/// Where the path of a line's row is in [`Rows::paths`]: from `from` on, `len` numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    from: u32,
    len: u32,
}

/// The rows of a table that are shown, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The choice that the rows follow, without columns that the table lacks.
    pub choice: RowChoice,
    /// The index of the column that orders the rows first, and true if ascending by [`Value::order`]; none
    /// for the table's own order.
    pub order: Option<(usize, bool)>,
    /// The bars beside the rows; none for a table without rows or without a column of shares.
    pub bars: Option<Bars>,
    /// All top-level rows in their order, also those that the filter hides, by their indices in the table.
    top: Vec<u32>,
    /// The lines shown, top to bottom.
    lines: Vec<Line>,
    /// The paths of the lines, one after the other.
    paths: Vec<u32>,
    /// How many of the lines are top-level rows.
    top_shown: usize,
    /// How many rows the table has, with those nested below others.
    all: usize,
}

impl Rows {
    /// Arranges the rows of `table` as `choice` says, of which the filter is also for short names; if
    /// cancelled, unwinds without a result.
    pub fn of(table: &Table, choice: &RowChoice, short: &ShortNames) -> Self {
        let choice = choice.clone().within(table);
        let token = cancel::current();
        let columns: Vec<(usize, bool)> = choice
            .order
            .iter()
            .filter_map(|(column, is_ascending)| Some((table.column(column)?, *is_ascending)))
            .collect();
        let order = columns.first().copied();
        let top = sorted(&table.rows, &columns, &token);
        let in_order = top.iter().map(|&at| &table.rows[at as usize]);
        let bars = Bars::of_rows(table, in_order, order.map(|(column, _)| column));
        let is_shown = matching(&table.rows, &choice.filter, short, &token);
        let all = table.rows.iter().map(count).sum();
        let nameless = SafeText::default();
        let mut rows = Self { choice, order, bars, all, ..Self::default() };
        for &at in top.iter().filter(|&&at| is_shown.as_ref().is_none_or(|is_shown| is_shown[at as usize])) {
            token.check();
            rows.push(&[at]);
            rows.top_shown += 1;
            let row = &table.rows[at as usize];
            let name = row.cells.first().and_then(text).unwrap_or(&nameless);
            if rows.choice.is_open(slice::from_ref(name)) {
                rows.push_below(row, (vec![at], vec![name.clone()]), &columns, &token);
            }
        }
        rows.top = top;
        rows
    }

    fn push(&mut self, path: &[u32]) {
        self.lines.push(Line { from: saturate::<u32>(self.paths.len()), len: saturate::<u32>(path.len()) });
        self.paths.extend(path);
    }

    /// Adds the lines below `row`, which has this path and these names: its children and, below unfolded
    /// children, theirs.
    fn push_below(
        &mut self,
        row: &TableRow,
        (path, names): (Path, Names),
        columns: &[(usize, bool)],
        token: &Token,
    ) {
        for at in sorted(&row.children, columns, token) {
            token.check();
            let child = &row.children[at as usize];
            let path: Path = path.iter().copied().chain([at]).collect();
            self.push(&path);
            let names: Names = names.iter().cloned().chain([name(child)]).collect();
            if self.choice.is_open(&names) {
                self.push_below(child, (path, names), columns, token);
            }
        }
    }

    /// How many lines are shown.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True if no line is shown.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The path of the row on a line; none below the last row.
    pub fn path(&self, line: usize) -> Option<&[u32]> {
        let Line { from, len } = *self.lines.get(line)?;
        self.paths.get(from as usize..(from + len) as usize)
    }

    /// How deep the row on a line is nested in the table: 0 for a top-level row. Also 0 below the last row.
    pub fn depth(&self, line: usize) -> usize {
        self.lines.get(line).map_or(0, |line| line.len as usize - 1)
    }

    /// The line of the row with this path; none if the row is not shown.
    pub(crate) fn line_of(&self, path: &[u32]) -> Option<usize> {
        (0..self.len()).find(|&line| self.path(line) == Some(path))
    }

    /// How many top-level rows are shown.
    pub fn top_shown(&self) -> usize {
        self.top_shown
    }

    /// The index in the table of the top-level row at `position` in the order, from 0, counting rows that the
    /// filter hides; none after the last row.
    pub fn nth(&self, position: usize) -> Option<usize> {
        self.top.get(position).map(|&at| at as usize)
    }

    /// The position in the order, from 0, of the top-level row with the index `row` in the table, counting
    /// rows that the filter hides.
    pub fn position_of(&self, row: u32) -> Option<usize> {
        self.top.iter().position(|&at| at == row)
    }

    /// The lines of the shown top-level rows that are named `name` in `table`, which must be the table of
    /// these rows.
    pub(crate) fn lines_named(&self, table: &Table, name: &SafeText<'_>) -> Vec<usize> {
        let is_named = |line: &usize| {
            let path = self.path(*line).filter(|path| path.len() == 1);
            let row = path.and_then(|path| table.rows.get(path[0] as usize));
            row.is_some_and(|row| {
                row.cells.first().and_then(text).map_or("", SafeText::as_str) == name.as_str()
            })
        };
        (0..self.len()).filter(is_named).collect()
    }

    /// How many rows the table has, with those nested below others.
    pub(crate) fn all(&self) -> usize {
        self.all
    }
}

/// Counts the row itself and all rows nested in it, at any depth.
fn count(row: &TableRow) -> usize {
    1 + row.children.iter().map(count).sum::<usize>()
}

fn text(cell: &Value) -> Option<&SafeText<'static>> {
    match cell {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The text of a row's first cell; empty if that is no text.
pub(crate) fn name(row: &TableRow) -> SafeText<'static> {
    row.cells.first().and_then(text).cloned().unwrap_or_default()
}

/// The indices of `rows`, ordered by `columns`, each with true if ascending by [`Value::order`]; equal rows
/// keep their order.
fn sorted(rows: &[TableRow], columns: &[(usize, bool)], token: &Token) -> Vec<u32> {
    let mut all: Vec<u32> = (0..saturate::<u32>(rows.len())).collect();
    let compare = |a: &u32, b: &u32| {
        token.check();
        let (a, b) = (&rows[*a as usize].cells, &rows[*b as usize].cells);
        let by = |&(column, is_ascending): &(usize, bool)| {
            let order = a[column].order(&b[column]);
            if is_ascending { order } else { order.reverse() }
        };
        columns.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    if !columns.is_empty() {
        all.par_sort_by(compare);
    }
    all
}

/// For each row, whether it or one of its children, or its short name, contains the filter's text or, if no
/// row does, matches it fuzzily. None for an empty filter.
fn matching(rows: &[TableRow], filter: &str, short: &ShortNames, token: &Token) -> Option<Vec<bool>> {
    if filter.is_empty() {
        return None;
    }
    let all = |is_like: &(dyn Fn(&TableRow) -> bool + Sync)| -> Vec<bool> {
        let is_shown = |row: &TableRow| {
            token.check();
            is_like(row) || row.children.iter().any(is_like)
        };
        rows.par_iter().map(is_shown).collect()
    };
    let wanted = filter.to_lowercase();
    let short = |row: &TableRow| row.cells.first().and_then(text).and_then(|name| short.of_text(name));
    let is_short =
        |row: &TableRow| short(row).is_some_and(|short| short.as_str().to_lowercase().contains(&wanted));
    let containing = all(&|row| row.has_text(&wanted) || is_short(row));
    if containing.contains(&true) {
        return Some(containing);
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    Some(all(&|row| row.texts().any(|text| matcher.fuzzy_match(text.as_str(), filter).is_some())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use proftui_insight::analysis::{Column, ColumnKind};

    const COLUMNS: [&str; 3] = ["name", "calls", "share"];

    fn columns() -> Vec<Column> {
        let kinds = [ColumnKind::Text, ColumnKind::Count, ColumnKind::Ratio];
        COLUMNS.into_iter().zip(kinds).map(|(id, kind)| Column::new(id, id, kind, "")).collect()
    }

    /// Cells with few values, so that many are equal.
    fn cells() -> impl Strategy<Value = Vec<Value>> {
        let share = prop_oneof![Just(Value::Empty), (0..4_u8).prop_map(|share| Value::Ratio(share.into()))];
        ("[abC]{1,2}", 0..4_u64, share)
            .prop_map(|(name, calls, share)| vec![Value::text(&name), Value::Count(calls), share])
    }

    fn row() -> impl Strategy<Value = TableRow> {
        let leaf = cells().prop_map(TableRow::new);
        leaf.prop_recursive(2, 12, 4, |below| {
            (cells(), prop::collection::vec(below, 0..4))
                .prop_map(|(cells, children)| TableRow { children, ..TableRow::new(cells) })
        })
    }

    fn table() -> impl Strategy<Value = Table> {
        prop::collection::vec(row(), 0..40).prop_map(|rows| Table {
            columns: columns(),
            rows,
            ..Table::default()
        })
    }

    fn choice() -> impl Strategy<Value = (Vec<(usize, bool)>, String, Vec<Vec<String>>)> {
        let names = prop::collection::vec("[abC]{1,2}", 1..3);
        let orders = prop::collection::vec((0..3_usize, any::<bool>()), 0..4);
        (orders, "[abcx]{0,2}", prop::collection::vec(names, 0..12))
    }

    /// Adds to `shown` the row with its depth and, if the rows with its names are unfolded, the rows below
    /// it.
    fn oracle(
        row: &TableRow,
        names: &[SafeText<'static>],
        open: &HashSet<Names>,
        shown: &mut Vec<(usize, Vec<Value>)>,
    ) {
        shown.push((names.len() - 1, row.cells.clone()));
        for child in row.children.iter().filter(|_| open.contains(names)) {
            let below: Names = names.iter().cloned().chain([name(child)]).collect();
            oracle(child, &below, open, shown);
        }
    }

    proptest! {
        #[test]
        fn rows_are_those_of_a_table_that_is_sorted_itself((table, (orders, filter, open)) in (table(), choice())) {
            let mut choice = RowChoice { filter: filter.clone(), ..RowChoice::default() };
            let mut sorted = table.clone();
            for (column, is_ascending) in orders {
                choice.order_by(COLUMNS[column].into(), is_ascending);
                sorted.sort(column, is_ascending);
            }
            for names in open {
                choice.toggle(names.iter().map(|name| SafeText::new(name).into_owned()).collect());
            }
            let is_named = |row: &TableRow| name(row).as_str().to_lowercase().contains(&filter);
            let contains = |row: &TableRow| is_named(row) || row.children.iter().any(is_named);
            let mut expected = Vec::new();
            for row in sorted.rows.iter().filter(|row| contains(row)) {
                oracle(row, &[name(row)], &choice.open, &mut expected);
            }
            let rows = Rows::of(&table, &choice, &ShortNames::default());
            let cells = |path: &[u32]| {
                let (first, below) = path.split_first().expect("a row");
                let top = &table.rows[*first as usize];
                below.iter().fold(top, |row, &at| &row.children[at as usize]).cells.clone()
            };
            let shown: Vec<_> =
                (0..rows.len()).map(|line| (rows.depth(line), cells(rows.path(line).expect("a path")))).collect();
            // Without a row that contains the filter, rows that are like it are shown.
            if !expected.is_empty() || filter.is_empty() {
                prop_assert_eq!(&shown, &expected);
            }
            prop_assert_eq!(rows.top_shown(), shown.iter().filter(|(depth, _)| *depth == 0).count());
            prop_assert_eq!(rows.bars, Bars::of(&sorted, rows.order.map(|(column, _)| column)));
            let positions: Vec<_> = (0..table.rows.len()).filter_map(|position| rows.nth(position)).collect();
            prop_assert!(positions.iter().zip(&sorted.rows).all(|(&at, row)| table.rows[at].cells == row.cells));
            for line in 0..rows.len() {
                let path = rows.path(line).expect("a path");
                prop_assert_eq!(rows.line_of(path), Some(line));
            }
        }

        #[test]
        fn another_thread_arranges_them_the_same_way((table, (orders, filter, _)) in (table(), choice())) {
            let mut choice = RowChoice { filter, ..RowChoice::default() };
            orders.into_iter().for_each(|(column, up)| choice.order_by(COLUMNS[column].into(), up));
            let here = Rows::of(&table, &choice, &ShortNames::default());
            let there = std::thread::scope(|scope| {
                let other = scope.spawn(|| cancel::run(&Token::new(), || Rows::of(&table, &choice, &ShortNames::default())));
                other.join().expect("no panic").expect("not cancelled")
            });
            prop_assert_eq!(here, there);
        }
    }

    #[test]
    fn what_is_cancelled_gives_no_rows() {
        let row = |at: u64| TableRow::new(vec![Value::text("a"), Value::Count(at), Value::Empty]);
        let table = Table { columns: columns(), rows: (0..100).map(row).collect(), ..Table::default() };
        let mut choice = RowChoice::default();
        choice.order_by("calls".into(), false);
        let token = Token::new();
        token.cancel();
        assert!(cancel::run(&token, || Rows::of(&table, &choice, &ShortNames::default())).is_err());
    }
}
