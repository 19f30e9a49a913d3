//! The colours of a picture: what terminals show for the colours that they name themselves.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::ui::theme::Background;

/// A colour: its red, green and blue.
pub(super) type Rgb = (u8, u8, u8);

/// The colours in pictures for a terminal's own sixteen, by number.
const SIXTEEN: [Rgb; 16] = [
    (0x1d, 0x1f, 0x21),
    (0xcc, 0x57, 0x5d),
    (0x8a, 0xb0, 0x60),
    (0xd9, 0xa7, 0x4a),
    (0x5c, 0x90, 0xc8),
    (0xb0, 0x79, 0xc0),
    (0x58, 0xae, 0xa8),
    (0xb4, 0xb7, 0xb4),
    (0x6b, 0x70, 0x74),
    (0xe8, 0x7d, 0x80),
    (0xaf, 0xd0, 0x84),
    (0xf0, 0xc9, 0x74),
    (0x84, 0xb4, 0xe4),
    (0xcd, 0x9d, 0xd8),
    (0x84, 0xcf, 0xc8),
    (0xf2, 0xf3, 0xf2),
];

/// How a cell looks in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) ink: Rgb,
    /// The colour of the cell's background; `None` for the background of the picture.
    pub(super) ground: Option<Rgb>,
    pub(super) is_bold: bool,
    pub(super) is_underlined: bool,
}

/// The default colours of text and of background in a picture of a terminal with this background.
pub(super) fn defaults(background: Background) -> (Rgb, Rgb) {
    match background {
        Background::Dark => ((0xd4, 0xd7, 0xd4), (0x15, 0x18, 0x1c)),
        Background::Light => ((0x2b, 0x2f, 0x33), (0xfa, 0xfa, 0xf8)),
    }
}

impl Look {
    /// How `cell` looks in a picture of a terminal with this background.
    pub(super) fn of(cell: &Cell, background: Background) -> Self {
        let (text, paper) = defaults(background);
        let (mut ink, mut ground) = (rgb(cell.fg).unwrap_or(text), rgb(cell.bg));
        if cell.modifier.contains(Modifier::REVERSED) {
            (ink, ground) = (ground.unwrap_or(paper), Some(ink));
        }
        if cell.modifier.contains(Modifier::DIM) {
            ink = mixed(ink, ground.unwrap_or(paper));
        }
        Self {
            ink,
            ground,
            is_bold: cell.modifier.contains(Modifier::BOLD),
            is_underlined: cell.modifier.contains(Modifier::UNDERLINED),
        }
    }
}

fn mixed(a: Rgb, b: Rgb) -> Rgb {
    let mean = |a: u8, b: u8| u8::midpoint(a, b);
    (mean(a.0, b.0), mean(a.1, b.1), mean(a.2, b.2))
}

/// The colour as `#rrggbb`.
pub(super) fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The red, green and blue of a colour; `None` for the terminal's own default colour.
fn rgb(color: Color) -> Option<Rgb> {
    let sixteen = |number: usize| Some(SIXTEEN[number]);
    match color {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(index) => Some(indexed(index)),
        Color::Black => sixteen(0),
        Color::Red => sixteen(1),
        Color::Green => sixteen(2),
        Color::Yellow => sixteen(3),
        Color::Blue => sixteen(4),
        Color::Magenta => sixteen(5),
        Color::Cyan => sixteen(6),
        Color::Gray => sixteen(7),
        Color::DarkGray => sixteen(8),
        Color::LightRed => sixteen(9),
        Color::LightGreen => sixteen(10),
        Color::LightYellow => sixteen(11),
        Color::LightBlue => sixteen(12),
        Color::LightMagenta => sixteen(13),
        Color::LightCyan => sixteen(14),
        Color::White => sixteen(15),
    }
}

/// The colour for a number of xterm's palette of 256.
fn indexed(index: u8) -> Rgb {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..16 => SIXTEEN[usize::from(index)],
        16..232 => {
            let at = index - 16;
            (level(at / 36), level(at / 6 % 6), level(at % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_xterm() {
        assert_eq!(indexed(16), (0, 0, 0));
        assert_eq!(indexed(196), (255, 0, 0));
        assert_eq!(indexed(231), (255, 255, 255));
        assert_eq!(indexed(244), (0x80, 0x80, 0x80));
        assert_eq!(hex((1, 2, 255)), "#0102ff");
    }

    #[test]
    fn reversed_cells_change_ink_and_ground() {
        let mut cell = Cell::new("x");
        cell.fg = Color::Rgb(9, 9, 9);
        cell.modifier = Modifier::REVERSED;
        let look = Look::of(&cell, Background::Dark);
        assert_eq!((look.ink, look.ground), (defaults(Background::Dark).1, Some((9, 9, 9))));
    }
}
