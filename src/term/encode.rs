//! Owns the bytes of a frame: the fewest by which the terminal shows the next screen instead of the one
//! before.
//!
//! A line that is the earlier one moved sideways, as by a pan, is moved by the terminal itself, and lines
//! that scroll, too (`shift`). Of the cells that differ then, only what differs is sent: the cursor goes
//! there by the shortest sequence (`cursor`), an attribute is sent when it changes (`pen`), and a long blank
//! is erased instead of written. Sequences that not every terminal has are not used: no repetition (REP), and
//! blanks are erased on the default background only, since terminals differ in the colour that erasing
//! leaves.
//!
//! Clearing the screen, attributes and colours are crossterm's commands and numbers (`pen`). What is written
//! for each cell is our own: crossterm moves the cursor by line and column where one number, or none, would
//! do, and has no commands that move parts of a line.
//!
//! Must not know what is drawn, nor when or by whom the bytes are written.

mod code;
mod cursor;
mod decimal;
mod lines;
mod look;
mod pen;
mod shift;
mod tidy;

use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{Clear, ClearType};
use ratatui::buffer::{Buffer, Cell};

use super::command::ansi;
use code::{Code, Screen};
use cursor::Cursor;
use decimal::decimal;
pub use lines::lines;
use pen::Pen;
use proftui_base::saturate::saturate;
use tidy::tidy;

/// The fewest blanks within a line that may be erased (ECH) instead of written.
const LONG_BLANK: usize = 10;

/// Keeps the screen that the terminal shows, and encodes each next screen as the bytes that make the terminal
/// show that instead.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// The cells that the terminal shows if `is_known`.
    shown: Screen,
    /// The cells of the frame that is being encoded; of no use between frames.
    next: Screen,
    /// False if the terminal may show something else than `shown`, so that the next frame clears the screen.
    is_known: bool,
    pen: Pen,
    cursor: Cursor,
    /// True if the terminal can move and erase parts of a line (ICH, DCH, ECH), insert and delete lines.
    can_edit: bool,
    has_colours: bool,
}

impl Encoder {
    /// An encoder for a screen of this size, in columns and lines. `can_edit` says that the terminal can
    /// insert and delete characters and lines, and erase characters.
    pub fn new(size: (u16, u16), can_edit: bool, has_colours: bool) -> Self {
        let blank = || Screen::blank(size);
        let (pen, cursor) = (Pen::default(), Cursor::default());
        Self { shown: blank(), next: blank(), is_known: false, pen, cursor, can_edit, has_colours }
    }

    /// Sets the size, in columns and lines; the next frame clears the screen first.
    pub fn resize(&mut self, size: (u16, u16)) {
        (self.shown, self.next) = (Screen::blank(size), Screen::blank(size));
        self.is_known = false;
    }

    /// Makes the next frame clear the screen first.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// True if the next frame clears the screen first.
    pub fn is_stale(&self) -> bool {
        !self.is_known
    }

    /// Appends to `out` the bytes that make the terminal show `next`, which must have the encoder's size.
    /// Changes the cells of `next` to what the terminal can show.
    pub fn frame(&mut self, next: &mut Buffer, out: &mut Vec<u8>) {
        let width = self.next.width.max(1);
        for (cells, codes) in next.content.chunks_mut(width).zip(self.next.cells.chunks_mut(width)) {
            tidy(cells, self.has_colours, codes);
        }
        self.next.hash();
        if !self.is_known {
            out.extend_from_slice(ansi(&SetAttribute(Attribute::Reset)).as_bytes());
            out.extend_from_slice(ansi(&Clear(ClearType::All)).as_bytes());
            self.shown.cells.fill(Code::BLANK);
            self.pen.was_reset();
            self.cursor = Cursor::default();
            self.is_known = true;
        } else if self.can_edit {
            shift::lines(&mut self.shown, &self.next, &mut self.pen, &mut self.cursor, out);
            shift::columns(&mut self.shown, &self.next, &mut self.pen, &mut self.cursor, out);
        }
        for (y, cells) in next.content.chunks(width).enumerate() {
            if self.shown.line(y) != self.next.line(y) {
                self.line(saturate::<u16>(y), cells, out);
            }
        }
        std::mem::swap(&mut self.shown, &mut self.next);
    }

