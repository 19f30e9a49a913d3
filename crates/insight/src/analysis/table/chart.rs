//! Charts of a summary: which of its table's columns are drawn as shares or stacked bars, and the data of
//! charts that need more than the table holds, such as curves and flames.
//!
//! A chart refers to its table by column index and row name. Must not know the table, terminal cells or
//! colours.

use std::collections::BTreeMap;
use std::sync::Arc;

use proftui_base::text::SafeText;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::Category;

use super::curve::Curve;
use crate::analysis::flame::frames::Flame;

/// One chart of a summary's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The heading of the chart.
    pub title: &'static str,
    /// Index of the column by which the chart first sorts its rows; `None` keeps the table's order.
    pub order: Option<usize>,
    /// The kind of chart, with its data or the indices of the columns that hold them.
    pub kind: ChartKind,
}

/// The kind of a chart. Columns are given by their index in the table.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartKind {
    /// One bar for each of the first rows, which shows the row's share, and one more for all other rows.
    Shares {
        /// The column with each row's share, a ratio.
        share: usize,
        /// The column with each row's amount, such as its time, which is shown beside its share.
        amount: usize,
        /// The sum of the shares of all top-level rows.
        all: f64,
    },
    /// One stacked bar per row, with a segment for each column in `parts`.
    Columns {
        /// The columns in the order of their segments, each with the tint of its segment.
        parts: Vec<(usize, Tint)>,
        /// The length that fills the width, ns; `None` if every bar longer than 0 does.
        longest: Option<Ns>,
    },
    /// Stacked bars of the table's rows, whose segments are given here and not read from columns.
    Segments {
        /// The segments of each row, by the text of the row's first cell; a row that is missing here has no
        /// bar.
        by_name: BTreeMap<String, Vec<Segment>>,
        /// The length that fills the width, ns; several charts may be drawn to this scale.
        longest: Ns,
    },
    /// One stacked bar of these segments for the whole table, independent of its rows.
    Whole(Vec<Segment>),
    /// Stacked bars that are no rows of the table, such as one for each of its columns.
    Stacks(Vec<Stack>),
    /// Curves over time, each by the text of its row's first cell; a row that is missing here has none.
    Curves(BTreeMap<String, Curve>),
    /// A flame, drawn with a row of cells for each depth.
    Flame(Arc<Flame>),
}

/// A segment of a stacked bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The segment's name in the legend.
    pub name: SafeText<'static>,
    /// The segment's length, ns.
    pub time: Ns,
    /// The meaning of the segment, from which the theme chooses a colour.
    pub tint: Tint,
}

/// A stacked bar that is no row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The bar's label.
    pub name: SafeText<'static>,
    /// The segments of the bar.
    pub segments: Vec<Segment>,
}

/// The meaning of a segment, from which a theme chooses its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Time of events of a category, in the category's colour.
    Category(Category),
    /// The nth, from 0, of several segments or bars that differ only in name.
    Nth(usize),
    /// All that has no segment of its own, such as other kernels or the time in no phase.
    Remainder,
    /// Time in which a thread or device did nothing that is recorded.
    Idle,
}

impl Segment {
    /// Creates a segment; control characters in `name` are escaped.
    pub fn new(name: &str, time: Ns, tint: Tint) -> Self {
        Self { name: SafeText::new(name).into_owned(), time, tint }
    }
}

impl Stack {
    /// Creates a bar; control characters in `name` are escaped.
    pub fn new(name: &str, segments: Vec<Segment>) -> Self {
        Self { name: SafeText::new(name).into_owned(), segments }
    }

    /// The length of the bar, ns: the sum of its segments.
    pub fn time(&self) -> Ns {
        sum(self.segments.iter().map(|segment| segment.time))
    }
}

impl Chart {
    /// True if bars or curves of the chart stand for rows of the table.
    pub fn has_rows(&self) -> bool {
        !matches!(self.kind, ChartKind::Whole(_) | ChartKind::Stacks(_) | ChartKind::Flame(_))
    }

    /// False for stacked bars of the table's rows that have at most one segment each, and so need no legend;
    /// true for other charts.
    pub fn is_divided(&self) -> bool {
        match &self.kind {
            ChartKind::Segments { by_name, .. } => by_name.values().any(|segments| segments.len() > 1),
            ChartKind::Columns { parts, .. } => parts.len() > 1,
            _ => true,
        }
    }

    /// True for a chart in which the rows without a bar of their own share a bar, "others".
    pub fn has_others(&self) -> bool {
        matches!(self.kind, ChartKind::Shares { .. })
    }

    /// The number of rows that have a bar of their own unless the user chooses another number; `None` if the
    /// chart does not limit its rows.
    pub fn first_rows(&self) -> Option<usize> {
        match self.kind {
            ChartKind::Shares { .. } => Some(10),
            ChartKind::Segments { .. } => Some(20),
            ChartKind::Columns { .. }
            | ChartKind::Whole(_)
            | ChartKind::Stacks(_)
            | ChartKind::Curves(_)
            | ChartKind::Flame(_) => None,
        }
    }
}
