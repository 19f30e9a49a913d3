//! What is done to the cells of a drawn screen before they are compared or written.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::pen::is_blank;

/// Replaces the text of a cell that has a control character by `?`, and removes the cell's colours if the terminal has none.
pub(super) fn scrub(cell: &mut Cell, has_colours: bool) {
    if !has_colours {
        (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
    }
    if is_surely_narrow(cell.symbol()) {
        return;
    }
    let symbol = cell.symbol().as_bytes();
    let steers = |pair: &[u8]| pair[0] == 0xc2 && (0x80..0xa0).contains(&pair[1]);
    if symbol.iter().any(|b| *b < 0x20 || *b == 0x7f) || symbol.windows(2).any(steers) {
        cell.set_symbol("?");
    }
}

/// Makes cells such that each character has as many cells as it is wide: behind a wide one stand cells without text, and nowhere
/// else. Attributes that cannot be seen on a blank are removed, so that it differs from no other.
pub(super) fn tidy(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width).max(1);
    for line in buffer.content.chunks_mut(width) {
        let mut covered = 0;
        for x in 0..line.len() {
            if covered > 0 {
                covered -= 1;
                if !line[x].symbol().is_empty() {
                    let (fg, bg, modifier) = (line[x - 1].fg, line[x - 1].bg, line[x - 1].modifier);
                    line[x] = Cell::new("");
                    (line[x].fg, line[x].bg, line[x].modifier) = (fg, bg, modifier);
                }
                continue;
            }
            let symbol = line[x].symbol();
            let columns = if is_surely_narrow(symbol) { 1 } else { symbol.width() };
            if symbol.is_empty() {
                line[x].set_symbol(" ");
            } else if columns == 0 || x + columns > line.len() {
                line[x].set_symbol("?");
            } else {
                covered = columns - 1;
            }
            if line[x].modifier.contains(Modifier::BOLD | Modifier::DIM) {
                // Some terminals have either, the one set last.
                line[x].modifier.remove(Modifier::BOLD);
            }
            if is_blank(&line[x]) {
                line[x].fg = Color::Reset;
                line[x].modifier = Modifier::empty();
            }
        }
    }
}

/// True if every terminal moves its cursor by one column for this text: letters, arrows, lines and blocks. After other characters the
/// cursor is moved by its position.
pub(super) fn is_surely_narrow(symbol: &str) -> bool {
    match *symbol.as_bytes() {
        [byte] => matches!(byte, b' '..=b'~'),
        // Lines and blocks, which most cells show, without decoding them.
        [0xe2, 0x94..=0x96, _] => true,
        _ => {
            let mut chars = symbol.chars();
            let only = chars.next().filter(|_| chars.next().is_none());
            only.is_some_and(|c| {
                matches!(c, '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{2010}'..='\u{2027}'
                    | '\u{2190}'..='\u{2199}' | '\u{25c0}'..='\u{25fc}')
            })
        }
    }
}
