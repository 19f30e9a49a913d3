//! One summary as a value: columns with types, rows with children. Panes, text, JSON and CSV all render this.
//!
//! Holds raw integers; formatting is the renderer's.

use crate::base::text::SafeText;
use crate::base::time::Ns;

/// What a column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Whole numbers.
    Count,
    /// ns.
    Duration,
    /// Bytes.
    Bytes,
    /// 0 to 1, more where times overlap.
    Ratio,
}

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in JSON and sort keys.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What its values are.
    pub kind: ColumnKind,
}

impl Column {
    /// A column.
    pub const fn new(id: &'static str, title: &'static str, kind: ColumnKind) -> Self {
        Self { id, title, kind }
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, safe to show.
    Text(SafeText<'static>),
    /// A whole number.
    Count(u64),
    /// ns.
    Duration(Ns),
    /// Bytes.
    Bytes(i64),
    /// 0 to 1, more where times overlap.
    Ratio(f64),
    /// Nothing to say.
    Empty,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// A value a column.
    pub cells: Vec<Value>,
    /// Rows that this one sums up.
    pub children: Vec<TableRow>,
}

/// One summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub view: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows, in the order shown.
    pub rows: Vec<TableRow>,
    /// What a reader must know to read the numbers rightly.
    pub notes: Vec<String>,
}
