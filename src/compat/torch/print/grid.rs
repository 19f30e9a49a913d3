//! Columns of fixed width, two blanks after each: right-aligned, or left where a column says so.
//!
//! Must not know what stands in them.

/// Blanks after a column.
const GAP: usize = 2;

/// A column's width and side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    pub columns: usize,
    pub is_left: bool,
}

/// A grid of columns.
#[derive(Debug)]
pub(super) struct Grid(Vec<Width>);

impl Grid {
    pub(super) fn new(widths: Vec<Width>) -> Self {
        Self(widths)
    }

    /// Characters of a line without the last gap.
    pub(super) fn line_length(&self) -> usize {
        self.0.iter().map(|width| width.columns + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// A line of dashes.
    pub(super) fn rule(&self, out: &mut String) {
        for width in &self.0 {
            out.push_str(&"-".repeat(width.columns));
            out.push_str(&" ".repeat(GAP));
        }
        out.push('\n');
    }

    /// A line of cells; the text of each counts in characters, and may be longer than its column.
    pub(super) fn row(&self, out: &mut String, cells: &[String]) {
        for (cell, width) in cells.iter().zip(&self.0) {
            put(out, cell, *width);
        }
        out.push('\n');
    }

    /// A line with nothing but its last cell.
    pub(super) fn last(&self, out: &mut String, cell: &str) {
        let Some((last, others)) = self.0.split_last() else { return };
        others.iter().for_each(|width| put(out, "", *width));
        put(out, cell, *last);
        out.push('\n');
    }
}

fn put(out: &mut String, cell: &str, width: Width) {
    let blanks = " ".repeat(width.columns.saturating_sub(cell.chars().count()));
    let (before, after) = if width.is_left { ("", blanks.as_str()) } else { (blanks.as_str(), "") };
    for part in [before, cell, after] {
        out.push_str(part);
    }
    out.push_str(&" ".repeat(GAP));
}
