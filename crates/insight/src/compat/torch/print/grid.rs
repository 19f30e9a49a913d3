//! Lines of columns of fixed width, with two blanks after each column.
//!
//! Must not know the meaning of the cells.

/// Number of blanks after a column.
const GAP: usize = 2;

/// The width of a column in characters, and its alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    pub columns: usize,
    /// True for left-aligned, false for right-aligned.
    pub is_left: bool,
}

/// The columns of a table, by which its lines are laid out.
#[derive(Debug)]
pub(super) struct Grid(Vec<Width>);

impl Grid {
    pub(super) fn new(widths: Vec<Width>) -> Self {
        Self(widths)
    }

    /// The number of characters of a line over all columns, without the gap after the last.
    pub(super) fn line_length(&self) -> usize {
        self.0.iter().map(|width| width.columns + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// Appends a line with dashes over the width of each column and blanks after them.
    pub(super) fn rule(&self, out: &mut String) {
        for width in &self.0 {
            out.push_str(&"-".repeat(width.columns));
            out.push_str(&" ".repeat(GAP));
        }
        out.push('\n');
    }

    /// Appends a line of cells; a cell longer than its column is not cut.
    pub(super) fn row(&self, out: &mut String, cells: &[String]) {
        for (cell, width) in cells.iter().zip(&self.0) {
            put(out, cell, *width);
        }
        out.push('\n');
    }

    /// Appends a line with `cell` in the last column and blanks in all others.
    pub(super) fn last(&self, out: &mut String, cell: &str) {
        let Some((last, others)) = self.0.split_last() else { return };
        others.iter().for_each(|width| put(out, "", *width));
        put(out, cell, *last);
        out.push('\n');
    }
}

/// Appends one cell, aligned in its width, and the gap after it.
fn put(out: &mut String, cell: &str, width: Width) {
    let blanks = " ".repeat(width.columns.saturating_sub(cell.chars().count()));
    let (before, after) = if width.is_left { ("", blanks.as_str()) } else { (blanks.as_str(), "") };
    for part in [before, cell, after] {
        out.push_str(part);
    }
    out.push_str(&" ".repeat(GAP));
}
