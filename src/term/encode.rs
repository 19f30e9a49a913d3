//! Makes of each drawn buffer the bytes that change what the terminal shows into it: as few as possible, since over SSH they are what
//! takes time.
//!
//! Only cells that differ are written, only attributes that differ are set. Lines that moved as a whole, as a timeline's do when it is panned
//! or scrolled, are moved by the terminal. Must not know what is drawn, or how bytes are written.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use rustc_hash::FxHasher;
use unicode_width::UnicodeWidthStr;

use super::caps::Depth;

/// A run of unchanged cells up to this long is written again where that needs no change of attributes: a move takes as many bytes.
const REWRITTEN: u16 = 3;
/// The fewest blank cells at the end of a line, or within it, that are erased instead of written.
const ERASED: u16 = 8;
/// The fewest cells of a line that must match better for the line to be moved.
const GAIN: usize = 12;
/// How many of the lines that differ most decide by how far lines moved.
const SAMPLES: usize = 3;

/// The attributes with which the terminal writes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Pen {
    const DEFAULT: Self = Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };
}

/// Makes the bytes of frames; knows what the terminal shows after them.
pub struct Encoder {
    shown: Buffer,
    is_mono: bool,
    out: String,
    pen: Pen,
    /// Where the terminal writes next; none if that is not known.
    at: Option<(u16, u16)>,
}

impl Encoder {
    /// An encoder for a terminal of this size that has been cleared.
    pub fn new(depth: Depth, size: (u16, u16)) -> Self {
        let shown = Buffer::empty(Rect::new(0, 0, size.0, size.1));
        Self { shown, is_mono: depth == Depth::Mono, out: String::new(), pen: Pen::DEFAULT, at: None }
    }

    /// The bytes that make the terminal show `next`, which has the encoder's size. The lines of `moving`, which ends at the right edge of
    /// the screen, may have moved since the last frame. Cells with control characters are shown as `?`.
    pub fn frame(&mut self, next: &Buffer, moving: Rect) -> &str {
        self.out.clear();
        self.at = None;
        let moving = moving.intersection(self.shown.area);
        if moving.right() == self.shown.area.right() && moving.width > 0 && moving.height > 1 {
            self.scroll(next, moving);
            self.shift(next, moving);
        }
        for y in 0..self.shown.area.height {
            self.line(next, y);
        }
        self.set(Pen::DEFAULT);
        self.shown.clone_from(next);
        &self.out
    }

    /// Writes the cells of a line that differ.
    fn line(&mut self, next: &Buffer, y: u16) {
        let width = self.shown.area.width;
        let (from, to) = (self.index(0, y), self.index(0, y) + usize::from(width));
        if next.content[from..to] == self.shown.content[from..to] {
            return;
        }
        let blanks = next.content[from..to].iter().rev().take_while(|cell| is_blank(cell)).count() as u16;
        let mut x = 0;
        while x < width {
            let cell = &next.content[from + usize::from(x)];
            // The right half of a wide character is written with its left half.
            if looks_same(cell, &self.shown.content[from + usize::from(x)]) || cell.symbol().is_empty() {
                x += 1;
                continue;
            }
            self.go(x, y, next);
            let run = next.content[from + usize::from(x)..to].iter().take_while(|cell| is_blank(cell)).count()
                as u16;
            if x >= width - blanks && width - x >= ERASED {
                self.set(Pen { fg: self.pen.fg, ..Pen::DEFAULT });
                self.out += "\x1b[K";
                return;
            }
            if run >= ERASED {
                self.set(Pen { fg: self.pen.fg, ..Pen::DEFAULT });
                let _ = write!(self.out, "\x1b[{run}X");
                x += run;
                continue;
            }
            x += self.cell(cell, y);
        }
    }

    /// Writes one cell; returns how many columns it takes.
    fn cell(&mut self, cell: &Cell, y: u16) -> u16 {
        let pen = Pen { fg: cell.fg, bg: cell.bg, modifier: cell.modifier };
        let hidden = self.pen.modifier & (Modifier::BOLD | Modifier::DIM);
        self.set(if is_plain(cell) { Pen { fg: self.pen.fg, bg: cell.bg, modifier: hidden } } else { pen });
        let symbol = if steers(cell.symbol()) { "?" } else { cell.symbol() };
        self.out += symbol;
        let columns = (symbol.width() as u16).max(1);
        let (x, width) = (self.at.map_or(0, |at| at.0), self.shown.area.width);
        // Behind the last column, and behind a character to which they may give another width, terminals differ in where they are.
        self.at = (x + columns < width && has_known_width(symbol)).then_some((x + columns, y));
        columns
    }

