//! The lines of a screen as text with attributes, for files and pipes: no line depends on where the cursor
//! is.

use ratatui::buffer::Buffer;

use super::code::Code;
use super::pen::Pen;
use super::tidy::tidy;

/// The lines of a screen as text with escape sequences for colours and attributes (SGR), each ended by a line
/// feed. Changes the cells of `buffer` to what a terminal can show.
pub fn lines(buffer: &mut Buffer) -> Vec<u8> {
    let mut out = Vec::new();
    let mut pen = Pen::reset();
    let width = usize::from(buffer.area.width).max(1);
    let mut codes = vec![Code::BLANK; width];
    for cells in buffer.content.chunks_mut(width) {
        tidy(cells, true, &mut codes);
        let end = codes.iter().rposition(|code| *code != Code::BLANK).map_or(0, |last| last + 1);
        for (code, cell) in codes[..end].iter().zip(cells) {
            pen.set(*code, &mut out);
            code.write(cell, &mut out);
        }
        pen.end(&mut out);
        out.push(b'\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    #[test]
    fn each_line_begins_and_ends_without_attributes() {
        let mut buffer = Buffer::with_lines([" ab     ", "", "界x"]);
        buffer.set_style(Rect::new(1, 0, 2, 1), Style::new().fg(Color::Red));
        let text = String::from_utf8(lines(&mut buffer)).expect("text");
        assert_eq!(text, " \x1b[31mab\x1b[m\n\n界x\n");
    }
}
