//! Cells, and screens of them, as numbers, which are quick to compare and hash. Must not know what a cell
//! means or how it is written.

use std::hash::{Hash, Hasher};

use ratatui::buffer::Cell;
use rustc_hash::FxHasher;

use super::look::Look;

/// A cell as numbers that are quick to compare: its text and its look.
#[derive(Clone, Copy, Debug, Eq)]
pub(super) struct Code {
    /// The bytes of the text, the first one lowest; of a text of more than 7 bytes, a hash with the highest
    /// bit set.
    text: u64,
    pub(super) look: Look,
}

impl PartialEq for Code {
    /// Compares without a branch, which is quicker: screens are compared cell by cell.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.text ^ other.text) | (self.look.bits() ^ other.look.bits()) == 0
    }
}

const BLANK: u64 = b' ' as u64;
const IS_LONG: u64 = 1 << 63;
/// A factor that spreads the bits of a number: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Code {
    /// A blank in the terminal's own colours, without attributes.
    pub(super) const BLANK: Self = Self { text: BLANK, look: Look::DEFAULT };

    #[inline]
    pub(super) fn of(cell: &Cell) -> Self {
        let symbol = cell.symbol();
        let text = match *symbol.as_bytes() {
            [byte] => u64::from(byte),
            [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
            ref bytes if bytes.len() <= 7 => {
                bytes.iter().rev().fold(0, |text, &byte| text << 8 | u64::from(byte))
            }
            _ => {
                let mut hasher = FxHasher::default();
                symbol.hash(&mut hasher);
                hasher.finish() | IS_LONG
            }
        };
        Self { text, look: Look::of(cell) }
    }

    /// True for a cell without text, which a wide character at the left covers.
    pub(super) fn is_covered(self) -> bool {
        self.text == 0
    }

    /// How many bytes the text has; 8 for a text of more than 7.
    pub(super) fn bytes(self) -> u32 {
        8 - self.text.leading_zeros() / 8
    }

    /// True if the text is a character that is taken to fill one column in every terminal, such as printable
    /// ASCII.
    pub(super) fn is_surely_narrow(self) -> bool {
        let [a, b, c, rest @ ..] = self.text.to_le_bytes();
        if rest != [0; 5] {
            return false;
        }
        match (a, b, c) {
            (b' '..=b'~', 0, 0) => true,
            // U+00A0 to U+024F without the soft hyphen.
            (0xc2..=0xc9, b, 0) => {
                matches!((a, b), (0xc2, 0xa0..=0xac | 0xae..) | (0xc3..=0xc8, _) | (0xc9, ..=0x8f))
            }
            // Punctuation, arrows; lines and blocks; triangles to circles.
            (0xe2, b, c) => {
                matches!(
                    (b, c),
                    (0x80, 0x90..=0xa7) | (0x86, 0x90..=0x99) | (0x94..=0x96, _) | (0x97, ..=0xbc)
                )
            }
            _ => false,
        }
    }

    /// True if the text is one space, whatever its look.
    pub(super) fn is_space(self) -> bool {
        self.text == BLANK
    }

    /// True for a space of which only the background is seen.
    pub(super) fn is_blank(self) -> bool {
        self.is_space() && self.look.is_plain_on_blanks()
    }

    /// True if the cell may be written straight behind `before`, the cell at its left, by its text alone.
    pub(super) fn can_follow(self, before: Self) -> bool {
        // Behind a blank the pen may have another colour of text.
        self.is_surely_narrow() && self.look == before.look && !before.is_space() && self != Self::BLANK
    }

    /// Appends the bytes of the text; `cell` must be the cell of this code.
    pub(super) fn write(self, cell: &Cell, out: &mut Vec<u8>) {
        if self.text & IS_LONG == 0 {
            out.extend_from_slice(&self.text.to_le_bytes()[..self.bytes() as usize]);
        } else {
            out.extend_from_slice(cell.symbol().as_bytes());
        }
    }

    /// True if both cells have the same colours of text and background, whatever their attributes.
    pub(super) fn has_colors_of(self, other: Self) -> bool {
        self.look.has_colors_of(other.look)
    }

    /// A hash of the cell, which differs for nearly all different cells.
    pub(super) fn number(self) -> u64 {
        self.text.wrapping_mul(SPREAD) ^ self.look.bits().rotate_left(32).wrapping_mul(SPREAD)
    }

    /// A hash of three cells in a row, given their [`Self::number`]s.
    pub(super) fn hash_of_three([a, b, c]: [u64; 3]) -> u32 {
        ((a ^ b.rotate_left(21) ^ c.rotate_left(42)).wrapping_mul(SPREAD) >> 32) as u32
    }

    /// A hash of the cells, in their order.
    pub(super) fn hash(cells: &[Self]) -> u64 {
        let add = |hash: u64, number: u64| (hash.rotate_left(5) ^ number).wrapping_mul(SPREAD);
        // Four hashes side by side, since each multiplication waits for the one before.
        let mut hashes = [0; 4];
        for four in cells.chunks(4) {
            hashes.iter_mut().zip(four).for_each(|(hash, cell)| *hash = add(*hash, cell.number()));
        }
        hashes.into_iter().fold(0, add)
    }
}

