//! Summaries as panes: what part of the trace they are of, in which order their rows stand, which are shown.
//!
//! Must not know how a table is drawn.

use std::collections::HashSet;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use crate::analysis::{Scope, Table, TableRow, Value};
use crate::base::text::SafeText;
use crate::model::SliceId;

use super::charts::Choice;
use super::state::{Pane, State};

/// What part of the trace a summary is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// All of it.
    #[default]
    Whole,
    /// The time on the screen.
    Screen,
    /// The time of the selected event, on all lanes.
    Selection,
    /// The step at the cursor.
    Step,
}

impl Reach {
    /// The one after it.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Whole => Self::Screen,
            Self::Screen => Self::Selection,
            Self::Selection => Self::Step,
            Self::Step => Self::Whole,
        }
    }

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Whole => "whole trace",
            Self::Screen => "this screen",
            Self::Selection => "selected event",
            Self::Step => "this step",
        }
    }
}

/// Where a row stands: its number, then that among its children, and so on.
pub type Path = Vec<u32>;

/// A summary that has been made, and what the person did with it.
#[derive(Debug, Default)]
pub struct TablePane {
    /// The summary, its rows in the order shown.
    pub table: Table,
    /// What it is of.
    pub scope: Scope,
    /// The column by which the rows are ordered, and whether the smallest comes first.
    pub order: Option<(usize, bool)>,
    /// Only rows like this are shown.
    pub filter: String,
    /// The rows shown, top to bottom.
    pub lines: Vec<Path>,
    /// The line with the focus.
    pub line: usize,
    /// Which of its charts is shown.
    pub choice: Choice,
    /// Rows whose children are shown.
    open: HashSet<Path>,
}

impl TablePane {
    /// The row of a line.
    pub fn row(&self, line: usize) -> Option<&TableRow> {
        let mut path = self.lines.get(line)?.iter();
        let mut row = self.table.rows.get(*path.next()? as usize)?;
        for &child in path {
            row = row.children.get(child as usize)?;
        }
        Some(row)
    }

    /// True when the line's children are shown.
    pub fn is_open(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|path| self.open.contains(path))
    }

    /// Takes another table in, of `scope`; what was done with the one before stays.
    pub(super) fn renew(&mut self, table: Table, scope: Scope) {
        (self.table, self.scope) = (table, scope);
        self.arrange();
    }

    /// Works out which rows are shown.
    pub(super) fn arrange(&mut self) {
        if let Some((column, is_ascending)) = self.order.filter(|order| order.0 < self.table.columns.len()) {
            self.table.sort(column, is_ascending);
        }
        let wanted = self.filter.to_lowercase();
        let contains = |row: &TableRow| row.has_text(&wanted);
        let matcher = SkimMatcherV2::default().ignore_case();
        let is_near = |row: &TableRow| {
            row.texts().any(|text| matcher.fuzzy_match(text.as_str(), &self.filter).is_some())
        };
        // Letters strewn about count only where nothing has what was typed letter for letter.
        let any = |is_like: &dyn Fn(&TableRow) -> bool| {
            self.table.rows.iter().any(|row| is_like(row) || row.children.iter().any(is_like))
        };
        let is_like: &dyn Fn(&TableRow) -> bool = if any(&contains) { &contains } else { &is_near };
        let mut lines = Vec::new();
        for (at, row) in (0..).zip(&self.table.rows) {
            let has_child = row.children.iter().any(is_like);
            if is_like(row) || has_child {
                let path = vec![at];
                let is_open = self.open.contains(&path);
                lines.push(path.clone());
                if is_open {
                    children(row, &path, &self.open, &mut lines);
                }
            }
        }
        self.lines = lines;
        self.line = self.line.min((self.lines.len() + self.table.notes.len()).saturating_sub(1));
    }
}

fn children(row: &TableRow, path: &[u32], open: &HashSet<Path>, lines: &mut Vec<Path>) {
    for (at, child) in (0..).zip(&row.children) {
        let path: Path = path.iter().copied().chain([at]).collect();
        lines.push(path.clone());
        if open.contains(&path) {
            children(child, &path, open, lines);
        }
    }
}

impl State {
    /// The summary shown.
    pub fn table(&self) -> Option<&TablePane> {
        match self.pane {
            Pane::Details => None,
            Pane::Table(view) => self.tables.get(&view),
        }
    }

    pub(super) fn table_mut(&mut self) -> Option<&mut TablePane> {
        match self.pane {
            Pane::Details => None,
            Pane::Table(view) => self.tables.get_mut(&view),
        }
    }

