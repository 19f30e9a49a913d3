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
use proftui_insight::analysis::{Chart, Scope, Table, TableRow, Value};

use super::icicle::Icicle;
use super::rows::{Names, Path, RowChoice, Rows, name};

/// The user's choice of the scope of summaries, e.g. "the viewport"; `State::scope` resolves it to a
/// [`Scope`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeChoice {
    /// The whole trace.
    #[default]
    Whole,
    /// The time range of the viewport.
    Screen,
    /// The time range of the selected event, on all lanes.
    Selection,
    /// The stretch of time that the user marked.
    Stretch,
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
            Self::Selection => Self::Stretch,
            Self::Stretch => Self::Step,
            Self::Step => Self::Whole,
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
        }
    }
}

/// The chart that the user chose for a summary, and its number of bars.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartChoice {
    /// The chart shown, an index into the table's charts; none where the table is shown.
    pub(crate) chart: Option<usize>,
    /// How many rows the user chose to have a bar of their own; none for the chart's default.
    pub(crate) top: Option<usize>,
    /// True where the next chart is to stand beside the chart shown, or the first one beside the table.
    pub(crate) is_beside: bool,
}

/// The fewest columns of a pane in which the user can have two charts, or a table and a chart, beside each
/// other.
pub(crate) const BESIDE: u16 = 100;
/// The fewest columns of a pane in which the table stands beside the chart that is shown, unless that is a
/// flame or another chart stands there.
const WIDE: u16 = 160;

/// What one half of a pane shows, or all of it.
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
    /// The part of the trace that the table is about.
    pub scope: Scope,
    /// The grouping that the table's rows are in, an index into the view's `groupings`; none for rows by
    /// name.
    pub grouping: Option<usize>,
    /// The page of columns that is shown, counted from 0 around both ends, where the columns do not fit side
    /// by side.
    pub page: isize,
    /// True where the table is about a snapshot: the rest of the files is still being read.
    pub is_snapshot: bool,
    /// The focused line: a line of `rows`, followed by the table's notes.
    pub line: usize,
    /// Where the user is in the flame.
    pub icicle: Icicle,
    /// The flame that the table is of; the default for other tables.
    pub(crate) flame: flame::Choice,
    /// The user's choice of a chart.
    pub choice: ChartChoice,
    /// What the user chose last about the rows, which may still be being arranged.
    pub(crate) wanted: RowChoice,
    /// The row that gets the focus once the rows are arranged as wanted; none if the focus stays on its line.
    pub(crate) focus_next: Option<Path>,
    /// The shortened texts of the rows shown, made when they are first drawn.
    shortened: RefCell<FxHashMap<TextSet, Rc<Shortened>>>,
}

/// The flame among the charts of a table; none if it has none.
fn flame_of(table: &Table) -> Option<&Flame> {
    table.charts.iter().find_map(|chart| match &chart.kind {
        ChartKind::Flame(flame) => Some(flame.as_ref()),
        _ => None,
    })
}

/// A table that can be read on several threads at once.
pub type SharedTable = Arc<Disposed<Table>>;

/// A table of fewer rows is freed on the thread that drops it, a larger one on another.
const DISPOSED_ROWS: usize = 1_000;

/// Makes a table one that can be read on several threads.
pub(crate) fn shared(table: Table) -> SharedTable {
    let is_large =
        table.rows.len() >= DISPOSED_ROWS || table.rows.iter().any(|row| row.children.len() >= DISPOSED_ROWS);
    Arc::new(Disposed::new(table, is_large))
}

/// What replaces the table of a pane.
#[derive(Debug)]
pub(crate) struct NewTable {
    pub table: SharedTable,
    pub rows: Rows,
    pub grouping: Option<usize>,
    pub scope: Scope,
    pub is_snapshot: bool,
    pub flame: flame::Choice,
    /// The lines of the rows that have the name of the row with the focus, if this is another grouping; else
    /// empty.
    pub lines_of_focused: Vec<usize>,
}

/// Texts that stay different from each other when they are shortened, and the width in which they are shown.
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

/// How many lines have texts that stay different when they are shortened: as many as are shortened within the
/// time of a frame.
const BLOCK: usize = 10_000;
/// For how many sets shortened texts are kept, since the widths of columns change while a table is scrolled;
/// for one more, all are dropped first.
const SETS: usize = 32;

impl TablePane {
    /// The table's row on a line; none for a note.
    pub fn row(&self, line: usize) -> Option<&TableRow> {
        let mut path = self.rows.path(line)?.iter();
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

    /// The name of the top-level row at or above the focused line; none for a note.
    pub(crate) fn focused_name(&self) -> Option<SafeText<'static>> {
        self.rows.path(self.line).and_then(|path| self.names(path).into_iter().next())
    }

