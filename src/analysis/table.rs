//! One summary as a value: columns with types, rows with children. Panes, text, JSON, CSV and Markdown all render this.
//!
//! Holds raw integers; formatting is the renderer's.

use std::borrow::Cow;

use crate::base::text::SafeText;
use crate::base::time::Ns;
use crate::model::SliceId;

use super::chart::Chart;

/// What a column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Whole numbers.
    Count,
    /// Whole numbers that can be very large: people read them with a prefix, 1.234 G.
    Amount,
    /// ns.
    Duration,
    /// Bytes.
    Bytes,
    /// 0 to 1, more where times overlap.
    Ratio,
    /// How many times as much.
    Factor,
}

impl ColumnKind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "count",
            Self::Amount => "amount",
            Self::Duration => "duration",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
            Self::Factor => "factor",
        }
    }
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in JSON and sort keys.
    pub id: Cow<'static, str>,
    /// Its heading.
    pub title: Cow<'static, str>,
    /// What its values are.
    pub kind: ColumnKind,
    /// What it means, in a sentence.
    pub about: &'static str,
    /// True for one that people see only where there is room.
    pub is_extra: bool,
}

impl Column {
    /// A column.
    pub const fn new(id: &'static str, title: &'static str, kind: ColumnKind, about: &'static str) -> Self {
        Self { id: Cow::Borrowed(id), title: Cow::Borrowed(title), kind, about, is_extra: false }
    }

    /// One that people see only where there is room.
    pub const fn extra(id: &'static str, title: &'static str, kind: ColumnKind, about: &'static str) -> Self {
        Self { id: Cow::Borrowed(id), title: Cow::Borrowed(title), kind, about, is_extra: true }
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, safe to show.
    Text(SafeText<'static>),
    /// A whole number.
    Count(u64),
    /// A whole number that can be very large.
    Amount(u64),
    /// ns.
    Duration(Ns),
    /// Bytes.
    Bytes(i64),
    /// 0 to 1, more where times overlap.
    Ratio(f64),
    /// How many times as much.
    Factor(f64),
    /// Nothing to say.
    Empty,
}

impl Value {
    /// Text, made safe.
    pub fn text(text: &str) -> Self {
        Self::Text(SafeText::new(text).into_owned())
    }

    /// `part` of `whole`; nothing when there is no whole.
    pub fn share(part: Ns, whole: Ns) -> Self {
        if whole > 0 { Self::Ratio(part as f64 / whole as f64) } else { Self::Empty }
    }

    /// Where it stands among values of its column: by number, texts by their letters; nothing comes last.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let number = |value: &Self| match value {
            Self::Count(n) | Self::Amount(n) => Some(*n as f64),
            Self::Duration(n) | Self::Bytes(n) => Some(*n as f64),
            Self::Ratio(n) | Self::Factor(n) => Some(*n),
            Self::Text(_) | Self::Empty => None,
        };
        match (self, other) {
            (Self::Duration(a), Self::Duration(b)) | (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Count(a), Self::Count(b)) | (Self::Amount(a), Self::Amount(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => b.as_str().cmp(a.as_str()),
            (a, b) => number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal),
        }
    }
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// A value a column.
    pub cells: Vec<Value>,
    /// Rows that this one sums up.
    pub children: Vec<TableRow>,
    /// The longest of the events that it sums up: where the row leads on the timeline.
    pub longest: Option<SliceId>,
}

impl TableRow {
    /// A row that leads nowhere.
    pub fn new(cells: Vec<Value>) -> Self {
        Self { cells, ..Self::default() }
    }

    /// Its texts.
    pub fn texts(&self) -> impl Iterator<Item = &SafeText<'static>> {
        self.cells.iter().filter_map(|cell| match cell {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    /// True when one of its texts has this, which is in small letters, in it, in whatever case.
    pub fn has_text(&self, wanted: &str) -> bool {
        self.texts().any(|text| text.as_str().to_lowercase().contains(wanted))
    }
}

/// One summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub view: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows, in the order shown.
    pub rows: Vec<TableRow>,
    /// What a reader must know to read the numbers rightly.
    pub notes: Vec<String>,
    /// What of it can be drawn.
    pub charts: Vec<Chart>,
}

impl Table {
    /// It with these charts, as far as there is something to draw.
    #[must_use]
    pub fn with_charts(mut self, charts: impl IntoIterator<Item = Option<Chart>>) -> Self {
        self.charts.extend(charts.into_iter().flatten());
        self
    }

    /// The column's place.
    pub fn column(&self, id: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }

    /// Puts rows and their children in order of a column, largest first unless `is_ascending`; equal ones stay as they were.
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
