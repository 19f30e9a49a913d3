//! What of a summary can be drawn: which columns are shares, which are parts of a whole, what lies beside the columns.
//!
//! A chart is declared beside its table and refers to it. Must not know cells, colours or how wide a screen is.

use std::collections::BTreeMap;

use crate::base::text::SafeText;
use crate::base::time::Ns;
use crate::model::Category;

use super::curve::Curve;
use super::table::{Table, Value};

/// One drawing of a summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: &'static str,
    /// The column by which rows are put in order when it is first shown, the largest first; as they are where none.
    pub order: Option<usize>,
    /// How.
    pub shape: Shape,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A bar for each of the first rows, as long as its share; the others are one.
    Shares {
        /// The column of shares.
        share: usize,
        /// The column of what they are shares of.
        amount: usize,
        /// The shares of all rows together.
        all: f64,
    },
    /// A bar a row, divided by columns.
    Columns {
        /// The columns, in the order in which they stand in the bar.
        parts: Vec<(usize, Tint)>,
        /// The longest bar.
        most: Ns,
    },
    /// A bar for each of the first rows, divided by pieces of its own.
    Pieces {
        /// The pieces of a row, by the text of its first cell; rows of which nothing is known have no bar.
        of: BTreeMap<String, Vec<Piece>>,
        /// The longest bar.
        most: Ns,
    },
    /// One bar for the whole, divided by pieces; it has nothing to do with rows.
    Whole(Vec<Piece>),
    /// A curve a row, by the text of its first cell.
    Curves(BTreeMap<String, Curve>),
}

/// A part of a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its name.
    pub name: SafeText<'static>,
    /// Its time.
    pub time: Ns,
    /// What it means.
    pub tint: Tint,
}

/// What a part of a bar means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Time of a category.
    Of(Category),
    /// One of several that only differ in name.
    Nth(usize),
    /// What is left.
    Rest,
    /// Nothing happened.
    Idle,
}

impl Piece {
    /// A piece with a name of ours.
    pub fn new(name: &str, time: Ns, tint: Tint) -> Self {
        Self { name: SafeText::new(name).into_owned(), time, tint }
    }
}

impl Chart {
    /// Shares of the table's rows by the columns of these ids; nothing for a table without them or without rows.
    pub fn shares(
        table: &Table,
        title: &'static str,
        share: &'static str,
        amount: &'static str,
    ) -> Option<Self> {
        let (share, amount) = (table.column(share)?, table.column(amount)?);
        let shares = table.rows.iter().map(|row| ratio(&row.cells[share]));
        let all: f64 = shares.sum();
        (all > 0.0).then_some(Self { title, order: Some(share), shape: Shape::Shares { share, amount, all } })
    }

    /// Bars divided by the columns of these ids; nothing for a table without one of them or without time in them.
    pub fn columns(table: &Table, title: &'static str, parts: &[(&'static str, Tint)]) -> Option<Self> {
        let parts: Option<Vec<(usize, Tint)>> =
            parts.iter().map(|&(id, tint)| Some((table.column(id)?, tint))).collect();
        let parts = parts?;
        let length = |row: &super::TableRow| {
            parts.iter().map(|&(at, _)| time(&row.cells[at])).fold(0, Ns::saturating_add)
        };
        let most = table.rows.iter().map(length).max().unwrap_or_default();
        (most > 0).then_some(Self { title, order: None, shape: Shape::Columns { parts, most } })
    }

    /// How many rows it shows by themselves until the person says otherwise; none where it shows all.
    pub fn first_rows(&self) -> Option<usize> {
        match self.shape {
            Shape::Shares { .. } => Some(10),
            Shape::Pieces { .. } => Some(20),
            Shape::Columns { .. } | Shape::Whole(_) | Shape::Curves(_) => None,
        }
    }
}

/// A cell's share; nothing counts as none.
pub fn ratio(cell: &Value) -> f64 {
    match cell {
        Value::Ratio(share) if share.is_finite() => share.max(0.0),
        _ => 0.0,
    }
}

/// A cell's time as a length, ns; nothing counts as none.
pub fn time(cell: &Value) -> Ns {
    match cell {
        Value::Duration(ns) => (*ns).max(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Column, ColumnKind, TableRow};

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
        assert_eq!(shares.shape, Shape::Shares { share: 2, amount: 1, all: 1.0 });
        let parts = [("time", Tint::Rest), ("more", Tint::Idle)];
        let Some(Chart { shape: Shape::Columns { parts, most }, .. }) = Chart::columns(&table, "", &parts)
        else {
            panic!("no bars")
        };
        assert_eq!((parts, most), (vec![(1, Tint::Rest), (3, Tint::Idle)], 90));
    }

    #[test]
    fn a_chart_of_nothing_is_none() {
        let table = Table { rows: Vec::new(), ..table() };
        assert_eq!(Chart::shares(&table, "", "share", "time"), None);
        assert_eq!(Chart::columns(&table, "", &[("time", Tint::Rest)]), None);
        assert_eq!(Chart::columns(&self::table(), "", &[("absent", Tint::Rest)]), None);
    }
}
