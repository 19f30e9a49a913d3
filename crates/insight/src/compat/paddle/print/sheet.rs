//! Lines of a table: columns of fixed width with two blanks after each, and dashes around titles.
//!
//! Widths are in characters, as in Python. Must not know the meaning of the columns.

/// Number of blanks after a column.
const GAP: usize = 2;

/// The text of a table, which is composed line by line.
pub(super) struct Sheet {
    out: String,
    /// The width of each column in characters, without the gap after it.
    widths: Vec<usize>,
}

/// The number of characters of a text.
fn len(text: &str) -> usize {
    text.chars().count()
}

impl Sheet {
    pub(super) fn new(widths: Vec<usize>) -> Self {
        Self { out: String::new(), widths }
    }

    /// The number of characters of a line over all columns, without the gap after the last.
    fn length(&self) -> usize {
        self.widths.iter().sum::<usize>() + GAP * self.widths.len().saturating_sub(1)
    }

    /// Appends a line of text.
    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Appends a title line: `text` in the middle, filled up with dashes to the width of the table.
    pub(super) fn title(&mut self, text: &str) {
        let room = self.length().saturating_sub(len(text));
        let left = room / 2;
        self.line(&format!("{}{text}{}", "-".repeat(left), "-".repeat(room - left)));
    }

    /// Appends a line with dashes under each column, as wide as the column.
    pub(super) fn rule(&mut self) {
        let dashes: Vec<String> = self.widths.iter().map(|&width| "-".repeat(width)).collect();
        let dashes: Vec<&str> = dashes.iter().map(String::as_str).collect();
        self.row(&dashes);
    }

    /// Appends a line with one cell per column, aligned to the left; a cell longer than its column is not
    /// cut.
    pub(super) fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        for (cell, &width) in cells.iter().zip(&self.widths) {
            let cell = cell.as_ref();
            self.out.push_str(cell);
            self.out.push_str(&" ".repeat(width.saturating_sub(len(cell)) + GAP));
        }
        self.out.push('\n');
    }

    /// Appends the heading `Note:`, the notes and a line of dashes; appends nothing if there are no notes.
    pub(super) fn notes(&mut self, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        self.line("Note:");
        notes.iter().for_each(|note| self.line(note));
        self.title("");
    }

    /// The printed text, with two blank lines after it.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("\n\n");
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_and_blanks() {
        let mut sheet = Sheet::new(vec![4, 6]);
        sheet.title("odd");
        sheet.rule();
        sheet.row(&["算子", "too long"]);
        sheet.notes(&["n".into()]);
        assert_eq!(
            sheet.finish(),
            "----odd-----\n----  ------  \n算子    too long  \nNote:\nn\n------------\n\n\n"
        );
    }
}