    /// Moves to a cell in the form that takes the fewest bytes.
    fn go(&mut self, x: u16, y: u16, next: &Buffer) {
        match self.at {
            Some(at) if at == (x, y) => return,
            Some((from, line)) if line == y && from < x => {
                let skipped = &next.content[self.index(from, y)..self.index(x, y)];
                let pen = self.pen;
                let is_same = |cell: &Cell| {
                    cell.symbol().len() == 1
                        && !steers(cell.symbol())
                        && pen == Pen { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
                };
                if x - from <= REWRITTEN && skipped.iter().all(is_same) {
                    skipped.iter().for_each(|cell| self.out += cell.symbol());
                } else if x - from == 1 {
                    self.out += "\x1b[C";
                } else {
                    let _ = write!(self.out, "\x1b[{}C", x - from);
                }
            }
            _ if x == 0 => {
                let _ = write!(self.out, "\x1b[{}H", y + 1);
            }
            _ => {
                let _ = write!(self.out, "\x1b[{};{}H", y + 1, x + 1);
            }
        }
        self.at = Some((x, y));
    }

    /// Sets the attributes that differ.
    fn set(&mut self, mut pen: Pen) {
        if self.is_mono {
            (pen.fg, pen.bg) = (Color::Reset, Color::Reset);
        }
        if pen == self.pen {
            return;
        }
        if pen == Pen::DEFAULT {
            self.out += "\x1b[m";
            self.pen = pen;
            return;
        }
        let start = self.out.len();
        let (on, off) = (pen.modifier - self.pen.modifier, self.pen.modifier - pen.modifier);
        let weight = Modifier::BOLD | Modifier::DIM;
        let mut codes: Vec<&str> = Vec::new();
        let mut set = on;
        if off.intersects(weight) {
            codes.push("22");
        }
        // Both together, in one order: to some terminals the last one counts.
        if (on | off).intersects(weight) {
            set |= pen.modifier & weight;
        }
        let others = [
            (Modifier::ITALIC, "3", "23"),
            (Modifier::UNDERLINED, "4", "24"),
            (Modifier::REVERSED, "7", "27"),
            (Modifier::CROSSED_OUT, "9", "29"),
        ];
        for (modifier, code) in [(Modifier::BOLD, "1"), (Modifier::DIM, "2")] {
            if set.contains(modifier) {
                codes.push(code);
            }
        }
        for (modifier, code, end) in others {
            if off.contains(modifier) {
                codes.push(end);
            }
            if set.contains(modifier) {
                codes.push(code);
            }
        }
        self.out += "\x1b[";
        self.out += &codes.join(";");
        let mut is_first = codes.is_empty();
        for (now, before, base) in [(pen.fg, self.pen.fg, 30), (pen.bg, self.pen.bg, 40)] {
            if now != before {
                if !is_first {
                    self.out.push(';');
                }
                is_first = false;
                color(&mut self.out, now, base);
            }
        }
        self.out.push('m');
        // Modifiers without a code of their own change nothing.
        if self.out.ends_with("\x1b[m") {
            self.out.truncate(start);
        }
        self.pen = pen;
    }

    fn index(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.shown.area.width) + usize::from(x)
    }

    /// Scrolls the lines of `moving`, over the whole width of the screen, if most of them moved up or down.
    fn scroll(&mut self, next: &Buffer, moving: Rect) {
        let width = usize::from(self.shown.area.width);
        let hash = |buffer: &Buffer, y: u16| {
            let mut hasher = FxHasher::default();
            let from = usize::from(y) * width;
            buffer.content[from..from + width].iter().for_each(|cell| hash_cell(cell, &mut hasher));
            hasher.finish()
        };
        let rows = moving.y..moving.bottom();
        let is_same = |y: &u16| {
            let from = usize::from(*y) * width;
            next.content[from..from + width] == self.shown.content[from..from + width]
        };
        let height = i32::from(moving.height);
        let unmoved = rows.clone().filter(is_same).count();
        if unmoved * 2 > rows.len() {
            return;
        }
        let (before, after): (Vec<u64>, Vec<u64>) =
            rows.map(|y| (hash(&self.shown, y), hash(next, y))).unzip();
        let matches = |by: i32| {
            let pairs = (0..height).filter_map(|y| Some((y, usize::try_from(y + by).ok()?)));
            pairs.filter(|&(y, from)| before.get(from) == Some(&after[y as usize])).count()
        };
        let best = (1 - height..height).filter(|&by| by != 0).max_by_key(|&by| (matches(by), -by.abs()));
        let Some(by) = best.filter(|&by| matches(by) >= unmoved + 3) else { return };
        self.set(Pen::DEFAULT);
        // Lines are deleted where they leave and inserted where they are missing: a scroll region would outlive a frame that is cut off.
        let lines = by.unsigned_abs() as usize;
        let (top, last) = (usize::from(moving.y) + 1, usize::from(moving.bottom()) + 1 - lines);
        let (gone, missing) = if by > 0 { (top, last) } else { (last, top) };
        let _ = write!(self.out, "\x1b[{gone}H\x1b[{lines}M\x1b[{missing}H\x1b[{lines}L");
        self.at = None;
        let lines = lines * width;
        let (from, to) = (self.index(0, moving.y), self.index(0, moving.bottom()));
        let cells = &mut self.shown.content[from..to];
        if by > 0 {
            cells.rotate_left(lines);
            let blank = cells.len() - lines;
            cells[blank..].fill(Cell::EMPTY);
        } else {
            cells.rotate_right(lines);
            cells[..lines].fill(Cell::EMPTY);
        }
    }

