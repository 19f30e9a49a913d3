//! The pane of a summary: its table, the order of the rows, the rows shown, the chart chosen, and the summary's scope.
//!
//! Must not know how a table or chart is drawn, nor where a table comes from.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rustc_hash::FxHashMap;

use crate::analysis::{Chart, Scope, Table, TableRow, Value};
use crate::base::shorten::Shortened;
use crate::base::text::SafeText;
use crate::report::bars::Bars;

/// The user's choice of the scope of summaries, e.g. "the viewport"; `State::scope` resolves it to a [`Scope`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeChoice {
    /// The whole trace.
    #[default]
    Whole,
    /// The time range of the viewport.
    Screen,
    /// The time range of the selected event, on all lanes.
    Selection,
    /// The time range of the last step that starts at or before the cursor.
    Step,
}

impl ScopeChoice {
    /// The next choice; the first one after the last.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Whole => Self::Screen,
            Self::Screen => Self::Selection,
            Self::Selection => Self::Step,
            Self::Step => Self::Whole,
        }
    }

    /// The choice's name on the screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Whole => "whole trace",
            Self::Screen => "time range on the screen",
            Self::Selection => "selected event",
            Self::Step => "step at the cursor",
        }
    }
}

/// The chart that the user chose for a summary, and its number of bars.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartChoice {
    /// The chart shown, an index into the table's charts; none where the table is shown.
    pub(super) chart: Option<usize>,
    /// How many rows the user chose to have a bar of their own; none for the chart's default.
    pub(super) top: Option<usize>,
    /// True where the next chart is to stand beside the chart shown, or the first one beside the table.
    pub(super) is_beside: bool,
}

/// The fewest columns of a pane in which the user can have two charts, or a table and a chart, beside each other.
pub const BESIDE: u16 = 100;
/// The fewest columns of a pane in which the table always stands beside the chart that is shown.
const WIDE: u16 = 160;

/// What one half of a pane shows, or all of it.
#[derive(Clone, Copy, Debug)]
pub enum Half<'a> {
    /// The summary's table.
    Table,
    /// A chart of the table.
    Chart(&'a Chart),
}

/// The path of a row in its table: the index of a top-level row, then the index among that row's children, and so on.
pub type Path = Vec<u32>;

/// The names of a row and of the rows above it, from the top-level row on: the texts of their first cells.
type Names = Vec<SafeText<'static>>;

/// The pane of one summary: its table, with the user's order, filter, unfolded rows and choice of chart.
#[derive(Debug, Default)]
pub struct TablePane {
    /// The summary's table, its rows in the order shown.
    pub table: Table,
    /// The part of the trace that the table is about.
    pub scope: Scope,
    /// The grouping that the table's rows are in, an index into the view's `groupings`; none for rows by name.
    pub grouping: Option<usize>,
    /// The index of the column by which the rows are ordered, and whether the smallest comes first; none for the table's own order.
    pub order: Option<(usize, bool)>,
    /// The bars beside the rows; none for a table without rows or without a column of shares.
    pub bars: Option<Bars>,
    /// The page of columns that is shown, counted from 0 around both ends, where the columns do not fit side by side.
    pub page: isize,
    /// True where the table is about a snapshot: the rest of the files is still being read.
    pub is_snapshot: bool,
    /// The text that rows must match to be shown; empty shows all.
    pub filter: String,
    /// The rows shown, by their paths, top to bottom.
    pub lines: Vec<Path>,
    /// The focused line: an index into `lines` followed by the table's notes.
    pub line: usize,
    /// The user's choice of a chart.
    pub choice: ChartChoice,
    /// The rows whose children are shown, by their names: indices change with the order and the scope.
    open: HashSet<Names>,
    /// The shortened texts of the rows in `lines`, made when they are first drawn.
    shortened: RefCell<FxHashMap<TextSet, Rc<Shortened>>>,
}

/// Texts that are kept apart from each other, and the width in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TextSet {
    /// The index of the column.
    column: usize,
    /// The depth of the rows in the table, 0 for top-level rows.
    depth: usize,
    /// The number of the block of [`BLOCK`] lines.
    block: usize,
    /// The width, in columns of the terminal.
    width: usize,
}

/// The lines whose texts are kept apart from each other: as many as take no more than a frame.
const BLOCK: usize = 10_000;
/// For how many sets shortened texts are kept; the widths of columns change while a table is scrolled.
const SETS: usize = 32;

impl TablePane {
    /// The table's row at index `line` of `lines`; none for a note.
    pub fn row(&self, line: usize) -> Option<&TableRow> {
        let mut path = self.lines.get(line)?.iter();
        let mut row = self.table.rows.get(*path.next()? as usize)?;
        for &child in path {
            row = row.children.get(child as usize)?;
        }
        Some(row)
    }

    /// The names along a path.
    fn names(&self, path: &[u32]) -> Names {
        let mut rows = &self.table.rows;
        let mut names = Names::new();
        for &at in path {
            let Some(row) = rows.get(at as usize) else { break };
            names.push(name(row));
            rows = &row.children;
        }
        names
    }

