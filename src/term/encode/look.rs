//! The two colours and the attributes of a cell as one number, which is quick to compare and hash. Must not
//! know how they are written. The colours of ratatui, which draws, become those of crossterm, which writes.

use crossterm::style::Color as Ink;
use proftui_base::saturate::saturate;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// Attributes that are seen on a blank, too.
const SEEN_ON_BLANKS: Modifier =
    Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT).union(Modifier::SLOW_BLINK);

const COLOR_BITS: u32 = 25;
const FG: u64 = (1 << COLOR_BITS) - 1;
const BG: u64 = FG << COLOR_BITS;
const SEEN: u64 = (SEEN_ON_BLANKS.bits() as u64) << (2 * COLOR_BITS);

/// The colours of a cell's text and background, and its attributes, as one number. The default has the
/// terminal's own colours and no attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Look(u64);

impl Look {
    pub(super) const DEFAULT: Self = Self(0);

    #[inline]
    pub(super) fn of(cell: &Cell) -> Self {
        let attributes = u64::from(cell.modifier.bits()) << (2 * COLOR_BITS);
        Self(number(cell.fg) | number(cell.bg) << COLOR_BITS | attributes)
    }

    /// The look as one number; its two highest bits are 0.
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

    /// True if both have the same colours of text and background, whatever their attributes.
    pub(super) fn has_colors_of(self, other: Self) -> bool {
        (self.0 ^ other.0) & (FG | BG) == 0
    }

    /// True if a blank with this look shows nothing but its background.
    pub(super) fn is_plain_on_blanks(self) -> bool {
        self.0 & SEEN == 0
    }

    /// This look with its background alone, without the colour of the text and the attributes.
    pub(super) fn on_blanks(self) -> Self {
        Self(self.0 & BG)
    }

    /// This look with the background of `blank` and without [`SEEN_ON_BLANKS`], so that it shows a blank of
    /// the look `blank`, which must have none of these attributes.
    pub(super) fn for_blank(self, blank: Self) -> Self {
        Self(self.0 & !(BG | SEEN) | blank.0 & BG)
    }
}

/// The terminal's own sixteen colours, in the order of their numbers.
const PALETTE: [Ink; 16] = [
    Ink::Black,
    Ink::DarkRed,
    Ink::DarkGreen,
    Ink::DarkYellow,
    Ink::DarkBlue,
    Ink::DarkMagenta,
    Ink::DarkCyan,
    Ink::Grey,
    Ink::DarkGrey,
    Ink::Red,
    Ink::Green,
    Ink::Yellow,
    Ink::Blue,
    Ink::Magenta,
    Ink::Cyan,
    Ink::White,
];

/// The number of a colour in [`PALETTE`], from 0 to 15; `None` if the colour is not in it.
pub(super) fn in_palette(ink: Ink) -> Option<u8> {
    PALETTE.iter().position(|known| *known == ink).map(saturate::<u8>)
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

/// One more than the number of a named colour in [`PALETTE`]; 0 for other colours.
// A function of its own, so that [`number`] compares the other kinds of colours one by one: a jump by a table
// is mispredicted where colours vary.
#[inline(never)]
fn number_of_named(color: Color) -> u64 {
    match color {
        Color::Black => 1,
        Color::Red => 2,
        Color::Green => 3,
        Color::Yellow => 4,
        Color::Blue => 5,
        Color::Magenta => 6,
        Color::Cyan => 7,
        Color::Gray => 8,
        Color::DarkGray => 9,
        Color::LightRed => 10,
        Color::LightGreen => 11,
        Color::LightYellow => 12,
        Color::LightBlue => 13,
        Color::LightMagenta => 14,
        Color::LightCyan => 15,
        Color::White => 16,
        Color::Reset | Color::Indexed(_) | Color::Rgb(..) => 0,
    }
}

/// The colour for a number that [`number`] returned.
fn ink(number: u64) -> Ink {
    let [.., r, g, low] = number.to_be_bytes();
    match number {
        number if number >> 24 != 0 => Ink::Rgb { r, g, b: low },
        number if number >> 8 != 0 => Ink::AnsiValue(low),
        number => usize::try_from(number)
            .ok()
            .and_then(|number| PALETTE.get(number.checked_sub(1)?))
            .map_or(Ink::Reset, |ink| *ink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_has_the_colours_and_attributes_of_its_cell() {
        let others = [
            (Color::Reset, Ink::Reset),
            (Color::Indexed(0), Ink::AnsiValue(0)),
            (Color::Indexed(255), Ink::AnsiValue(255)),
            (Color::Rgb(0, 0, 0), Ink::Rgb { r: 0, g: 0, b: 0 }),
            (Color::Rgb(1, 2, 255), Ink::Rgb { r: 1, g: 2, b: 255 }),
        ];
        let named = [
            (Color::Black, Ink::Black),
            (Color::Red, Ink::DarkRed),
            (Color::Green, Ink::DarkGreen),
            (Color::Yellow, Ink::DarkYellow),
            (Color::Blue, Ink::DarkBlue),
            (Color::Magenta, Ink::DarkMagenta),
            (Color::Cyan, Ink::DarkCyan),
            (Color::Gray, Ink::Grey),
            (Color::DarkGray, Ink::DarkGrey),
            (Color::LightRed, Ink::Red),
            (Color::LightGreen, Ink::Green),
            (Color::LightYellow, Ink::Yellow),
            (Color::LightBlue, Ink::Blue),
            (Color::LightMagenta, Ink::Magenta),
            (Color::LightCyan, Ink::Cyan),
            (Color::White, Ink::White),
        ];
        for (number, &(color, ink)) in named.iter().enumerate() {
            assert_eq!(in_palette(ink), Some(number as u8), "{color:?}");
        }
        let colors = [&others[..], &named].concat();
        for &(color, ink) in &others {
            assert_eq!(in_palette(ink), None, "{color:?}");
        }
        for &(fg, fg_ink) in &colors {
            for &(bg, bg_ink) in &colors {
                for modifier in [Modifier::empty(), Modifier::BOLD, Modifier::CROSSED_OUT, Modifier::all()] {
                    let mut cell = Cell::EMPTY;
                    (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
                    let look = Look::of(&cell);
                    assert_eq!((look.fg(), look.bg(), look.modifier()), (fg_ink, bg_ink, modifier));
                    assert!(look.bits() >> 62 == 0);
                    let on_blanks = look.on_blanks();
                    assert_eq!((on_blanks.fg(), on_blanks.bg()), (Ink::Reset, bg_ink));
                    assert_eq!(look.is_plain_on_blanks(), !modifier.contains(Modifier::CROSSED_OUT));
                }
            }
        }
        assert_eq!(Look::of(&Cell::EMPTY), Look::DEFAULT);
    }
}
