//! The table of a summary: typed columns, and rows with child rows. The explorer's panes and all output
//! formats render it.
//!
//! It holds raw integers; the code that renders it formats them.

pub(super) mod by_name;
pub mod chart;
pub mod compare;
pub mod curve;
pub(super) mod tally;

use std::borrow::Cow;
use std::cmp::Ordering;

use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::SliceId;

use crate::analysis::table::chart::{Chart, ChartKind, Tint};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Whole numbers.
    Count,
    /// Whole numbers that can be very large, in text with a decimal prefix: 1.234 G.
    Amount,
    /// Times in ns.
    Duration,
    /// Numbers of bytes, such as of memory or of a copy.
    Bytes,
    /// Shares, 1 for the whole, in text in percent.
    Ratio,
    /// Quotients of two values, printed as 1.50×.
    Factor,
    /// Speeds in GB/s, which is a byte per ns.
    Rate,
}

impl ColumnKind {
    /// The name of the type in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "count",
            Self::Amount => "amount",
            Self::Duration => "duration",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
            Self::Factor => "factor",
            Self::Rate => "rate",
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The column's name in JSON and CSV, and for sorting and comparing; part of the output contract.
    pub id: Cow<'static, str>,
    /// The column's heading for people.
    pub title: Cow<'static, str>,
    /// The type of the column's values.
    pub kind: ColumnKind,
    /// A sentence on the meaning of the column's values.
    pub about: &'static str,
    /// True for a column that is left out first if the width is too small.
    pub is_extra: bool,
}

impl Column {
    /// Creates a column that is no extra column ([`Self::is_extra`]).
    pub const fn new(id: &'static str, title: &'static str, kind: ColumnKind, about: &'static str) -> Self {
        Self { id: Cow::Borrowed(id), title: Cow::Borrowed(title), kind, about, is_extra: false }
    }

