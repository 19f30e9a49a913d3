//! The text of cells, as every kind of picture needs it.

use ratatui::buffer::{Buffer, Cell};
use unicode_width::UnicodeWidthStr;

/// The buffer's lines, from the top, each as its cells.
pub(super) fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width).max(1))
}

/// The characters of cells of one line, without the cells that wide characters cover.
pub(super) fn characters(cells: &[Cell]) -> String {
    let (mut shown, mut covered) = (String::new(), 0);
    for cell in cells {
        if covered == 0 {
            shown += cell.symbol();
            covered = cell.symbol().width();
        }
        covered = covered.saturating_sub(1);
    }
    shown
}

/// The text, escaped for use between tags and in double quotes of XML and HTML; control characters become
/// `?`.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML has no way to write control characters.
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}
