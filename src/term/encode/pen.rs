//! The attributes that the terminal writes with, and the shortest change of them (SGR). Must not know where anything is written.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// Attributes that are seen on a blank, too.
const SEEN_ON_BLANKS: Modifier =
    Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT).union(Modifier::SLOW_BLINK);

/// Each attribute, its number, and that which ends it.
const ATTRIBUTES: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

/// The two colours and the attributes that the terminal writes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

/// What the terminal writes with; unknown at first.
#[derive(Clone, Debug, Default)]
pub(super) struct Pen {
    look: Option<Look>,
    /// The numbers of the two ways to change it, kept to be written over.
    ways: [Vec<u8>; 2],
}

/// True for a blank of which only the background is seen.
pub(super) fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && !cell.modifier.intersects(SEEN_ON_BLANKS)
}

impl Pen {
    /// The pen after `SGR 0`.
    pub(super) fn reset() -> Self {
        Self { look: Some(Look::default()), ..Self::default() }
    }

    /// True if the cell can be written without a change.
    pub(super) fn suits(&self, cell: &Cell) -> bool {
        self.look.is_some_and(|look| look == wanted(look, cell))
    }

    /// Changes the attributes to those of `cell`; for a blank only what is seen of it.
    pub(super) fn set(&mut self, cell: &Cell, out: &mut Vec<u8>) {
        let new = wanted(self.look.unwrap_or_default(), cell);
        let old = self.look.replace(new);
        if old == Some(new) {
            return;
        }
        let [changes, anew] = &mut self.ways;
        // `0;` sets everything back first; alone, the number can be left out.
        numbers(Look::default(), new, anew);
        if !anew.is_empty() {
            anew.splice(0..0, *b"0;");
        }
        match old {
            Some(old) => numbers(old, new, changes),
            None if anew.is_empty() => anew.push(b'0'),
            None => {}
        }
        let way = if old.is_none() || anew.len() < changes.len() { anew } else { changes };
        out.extend_from_slice(b"\x1b[");
        out.extend_from_slice(way);
        out.push(b'm');
    }
}

/// What is to be set to write the cell: for a blank, `old` with its background and without the attributes that would be seen.
fn wanted(old: Look, cell: &Cell) -> Look {
    if is_blank(cell) {
        return Look { fg: old.fg, bg: cell.bg, modifier: old.modifier.difference(SEEN_ON_BLANKS) };
    }
    Look { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
}

/// Replaces `numbers` by those, separated by `;`, that change one look to another.
fn numbers(old: Look, new: Look, numbers: &mut Vec<u8>) {
    numbers.clear();
    let gone = old.modifier.difference(new.modifier);
    let mut kept = old.modifier;
    // Most changes are of colours only.
    let attributes = if old.modifier == new.modifier { &[][..] } else { &ATTRIBUTES };
    for &(attribute, _, off) in attributes {
        if gone.contains(attribute) && kept.contains(attribute) {
            number(numbers, off);
            // One number ends both bold and dim.
            for (other, _, also) in ATTRIBUTES {
                if also == off {
                    kept.remove(other);
                }
            }
        }
    }
    for &(attribute, on, _) in attributes {
        if new.modifier.contains(attribute) && !kept.contains(attribute) {
            number(numbers, on);
        }
    }
    if old.fg != new.fg {
        colour(numbers, new.fg, 30);
    }
    if old.bg != new.bg {
        colour(numbers, new.bg, 40);
    }
}

fn number(numbers: &mut Vec<u8>, number: u8) {
    if !numbers.is_empty() {
        numbers.push(b';');
    }
    let digits = [number / 100, number / 10 % 10, number % 10];
    let first = digits[..2].iter().take_while(|digit| **digit == 0).count();
    numbers.extend(digits[first..].iter().map(|digit| b'0' + digit));
}

/// The numbers of a colour; `base` is 30 for the text, 40 for the background. The sixteen colours of the palette are `3N` and `9N`,
/// which terminals without more know, too.
fn colour(numbers: &mut Vec<u8>, colour: Color, base: u8) {
    let mut all = |of: &[u8]| of.iter().for_each(|&n| number(numbers, n));
    match colour {
        Color::Indexed(index) => all(&[base + 8, 5, index]),
        Color::Rgb(r, g, b) => all(&[base + 8, 2, r, g, b]),
        named => all(&[base + palette(named)]),
    }
}

/// What is added to 30 or 40 for a colour of the palette, or the terminal's own one.
pub(super) fn palette(colour: Color) -> u8 {
    match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::Reset | Color::Indexed(_) | Color::Rgb(..) => 9,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(symbol: &'static str, fg: Color, bg: Color, modifier: Modifier) -> Cell {
        let mut cell = Cell::new(symbol);
        (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
        cell
    }

    #[test]
    fn only_what_changes_is_sent() {
        let none = Modifier::empty();
        let mut pen = Pen::default();
        let mut sent = |cell: Cell| {
            let mut out = Vec::new();
            pen.set(&cell, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(sent(cell("a", Color::Reset, Color::Reset, none)), "\x1b[0m");
        assert_eq!(sent(cell("a", Color::Red, Color::Reset, none)), "\x1b[31m");
        assert_eq!(sent(cell("a", Color::Red, Color::LightBlue, Modifier::BOLD)), "\x1b[1;104m");
        assert_eq!(sent(cell("a", Color::Red, Color::Indexed(7), Modifier::DIM)), "\x1b[22;2;48;5;7m");
        assert_eq!(sent(cell("a", Color::Rgb(1, 2, 3), Color::Indexed(7), none)), "\x1b[22;38;2;1;2;3m");
        assert_eq!(
            sent(cell(" ", Color::Red, Color::Indexed(7), none)),
            "",
            "a blank shows no text's colour"
        );
        assert_eq!(sent(cell("a", Color::Reset, Color::Reset, none)), "\x1b[m");
        assert_eq!(sent(cell(" ", Color::Reset, Color::Reset, Modifier::REVERSED)), "\x1b[7m");
        assert_eq!(sent(cell(" ", Color::Reset, Color::Reset, none)), "\x1b[m");
    }
}
