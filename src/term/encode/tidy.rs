//! What is done to the cells of a drawn screen before they are compared or written.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::code::Code;

/// Changes the cells of a line to what a terminal can show, without colours unless it `has_colours`, and sets
/// `codes`, one per cell, to their codes.
pub(super) fn tidy(line: &mut [Cell], has_colours: bool, codes: &mut [Code]) {
    let mut covered = 0;
    for (x, at) in (0..line.len()).zip(codes) {
        if !has_colours {
            (line[x].fg, line[x].bg) = (Color::Reset, Color::Reset);
        }
        if covered > 0 {
            covered -= 1;
            if !line[x].symbol().is_empty() {
                let (fg, bg, modifier) = (line[x - 1].fg, line[x - 1].bg, line[x - 1].modifier);
                line[x] = Cell::new("");
                (line[x].fg, line[x].bg, line[x].modifier) = (fg, bg, modifier);
            }
            *at = Code::of(&line[x]);
            continue;
        }
        let room = line.len() - x;
        let cell = &mut line[x];
        if cell.modifier.contains(Modifier::BOLD | Modifier::DIM) {
            // Some terminals have either, the one set last.
            cell.modifier.remove(Modifier::BOLD);
        }
        let mut code = Code::of(cell);
        if !code.is_surely_narrow() {
            covered = tidy_text(cell, room) - 1;
            code = Code::of(cell);
        }
        if code.is_blank() {
            (cell.fg, cell.modifier) = (Color::Reset, Modifier::empty());
            code.look = code.look.on_blanks();
        }
        *at = code;
    }
}

/// Replaces the cell's text if a terminal cannot show it in `room` columns. Returns the width of the cell's
/// text then, in columns, at least 1.
fn tidy_text(cell: &mut Cell, room: usize) -> usize {
    let symbol = cell.symbol();
    let steers = |pair: &[u8]| pair[0] == 0xc2 && (0x80..0xa0).contains(&pair[1]);
    let bytes = symbol.as_bytes();
    if symbol.is_empty() {
        cell.set_symbol(" ");
    } else if bytes.iter().any(|b| *b < 0x20 || *b == 0x7f) || bytes.windows(2).any(steers) {
        cell.set_symbol("?");
    } else {
        match symbol.width() {
            columns if columns == 0 || columns > room => cell.set_symbol("?"),
            columns => return columns,
        };
    }
    1
}
