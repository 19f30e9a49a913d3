//! The pane of a summary: its table, the rows shown, the chart chosen, and the summary's scope.
//!
//! `moves`, `charts` and `frames` are what the user does to its rows, charts and flame. Must not know how a
//! table or chart is drawn, nor where a table comes from or on which thread its rows are arranged.

mod charts;
mod frames;
mod moves;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use proftui_base::dispose::Disposed;
use proftui_base::shorten::Shortened;
use proftui_base::text::SafeText;
use proftui_insight::analysis::flame::{self, Flame};
use proftui_insight::analysis::table::chart::ChartKind;
use proftui_insight::analysis::vocabulary::short_names::ShortNames;
use proftui_insight::analysis::{Chart, Scope, Table, TableRow, Value};

use super::icicle::Icicle;
use super::rows::{Names, Path, RowChoice, Rows, name};

/// The user's choice of the time that summaries cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeChoice {
    /// The whole trace.
    #[default]
    Whole,
    /// The time range of the viewport.
    Screen,
    /// The time range of the selected event or gap.
    Selection,
    /// The stretch of time that the user marked.
    Stretch,
    /// The time range of the last step that starts at or before the cursor, of the worker of the chosen lanes
    /// or, for all lanes, of the focused line.
    Step,
    /// The phase at the cursor, such as the backward pass, of that step.
    Phase,
}

impl ScopeChoice {
    /// The choice after this one in the order of the variants; the first one after the last.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Whole => Self::Screen,
            Self::Screen => Self::Selection,
            Self::Selection => Self::Stretch,
            Self::Stretch => Self::Step,
            Self::Step => Self::Phase,
            Self::Phase => Self::Whole,
        }
    }

    /// The choice's name on the screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Whole => "whole trace",
            Self::Screen => "time range on the screen",
            Self::Selection => "selected event",
            Self::Stretch => "marked stretch",
            Self::Step => "step at the cursor",
            Self::Phase => "phase at the cursor",
        }
    }
}

/// The user's choice of a summary's chart, of its number of bars, and of whether the pane is divided.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartChoice {
    /// The chart chosen to be seen, an index into the table's charts; none for the table.
    pub(crate) chart: Option<usize>,
    /// How many rows the user chose to have a bar of their own; none for the chart's default.
    pub(crate) top: Option<usize>,
    /// True if the user chose to see two charts, or a chart and the table, beside each other.
    pub(crate) is_beside: bool,
}

/// The smallest width, in columns of the terminal, of a pane that the user can divide.
pub(crate) const BESIDE: u16 = 100;
/// From this width on, in columns of the terminal, a pane shows the table beside most kinds of chart without
/// being asked.
const WIDE: u16 = 160;

/// What one half of a pane shows, or the whole pane.
#[derive(Clone, Copy, Debug)]
pub enum Half<'a> {
    /// The summary's table.
    Table,
    /// A chart of the table.
    Chart(&'a Chart),
}

/// The pane of one summary: its table, with the user's order, filter, unfolded rows and choice of chart.
#[derive(Debug, Default)]
pub struct TablePane {
    /// The summary's table.
    pub table: SharedTable,
    /// The rows shown, in their order.
    pub rows: Rows,
    /// The short names of kernels.
    pub(crate) short: Arc<ShortNames>,
    /// The part of the trace that the table is about; a part without lanes marks an outdated summary.
    pub scope: Scope,
    /// The grouping that the table's rows are in, an index into the view's `groupings`; none for rows by
    /// name.
    pub grouping: Option<usize>,
    /// The page of columns shown, counted from 0 around both ends, so that -1 is the last.
    pub page: isize,
    /// True if the table was made from a snapshot.
    pub is_snapshot: bool,
    /// The index of the focused line: first come the lines of `rows`, then the table's notes.
    pub line: usize,
    /// The focus and the zoom in the table's flame.
    pub icicle: Icicle,
    /// The choice by which the table's flame was made; the default for a table without a flame.
    pub(crate) flame: flame::Choice,
    /// Which chart the user chose to see, and how.
    pub choice: ChartChoice,
    /// What the user chose last about the rows; `rows` may still be arranged by an earlier choice.
    pub(crate) wanted: RowChoice,
    /// The path of the row that gets the focus once the rows are arranged as `wanted` says; none if the focus
    /// stays on its line.
    pub(crate) focus_next: Option<Path>,
    /// The shortened texts of the rows shown, computed when needed; at most [`SETS`] sets are kept.
    shortened: RefCell<FxHashMap<TextSet, Rc<Shortened>>>,
    /// The rows shown, ordered by another column for a second chart: the index of that column, and the rows;
    /// computed when needed.
    beside: RefCell<Option<(usize, Rows)>>,
}

/// The flame among a table's charts, if any.
fn flame_of(table: &Table) -> Option<&Flame> {
    table.charts.iter().find_map(|chart| match &chart.kind {
        ChartKind::Flame(flame) => Some(flame.as_ref()),
        _ => None,
    })
}

