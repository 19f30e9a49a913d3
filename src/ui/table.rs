//! Any `Table` as aligned columns.

use crate::analysis::{ColumnKind, Table, TableRow};
use crate::app::geometry::Area;
use crate::base::text::SafeText;
use crate::report::text::value;

use super::paint::Painter;
use super::theme::Token;

/// Widest text column.
const WIDEST: usize = 60;

/// Draws the table from row `top` on, its notes last.
pub(super) fn draw(table: &Table, top: usize, area: Area, painter: &mut Painter<'_>) {
    let cells: Vec<Vec<SafeText<'static>>> = table.rows.iter().map(row_text).collect();
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(i, column)| {
            let widest = cells.iter().map(|row| row[i].width()).max().unwrap_or_default();
            widest.max(column.title.len()).min(WIDEST)
        })
        .collect();
    let theme = painter.theme;
    let mut x = area.x + 1;
    for (column, &width) in table.columns.iter().zip(&widths) {
        let indent = if column.kind == ColumnKind::Text { 0 } else { width - column.title.len() };
        painter.words(
            x + indent as u16,
            area.y,
            area.width.saturating_sub(x),
            column.title,
            theme.text(Token::Title),
        );
        x += width as u16 + 2;
    }
    let mut y = area.y + 1;
    let bottom = area.y + area.height;
    for row in cells.iter().skip(top).take(bottom.saturating_sub(y) as usize) {
        let mut x = area.x + 1;
        for ((column, &width), cell) in table.columns.iter().zip(&widths).zip(row) {
            let shown = cell.elide_end(width);
            let indent = if column.kind == ColumnKind::Text { 0 } else { width - shown.width() };
            let room = area.width.saturating_sub(x + indent as u16);
            painter.text(x + indent as u16, y, room, &shown, theme.text(Token::Text));
            x += width as u16 + 2;
        }
        y += 1;
    }
    let seen = top.saturating_sub(table.rows.len());
    for note in table.notes.iter().skip(seen) {
        for piece in SafeText::new(note).wrap_words(area.width.saturating_sub(2) as usize) {
            if y >= bottom {
                return;
            }
            painter.text(area.x + 1, y, area.width, &piece, theme.text(Token::Dim));
            y += 1;
        }
    }
}

fn row_text(row: &TableRow) -> Vec<SafeText<'static>> {
    row.cells.iter().map(value).collect()
}
