//! Charts of a summary: which of a table's columns are drawn as shares or stacked bars, and the data of those charts that
//! need more than the table holds.
//!
//! A chart refers to its table by column and row. Must not know terminal cells, colours or the width of a screen.

use std::collections::BTreeMap;

use crate::base::text::SafeText;
use crate::base::time::Ns;
use crate::model::Category;

use super::curve::Curve;
use super::table::{Table, TableRow, Value};

/// One chart of a summary's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The heading above the chart.
    pub title: &'static str,
    /// Index of the column by which rows are sorted, largest first, when the chart is first shown; None keeps the table's
    /// order.
    pub order: Option<usize>,
    /// What is drawn, and from which numbers.
    pub kind: ChartKind,
}

/// What a chart draws. Columns are named by their index in the table.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartKind {
    /// One bar for each of the first rows, as long as the row's share; all other rows together are one more bar.
    Shares {
        /// The column with each row's share, 0 to 1.
        share: usize,
        /// The column with the amount that the share is of: a time, bytes or a count.
        amount: usize,
        /// The sum of the shares of all rows.
        all: f64,
    },
    /// One stacked bar per row, a segment for each of some columns of times.
    Columns {
        /// The columns, in the order of their segments, and the colour of each.
        parts: Vec<(usize, Tint)>,
        /// The length of the longest bar, ns.
        longest: Ns,
    },
    /// One stacked bar for each of the first rows, with segments that are in no column.
    Segments {
        /// The segments of each row, by the text of the row's first cell; a row that is missing here has no bar.
        by_name: BTreeMap<String, Vec<Segment>>,
        /// The length of the longest bar, ns.
        longest: Ns,
    },
    /// One stacked bar for the whole table, independent of its rows.
    Whole(Vec<Segment>),
    /// One curve over time per row, by the text of the row's first cell.
    Curves(BTreeMap<String, Curve>),
}

/// A segment of a stacked bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The label in the legend.
    pub name: SafeText<'static>,
    /// Its length, ns.
    pub time: Ns,
    /// What it stands for, from which the theme chooses a colour.
    pub tint: Tint,
}

/// What a segment stands for; a theme has a colour for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Time of events of a category: the colour that the category has on the timeline.
    Category(Category),
    /// The nth, from 0, of several segments that differ in name alone: a colour of the palette.
    Nth(usize),
    /// Everything that no other segment of the bar covers.
    Remainder,
    /// Time in which nothing ran.
    Idle,
}

impl Segment {
    /// Creates a segment; control characters in `name` are escaped.
    pub fn new(name: &str, time: Ns, tint: Tint) -> Self {
        Self { name: SafeText::new(name).into_owned(), time, tint }
    }
}

impl Chart {
    /// Creates a [`ChartKind::Shares`] chart from the columns with the ids `share` and `amount`; None if the table lacks one of
    /// them or all shares are 0.
    pub fn shares(
        table: &Table,
        title: &'static str,
        share: &'static str,
        amount: &'static str,
    ) -> Option<Self> {
        let (share, amount) = (table.column(share)?, table.column(amount)?);
        let shares = table.rows.iter().map(|row| ratio(&row.cells[share]));
        let all: f64 = shares.sum();
        (all > 0.0).then_some(Self {
            title,
            order: Some(share),
            kind: ChartKind::Shares { share, amount, all },
        })
    }

    /// Creates a [`ChartKind::Columns`] chart from the columns with these ids; None if the table lacks one of them or all
    /// their times are 0.
    pub fn columns(table: &Table, title: &'static str, parts: &[(&'static str, Tint)]) -> Option<Self> {
        let parts: Option<Vec<(usize, Tint)>> =
            parts.iter().map(|&(id, tint)| Some((table.column(id)?, tint))).collect();
        let parts = parts?;
        let length =
            |row: &TableRow| parts.iter().map(|&(at, _)| time(&row.cells[at])).fold(0, Ns::saturating_add);
        let longest = table.rows.iter().map(length).max().unwrap_or_default();
        (longest > 0).then_some(Self { title, order: None, kind: ChartKind::Columns { parts, longest } })
    }

    /// How many rows have a bar of their own until the user asks for more; None if all have.
    pub fn first_rows(&self) -> Option<usize> {
        match self.kind {
            ChartKind::Shares { .. } => Some(10),
            ChartKind::Segments { .. } => Some(20),
            ChartKind::Columns { .. } | ChartKind::Whole(_) | ChartKind::Curves(_) => None,
        }
    }
}

/// The share in a cell, 0 if the cell holds none or a negative one.
pub fn ratio(cell: &Value) -> f64 {
    match cell {
        Value::Ratio(share) if share.is_finite() => share.max(0.0),
        _ => 0.0,
    }
}

/// The duration in a cell, ns; 0 if the cell holds none or a negative one.
pub fn time(cell: &Value) -> Ns {
    match cell {
        Value::Duration(ns) => (*ns).max(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Column, ColumnKind};

    fn table() -> Table {
        let row = |ns: Ns| {
            TableRow::new(vec![
                Value::text("a"),
                Value::Duration(ns),
                Value::share(ns, 40),
                Value::Duration(2 * ns),
            ])
        };
        Table {
            columns: vec![
                Column::new("name", "Name", ColumnKind::Text, ""),
                Column::new("time", "Time", ColumnKind::Duration, ""),
                Column::new("share", "Share", ColumnKind::Ratio, ""),
                Column::new("more", "More", ColumnKind::Duration, ""),
            ],
            rows: vec![row(10), row(30)],
            ..Table::default()
        }
    }

    #[test]
    fn shares_are_of_all_rows_and_bars_of_all_parts() {
        let table = table();
        let shares = Chart::shares(&table, "", "share", "time").expect("shares");
        assert_eq!(shares.kind, ChartKind::Shares { share: 2, amount: 1, all: 1.0 });
        let parts = [("time", Tint::Remainder), ("more", Tint::Idle)];
        let Some(Chart { kind: ChartKind::Columns { parts, longest }, .. }) =
            Chart::columns(&table, "", &parts)
        else {
            panic!("no bars")
        };
        assert_eq!((parts, longest), (vec![(1, Tint::Remainder), (3, Tint::Idle)], 90));
    }

    #[test]
    fn a_chart_of_nothing_is_none() {
        let table = Table { rows: Vec::new(), ..table() };
        assert_eq!(Chart::shares(&table, "", "share", "time"), None);
        assert_eq!(Chart::columns(&table, "", &[("time", Tint::Remainder)]), None);
        assert_eq!(Chart::columns(&self::table(), "", &[("absent", Tint::Remainder)]), None);
    }
}