    /// Appends the bytes that make the terminal show `cells`, after [`tidy`], in line `y`.
    fn line(&mut self, y: u16, cells: &[Cell], out: &mut Vec<u8>) {
        let width = cells.len();
        let (shown, next) = (self.shown.line(y.into()), self.next.line(y.into()));
        let mut at = 0;
        while at < width {
            let end = group_end(shown, next, at);
            if (at..end).all(|x| shown[x] == next[x]) {
                at = end;
                continue;
            }
            if !can_write_up_to(&self.pen, &self.cursor, next, at, y) {
                self.cursor.go(saturate::<u16>(at), y, out);
            } else if let Some(x) = self.cursor.x() {
                for x in usize::from(x)..at {
                    next[x].write(&cells[x], out);
                }
                self.cursor.stay_at(saturate::<u16>(at), y);
            }
            if next[at] == Code::BLANK {
                let blank = next[at..].iter().take_while(|cell| **cell == Code::BLANK).count();
                if blank >= 4 && at + blank == width {
                    self.pen.set(Code::BLANK, out);
                    self.cursor.stay_at(saturate::<u16>(at), y);
                    out.extend_from_slice(b"\x1b[K");
                    return;
                }
                let last = (at..at + blank).rev().find(|&x| shown[x] != Code::BLANK);
                let erased = last.map_or(0, |last| last + 1 - at);
                if erased >= LONG_BLANK
                    && self.can_edit
                    && group_end(shown, next, at + erased - 1) == at + erased
                {
                    self.pen.set(Code::BLANK, out);
                    self.cursor.stay_at(saturate::<u16>(at), y);
                    out.extend_from_slice(b"\x1b[");
                    decimal(saturate::<u16>(erased), out);
                    out.push(b'X');
                    at += erased;
                    continue;
                }
            }
            for (x, code) in (at..end).zip(&next[at..end]).filter(|(_, code)| !code.is_covered()) {
                self.cursor.go(saturate::<u16>(x), y, out);
                self.pen.set(*code, out);
                code.write(&cells[x], out);
                self.cursor.wrote(saturate::<u16>(x), y, code.is_surely_narrow() && x + 1 < width);
            }
            at = end;
            if self.cursor.x() == Some(saturate::<u16>(at)) {
                at = write_on(shown, next, cells, at, out);
                self.cursor.stay_at(saturate::<u16>(at), y);
            }
        }
    }
}

/// Appends cells from column `at` on, all of which change and need no more than their texts, but never the
/// last of the line. Returns the column behind them.
fn write_on(shown: &[Code], next: &[Code], cells: &[Cell], mut at: usize, out: &mut Vec<u8>) -> usize {
    // Not the last column: where the cursor is behind it differs.
    while at + 1 < next.len()
        && shown[at] != next[at]
        && next[at].can_follow(next[at - 1])
        && !shown[at].is_covered()
        && !shown[at + 1].is_covered()
    {
        next[at].write(&cells[at], out);
        at += 1;
    }
    at
}

/// True if writing the cells from the cursor to before column `at` of line `y` surely takes no more bytes
/// than moving the cursor.
fn can_write_up_to(pen: &Pen, cursor: &Cursor, next: &[Code], at: usize, y: u16) -> bool {
    let Some(x) = cursor.x().filter(|&x| cursor.is_in(y) && usize::from(x) <= at) else {
        return false;
    };
    let between = &next[usize::from(x)..at];
    between.len() <= 3
        && between.iter().map(|cell| cell.bytes()).sum::<u32>() <= 3
        && between.iter().all(|cell| pen.suits(*cell) && cell.is_surely_narrow())
}

/// The column behind the cell at `at` and the cells after it that a wide character covers, on the shown or
/// the next line.
fn group_end(shown: &[Code], next: &[Code], at: usize) -> usize {
    let is_covered = |x: &usize| shown[*x].is_covered() || next[*x].is_covered();
    (at + 1..next.len()).find(|x| !is_covered(x)).unwrap_or(next.len())
}

#[cfg(test)]
mod tests;
