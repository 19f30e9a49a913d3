//! Owns the bytes of a frame: the fewest by which the terminal shows the next screen instead of the one before.
//!
//! A line that is the earlier one moved sideways, as by a pan, is moved by the terminal itself, and lines that scroll, too
//! (`shift`). Of the cells that differ then, only what differs is sent: the cursor goes there by the shortest sequence
//! (`cursor`), an attribute is sent when it changes (`pen`), and a long blank is erased instead of written. Sequences that not
//! every terminal has are not used: no repetition (REP), and blanks are erased on the default background only, since terminals
//! differ in the colour that erasing leaves.
//!
//! Must not know what is drawn, nor when or by whom the bytes are written.

mod cursor;
mod lines;
mod pen;
mod shift;
mod tidy;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use cursor::Cursor;
pub use lines::lines;
use pen::Pen;
use tidy::{scrub, tidy};

/// From this many blank cells on, erasing them is shorter than writing them, with the move over them.
const LONG_BLANK: usize = 10;

/// Keeps the screen that the terminal shows, and encodes what changes.
#[derive(Debug)]
pub struct Encoder {
    /// The cells that the terminal shows, after [`tidy`].
    shown: Buffer,
    /// False if the terminal may show something else, so that the next frame clears the screen.
    is_known: bool,
    pen: Pen,
    cursor: Cursor,
    /// True if the terminal can move and erase parts of a line (ICH, DCH, ECH), insert and delete lines.
    can_edit: bool,
    has_colours: bool,
}

impl Encoder {
    /// An encoder for a screen of this size, in columns and lines. `can_edit` says that the terminal knows the sequences that
    /// a VT100 lacks: inserting, deleting and erasing characters and lines. Without `has_colours` none is sent.
    pub fn new((width, height): (u16, u16), can_edit: bool, has_colours: bool) -> Self {
        let shown = Buffer::empty(Rect::new(0, 0, width, height));
        Self { shown, is_known: false, pen: Pen::default(), cursor: Cursor::default(), can_edit, has_colours }
    }

    /// Changes the size; the next frame draws every cell.
    pub fn resize(&mut self, (width, height): (u16, u16)) {
        self.shown = Buffer::empty(Rect::new(0, 0, width, height));
        self.is_known = false;
    }

    /// Makes the next frame draw every cell, since the terminal may show something else.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// True if the next frame draws every cell.
    pub fn is_stale(&self) -> bool {
        !self.is_known
    }

    /// Appends to `out` the bytes that make the terminal show `next`, which must have the encoder's size, and keeps it as what is
    /// shown. `next` becomes the screen before, to be drawn over.
    pub fn frame(&mut self, next: &mut Buffer, out: &mut Vec<u8>) {
        for cell in &mut next.content {
            scrub(cell, self.has_colours);
        }
        tidy(next);
        if !self.is_known {
            out.extend_from_slice(b"\x1b[0m\x1b[2J");
            self.shown.reset();
            (self.pen, self.cursor) = (Pen::reset(), Cursor::default());
            self.is_known = true;
        } else if self.can_edit {
            shift::lines(&mut self.shown, next, &mut self.pen, &mut self.cursor, out);
            shift::columns(&mut self.shown, next, &mut self.pen, &mut self.cursor, out);
        }
        let width = usize::from(next.area.width);
        for y in 0..next.area.height {
            let at = usize::from(y) * width;
            if self.shown.content[at..at + width] != next.content[at..at + width] {
                self.line(y, &next.content[at..at + width], out);
            }
        }
        std::mem::swap(&mut self.shown, next);
    }

    /// Writes the cells of line `y` that differ.
    fn line(&mut self, y: u16, next: &[Cell], out: &mut Vec<u8>) {
        let width = next.len();
        let start = usize::from(y) * width;
        let mut at = 0;
        while at < width {
            let shown = &self.shown.content[start..start + width];
            let end = group_end(shown, next, at);
            if shown[at..end] == next[at..end] {
                at = end;
                continue;
            }
            if !self.can_write_up_to(next, at, y) {
                self.cursor.go(at as u16, y, out);
            } else if let Some(x) = self.cursor.x() {
                for cell in &next[usize::from(x)..at] {
                    out.extend_from_slice(cell.symbol().as_bytes());
                }
                self.cursor.stay_at(at as u16, y);
            }
            let blank = next[at..].iter().take_while(|cell| **cell == Cell::EMPTY).count();
            if blank >= 4 && at + blank == width {
                self.pen.set(&Cell::EMPTY, out);
                self.cursor.stay_at(at as u16, y);
                out.extend_from_slice(b"\x1b[K");
                return;
            }
            let differs = |(shown, next): (&Cell, &Cell)| shown != next;
            let pairs = || shown[at..at + blank].iter().zip(&next[at..at + blank]);
            let erased = pairs().rposition(differs).map_or(0, |last| last + 1);
            if erased >= LONG_BLANK && self.can_edit && group_end(shown, next, at + erased - 1) == at + erased
            {
                self.pen.set(&Cell::EMPTY, out);
                self.cursor.stay_at(at as u16, y);
                out.extend_from_slice(format!("\x1b[{erased}X").as_bytes());
                at += erased;
                continue;
            }
            for (x, cell) in (at..end).zip(&next[at..end]).filter(|(_, cell)| !cell.symbol().is_empty()) {
                self.cursor.go(x as u16, y, out);
                self.pen.set(cell, out);
                out.extend_from_slice(cell.symbol().as_bytes());
                self.cursor.wrote(x as u16, y, is_surely_narrow(cell.symbol()) && x + 1 < width);
            }
            at = end;
        }
    }

    /// True if the cells from the cursor up to column `at` can be written anew, with the attributes that are set, in fewer bytes
    /// than the cursor needs to go there.
    fn can_write_up_to(&self, next: &[Cell], at: usize, y: u16) -> bool {
        let Some(x) = self.cursor.x().filter(|&x| self.cursor.is_in(y) && usize::from(x) <= at) else {
            return false;
        };
        let between = &next[usize::from(x)..at];
        between.len() <= 4
            && between.iter().all(|cell| self.pen.suits(cell) && is_surely_narrow(cell.symbol()))
            && between.iter().map(|cell| cell.symbol().len()).sum::<usize>() <= 3
    }
}

/// The end of the group of cells that begins at `at`: those that a wide character covers on the shown or the next line are written
/// together, since a terminal clears a wide character that is overwritten in part.
fn group_end(shown: &[Cell], next: &[Cell], at: usize) -> usize {
    let is_covered = |x: &usize| shown[*x].symbol().is_empty() || next[*x].symbol().is_empty();
    (at + 1..next.len()).find(|x| !is_covered(x)).unwrap_or(next.len())
}

/// True if every terminal moves its cursor by one column for this text. After wide, combined and ambiguous characters the cursor
/// is moved by its position.
fn is_surely_narrow(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let only = chars.next().filter(|_| chars.next().is_none());
    only.is_some_and(|c| c.is_ascii() || matches!(c, '\u{a0}'..='\u{24f}' | '\u{2010}'..='\u{25ff}'))
}

#[cfg(test)]
mod tests;
