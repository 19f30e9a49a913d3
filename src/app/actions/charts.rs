//! The changes that commands make to the charts of the summary shown: which one, what stands beside it, its
//! number of bars.
//!
//! Must not know how a chart is drawn.

use proftui_base::fmt;

use crate::app::input::bindings;
use crate::app::pane::table_pane::{BESIDE, Half, TablePane};
use crate::app::state::State;
use crate::app::wires::message::Message;

/// The numbers of rows with a bar of their own among which the user can choose, ascending.
const TOPS: [usize; 10] = [1, 2, 3, 5, 10, 15, 20, 30, 50, 100];

/// Shows the table's chart with this index; its rows get the chart's order.
fn show(pane: &mut TablePane, at: usize) {
    pane.choice.chart = Some(at);
    order_by(pane, at);
}

fn order_by(pane: &mut TablePane, at: usize) {
    if let Some(column) = pane.table.charts.get(at).and_then(|chart| chart.order) {
        let Some(column) = pane.table.columns.get(column) else { return };
        pane.wanted.order_by(column.id.clone(), false);
    }
}

/// What a half of the pane shows, in words.
fn title(half: Half<'_>) -> &str {
    match half {
        Half::Table => "the table",
        Half::Chart(chart) => chart.title,
    }
}

impl State {
    /// Shows the first chart instead of the table, the next chart instead of a chart, the table instead of
    /// the last chart.
    pub(crate) fn next_chart(&mut self) {
        let Some(pane) = self.table_mut().filter(|pane| !pane.table.charts.is_empty()) else {
            return self.say("this pane has no chart");
        };
        let next = pane.chart().and(pane.choice.chart).map_or(0, |at| at + 1);
        if next == pane.table.charts.len() {
            pane.choice.chart = None;
            return self.say("showing the table");
        }
        show(pane, next);
        self.panes.unhide();
        self.say_chart();
    }

    /// Names the chart shown and the keys that change its number of bars.
    fn say_chart(&mut self) {
        let Some((pane, chart)) = self.table().and_then(|pane| Some((pane, pane.chart()?))) else { return };
        let (more, fewer) = (self.keys.label(bindings::MORE_ROWS), self.keys.label(bindings::FEWER_ROWS));
        let message = Message::new(chart.title);
        self.message = Some(match (chart.first_rows(), pane.top(chart)) {
            (Some(_), Some(_)) => {
                message.and(format!("; in the pane, {more} shows more bars, {fewer} fewer"))
            }
            (Some(_), None) if pane.rows.top_shown() > 1 => {
                message.and(format!("; in the pane, {fewer} shows fewer bars"))
            }
            _ => message,
        });
    }

    /// Shows the next chart beside the present one, from the table the first chart beside the table; shown
    /// so, one of them again.
    pub(crate) fn toggle_beside(&mut self) {
        let width = self.geometry().pane.width;
        let Some(pane) = self.table_mut().filter(|pane| !pane.table.charts.is_empty()) else {
            return self.say("this pane has no chart");
        };
        let before = pane.halves(width);
        let is_both = before.1.is_some();
        if pane.choice.is_beside {
            pane.choice.is_beside = false;
        } else if width < BESIDE {
            return self.say(format!(
                "two charts beside each other need a screen of {BESIDE} columns; this one has {width}"
            ));
        } else if is_both && pane.table.charts.len() == 1 {
            return self.say("the table stands beside the only chart of this pane already");
        } else {
            pane.choice.is_beside = true;
            if pane.chart().is_none() {
                order_by(pane, 0);
            }
        }
        self.panes.unhide();
        let Some(pane) = self.table() else { return };
        let said = match pane.halves(width) {
            (left, Some(right)) => format!("{} beside {}", title(right), title(left)),
            (only, None) => format!("showing {}", title(only)),
        };
        self.say(said);
    }

    /// Changes the number of rows with a bar of their own in the chart to the next larger (`by` 1) or smaller
    /// (-1) one of [`TOPS`], at most to all rows.
    pub(crate) fn change_top(&mut self, by: isize) {
        let width = self.geometry().pane.width;
        let Some(pane) = self.table_mut() else { return };
        let Some(chart) = pane.chart_with_top(width) else {
            return self.say("this pane shows no chart whose number of bars can be changed");
        };
        let rows = pane.rows.top_shown();
        let now = pane.top(chart).unwrap_or(rows);
        let next = if by > 0 {
            TOPS.into_iter().find(|&top| top > now)
        } else {
            TOPS.into_iter().rfind(|&top| top < now)
        };
        // Beyond all rows there are no more bars to show.
        if let Some(next) = next.filter(|_| by < 0 || now < rows) {
            pane.choice.top = Some(next);
        }
        let Some(chart) = pane.chart_with_top(width) else { return };
        let own = pane.top(chart).unwrap_or(rows);
        let all = fmt::counted(pane.table.rows.len() as u64, "row");
        let have = if own == 1 { "has a bar of its own" } else { "have bars of their own" };
        let said = match pane.table.rows.len().saturating_sub(own) {
            0 if own == 1 => "the only row has a bar of its own".into(),
            0 => format!("all {all} have bars of their own"),
            1 => format!("{own} of {all} {have}, the other one is the last bar"),
            _ if chart.has_others() => format!("{own} of {all} {have}, the others share one"),
            _ => format!("{own} of {all} {have}, the others are not drawn"),
        };
        self.say(said);
    }
}