    /// Shows the children of the row with this path if they are hidden. If they are shown, hides them, and
    /// moves the focus to the row.
    pub(crate) fn toggle(&mut self, path: &[u32]) {
        self.wanted.toggle(self.names(path));
        self.focus_next = Some(path.to_vec());
    }

    /// True when the children of the line's row are shown.
    pub fn is_open(&self, line: usize) -> bool {
        self.rows.path(line).is_some_and(|path| self.rows.choice.is_open(&self.names(path)))
    }

    /// True while the rows shown are not those that the user chose last.
    pub(crate) fn is_outdated(&self) -> bool {
        self.rows.choice != self.wanted
    }

    /// The shortened texts of the column with index `column` for a width, as the line `line` shows them.
    ///
    /// Texts that differ stay different among the rows of the same depth in a block of 10,000 lines, not only
    /// among those on the screen, so that a row looks the same wherever the table is scrolled to.
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

    /// What a pane of `width` columns shows in its left half, or everywhere, and in its right half; none
    /// where it is not divided.
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

    /// The chart whose number of bars the user can change, in a pane of `width` columns; none where all rows
    /// always have one.
    pub fn chart_with_top(&self, width: u16) -> Option<&Chart> {
        let (left, right) = self.halves(width);
        [Some(left), right].into_iter().flatten().find_map(|half| match half {
            Half::Chart(chart) => chart.first_rows().map(|_| chart),
            Half::Table => None,
        })
    }

    /// How many top-level rows have a bar of their own in `chart`; none if all that the filter leaves have. A
    /// single row that would be alone among the others has a bar of its own.
    pub fn top(&self, chart: &Chart) -> Option<usize> {
        let top = self.choice.top.or(chart.first_rows())?.max(1);
        chart.first_rows()?;
        let rows = self.rows.top_shown();
        let is_one_left = rows == top + 1 && rows == self.table.rows.len() && self.choice.top.is_none();
        (top < rows && !is_one_left).then_some(top)
    }

    /// How many of the lines, from the first, have a bar of their own in `chart`; the others share one bar,
    /// "others", if the chart has such a bar.
    pub fn top_lines(&self, chart: &Chart) -> usize {
        let Some(top) = self.top(chart) else { return self.rows.len() };
        let mut rows = (0..self.rows.len()).filter(|&line| self.rows.depth(line) == 0);
        rows.nth(top).unwrap_or(self.rows.len())
    }

    /// Replaces the table by another one. Order and filter stay, and unfolded rows; of those, in another
    /// grouping, the ones at the top, as the rows below are of another kind. In another grouping the focus
    /// stays on the row of its name.
    pub(crate) fn replace(&mut self, new: NewTable) {
        let is_regrouped = self.grouping != new.grouping;
        self.wanted = std::mem::take(&mut self.wanted).for_another(is_regrouped).within(&new.table);
        self.focus_next = None;
        if let (Some(old), Some(flame)) = (flame_of(&self.table), flame_of(&new.table)) {
            self.icicle = self.icicle.within(old, flame);
        }
        (self.table, self.grouping, self.scope, self.flame) = (new.table, new.grouping, new.scope, new.flame);
        self.is_snapshot = new.is_snapshot;
        self.show(new.rows);
        if is_regrouped {
            // The focus stays on its row, wherever the order puts that; of several of its name, the nearest.
            let line = new.lines_of_focused.into_iter().min_by_key(|line| line.abs_diff(self.line));
            self.line = line.unwrap_or(self.line);
        }
    }

    /// Shows rows of the table that were arranged. If they are as wanted, the focus goes to the row
    /// `focus_next`, if there is one; else it stays on its line, or goes to the last one.
    pub(crate) fn show(&mut self, rows: Rows) {
        self.rows = rows;
        self.shortened.borrow_mut().clear();
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
        let rows = Rows::of(&table, &choice);
        let lines_of_focused = pane.focused_name().map_or(Vec::new(), |name| rows.lines_named(&table, &name));
        let table = shared(table);
        let flame = flame::Choice::default();
        pane.replace(NewTable { table, rows, grouping, scope, is_snapshot, flame, lines_of_focused });
        assert!(!pane.is_outdated());
    }

    #[test]
    fn the_focus_stays_on_its_row_in_another_grouping() {
        let mut pane = TablePane::default();
        replace(&mut pane, table(["name", "calls"], &[("a", 1), ("b", 2), ("c", 3)]), None);
        pane.wanted.order_by("calls".into(), false);
        pane.show(Rows::of(&pane.table, &pane.wanted));
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