/// The cells of a screen, line by line from the top.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    pub(super) width: usize,
    pub(super) cells: Vec<Code>,
    /// The hash of each line when [`Self::hash`] was last called.
    pub(super) hashes: Vec<u64>,
}

impl Screen {
    pub(super) fn blank((width, height): (u16, u16)) -> Self {
        let (width, height) = (usize::from(width), usize::from(height));
        let mut blank = Self { width, cells: vec![Code::BLANK; width * height], hashes: Vec::new() };
        blank.hash();
        blank
    }

    /// Sets `hashes` to the hashes of the lines as they are now.
    pub(super) fn hash(&mut self) {
        self.hashes.clear();
        self.hashes.extend(self.cells.chunks(self.width.max(1)).map(Code::hash));
    }

    pub(super) fn height(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    pub(super) fn line(&self, y: usize) -> &[Code] {
        &self.cells[y * self.width..(y + 1) * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Modifier};

    fn cell(symbol: &'static str, fg: Color, bg: Color, modifier: Modifier) -> Cell {
        let mut cell = Cell::new(symbol);
        (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
        cell
    }

    #[test]
    fn different_cells_have_different_codes() {
        let colors = [
            Color::Reset,
            Color::Black,
            Color::White,
            Color::Indexed(0),
            Color::Indexed(255),
            Color::Rgb(0, 0, 0),
            Color::Rgb(255, 255, 255),
        ];
        let symbols = ["", " ", "a", "é", "█", "e\u{301}", "卷", "🇩🇪", "👩‍👩‍👧‍👧", "👨‍👨‍👧‍👧"];
        let modifiers = [Modifier::empty(), Modifier::BOLD, Modifier::CROSSED_OUT, Modifier::all()];
        let mut cells = Vec::new();
        for symbol in symbols {
            for fg in colors {
                for bg in colors {
                    cells.extend(modifiers.map(|modifier| cell(symbol, fg, bg, modifier)));
                }
            }
        }
        let codes: Vec<Code> = cells.iter().map(Code::of).collect();
        for (code, cell) in codes.iter().zip(&cells) {
            assert_eq!(codes.iter().filter(|other| *other == code).count(), 1, "{cell:?}");
            let same = codes.iter().zip(&cells).filter(|(other, _)| code.has_colors_of(**other));
            assert!(same.map(|(_, other)| other).all(|other| (other.fg, other.bg) == (cell.fg, cell.bg)));
            assert_eq!(code.bytes(), cell.symbol().len().min(8) as u32, "{cell:?}");
        }
        assert_eq!(Code::of(&Cell::EMPTY), Code::BLANK);
    }
}