    /// Shows the children of the row with this path if they are hidden, and hides them if they are shown.
    pub(super) fn toggle(&mut self, path: &[u32]) {
        let names = self.names(path);
        if !self.open.remove(&names) {
            self.open.insert(names);
        }
        self.arrange();
    }

    /// True when the children of the line's row are shown.
    pub fn is_open(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|path| self.open.contains(&self.names(path)))
    }

    /// The shortened texts of the column with index `column` for a width, as the line `line` shows them.
    ///
    /// Texts that differ stay different among the rows of the same depth in a block of 10,000 lines, not only among those on the
    /// screen, so that a row looks the same wherever the table is scrolled to.
    pub fn shortened(&self, line: usize, column: usize, width: usize) -> Rc<Shortened> {
        let depth_of = |line: usize| self.lines.get(line).map_or(0, |path| path.len().saturating_sub(1));
        let set = TextSet { column, depth: depth_of(line), block: line / BLOCK, width };
        let mut kept = self.shortened.borrow_mut();
        if let Some(known) = kept.get(&set) {
            return Rc::clone(known);
        }
        if kept.len() >= SETS {
            kept.clear();
        }
        let block = set.block * BLOCK..((set.block + 1) * BLOCK).min(self.lines.len());
        let texts = block.filter(|&line| depth_of(line) == set.depth).filter_map(|line| {
            match self.row(line)?.cells.get(column)? {
                Value::Text(text) => Some(text),
                _ => None,
            }
        });
        let shortened = Rc::new(Shortened::new(texts, width));
        kept.insert(set, Rc::clone(&shortened));
        shortened
    }

    /// The chart that is shown; none where the table is shown.
    pub fn chart(&self) -> Option<&Chart> {
        self.table.charts.get(self.choice.chart?)
    }

    /// What a pane of `width` columns shows: at the left or everywhere, and at the right.
    pub fn halves(&self, width: u16) -> (Half<'_>, Option<Half<'_>>) {
        let charts = &self.table.charts;
        let is_beside = self.choice.is_beside && width >= BESIDE;
        let shown = self.choice.chart.filter(|&at| at < charts.len());
        match (shown, charts.first()) {
            (None, Some(first)) if is_beside => (Half::Table, Some(Half::Chart(first))),
            (None, _) => (Half::Table, None),
            (Some(at), _) if is_beside && charts.len() > 1 => {
                (Half::Chart(&charts[at]), Some(Half::Chart(&charts[(at + 1) % charts.len()])))
            }
            (Some(at), _) if is_beside || width >= WIDE => (Half::Table, Some(Half::Chart(&charts[at]))),
            (Some(at), _) => (Half::Chart(&charts[at]), None),
        }
    }

    /// The chart whose number of bars the user can change, in a pane of `width` columns; none where all rows always have one.
    pub fn chart_with_top(&self, width: u16) -> Option<&Chart> {
        let (left, right) = self.halves(width);
        [Some(left), right].into_iter().flatten().find_map(|half| match half {
            Half::Chart(chart) => chart.first_rows().map(|_| chart),
            Half::Table => None,
        })
    }

    /// How many top-level rows the filter leaves.
    pub fn rows_shown(&self) -> usize {
        self.lines.iter().filter(|path| path.len() == 1).count()
    }

    /// How many top-level rows have a bar of their own in `chart`; none if all that the filter leaves have. A single row that would
    /// be alone among the others has a bar of its own.
    pub fn top(&self, chart: &Chart) -> Option<usize> {
        let top = self.choice.top.or(chart.first_rows())?.max(1);
        chart.first_rows()?;
        let rows = self.rows_shown();
        let is_one_left = rows == top + 1 && rows == self.table.rows.len() && self.choice.top.is_none();
        (top < rows && !is_one_left).then_some(top)
    }

    /// How many of `lines`, from the first, have a bar of their own in `chart`; the others share one bar, "others", if the chart
    /// has such a bar.
    pub fn top_lines(&self, chart: &Chart) -> usize {
        let Some(top) = self.top(chart) else { return self.lines.len() };
        let mut rows = self.lines.iter().enumerate().filter(|(_, path)| path.len() == 1);
        rows.nth(top).map_or(self.lines.len(), |(line, _)| line)
    }

    /// Replaces the table by another one, in `grouping` and about `scope`. Order and filter stay, and unfolded rows; of those, in another
    /// grouping, the ones at the top, as the rows below are of another kind. In another grouping the focus stays on the row of its name.
    pub(super) fn replace(&mut self, table: Table, grouping: Option<usize>, scope: Scope, is_snapshot: bool) {
        self.order = self.order.and_then(|(column, is_ascending)| {
            let id = &self.table.columns.get(column)?.id;
            Some((table.columns.iter().position(|column| column.id == *id)?, is_ascending))
        });
        let focused = self.lines.get(self.line).and_then(|path| self.names(path).into_iter().next());
        let is_regrouped = self.grouping != grouping;
        if is_regrouped {
            self.open.retain(|names| names.len() == 1);
        }
        (self.table, self.grouping, self.scope, self.is_snapshot) = (table, grouping, scope, is_snapshot);
        self.arrange();
        if is_regrouped && let Some(name) = focused {
            // The focus stays on its row, wherever the order puts that; of several of its name, the nearest.
            let is_row = |line: &usize| {
                self.lines[*line].len() == 1 && self.row(*line).map(self::name).as_ref() == Some(&name)
            };
            let line = (0..self.lines.len()).filter(is_row).min_by_key(|line| line.abs_diff(self.line));
            self.line = line.unwrap_or(self.line);
        }
    }

    /// Sorts the rows by `order`, chooses the bars, and computes `lines` from the filter and the unfolded rows.
    pub(super) fn arrange(&mut self) {
        if let Some((column, is_ascending)) = self.order.filter(|order| order.0 < self.table.columns.len()) {
            self.table.sort(column, is_ascending);
        }
        self.bars = Bars::of(&self.table, self.order.map(|(column, _)| column));
        let wanted = self.filter.to_lowercase();
        let contains = |row: &TableRow| row.has_text(&wanted);
        let matcher = SkimMatcherV2::default().ignore_case();
        let is_near = |row: &TableRow| {
            row.texts().any(|text| matcher.fuzzy_match(text.as_str(), &self.filter).is_some())
        };
        // Fuzzy matches count only if no row contains the filter's text.
        let any = |is_like: &dyn Fn(&TableRow) -> bool| {
            self.table.rows.iter().any(|row| is_like(row) || row.children.iter().any(is_like))
        };
        let is_like: &dyn Fn(&TableRow) -> bool = if any(&contains) { &contains } else { &is_near };
        let mut lines = Vec::new();
        for (at, row) in (0..).zip(&self.table.rows) {
            let has_child = row.children.iter().any(is_like);
            if is_like(row) || has_child {
                let path = vec![at];
                lines.push(path.clone());
                let names = if self.open.is_empty() { Names::new() } else { self.names(&path) };
                if self.open.contains(&names) {
                    children(row, (&path, &names), &self.open, &mut lines);
                }
            }
        }
        self.lines = lines;
        self.shortened.borrow_mut().clear();
        self.line = self.line.min((self.lines.len() + self.table.notes.len()).saturating_sub(1));
    }
}

