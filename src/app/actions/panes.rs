//! The changes that commands make to the summary shown: its scope, the order of its rows, folding, filtering.
//!
//! Must not know how a table is drawn.

use proftui_base::fmt::TimeUnit;
use proftui_base::text::SafeText;
use proftui_insight::analysis::part::location::Location;
use proftui_insight::analysis::table::LOCATION;
use proftui_insight::analysis::{ColumnKind, Scope, VIEWS, Value};
use proftui_trace::model::SliceId;

use crate::app::input::bindings;
use crate::app::pane::panes::Pane;
use crate::app::pane::table_pane::{Half, ScopeChoice, TablePane};
use crate::app::state::State;
use crate::app::wires::message::Message;

/// The most rows and notes that are counted to see how many lines a pane needs: more than a screen has.
const PANE_ROWS: usize = 1000;

impl State {
    /// The summary that the pane shows; none for the Details pane, and before the summary has been made.
    pub fn table(&self) -> Option<&TablePane> {
        match self.panes.shown() {
            Pane::Details => None,
            Pane::Table(view) => self.tables.get(&view),
        }
    }

    pub(crate) fn table_mut(&mut self) -> Option<&mut TablePane> {
        match self.panes.shown() {
            Pane::Details => None,
            Pane::Table(view) => self.tables.get_mut(&view),
        }
    }

    /// The screen lines of the pane's content; none if that is not there yet, is a chart, or changes with the
    /// selection.
    pub(crate) fn wanted_pane_rows(&self) -> Option<usize> {
        let width = usize::from(self.size.0).saturating_sub(2);
        let lines = |text: &str| SafeText::new(text).wrap_at_spaces(width).count();
        match (self.panes.shown(), self.table()) {
            (Pane::Details, _) => self.selected.selection().is_none().then_some(1),
            (Pane::Table(_), None) => None,
            (Pane::Table(_), Some(pane)) => {
                let is_table = matches!(pane.halves(self.size.0), (Half::Table, None));
                let notes: usize = pane.table.notes.iter().take(PANE_ROWS).map(|note| lines(note)).sum();
                let rows = pane.rows.len().min(PANE_ROWS);
                is_table.then(|| (lines(&pane.table.headline) + 1 + rows + notes).max(2))
            }
        }
    }

    /// The scope that the user's choices of time and of lanes stand for now. None if the choice is the
    /// selected event or gap and none is selected, the stretch and none is marked, or the step and none of
    /// the worker starts at or before the cursor. The worker is that of the chosen lanes or, if all are
    /// chosen, of the focused line.
    pub(crate) fn scope(&self) -> Option<Scope> {
        let trace = &self.session.trace;
        let span = match self.scope_choice {
            ScopeChoice::Whole => None,
            ScopeChoice::Screen => Some(self.timeline.viewport()),
            ScopeChoice::Selection => Some(self.selected.span(&self.session.trace)?),
            ScopeChoice::Stretch => {
                Some(self.stretch.map(|stretch| stretch.span).filter(|span| !span.is_empty())?)
            }
            ScopeChoice::Step => {
                let worker = self.group_choice.worker(trace).unwrap_or_else(|| self.worker());
                let steps = trace.steps.iter().filter(|step| step.worker == worker);
                Some(steps.rev().find(|step| step.span.start <= self.timeline.cursor())?.span)
            }
        };
        Some(Scope { span, lanes: self.group_choice.lanes(trace) })
    }

    /// Marks all summaries as outdated, so that each is made again when it is next shown; order, filter and
    /// folds stay.
    pub(crate) fn forget_tables(&mut self) {
        // No scope that the user can choose equals this one, which has no lanes: only groups with events are
        // offered.
        let nothing = Scope { span: None, lanes: Some(Vec::new()) };
        self.tables.values_mut().for_each(|pane| pane.scope = nothing.clone());
    }

