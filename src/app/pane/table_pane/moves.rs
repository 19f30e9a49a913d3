//! What the user does to the rows of a summary: ordering, folding, filtering, moving the focus, going through
//! columns.
//!
//! Must not know which key does what.

use std::sync::Arc;

use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::part::location::Location;
use proftui_insight::analysis::table::LOCATION;
use proftui_insight::analysis::views::verdict;
use proftui_insight::analysis::{Column, ColumnKind, TableRow, Value};
use proftui_trace::model::{SliceId, Trace};

use super::TablePane;
use crate::app::pane::arrange_job::ArrangeJob;

impl TablePane {
    /// Chooses the next column to the right (`by` 1) or left (-1), around both ends, to order the rows, and
    /// shows the first page of columns.
    pub(crate) fn move_order(&mut self, by: isize) {
        let count = saturate::<isize>(self.table.columns.len());
        if count == 0 {
            return;
        }
        let at = self.wanted.order(&self.table).map_or(if by > 0 { 0 } else { count - 1 }, |(at, _)| {
            (saturate::<isize>(at) + by).rem_euclid(count)
        });
        self.wanted.order_by(self.table.columns[saturate::<usize>(at)].id.clone(), false);
        self.page = 0;
    }

    /// The indices of the columns by which a digit sorts, from 1 on: the first nine of numbers.
    fn sortable(&self) -> impl Iterator<Item = usize> {
        let columns = self.table.columns.iter().enumerate();
        columns.filter(|(_, column)| column.kind != ColumnKind::Text).map(|(at, _)| at).take(9)
    }

    /// The headings of the columns by which a digit sorts, from 1 on.
    pub(crate) fn sorted_by_digit(&self) -> Vec<String> {
        self.sortable().map(|at| self.table.columns[at].title.to_string()).collect()
    }

    /// Chooses the column to order the rows that has this digit, largest first, and shows the first page of
    /// columns; false if none has it.
    pub(crate) fn sort_by_digit(&mut self, digit: usize) -> bool {
        let column = digit.checked_sub(1).and_then(|at| self.sortable().nth(at));
        column.is_some_and(|at| self.sort_by(at))
    }

    /// Chooses the column to order the rows whose heading or id is `title`, or else begins so, whatever the
    /// case; false if there is none.
    pub(crate) fn sort_by_title(&mut self, title: &str) -> bool {
        let wanted = title.to_lowercase();
        let names = |at: usize| {
            let column = &self.table.columns[at];
            [column.title.to_lowercase(), column.id.to_lowercase()]
        };
        let all = || 0..self.table.columns.len();
        let exact = all().find(|&at| names(at).contains(&wanted));
        let found =
            exact.or_else(|| all().find(|&at| names(at).iter().any(|name| name.starts_with(&wanted))));
        found.is_some_and(|at| self.sort_by(at))
    }

    fn sort_by(&mut self, at: usize) -> bool {
        self.wanted.order_by(self.table.columns[at].id.clone(), false);
        self.page = 0;
        true
    }

    /// Chooses the column to order the rows, by its index: largest first or, if it orders them already, the
    /// reverse order. Any other index changes nothing.
    pub(crate) fn sort_by_column(&mut self, at: usize) {
        if self.wanted.order(&self.table).is_some_and(|(ordered, _)| ordered == at) {
            self.reverse_order();
        } else if at < self.table.columns.len() {
            self.sort_by(at);
        }
    }

    /// Moves the focus to a line, at most to the last one.
    pub(crate) fn go_to_line(&mut self, line: usize) {
        self.move_line(isize::MIN);
        self.move_line(saturate::<isize>(line));
    }

    /// Chooses the reverse order by the column that orders the rows, or the order by the first column if none
    /// does.
    pub(crate) fn reverse_order(&mut self) {
        let (column, is_ascending) = self.wanted.order(&self.table).unwrap_or((0, true));
        let Some(column) = self.table.columns.get(column) else { return };
        self.wanted.order_by(column.id.clone(), !is_ascending);
    }

    /// The column by which the user wants the rows ordered first, and true if numbers come smallest first and
    /// texts in reverse alphabetical order; none for the table's own order.
    pub(crate) fn order(&self) -> Option<(&Column, bool)> {
        let (column, is_ascending) = self.wanted.order(&self.table)?;
        Some((self.table.columns.get(column)?, is_ascending))
    }

    /// Chooses the filter of the rows, for when they are arranged again; an empty filter hides none.
    pub(crate) fn filter_by(&mut self, filter: &str) {
        filter.clone_into(&mut self.wanted.filter);
    }

    /// The job of arranging the rows as the user chose last; none if the rows shown are arranged so already.
    pub(crate) fn to_arrange(&self) -> Option<ArrangeJob> {
        let (table, count) = (Arc::clone(&self.table), self.rows.all());
        let (choice, short) = (self.wanted.clone(), Arc::clone(&self.short));
        self.is_outdated().then(|| ArrangeJob { table, count, choice, short })
    }

    /// Goes to the next (`by` 1) or previous (-1) page of columns, around both ends.
    pub(crate) fn move_columns(&mut self, by: isize) {
        self.page = self.page.wrapping_add(by);
    }

    /// Folds or unfolds the focused row or, if that has no children, the row in which it is nested, once the
    /// rows are arranged again.
    pub(crate) fn fold(&mut self) {
        let has_children = self.row(self.line).is_some_and(|row| !row.children.is_empty());
        let Some(path) = self.rows.path(self.line).map(<[u32]>::to_vec) else { return };
        if has_children {
            self.toggle(&path);
        } else if let [above @ .., _] = path.as_slice()
            && !above.is_empty()
        {
            self.toggle(above);
        }
    }

    /// Moves the focus by `by` lines (negative: up), at most to the first or last line.
    pub(crate) fn move_line(&mut self, by: isize) {
        let last = (self.rows.len() + self.table.notes.len()).saturating_sub(1);
        self.line = self.line.saturating_add_signed(by).min(last);
        self.focus_next = None;
    }

    /// The event to which the explorer can go from the focused row, if any, and the row's name, which may be
    /// empty.
    pub(crate) fn target(&self) -> Option<(SliceId, SafeText<'static>)> {
        let row = self.row(self.line)?;
        let name = match row.cells.first() {
            Some(Value::Text(text)) => text.clone(),
            _ => SafeText::default(),
        };
        Some((row.longest?, name))
    }

    /// The number of the finding, from 1, that the row on a line is; none for any other row.
    pub fn finding(&self, line: usize) -> Option<usize> {
        let at = match self.rows.path(line)? {
            [at] => *at as usize,
            _ => return None,
        };
        let is_finding = self.table.view == verdict::VIEW && at < verdict::findings(&self.table);
        is_finding.then_some(at + 1)
    }

    /// The location that the focused row has in the column [`LOCATION`], if any.
    pub(crate) fn location(&self, trace: &Trace) -> Option<Location> {
        self.location_of(self.row(self.line)?, trace)
    }

    /// The location that a row of the table has in the column [`LOCATION`], if any.
    pub(crate) fn location_of(&self, row: &TableRow, trace: &Trace) -> Option<Location> {
        let Value::Text(text) = &row.cells[self.table.column(LOCATION)?] else { return None };
        Location::parse(text.as_str(), trace).ok()
    }
}
