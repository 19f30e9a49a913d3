//! What commands do to the summary that the pane shows: its scope, the order of its rows, filtering, charts.
//!
//! Must not know how a table is drawn.

use proftui_base::text::SafeText;
use proftui_insight::analysis::{ColumnKind, VIEWS};

use crate::app::input::bindings;
use crate::app::input::prefix::Prefix;
use crate::app::pane::panes::{Pane, Region};
use crate::app::pane::table_pane::{ScopeChoice, TablePane};
use crate::app::state::State;
use crate::app::wires::message::Message;

impl State {
    /// If a summary is shown, switches to the next scope choice and has the summary made for it. Says what
    /// summaries cover then, or why the summary stays as it is.
    pub(crate) fn next_scope(&mut self) {
        match self.panes.shown() {
            Pane::Details => {
                return self.say("the pane Here always covers what is selected; only summaries have a scope");
            }
            Pane::Found => {
                return self.say("the search says what it covers: step:, phase:, rank: and gpu: limit it");
            }
            Pane::Table(_) => {}
        }
        let mut next = self.summaries.scope_choice().next();
        if next == ScopeChoice::Stretch && self.stretch.is_none() {
            next = next.next();
        }
        if next == ScopeChoice::Phase && self.phase_of_scope().is_none() {
            next = next.next();
        }
        self.summaries.choose_scope(next);
        if self.scope().is_none() {
            let why = match next {
                ScopeChoice::Selection => "nothing with a length is selected",
                ScopeChoice::Stretch => "the stretch is empty",
                _ => "no step of the process starts before the cursor",
            };
            self.say(format!("{why}; the summary is unchanged"));
            return;
        }
        self.refresh_table();
        self.say_scope();
    }

    /// Says which lanes and which time summaries cover.
    pub(crate) fn say_scope(&mut self) {
        let lanes = self.summaries.group_choice().title(&self.session.trace);
        let lanes = lanes.as_ref().map_or("all processes and devices", SafeText::as_str);
        let choice = self.summaries.scope_choice();
        let phase = (choice == ScopeChoice::Phase).then(|| self.phase_of_scope()).flatten();
        let phase = phase.map_or(String::new(), |phase| {
            format!(", {} on the host (phase: in a search goes by launch)", phase.title.to_lowercase())
        });
        self.say(format!("summaries cover: {lanes}, {}{phase}", choice.title()));
    }