/// A table that several threads can read at once. A large one is usually freed on a new thread.
pub type SharedTable = Arc<Disposed<Table>>;

/// From this number of top-level rows on, or of children of one top-level row, a table is usually freed on a
/// new thread.
const DISPOSED_ROWS: usize = 1_000;

/// Wraps a table so that several threads can read it at once.
pub(crate) fn shared(table: Table) -> SharedTable {
    let is_large =
        table.rows.len() >= DISPOSED_ROWS || table.rows.iter().any(|row| row.children.len() >= DISPOSED_ROWS);
    Arc::new(Disposed::new(table, is_large))
}

/// A new table for a pane, with its rows and how it was made.
#[derive(Debug, Default)]
pub(crate) struct NewTable {
    pub table: SharedTable,
    pub rows: Rows,
    pub short: Arc<ShortNames>,
    pub grouping: Option<usize>,
    pub scope: Scope,
    pub is_snapshot: bool,
    pub flame: flame::Choice,
    /// If the grouping changes, the focus goes to the nearest of these lines; it stays on its line if there
    /// are none.
    pub lines_of_focused: Vec<usize>,
}

/// A set of texts that are shortened together, to one width: those of one column, depth and block of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TextSet {
    /// The index of the column.
    column: usize,
    /// The depth of the rows in the table, 0 for top-level rows.
    depth: usize,
    /// The number of the block of [`BLOCK`] lines, from 0.
    block: usize,
    /// The width, in columns of the terminal.
    width: usize,
}

/// The number of lines in a block, few enough to shorten their texts while the screen is drawn.
const BLOCK: usize = 10_000;
/// The most sets of shortened texts that a pane keeps.
const SETS: usize = 32;

impl TablePane {
    /// The table's row on a line; none for a note, and below the last line.
    pub fn row(&self, line: usize) -> Option<&TableRow> {
        let mut path = self.rows.path(line)?.iter();
        let mut row = self.table.rows.get(*path.next()? as usize)?;
        for &child in path {
            row = row.children.get(child as usize)?;
        }
        Some(row)
    }

    /// The names of the rows along a path, the top-level row's first, as far as the table has these rows.
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

