//! The two colours and the attributes of a cell as one number, which is quick to compare and hash. Must not know how they are
//! written.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// Attributes that are seen on a blank, too.
const SEEN_ON_BLANKS: Modifier =
    Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT).union(Modifier::SLOW_BLINK);

const COLOR_BITS: u32 = 25;
const FG: u64 = (1 << COLOR_BITS) - 1;
const BG: u64 = FG << COLOR_BITS;
const SEEN: u64 = (SEEN_ON_BLANKS.bits() as u64) << (2 * COLOR_BITS);

/// Two colours and attributes; equal for equal ones only. The default has the terminal's own colours and no attributes.
///
/// From the lowest bit on: 25 bits for each colour, 12 for the attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Look(u64);

/// A colour, by the ways in which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// What is added to 30 or 40 for a colour of the palette, or the terminal's own one.
    Palette(u8),
    Indexed(u8),
    Rgb([u8; 3]),
}

impl Look {
    pub(super) const DEFAULT: Self = Self(0);

    #[inline]
    pub(super) fn of(cell: &Cell) -> Self {
        let attributes = u64::from(cell.modifier.bits()) << (2 * COLOR_BITS);
        Self(number(cell.fg) | number(cell.bg) << COLOR_BITS | attributes)
    }

    /// The bits; the two highest are 0.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn fg(self) -> Ink {
        ink(self.0 & FG)
    }

    pub(super) fn bg(self) -> Ink {
        ink((self.0 & BG) >> COLOR_BITS)
    }

    pub(super) fn modifier(self) -> Modifier {
        Modifier::from_bits_truncate((self.0 >> (2 * COLOR_BITS)) as u16)
    }

    /// True if both have the same colours.
    pub(super) fn has_colors_of(self, other: Self) -> bool {
        (self.0 ^ other.0) & (FG | BG) == 0
    }

    /// True if only the background is seen of a blank that looks so.
    pub(super) fn is_plain_on_blanks(self) -> bool {
        self.0 & SEEN == 0
    }

    /// Without what is not seen of a blank.
    pub(super) fn on_blanks(self) -> Self {
        Self(self.0 & BG)
    }

    /// The look that is nearest to this one among those that show the same on a blank as `blank` does.
    pub(super) fn for_blank(self, blank: Self) -> Self {
        Self(self.0 & !(BG | SEEN) | blank.0 & BG)
    }
}

/// A colour as a number below 2^25.
#[inline]
fn number(color: Color) -> u64 {
    match color {
        Color::Reset => 0,
        Color::Indexed(index) => 1 << 8 | u64::from(index),
        Color::Rgb(r, g, b) => 1 << 24 | u64::from(u32::from_be_bytes([0, r, g, b])),
        named => number_of_named(named),
    }
}

/// Apart from the others, so that these are compared one by one: a jump by a table is mispredicted where colours vary.
#[inline(never)]
fn number_of_named(color: Color) -> u64 {
    1 + u64::from(palette(color))
}

/// The colour of a number.
fn ink(number: u64) -> Ink {
    let [.., r, g, low] = number.to_be_bytes();
    match number {
        0 => Ink::Palette(9),
        number if number >> 24 != 0 => Ink::Rgb([r, g, low]),
        number if number >> 8 != 0 => Ink::Indexed(low),
        _ => Ink::Palette(low - 1),
    }
}

/// What is added to 30 or 40 for a colour of the palette, or the terminal's own one.
fn palette(colour: Color) -> u8 {
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

    #[test]
    fn a_look_has_the_colours_and_attributes_of_its_cell() {
        let colors = [
            (Color::Reset, Ink::Palette(9)),
            (Color::Black, Ink::Palette(0)),
            (Color::White, Ink::Palette(67)),
            (Color::Indexed(0), Ink::Indexed(0)),
            (Color::Indexed(255), Ink::Indexed(255)),
            (Color::Rgb(0, 0, 0), Ink::Rgb([0, 0, 0])),
            (Color::Rgb(1, 2, 255), Ink::Rgb([1, 2, 255])),
        ];
        for (fg, fg_ink) in colors {
            for (bg, bg_ink) in colors {
                for modifier in [Modifier::empty(), Modifier::BOLD, Modifier::CROSSED_OUT, Modifier::all()] {
                    let mut cell = Cell::EMPTY;
                    (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
                    let look = Look::of(&cell);
                    assert_eq!((look.fg(), look.bg(), look.modifier()), (fg_ink, bg_ink, modifier));
                    assert!(look.bits() >> 62 == 0);
                    let on_blanks = look.on_blanks();
                    assert_eq!((on_blanks.fg(), on_blanks.bg()), (Ink::Palette(9), bg_ink));
                    assert_eq!(look.is_plain_on_blanks(), !modifier.contains(Modifier::CROSSED_OUT));
                }
            }
        }
        assert_eq!(Look::of(&Cell::EMPTY), Look::DEFAULT);
    }
}
