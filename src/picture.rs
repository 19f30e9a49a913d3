//! Owns pictures of screens: a drawn buffer as text, as text with attributes of a terminal, as SVG, as HTML.
//! Must not know what is drawn, nor where a picture is written.

mod blocks;
mod cells;
mod html;
mod palette;
mod svg;

use std::path::Path;

use ratatui::buffer::Buffer;

use crate::term::encode;
use crate::ui::theme::Background;

use cells::{characters, rows};

/// The kind of file that a picture of a screen is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The characters only, without blanks at the end of a line.
    Text,
    /// Characters with escape sequences for terminals.
    Ansi,
    /// An SVG image.
    Svg,
    /// An HTML page.
    Html,
}

impl Format {
    /// Each kind with the ending of the names of its files, without the dot.
    pub const ENDINGS: [(&'static str, Self); 4] =
        [("txt", Self::Text), ("ansi", Self::Ansi), ("svg", Self::Svg), ("html", Self::Html)];

    /// The kind by the ending of the file's name, in upper or lower case; `None` without a known ending.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ENDINGS.iter().find(|(name, _)| *name == ending).map(|(_, format)| *format)
    }
}

/// The picture of a screen that was drawn for `background`, as the bytes of a file. May change the cells of
/// `buffer` to what terminals can show.
pub fn of(buffer: &mut Buffer, format: Format, background: Background, title: &str) -> Vec<u8> {
    match format {
        Format::Text => text(buffer).into_bytes(),
        Format::Ansi => encode::lines(buffer),
        Format::Svg => svg::of(buffer, background, title).into_bytes(),
        Format::Html => html::of(buffer, background, title).into_bytes(),
    }
}

fn text(buffer: &Buffer) -> String {
    rows(buffer).map(|row| characters(row).trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    fn screen() -> Buffer {
        let mut buffer = Buffer::with_lines(["a<b>&c      ", "──▌█ 界"]);
        buffer.set_style(Rect::new(0, 0, 6, 1), Style::new().fg(Color::Rgb(1, 2, 3)));
        buffer.set_style(Rect::new(0, 1, 7, 1), Style::new().fg(Color::Red).bg(Color::Indexed(21)));
        buffer
    }

    fn picture(format: Format) -> String {
        String::from_utf8(of(&mut screen(), format, Background::Dark, "t & t")).expect("text")
    }

    #[test]
    fn endings_state_the_kind() {
        assert_eq!(Format::of(Path::new("a/b.SVG")), Some(Format::Svg));
        assert_eq!(Format::of(Path::new("b.txt")), Some(Format::Text));
        assert_eq!(Format::of(Path::new("svg")), None);
        assert_eq!(Format::of(Path::new("b.png")), None);
    }

    #[test]
    fn text_has_no_trailing_blanks() {
        assert_eq!(picture(Format::Text), "a<b>&c\n──▌█ 界\n");
    }

    #[test]
    fn markup_is_escaped_and_has_the_colours() {
        for format in [Format::Svg, Format::Html] {
            let picture = picture(format);
            assert!(picture.contains("a&lt;b&gt;&amp;c") && picture.contains("t &amp; t"), "{picture}");
            assert!(picture.contains("#010203") && picture.contains("#0000ff"), "{picture}");
        }
    }

    #[test]
    fn an_empty_screen_has_a_picture() {
        for (_, format) in Format::ENDINGS {
            of(&mut Buffer::empty(Rect::new(0, 0, 0, 0)), format, Background::Light, "");
        }
    }
}
