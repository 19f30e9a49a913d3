//! What the user does to the charts of a summary: which one is shown, what stands beside it, its number of
//! bars.
//!
//! Must not know how a chart is drawn, nor which key does what.

use std::sync::Arc;

use proftui_base::fmt;
use proftui_insight::analysis::Chart;

use super::{BESIDE, Half, TablePane};
use crate::app::pane::rows::Rows;

/// The numbers of rows with a bar of their own among which the user can choose, ascending.
const TOPS: [usize; 10] = [1, 2, 3, 5, 10, 15, 20, 30, 50, 100];

/// What a half of the pane shows, in words.
fn title(half: Half<'_>) -> &str {
    match half {
        Half::Table => "the table",
        Half::Chart(chart) => chart.title,
    }
}

impl TablePane {
    /// Chooses to order the rows by the column that the chart with index `at` names, if any, largest first.
    fn order_by_chart(&mut self, at: usize) {
        if let Some(column) = self.table.charts.get(at).and_then(|chart| chart.order) {
            let Some(column) = self.table.columns.get(column) else { return };
            self.wanted.order_by(column.id.clone(), false);
        }
    }

    /// The pane with the rows in the own order of `chart`, which stands beside another one; none if the rows
    /// have that order anyway, or the user has ordered them by another column.
    pub fn in_order_of(&self, chart: &Chart) -> Option<Self> {
        let (own, shown) = (chart.order?, self.chart()?.order?);
        if own == shown || self.rows.order.map(|(at, _)| at) != Some(shown) {
            return None;
        }
        let mut kept = self.beside.borrow_mut();
        if kept.as_ref().is_none_or(|(order, _)| *order != own) {
            let mut choice = self.rows.choice.clone();
            choice.order_by(self.table.columns.get(own)?.id.clone(), false);
            *kept = Some((own, Rows::of(&self.table, &choice, &self.short)));
        }
        let rows = kept.as_ref()?.1.clone();
        let line = self.rows.path(self.line).and_then(|path| rows.line_of(path)).unwrap_or(self.line);
        let (table, short) = (Arc::clone(&self.table), Arc::clone(&self.short));
        Some(Self { table, rows, short, line, choice: self.choice, ..Self::default() })
    }

    /// Chooses the next chart, and its order of the rows if it has one; after the last chart, the table.
    /// False if there is no chart.
    pub(crate) fn next_chart(&mut self) -> bool {
        if self.table.charts.is_empty() {
            return false;
        }
        let next = self.chart().and(self.choice.chart).map_or(0, |at| at + 1);
        self.choice.chart = Some(next).filter(|&at| at < self.table.charts.len());
        if self.choice.chart.is_some() {
            self.order_by_chart(next);
        }
        true
    }

    /// Divides a pane of `width` columns between two charts, or a chart and the table, or takes that back.
    /// Returns in words what is shown then.
    ///
    /// # Errors
    /// When the pane cannot be divided otherwise than it is; in one line, for the user.
    pub(crate) fn toggle_beside(&mut self, width: u16) -> Result<String, String> {
        if self.table.charts.is_empty() {
            return Err("there is no chart to show here".into());
        }
        let is_both = self.halves(width).1.is_some();
        if self.choice.is_beside {
            self.choice.is_beside = false;
        } else if width < BESIDE {
            return Err(format!(
                "side by side needs a screen of at least {BESIDE} columns; this one has {width}"
            ));
        } else if is_both && self.table.charts.len() == 1 {
            return Err("on a screen this wide, the table stands beside the only chart anyway".into());
        } else {
            self.choice.is_beside = true;
            if self.chart().is_none() {
                self.order_by_chart(0);
            }
        }
        Ok(match self.halves(width) {
            (left, Some(right)) => format!("{} beside {}", title(right), title(left)),
            (only, None) => format!("showing {}", title(only)),
        })
    }

    /// Has more (`by` 1) or fewer (-1) rows have a bar of their own, where possible. Returns the result in
    /// words; none if no chart shown allows this.
    pub(crate) fn change_top(&mut self, by: isize, width: u16) -> Option<String> {
        let rows = self.rows.top_shown();
        let now = self.top(self.chart_with_top(width)?).unwrap_or(rows);
        let next = if by > 0 {
            TOPS.into_iter().find(|&top| top > now)
        } else {
            TOPS.into_iter().rfind(|&top| top < now)
        };
        // Beyond all rows there are no more bars to show.
        if let Some(next) = next.filter(|_| by < 0 || now < rows) {
            self.choice.top = Some(next);
        }
        let chart = self.chart_with_top(width)?;
        let own = self.top(chart).unwrap_or(rows);
        let all = fmt::counted(self.table.rows.len() as u64, "row");
        let have = if own == 1 { "has a bar of its own" } else { "have bars of their own" };
        Some(match self.table.rows.len().saturating_sub(own) {
            0 if own == 1 => "the only row has a bar of its own".into(),
            0 => format!("all {all} have bars of their own"),
            1 if chart.has_others() => format!("{own} of {all} {have}, the other row comes last"),
            _ if chart.has_others() => format!("{own} of {all} {have}, the other rows share one"),
            _ => format!("{own} of {all} {have}, the rest is not drawn"),
        })
    }
}