    /// The name of the top-level row with the focus, or around the focused row; none if no row has the focus.
    pub(crate) fn focused_name(&self) -> Option<SafeText<'static>> {
        self.rows.path(self.line).and_then(|path| self.names(path).into_iter().next())
    }

    /// Folds or unfolds the row with this path, and gives the row the focus, once the rows are arranged
    /// again.
    pub(crate) fn toggle(&mut self, path: &[u32]) {
        self.wanted.toggle(self.names(path));
        self.focus_next = Some(path.to_vec());
    }

    /// True if the row on a line is unfolded.
    pub fn is_open(&self, line: usize) -> bool {
        self.rows.path(line).is_some_and(|path| self.rows.choice.is_open(&self.names(path)))
    }

    /// True while the rows shown are not arranged as the user chose last.
    pub(crate) fn is_outdated(&self) -> bool {
        self.rows.choice != self.wanted
    }

    /// The text of a cell in the column `column` as it is shown: in the first one, a kernel's short name.
    pub fn shown<'a>(&'a self, column: usize, text: &'a SafeText<'static>) -> &'a SafeText<'static> {
        self.short.of_text(text).filter(|_| column == 0).unwrap_or(text)
    }

    /// The texts of the column `column` as they are shown, shortened to `width` columns of the terminal, of
    /// the rows with the same depth and block of lines as the row on `line`.
    pub fn shortened(&self, line: usize, column: usize, width: usize) -> Rc<Shortened> {
        let set = TextSet { column, depth: self.rows.depth(line), block: line / BLOCK, width };
        let mut kept = self.shortened.borrow_mut();
        if let Some(known) = kept.get(&set) {
            return Rc::clone(known);
        }
        if kept.len() >= SETS {
            kept.clear();
        }
        let block = set.block * BLOCK..((set.block + 1) * BLOCK).min(self.rows.len());
        let texts = block.filter(|&line| self.rows.depth(line) == set.depth).filter_map(|line| {
            match self.row(line)?.cells.get(column)? {
                Value::Text(text) => Some(self.shown(column, text)),
                _ => None,
            }
        });
        let shortened = Rc::new(Shortened::new(texts, width));
        kept.insert(set, Rc::clone(&shortened));
        shortened
    }

    /// The chart chosen to be seen; none for the table, or a chart that the table lacks.
    pub fn chart(&self) -> Option<&Chart> {
        self.table.charts.get(self.choice.chart?)
    }

    /// What the left and the right half of a pane of `width` columns show; for an undivided pane, what all of
    /// it shows, and none.
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
            // A flame needs all the width there is.
            (Some(at), _)
                if is_beside || width >= WIDE && !matches!(charts[at].kind, ChartKind::Flame(_)) =>
            {
                (Half::Table, Some(Half::Chart(&charts[at])))
            }
            (Some(at), _) => (Half::Chart(&charts[at]), None),
        }
    }

    /// Of the charts that a pane of `width` columns shows, the first of a kind whose number of bars the user
    /// can change, if any.
    pub fn chart_with_top(&self, width: u16) -> Option<&Chart> {
        let (left, right) = self.halves(width);
        [Some(left), right].into_iter().flatten().find_map(|half| match half {
            Half::Chart(chart) => chart.first_rows().map(|_| chart),
            Half::Table => None,
        })
    }

    /// How many of the top-level rows shown, from the first, have a line of their own in `chart`; none where
    /// no limit takes effect.
    pub fn top(&self, chart: &Chart) -> Option<usize> {
        let top = self.choice.top.or(chart.first_rows())?.max(1);
        chart.first_rows()?;
        let rows = self.rows.top_shown();
        let is_one_left = rows == top + 1 && rows == self.table.rows.len() && self.choice.top.is_none();
        (top < rows && !is_one_left).then_some(top)
    }

    /// How many of the lines of rows, from the first, belong to the rows that [`Self::top`] counts or to rows
    /// nested in these; all if that is none.
    pub fn top_lines(&self, chart: &Chart) -> usize {
        let Some(top) = self.top(chart) else { return self.rows.len() };
        let mut rows = (0..self.rows.len()).filter(|&line| self.rows.depth(line) == 0);
        rows.nth(top).unwrap_or(self.rows.len())
    }

    /// Replaces the table by another one; what the user chose stays, as far as it applies to the new table.
    /// But only the column chosen last still orders the rows, and in another grouping nested rows are folded.
    pub(crate) fn replace(&mut self, new: NewTable) {
        let is_regrouped = self.grouping != new.grouping;
        self.wanted = std::mem::take(&mut self.wanted).for_another(is_regrouped).within(&new.table);
        self.focus_next = None;
        if let (Some(old), Some(flame)) = (flame_of(&self.table), flame_of(&new.table)) {
            self.icicle = self.icicle.within(old, flame);
        }
        (self.table, self.grouping, self.scope, self.flame) = (new.table, new.grouping, new.scope, new.flame);
        (self.short, self.is_snapshot) = (new.short, new.is_snapshot);
        self.show(new.rows);
        if is_regrouped {
            // The focus stays on its row, wherever the order puts that; of several of its name, the nearest.
            let line = new.lines_of_focused.into_iter().min_by_key(|line| line.abs_diff(self.line));
            self.line = line.unwrap_or(self.line);
        }
    }

    /// Shows newly arranged rows. The focus goes to the row `focus_next` if they are arranged as `wanted`
    /// says and have it; else it stays on its line, at most the last one.
    pub(crate) fn show(&mut self, rows: Rows) {
        self.rows = rows;
        self.shortened.borrow_mut().clear();
        self.beside.take();
        if !self.is_outdated()
            && let Some(line) = self.focus_next.take().and_then(|path| self.rows.line_of(&path))
        {
            self.line = line;
        }
        self.line = self.line.min((self.rows.len() + self.table.notes.len()).saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_insight::analysis::{Column, ColumnKind};

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

    /// Replaces the pane's table, with the rows as it wants them.
    fn replace(pane: &mut TablePane, table: Table, grouping: Option<usize>) {
        let (scope, is_snapshot) = (Scope::default(), false);
        let choice = pane.wanted.clone().for_another(pane.grouping != grouping);
        let rows = Rows::of(&table, &choice, &ShortNames::default());
        let lines_of_focused = pane.focused_name().map_or(Vec::new(), |name| rows.lines_named(&table, &name));
        let table = shared(table);
        let flame = flame::Choice::default();
        let short = Arc::default();
        pane.replace(NewTable { table, rows, short, grouping, scope, is_snapshot, flame, lines_of_focused });
        assert!(!pane.is_outdated());
    }

    #[test]
    fn the_focus_stays_on_its_row_in_another_grouping() {
        let mut pane = TablePane::default();
        replace(&mut pane, table(["name", "calls"], &[("a", 1), ("b", 2), ("c", 3)]), None);
        pane.wanted.order_by("calls".into(), false);
        pane.show(Rows::of(&pane.table, &pane.wanted, &pane.short));
        assert_eq!(focused(&pane), "c");
        // The column that orders the rows is missing there: the rows have the table's own order.
        replace(&mut pane, table(["name", "time"], &[("a", 1), ("b", 2), ("c", 3)]), Some(0));
        assert_eq!((pane.rows.order, pane.line, focused(&pane).as_str()), (None, 2, "c"));
        // Of several rows of the name, the nearest; of none, the line.
        replace(&mut pane, table(["name", "time"], &[("c", 1), ("c", 2), ("a", 3)]), None);
        assert_eq!((pane.line, focused(&pane).as_str()), (1, "c"));
        replace(&mut pane, table(["name", "time"], &[("x", 1), ("y", 2)]), Some(0));
        assert_eq!(pane.line, 1);
    }
}
