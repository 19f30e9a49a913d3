//! The chart that a summary's pane shows: which, and how many rows stand by themselves in it.
//!
//! Must not know how a chart is drawn.

use crate::analysis::Chart;

use super::command::key_of;
use super::geometry::PaneSize;
use super::panes::TablePane;
use super::state::State;

/// How many rows can stand by themselves.
const TOPS: [usize; 10] = [1, 2, 3, 5, 10, 15, 20, 30, 50, 100];

/// What the person chose to see of a summary's charts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice {
    /// Which of them; the table where none.
    chart: Option<usize>,
    /// How many rows stand by themselves, where the person said so.
    top: Option<usize>,
}

impl TablePane {
    /// The chart that is shown; none where the table is.
    pub fn chart(&self) -> Option<&Chart> {
        self.table.charts.get(self.choice.chart?)
    }

    /// How many rows stand by themselves in the chart that is shown; none where all do.
    pub fn top(&self) -> Option<usize> {
        self.chart()?.first_rows().map(|top| self.choice.top.unwrap_or(top))
    }

    /// How many of the lines stand by themselves in the chart that is shown: those after them are one, "others".
    pub fn top_lines(&self) -> usize {
        let Some(top) = self.top() else { return self.lines.len() };
        let mut rows = self.lines.iter().enumerate().filter(|(_, path)| path.len() == 1);
        rows.nth(top).map_or(self.lines.len(), |(line, _)| line)
    }
}

impl State {
    /// From the table to its first chart, from one chart to the next, from the last one back.
    pub(super) fn next_chart(&mut self) {
        let Some(pane) = self.table_mut().filter(|pane| !pane.table.charts.is_empty()) else {
            return self.say("nothing here can be drawn as a chart");
        };
        let next = pane.chart().and(pane.choice.chart).map_or(0, |at| at + 1);
        let Some(chart) = pane.table.charts.get(next) else {
            pane.choice.chart = None;
            return self.say("the table again");
        };
        let (title, has_top) = (chart.title, chart.first_rows().is_some());
        pane.choice.chart = Some(next);
        if let Some(column) = chart.order {
            pane.order = Some((column, false));
            pane.arrange();
        }
        if self.pane_size == PaneSize::Hidden {
            self.pane_size = PaneSize::Small;
        }
        let (more, fewer) = (key_of("pane.chart-more"), key_of("pane.chart-fewer"));
        let how = if has_top {
            format!("; {more} and {fewer} in the pane: more and fewer rows")
        } else {
            String::new()
        };
        self.say(format!("{title}{how}"));
    }

    /// Lets more or fewer rows stand by themselves.
    pub(super) fn step_top(&mut self, by: isize) {
        let Some(pane) = self.table_mut() else { return };
        let Some(top) = pane.top() else {
            return self.say("only charts of the largest few rows can have more or fewer");
        };
        let at = TOPS.iter().rposition(|&known| known <= top).unwrap_or_default();
        let top = TOPS[at.saturating_add_signed(by).min(TOPS.len() - 1)];
        pane.choice.top = Some(top);
        self.say(format!("the first {top}, and the others as one"));
    }
}