    /// Creates an extra column ([`Self::is_extra`]).
    pub const fn extra(id: &'static str, title: &'static str, kind: ColumnKind, about: &'static str) -> Self {
        Self { id: Cow::Borrowed(id), title: Cow::Borrowed(title), kind, about, is_extra: true }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text with control characters escaped.
    Text(SafeText<'static>),
    /// A whole number.
    Count(u64),
    /// A whole number that can be very large.
    Amount(u64),
    /// A time in ns.
    Duration(Ns),
    /// A number of bytes; it may be negative, as for a decrease.
    Bytes(i64),
    /// A share, 1 for the whole; it may be above 1, or negative.
    Ratio(f64),
    /// A quotient of two values.
    Factor(f64),
    /// A speed in GB/s.
    Rate(f64),
    /// No value: `null` in JSON, `-` in text.
    Empty,
}

impl Value {
    /// Creates a text value, with control characters escaped.
    pub fn text(text: &str) -> Self {
        Self::Text(SafeText::new(text).into_owned())
    }

    /// The ratio of `part` to `whole`; [`Value::Empty`] unless the whole is positive.
    pub fn share(part: Ns, whole: Ns) -> Self {
        if whole > 0 { Self::Ratio(part as f64 / whole as f64) } else { Self::Empty }
    }

    /// The speed of `bytes` in `time` (ns), GB/s; [`Value::Empty`] unless the time is positive.
    pub fn rate(bytes: u64, time: Ns) -> Self {
        if time > 0 { Self::Rate(bytes as f64 / time as f64) } else { Self::Empty }
    }

    /// The share that the value holds; 0 if it is no ratio, or one that is negative or not finite.
    pub fn ratio_or_zero(&self) -> f64 {
        match self {
            Self::Ratio(share) if share.is_finite() => share.max(0.0),
            _ => 0.0,
        }
    }

    /// The duration that the value holds, ns; 0 if it is no duration, or a negative one.
    pub fn duration_or_zero(&self) -> Ns {
        match self {
            Self::Duration(ns) => (*ns).max(0),
            _ => 0,
        }
    }

    /// Compares values of one column for sorting: numbers by size, texts in reverse order, so that sorting by
    /// largest first gives A to Z. Empty values are smallest.
    pub fn order(&self, other: &Self) -> Ordering {
        let number = |value: &Self| match value {
            Self::Count(n) | Self::Amount(n) => Some(*n as f64),
            Self::Duration(n) | Self::Bytes(n) => Some(*n as f64),
            Self::Ratio(n) | Self::Factor(n) | Self::Rate(n) => Some(*n),
            Self::Text(_) | Self::Empty => None,
        };
        match (self, other) {
            (Self::Duration(a), Self::Duration(b)) | (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Count(a), Self::Count(b)) | (Self::Amount(a), Self::Amount(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => b.as_str().cmp(a.as_str()),
            (Self::Text(_), Self::Empty) => Ordering::Greater,
            (Self::Empty, Self::Text(_)) => Ordering::Less,
            (a, b) => match (number(a), number(b)) {
                // NaN is smaller than any other number: sorting needs an order of all values.
                (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
                (a, b) => a.is_some().cmp(&b.is_some()),
            },
        }
    }
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// One value per column.
    pub cells: Vec<Value>,
    /// The rows below this row, such as its parts.
    pub children: Vec<TableRow>,
    /// The event to which the explorer goes from a row without a location, usually the longest of the row's
    /// events.
    pub longest: Option<SliceId>,
}

impl TableRow {
    /// Creates a row without children, and without an event to which the explorer could go.
    pub fn new(cells: Vec<Value>) -> Self {
        Self { cells, ..Self::default() }
    }

    /// The texts among the row's own cells.
    pub fn texts(&self) -> impl Iterator<Item = &SafeText<'static>> {
        self.cells.iter().filter_map(|cell| match cell {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    /// True if a text among the row's own cells, converted to lower case, contains `wanted`, which must be in
    /// lower case.
    pub fn has_text(&self, wanted: &str) -> bool {
        self.texts().any(|text| text.as_str().to_lowercase().contains(wanted))
    }
}

/// The id of a column whose cells hold a location as text
/// ([`Location`](crate::analysis::part::location::Location)): the explorer goes from a row to its location.
pub const LOCATION: &str = "at";

/// What helps with what a row is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// What to do.
    pub advice: String,
    /// How the row could be wrong; empty if nothing is known.
    pub caveat: String,
    /// The numbers of the row, each with how it is made.
    pub numbers: Vec<String>,
}

/// The table of a summary of a trace, or of several ranks or traces that are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name of the table's view for `--view`.
    pub view: &'static str,
    /// The heading of the table for people.
    pub title: &'static str,
    /// Sentences above the rows, such as a summary of them; may be empty.
    pub headline: String,
    /// The findings that the headline names: after how many bytes of it, and the finding's number, from 1.
    pub links: Vec<(usize, usize)>,
    /// What helps with the first rows, a hint for each; empty for a table without hints.
    pub hints: Vec<Hint>,
    /// What could not be judged, in words for users, each with the reason.
    pub unjudged: Vec<(String, String)>,
    /// The columns, in the order shown.
    pub columns: Vec<Column>,
    /// The rows, in the order shown.
    pub rows: Vec<TableRow>,
    /// Notes below the table, such as on how its numbers are to be read or what it leaves out.
    pub notes: Vec<String>,
    /// The charts of the table's numbers; may be empty.
    pub charts: Vec<Chart>,
}

impl Table {
    /// Adds the charts that are `Some`.
    #[must_use]
    pub(crate) fn with_charts(mut self, charts: impl IntoIterator<Item = Option<Chart>>) -> Self {
        self.charts.extend(charts.into_iter().flatten());
        self
    }

    /// The index of the column with this id; `None` if the table has no such column.
    pub fn column(&self, id: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }

    /// A [`ChartKind::Shares`] chart of the columns with the ids `share` and `amount`; `None` if the table
    /// lacks one of them, or no row has a share above 0.
    pub(crate) fn share_chart(&self, title: &'static str, share: &str, amount: &str) -> Option<Chart> {
        let (share, amount) = (self.column(share)?, self.column(amount)?);
        let all: f64 = self.rows.iter().map(|row| row.cells[share].ratio_or_zero()).sum();
        let kind = ChartKind::Shares { share, amount, all };
        (all > 0.0).then_some(Chart { title, order: Some(share), kind })
    }

    /// A [`ChartKind::Columns`] chart of the columns of times with the ids in `parts`, each with its tint;
    /// `None` if the table lacks one of them, or no row has time.
    pub(crate) fn column_chart(&self, title: &'static str, parts: &[(&str, Tint)]) -> Option<Chart> {
        let parts: Option<Vec<(usize, Tint)>> =
            parts.iter().map(|&(id, tint)| Some((self.column(id)?, tint))).collect();
        let parts = parts?;
        let length = |row: &TableRow| {
            parts.iter().map(|&(at, _)| row.cells[at].duration_or_zero()).fold(0, Ns::saturating_add)
        };
        let longest = self.rows.iter().map(length).max().unwrap_or_default();
        let kind = ChartKind::Columns { parts, longest: Some(longest) };
        (longest > 0).then_some(Chart { title, order: None, kind })
    }

    /// Like [`Table::column_chart`], but all bars are equally long, and each shows the shares of its row's
    /// times.
    pub(crate) fn share_bars(&self, title: &'static str, parts: &[(&str, Tint)]) -> Option<Chart> {
        let mut chart = self.column_chart(title, parts)?;
        if let ChartKind::Columns { longest, .. } = &mut chart.kind {
            *longest = None;
        }
        Some(chart)
    }

    /// Sorts rows and their children by a column, the largest by [`Value::order`] first unless
    /// `is_ascending`; equal rows keep their order.
    pub fn sort(&mut self, column: usize, is_ascending: bool) {
        fn sort(rows: &mut [TableRow], column: usize, is_ascending: bool) {
            rows.sort_by(|a, b| {
                let order = a.cells[column].order(&b.cells[column]);
                if is_ascending { order } else { order.reverse() }
            });
            rows.iter_mut().for_each(|row| sort(&mut row.children, column, is_ascending));
        }
        sort(&mut self.rows, column, is_ascending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let shares = table.share_chart("", "share", "time").expect("shares");
        assert_eq!(shares.kind, ChartKind::Shares { share: 2, amount: 1, all: 1.0 });
        let parts = [("time", Tint::Remainder), ("more", Tint::Idle)];
        let Some(Chart { kind: ChartKind::Columns { parts, longest }, .. }) = table.column_chart("", &parts)
        else {
            panic!("no bars")
        };
        assert_eq!((parts, longest), (vec![(1, Tint::Remainder), (3, Tint::Idle)], Some(90)));
    }

    #[test]
    fn values_of_any_kind_have_one_order() {
        let values = [
            Value::Empty,
            Value::text("b"),
            Value::text("a"),
            Value::Rate(f64::NAN),
            Value::Ratio(-1.0),
            Value::Count(0),
            Value::Duration(7),
        ];
        for (at, one) in values.iter().enumerate() {
            for (other_at, other) in values.iter().enumerate() {
                assert_eq!(one.order(other), at.cmp(&other_at), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_chart_of_nothing_is_none() {
        let table = Table { rows: Vec::new(), ..table() };
        assert_eq!(table.share_chart("", "share", "time"), None);
        assert_eq!(table.column_chart("", &[("time", Tint::Remainder)]), None);
        assert_eq!(self::table().column_chart("", &[("absent", Tint::Remainder)]), None);
    }
}