    /// Switches to the next scope choice (whole trace, screen, selected event, step) and makes the summary
    /// for it.
    pub(crate) fn next_scope(&mut self) {
        if self.panes.shown() == Pane::Details {
            return self
                .say("the Details pane always covers the selected event; only summaries have a scope");
        }
        self.scope_choice = self.scope_choice.next();
        if self.scope_choice == ScopeChoice::Stretch && self.stretch.is_none() {
            self.scope_choice = self.scope_choice.next();
        }
        self.forget_tables();
        if self.scope().is_none() {
            let why = match self.scope_choice {
                ScopeChoice::Selection => "no event is selected",
                _ => "no step starts before the cursor",
            };
            self.say(format!("{why}; the summary is unchanged"));
            return;
        }
        self.refresh_table();
        self.say_scope();
    }

    /// Says which lanes and which time summaries cover.
    pub(crate) fn say_scope(&mut self) {
        let lanes = self.group_choice.title(&self.session.trace);
        let lanes = lanes.as_ref().map_or("all processes and devices", SafeText::as_str);
        let time = self.scope_choice.title();
        self.say(format!("summaries cover: {lanes}, {time}"));
    }

    /// The grouping chosen for a view's rows, an index into the view's `groupings`; none for rows by name.
    pub(crate) fn grouping(&self, view: usize) -> Option<usize> {
        let first = || VIEWS[view].starts_grouped.then_some(0);
        self.groupings.get(&view).copied().unwrap_or_else(first)
    }

    /// Switches the summary shown to its next grouping: by name, then each of the view's `groupings`. Where
    /// these only add columns, there is none to choose.
    pub(crate) fn next_grouping(&mut self) {
        let Pane::Table(view) = self.panes.shown() else {
            return self
                .say("the Details pane has no rows to group; summaries of operators and kernels have");
        };
        if VIEWS[view].starts_grouped && self.groupings.remove(&view).is_some() {
            // The arguments could not be read before: another attempt.
            self.message = None;
            return self.refresh_table();
        }
        let groupings = VIEWS[view].groupings;
        if groupings.is_empty() || VIEWS[view].starts_grouped {
            return self.say(format!("the rows of {} have no other grouping", VIEWS[view].tab));
        }
        let after = |at: Option<usize>| {
            let next = at.map_or(0, |at| at + 1);
            (next < groupings.len()).then_some(next)
        };
        let title = |at: Option<usize>| at.map_or("by name", |at| groupings[at].title);
        let chosen = after(self.grouping(view));
        self.groupings.insert(view, chosen);
        self.refresh_table();
        let message = Message::new(format!("rows {}", title(chosen)));
        let next =
            format!("; {} shows them {}", self.keys.label(bindings::NEXT_GROUPING), title(after(chosen)));
        self.message = Some(message.and(next));
    }

    /// Goes back to rows by name, as the table of `grouping` could not be made for the reason `why`.
    pub(crate) fn ungroup(&mut self, view: usize, grouping: Option<usize>, why: &str) {
        self.groupings.insert(view, None);
        let title = grouping.and_then(|at| VIEWS[view].groupings.get(at)).map_or("", |one| one.title);
        self.say(format!("no rows {title}: {why}"));
    }

    /// Switches to the next unit of durations in panes: the unit that suits each one, then ns, µs, ms and s
    /// for all.
    pub(crate) fn next_unit(&mut self) {
        self.unit = match self.unit {
            None => Some(TimeUnit::Nano),
            Some(TimeUnit::Nano) => Some(TimeUnit::Micro),
            Some(TimeUnit::Micro) => Some(TimeUnit::Milli),
            Some(TimeUnit::Milli) => Some(TimeUnit::Second),
            Some(TimeUnit::Second) => None,
        };
        self.say(match self.unit {
            Some(unit) => format!("times in panes: in {}", unit.symbol()),
            None => "times in panes: in the unit that suits each".into(),
        });
    }