/// The text of a row's first cell; empty if that is no text.
fn name(row: &TableRow) -> SafeText<'static> {
    match row.cells.first() {
        Some(Value::Text(text)) => text.clone(),
        _ => SafeText::default(),
    }
}

/// Adds the lines of the children of a row, which has this path and these names.
fn children(
    row: &TableRow,
    (path, names): (&[u32], &[SafeText<'static>]),
    open: &HashSet<Names>,
    lines: &mut Vec<Path>,
) {
    for (at, child) in (0..).zip(&row.children) {
        let path: Path = path.iter().copied().chain([at]).collect();
        lines.push(path.clone());
        let names: Names = names.iter().cloned().chain([name(child)]).collect();
        if open.contains(&names) {
            children(child, (&path, &names), open, lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Column, ColumnKind};

    fn table(columns: [&'static str; 2], rows: &[(&str, u64)]) -> Table {
        let [name, count] = columns;
        let row = |&(name, count): &(&str, u64)| {
            TableRow::new(vec![Value::Text(SafeText::from(name.to_owned())), Value::Count(count)])
        };
        Table {
            columns: vec![
                Column::new(name, name, ColumnKind::Text, ""),
                Column::new(count, count, ColumnKind::Count, ""),
            ],
            rows: rows.iter().map(row).collect(),
            ..Table::default()
        }
    }

    fn focused(pane: &TablePane) -> String {
        pane.row(pane.line).map(|row| name(row).to_string()).unwrap_or_default()
    }

    #[test]
    fn the_focus_stays_on_its_row_in_another_grouping() {
        let mut pane = TablePane::default();
        pane.replace(
            table(["name", "calls"], &[("a", 1), ("b", 2), ("c", 3)]),
            None,
            Scope::default(),
            false,
        );
        pane.order = Some((1, false));
        pane.arrange();
        assert_eq!(focused(&pane), "c");
        // The column that orders the rows is missing there: the rows have the table's own order.
        pane.replace(
            table(["name", "time"], &[("a", 1), ("b", 2), ("c", 3)]),
            Some(0),
            Scope::default(),
            false,
        );
        assert_eq!((pane.order, pane.line, focused(&pane).as_str()), (None, 2, "c"));
        // Of several rows of the name, the nearest; of none, the line.
        pane.replace(table(["name", "time"], &[("c", 1), ("c", 2), ("a", 3)]), None, Scope::default(), false);
        assert_eq!((pane.line, focused(&pane).as_str()), (1, "c"));
        pane.replace(table(["name", "time"], &[("x", 1), ("y", 2)]), Some(0), Scope::default(), false);
        assert_eq!(pane.line, 1);
    }
}