    /// Moves lines of `moving` sideways, from its left edge on, where more of their cells match then.
    fn shift(&mut self, next: &Buffer, moving: Rect) {
        let width = usize::from(moving.width);
        let hashes = |buffer: &Buffer, y: u16| -> Vec<u64> {
            let from = usize::from(y) * usize::from(buffer.area.width) + usize::from(moving.x);
            let hash = |cell: &Cell| {
                let mut hasher = FxHasher::default();
                hash_cell(cell, &mut hasher);
                hasher.finish()
            };
            buffer.content[from..from + width].iter().map(hash).collect()
        };
        let mut rows: Vec<(usize, u16)> = Vec::new();
        for y in moving.y..moving.bottom() {
            let (from, to) = (self.index(moving.x, y), self.index(0, y + 1));
            let (a, b) = (&self.shown.content[from..to], &next.content[from..to]);
            let differ = a.iter().zip(b).filter(|(a, b)| !looks_same(a, b)).count();
            // Half of a wide character would be left behind.
            let is_narrow = a.iter().chain(b).all(|cell| !cell.symbol().is_empty());
            if differ > GAIN && is_narrow {
                rows.push((differ, y));
            }
        }
        rows.sort_unstable_by(|a, b| b.cmp(a));
        let samples: Vec<(Vec<u64>, Vec<u64>)> =
            rows.iter().take(SAMPLES).map(|&(_, y)| (hashes(&self.shown, y), hashes(next, y))).collect();
        let matches = |(before, after): &(Vec<u64>, Vec<u64>), by: i32| {
            let distance = by.unsigned_abs() as usize;
            let (before, after) =
                if by > 0 { (&before[distance..], &after[..]) } else { (&before[..], &after[distance..]) };
            before.iter().zip(after).filter(|(a, b)| a == b).count()
        };
        let most = width as i32 * 3 / 4;
        let of_all = |by: i32| samples.iter().map(|sample| matches(sample, by)).sum::<usize>();
        let Some(by) = (-most..=most).filter(|&by| by != 0).max_by_key(|&by| (of_all(by), -by.abs())) else {
            return;
        };
        let mut lines: Vec<u16> = rows.iter().map(|&(_, y)| y).collect();
        lines.sort_unstable();
        for y in lines {
            let line = (hashes(&self.shown, y), hashes(next, y));
            let unmoved = line.0.iter().zip(&line.1).filter(|(a, b)| a == b).count();
            if matches(&line, by) < unmoved + GAIN {
                continue;
            }
            self.set(Pen::DEFAULT);
            self.go(moving.x, y, next);
            let (count, way) = (by.unsigned_abs() as usize, if by > 0 { 'P' } else { '@' });
            let _ = write!(self.out, "\x1b[{count}{way}");
            let (from, to) = (self.index(moving.x, y), self.index(0, y + 1));
            let cells = &mut self.shown.content[from..to];
            if by > 0 {
                cells.rotate_left(count);
                let blank = cells.len() - count;
                cells[blank..].fill(Cell::EMPTY);
            } else {
                cells.rotate_right(count);
                cells[..count].fill(Cell::EMPTY);
            }
        }
    }
}

fn hash_cell(cell: &Cell, hasher: &mut FxHasher) {
    if is_plain(cell) {
        return cell.bg.hash(hasher);
    }
    cell.symbol().hash(hasher);
    (cell.fg, cell.bg, cell.modifier.bits()).hash(hasher);
}

/// True for a character that takes one column in every terminal: Latin letters, punctuation, arrows, lines, blocks and shapes.
fn has_known_width(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let is_known = |c: char| matches!(c, ' '..='~' | '\u{a1}'..='\u{24f}' | '\u{2010}'..='\u{2027}' | '←'..='⇿' | '─'..='◿');
    chars.next().is_some_and(is_known) && chars.next().is_none()
}

/// True for a blank of which only the background would show, and that is the terminal's own.
fn is_blank(cell: &Cell) -> bool {
    is_plain(cell) && cell.bg == Color::Reset
}

/// True for a blank of which only the background shows.
fn is_plain(cell: &Cell) -> bool {
    cell.symbol() == " " && !cell.modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED)
}

/// True for cells that look the same, whatever colour the text of a blank would have.
fn looks_same(a: &Cell, b: &Cell) -> bool {
    a == b || is_plain(a) && is_plain(b) && a.bg == b.bg
}

/// True for text with a control character, which would steer the terminal.
fn steers(symbol: &str) -> bool {
    symbol.chars().any(char::is_control)
}

/// Writes the code of a colour; `base` is 30 for the foreground and 40 for the background.
fn color(out: &mut String, color: Color, base: u8) {
    let named = |at: u8| if at < 8 { base + at } else { base + 52 + at };
    let _ = match color {
        Color::Reset => write!(out, "{}", base + 9),
        Color::Rgb(r, g, b) => write!(out, "{};2;{r};{g};{b}", base + 8),
        Color::Indexed(index) => write!(out, "{};5;{index}", base + 8),
        color => write!(out, "{}", named(ansi(color))),
    };
}

/// The number of one of the sixteen colours.
fn ansi(color: Color) -> u8 {
    match color {
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