    /// Orders the rows by the column to the right (`by` 1) or left (-1) of the one that orders them now,
    /// largest first.
    pub(crate) fn move_order(&mut self, by: isize) {
        let Some(pane) = self.table_mut() else { return };
        let count = pane.table.columns.len() as isize;
        if count == 0 {
            return;
        }
        let at = pane
            .wanted
            .order(&pane.table)
            .map_or(if by > 0 { 0 } else { count - 1 }, |(at, _)| (at as isize + by).rem_euclid(count));
        pane.wanted.order_by(pane.table.columns[at as usize].id.clone(), false);
        pane.page = 0;
        self.say_order();
    }

    /// Reverses the order of the rows; rows in the table's own order become ordered by the first column,
    /// largest first.
    pub(crate) fn reverse_order(&mut self) {
        let Some(pane) = self.table_mut() else { return };
        let (column, is_ascending) = pane.wanted.order(&pane.table).unwrap_or((0, true));
        let Some(column) = pane.table.columns.get(column) else { return };
        pane.wanted.order_by(column.id.clone(), !is_ascending);
        self.say_order();
    }

    fn say_order(&mut self) {
        let message = self.table().and_then(|pane| {
            let (column, is_ascending) = pane.wanted.order(&pane.table)?;
            let column = pane.table.columns.get(column)?;
            let end = match (column.kind, is_ascending) {
                (ColumnKind::Text, false) => "in alphabetical order",
                (ColumnKind::Text, true) => "in reverse alphabetical order",
                (_, false) => "largest first",
                (_, true) => "smallest first",
            };
            let mut message = Message::new(format!("sorted by {}, {end}", column.title));
            for (at, clause) in column.about.split("; ").enumerate() {
                message = message.and(format!("{}{clause}", if at == 0 { ": " } else { "; " }));
            }
            Some(message)
        });
        self.message = message.or(self.message.take());
    }

    /// Shows the next (`by` 1) or previous (-1) columns of a table that is too wide for the screen.
    pub(crate) fn move_columns(&mut self, by: isize) {
        if let Some(pane) = self.table_mut() {
            pane.page = pane.page.wrapping_add(by);
        }
    }

    /// Shows only rows that match `filter`; all rows for an empty filter.
    pub(crate) fn filter_table(&mut self, filter: &str) {
        if let Some(pane) = self.table_mut() {
            filter.clone_into(&mut pane.wanted.filter);
            self.arrange_rows();
        }
    }

    /// Shows or hides the children of the focused row; on a row without children, hides the children of its
    /// parent row and moves the focus there.
    pub(crate) fn fold_row(&mut self) {
        let Some(pane) = self.table_mut() else { return };
        let has_children = pane.row(pane.line).is_some_and(|row| !row.children.is_empty());
        let Some(path) = pane.rows.path(pane.line).map(<[u32]>::to_vec) else { return };
        if has_children {
            pane.toggle(&path);
        } else if let [above @ .., _] = path.as_slice()
            && !above.is_empty()
        {
            pane.toggle(above);
        }
    }

    /// Moves the focus by `by` lines (negative: up) through the table's rows and then its notes.
    pub(crate) fn move_row(&mut self, by: isize) {
        if let Some(pane) = self.table_mut() {
            let last = (pane.rows.len() + pane.table.notes.len()).saturating_sub(1);
            pane.line = pane.line.saturating_add_signed(by).min(last);
            pane.focus_next = None;
        }
    }

    /// The event that the focused row goes to (`TableRow::longest`), and the text of the row's first cell;
    /// none if the row has no event.
    pub(crate) fn row_target(&self) -> Option<(SliceId, SafeText<'static>)> {
        let pane = self.table()?;
        let row = pane.row(pane.line)?;
        let name = match row.cells.first() {
            Some(Value::Text(text)) => text.clone(),
            _ => SafeText::default(),
        };
        Some((row.longest?, name))
    }

    /// The location of the focused row, of a summary that has a column of locations ([`LOCATION`]).
    pub(crate) fn row_location(&self) -> Option<Location> {
        let pane = self.table()?;
        let Value::Text(text) = &pane.row(pane.line)?.cells[pane.table.column(LOCATION)?] else {
            return None;
        };
        Location::parse(text.as_str(), &self.session.trace).ok()
    }
}