    /// Switches the rows of the summary shown to their next grouping, and says which it is, or that there is
    /// none. If the grouping failed that the summary starts with, tries only that again.
    pub(crate) fn next_grouping(&mut self) {
        let view = match self.panes.shown() {
            Pane::Table(view) => view,
            Pane::Found => {
                return self.say("the search groups these rows: by:name, by:step, by:line, by:op");
            }
            Pane::Details => {
                return self
                    .say("the pane Here has no rows to group; go to the pane Operators, Kernels or Flame");
            }
        };
        if VIEWS[view].starts_grouped && self.summaries.group_as_at_first(view) {
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
        let chosen = after(self.summaries.grouping(view));
        self.summaries.group_by(view, chosen);
        self.refresh_table();
        let message = Message::new(format!("rows {}", title(chosen)));
        let next =
            format!("; {} shows them {}", self.keys.label(bindings::NEXT_GROUPING), title(after(chosen)));
        self.message = Some(message.and(next));
    }

    /// Switches to the next unit in which panes show durations, and says which it is.
    pub(crate) fn next_unit(&mut self) {
        let unit = self.looks.next_unit();
        self.say(match unit {
            Some(unit) => format!("durations in columns and charts: in {}", unit.symbol()),
            None => "durations in columns and charts: in the unit that suits each".into(),
        });
    }

    /// Orders the rows by the next column to the right (`by` 1) or left (-1), going around at both ends, and
    /// says by which.
    pub(crate) fn move_order(&mut self, by: isize) {
        self.in_table(|pane| pane.move_order(by));
        self.say_order();
    }

    /// Orders the rows by the column with the digit that was typed, and says so, or that there is none.
    pub(crate) fn sort_by_typed(&mut self) {
        let Some(digit) = self.dialog.digit() else { return self.dialog.begin(Prefix::Sort) };
        if self.table_mut().is_some_and(|pane| pane.sort_by_digit(digit)) {
            self.say_order();
        } else {
            self.say(format!("no column has the number {digit}"));
        }
    }

    /// Orders the rows by the column with this index or, if it orders them already, reverses the order; says
    /// by what they are ordered.
    pub(crate) fn sort_by_column(&mut self, at: usize) {
        self.panes.focus(Region::Pane);
        self.in_table(|pane| pane.sort_by_column(at));
        self.say_order();
    }

    /// Orders the rows by the column with this heading, and says so, or that there is none.
    pub(crate) fn sort_by_title(&mut self, title: &str) {
        if self.table_mut().is_some_and(|pane| pane.sort_by_title(title)) {
            self.say_order();
        } else {
            self.say(format!("the pane has no column \"{title}\""));
        }
    }

    /// Reverses the order of the rows or, if no column orders them, orders them by the first column. Says by
    /// what they are ordered.
    pub(crate) fn reverse_order(&mut self) {
        self.in_table(TablePane::reverse_order);
        self.say_order();
    }

    /// Says by which column and in which direction the user ordered the rows, if the user did.
    fn say_order(&mut self) {
        let message = self.table().and_then(TablePane::order).map(|(column, is_ascending)| {
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
            message
        });
        self.message = message.or(self.message.take());
    }

    /// Has the summary that the pane shows hide each top-level row if neither it nor a child matches
    /// `filter`; none for an empty filter.
    pub(crate) fn filter_table(&mut self, filter: &str) {
        self.in_table(|pane| pane.filter_by(filter));
        self.arrange_rows();
    }

    /// Switches the pane from its table to the first chart, to the next chart, or from the last one to the
    /// table, and says which. Says so if there is no chart.
    pub(crate) fn next_chart(&mut self) {
        if !self.table_mut().is_some_and(TablePane::next_chart) {
            return self.say("there is no chart to show here");
        }
        let Some((pane, chart)) = self.table().and_then(|pane| Some((pane, pane.chart()?))) else {
            return self.say("showing the table");
        };
        let (more, fewer) = (self.keys.label(bindings::MORE_ROWS), self.keys.label(bindings::FEWER_ROWS));
        let message = Message::new(chart.title);
        self.message = Some(match (chart.first_rows(), pane.top(chart)) {
            (Some(_), Some(_)) => {
                message.and(format!("; in the pane, {more} and {fewer} change the number of bars"))
            }
            (Some(_), None) if pane.rows.top_shown() > 1 => {
                message.and(format!("; in the pane, {fewer} shows fewer bars"))
            }
            _ => message,
        });
        self.panes.unhide();
    }

    /// Divides the pane between two charts, or a chart and the table, or ends the division that the user
    /// made. Says what is shown then, or why the pane cannot be divided.
    pub(crate) fn toggle_beside(&mut self) {
        let width = self.geometry().pane.width;
        let Some(pane) = self.table_mut() else { return self.say("there is no chart to show here") };
        let shown = pane.toggle_beside(width);
        if shown.is_ok() {
            self.panes.unhide();
        }
        self.say(shown.unwrap_or_else(|why| why));
    }

    /// Gives more (`by` 1) or fewer (-1) rows of the summary shown a bar of their own in its chart, and says
    /// how many, or that the chart does not allow it.
    pub(crate) fn change_top(&mut self, by: isize) {
        let width = self.geometry().pane.width;
        let Some(pane) = self.table_mut() else { return };
        let said = pane.change_top(by, width);
        self.say(
            said.unwrap_or_else(|| "this pane shows no chart whose number of bars can be changed".into()),
        );
    }
}