    /// What the reach means now; none when there is nothing of the kind.
    pub(super) fn scope(&self) -> Option<Scope> {
        let span = match self.reach {
            Reach::Whole => return Some(Scope::default()),
            Reach::Screen => self.view,
            Reach::Selection => self.selected_slice().map(|id| self.session.trace.slices.span(id))?,
            Reach::Step => {
                let worker = self.worker();
                let steps = self.session.trace.steps.iter().filter(|step| step.worker == worker);
                steps.rev().find(|step| step.span.start <= self.cursor).map(|step| step.span)?
            }
        };
        Some(Scope { span: Some(span), lanes: None })
    }

    /// Forgets the summaries, not what was done with them: the trace is another one.
    pub(super) fn forget_tables(&mut self) {
        // A scope that no trace has.
        let nothing = Scope { span: None, lanes: Some(Vec::new()) };
        self.tables.values_mut().for_each(|pane| pane.scope = nothing.clone());
    }

    /// Looks at another part of the trace.
    pub(super) fn step_reach(&mut self) {
        if self.pane == Pane::Details {
            return self
                .say("the details are of the selected event; summaries can be of a part of the trace");
        }
        self.reach = self.reach.next();
        self.forget_tables();
        if self.scope().is_none() {
            let why = match self.reach {
                Reach::Selection => "no event is selected",
                _ => "no step is at the cursor",
            };
            self.say(format!("{why}; the summary stays as it was"));
            return;
        }
        self.refresh_table();
        self.say(format!("summaries are of: {}", self.reach.title()));
    }

    /// Orders the rows by the next or previous column.
    pub(super) fn step_order(&mut self, by: isize) {
        let Some(pane) = self.table_mut() else { return };
        let count = pane.table.columns.len() as isize;
        if count == 0 {
            return;
        }
        let at = pane
            .order
            .map_or(if by > 0 { 0 } else { count - 1 }, |(at, _)| (at as isize + by).rem_euclid(count));
        pane.order = Some((at as usize, false));
        pane.arrange();
        self.say_order();
    }

    /// Turns the order round.
    pub(super) fn reverse_order(&mut self) {
        let Some(pane) = self.table_mut() else { return };
        let (column, is_ascending) = pane.order.unwrap_or((0, true));
        pane.order = Some((column, !is_ascending));
        pane.arrange();
        self.say_order();
    }

    fn say_order(&mut self) {
        let words = self.table().and_then(|pane| {
            let (column, is_ascending) = pane.order?;
            let end = if is_ascending { "smallest first" } else { "largest first" };
            Some(format!(
                "by {}, {end}: {}",
                pane.table.columns[column].title, pane.table.columns[column].about
            ))
        });
        if let Some(words) = words {
            self.say(words);
        }
    }

    /// Shows only rows like `filter`.
    pub(super) fn filter_table(&mut self, filter: &str) {
        if let Some(pane) = self.table_mut() {
            filter.clone_into(&mut pane.filter);
            pane.arrange();
        }
    }

    /// Shows or hides the children of the line with the focus.
    pub(super) fn fold_row(&mut self) {
        let Some(pane) = self.table_mut() else { return };
        let has_children = pane.row(pane.line).is_some_and(|row| !row.children.is_empty());
        let Some(path) = pane.lines.get(pane.line).cloned() else { return };
        if has_children {
            if !pane.open.remove(&path) {
                pane.open.insert(path);
            }
            pane.arrange();
        } else if let [above @ .., _] = path.as_slice()
            && !above.is_empty()
        {
            pane.open.remove(above);
            let above = above.to_vec();
            pane.arrange();
            pane.line = pane.lines.iter().position(|line| *line == above).unwrap_or(0);
        }
    }

    /// Moves by `by` lines.
    pub(super) fn step_row(&mut self, by: isize) {
        if let Some(pane) = self.table_mut() {
            let last = (pane.lines.len() + pane.table.notes.len()).saturating_sub(1);
            pane.line = pane.line.saturating_add_signed(by).min(last);
        }
    }

    /// Where the row with the focus leads, and the name of what it sums up.
    pub(super) fn row_target(&self) -> Option<(SliceId, SafeText<'static>)> {
        let pane = self.table()?;
        let row = pane.row(pane.line)?;
        let name = match row.cells.first() {
            Some(Value::Text(text)) => text.clone(),
            _ => SafeText::default(),
        };
        Some((row.longest?, name))
    }
}
