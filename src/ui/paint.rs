//! The only code that writes cells of the screen: safe text and the program's own glyphs, within an area, in
//! the terminal's character set.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::app::view::geometry::Area;
use proftui_base::saturate::saturate;
use proftui_base::text::{SafeText, graphemes};

use super::theme::{Detail, Theme, Token};

/// Blocks of 0 to 8 eighths of a cell's height.
pub(super) const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Blocks of 0 to 8 eighths of a cell's width, from the left.
pub(super) const LEFT: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Makes `cell` the glyph without style if that is a blank or a block of eighths of a cell's height; else
/// returns false and leaves `cell`.
#[inline]
fn copy_glyph(cell: &mut Cell, glyph: char) -> bool {
    // Constants: a text that is made here would be read again before the processor has stored all of it,
    // which takes longer.
    match glyph {
        ' ' => *cell = const { Cell::EMPTY },
        '▁' => *cell = const { Cell::new("▁") },
        '▂' => *cell = const { Cell::new("▂") },
        '▃' => *cell = const { Cell::new("▃") },
        '▄' => *cell = const { Cell::new("▄") },
        '▅' => *cell = const { Cell::new("▅") },
        '▆' => *cell = const { Cell::new("▆") },
        '▇' => *cell = const { Cell::new("▇") },
        '█' => *cell = const { Cell::new("█") },
        _ => return false,
    }
    true
}

/// Writes text, glyphs and styles into an area of a buffer; positions count from the area's top left corner,
/// and writes outside the area are dropped.
pub(super) struct Painter<'a> {
    buf: &'a mut Buffer,
    area: Rect,
    /// True once a wide character was written.
    has_wide: bool,
    pub theme: &'a Theme,
}

impl<'a> Painter<'a> {
    /// A painter for the part of `area` that is in `buf`, which must have no wide characters there.
    pub(super) fn new(buf: &'a mut Buffer, area: Rect, theme: &'a Theme) -> Self {
        let area = area.intersection(buf.area);
        Self { buf, area, has_wide: false, theme }
    }

    /// The painter's whole area, with its top left corner at (0, 0).
    pub(super) fn area(&self) -> Area {
        Area { x: 0, y: 0, width: self.area.width, height: self.area.height }
    }

    fn cell(&mut self, x: u16, y: u16) -> Option<&mut Cell> {
        if x >= self.area.width || y >= self.area.height {
            return None;
        }
        let of = self.buf.area;
        let (x, y) = (self.area.x - of.x + x, self.area.y - of.y + y);
        self.buf.content.get_mut(usize::from(y) * usize::from(of.width) + usize::from(x))
    }

    /// Writes a character of one column into a cell.
    fn set(&mut self, x: u16, y: u16, c: char, style: Style) {
        let Some(cell) = self.cell(x, y) else { return };
        let (fg, bg, modifier) = (cell.fg, cell.bg, cell.modifier);
        if copy_glyph(cell, c) {
            (cell.fg, cell.bg, cell.modifier) = (fg, bg, modifier);
        } else {
            cell.set_char(c);
        }
        cell.set_style(style);
    }

    /// Prepares for writing `columns` columns at (x, y): blanks the halves of wide characters that would
    /// remain at both ends.
    fn split_wide(&mut self, x: u16, y: u16, columns: u16) {
        if !self.has_wide {
            return;
        }
        let is_half = |painter: &mut Self, x| painter.cell(x, y).is_some_and(|cell| cell.symbol().is_empty());
        let mut left = x;
        while left > 0 && is_half(self, left) {
            left -= 1;
        }
        let mut right = x.saturating_add(columns);
        while is_half(self, right) {
            right += 1;
        }
        for at in (left..x).chain(x.saturating_add(columns)..right) {
            if let Some(cell) = self.cell(at, y) {
                cell.set_symbol(" ");
            }
        }
    }

    /// Writes one of the program's own glyphs, or its ASCII substitute if the terminal shows only ASCII.
    pub(super) fn glyph(&mut self, x: u16, y: u16, glyph: char, style: Style) {
        let glyph = if self.theme.utf8 { glyph } else { ascii(glyph) };
        self.split_wide(x, y, 1);
        self.set(x, y, glyph, style);
    }

    /// Draws a cell filled from its bottom to so many eighths of its height. Over a slow link it is filled
    /// from half its height on, and else shows a line of one byte.
    pub(super) fn bar(&mut self, x: u16, y: u16, eighths: usize, block: Style, partial: Style) {
        let is_thin = self.theme.detail > Detail::Full;
        match eighths {
            8 => self.glyph(x, y, ' ', block),
            4.. if is_thin => self.glyph(x, y, ' ', block),
            1.. if is_thin => self.glyph(x, y, '_', partial),
            eighths => self.glyph(x, y, EIGHTHS[eighths.min(8)], partial),
        }
    }

    /// Draws a strip over an area, each column filled from the bottom to so many eighths of a cell's height.
    pub(super) fn strip(&mut self, area: Area, eighths: &[usize], token: Token) {
        let (block, text) = (self.theme.block(token, false), self.theme.text(token));
        let is_thin = self.theme.detail > Detail::Full && self.theme.has_colors();
        for (y, below) in (area.y..area.y + area.height).rev().zip((0..).step_by(8)) {
            for (x, &filled) in (area.x..).zip(eighths) {
                let filled = filled.saturating_sub(below).min(8);
                if is_thin {
                    self.bar(x, y, filled, block, text);
                } else {
                    self.glyph(x, y, EIGHTHS[filled], text);
                }
            }
        }
    }

    /// Applies a style to an area, keeping its text.
    pub(super) fn style(&mut self, area: Area, style: Style) {
        for y in area.y..area.y.saturating_add(area.height) {
            for x in area.x..area.x.saturating_add(area.width) {
                if let Some(cell) = self.cell(x, y) {
                    cell.set_style(style);
                }
            }
        }
    }

    /// True when the cell is a blank without background colour and not reversed.
    pub(super) fn is_blank(&mut self, x: u16, y: u16) -> bool {
        self.cell(x, y).is_some_and(|cell| {
            cell.symbol() == " "
                && cell.bg == ratatui::style::Color::Reset
                && !cell.modifier.contains(ratatui::style::Modifier::REVERSED)
        })
    }

    /// True when the cell shows a letter, a digit or ASCII punctuation.
    pub(super) fn has_text(&mut self, x: u16, y: u16) -> bool {
        self.cell(x, y).is_some_and(|cell| {
            cell.symbol().chars().any(|c| c.is_alphanumeric() || c.is_ascii_punctuation())
        })
    }

    /// True when the cell shows a vertical line without background colour, such as that of the time cursor.
    pub(super) fn is_cursor(&mut self, x: u16, y: u16) -> bool {
        let line = if self.theme.utf8 { "│" } else { "|" };
        self.cell(x, y).is_some_and(|cell| cell.symbol() == line && cell.bg == ratatui::style::Color::Reset)
    }

    /// True when the cell is a blank, of whatever colour.
    pub(super) fn is_plain(&mut self, x: u16, y: u16) -> bool {
        self.cell(x, y).is_some_and(|cell| cell.symbol() == " ")
    }

    /// Writes as much of the text at (x, y) as fits `width` columns, with ASCII substitutes if the terminal
    /// shows only ASCII; returns the column after what was written.
    pub(super) fn text(&mut self, x: u16, y: u16, width: u16, text: &SafeText<'_>, style: Style) -> u16 {
        let end = x.saturating_add(width).min(self.area.width);
        let utf8 = self.theme.utf8;
        let mut at = x;
        if text.as_str().is_ascii() {
            // Nearly all text is plain: a column for each character.
            self.split_wide(x, y, end.saturating_sub(x).min(saturate::<u16>(text.as_str().len())));
            for (x, byte) in (x..end).zip(text.as_str().bytes()) {
                self.set(x, y, byte.into(), style);
                at = x + 1;
            }
            return at;
        }
        for grapheme in graphemes(text.as_str()) {
            let columns = if grapheme.len() == 1 { 1 } else { saturate::<u16>(grapheme.width()) };
            if columns == 0 || at + columns > end {
                break;
            }
            self.split_wide(at, y, columns);
            let Some(cell) = self.cell(at, y) else { break };
            if utf8 || grapheme.is_ascii() {
                cell.set_symbol(grapheme).set_style(style);
            } else {
                cell.set_char(grapheme.chars().next().map_or('?', ascii)).set_style(style);
            }
            self.has_wide |= columns > 1;
            for after in 1..columns {
                if let Some(cell) = self.cell(at + after, y) {
                    cell.set_symbol(if utf8 { "" } else { "?" }).set_style(style);
                }
            }
            at += columns;
        }
        at
    }

    /// Writes a text as [`Self::text`] does, with unsafe characters escaped.
    pub(super) fn str(&mut self, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
        self.text(x, y, width, &SafeText::new(text), style)
    }

    /// Resets an area to blanks without style.
    pub(super) fn clear(&mut self, area: Area) {
        for y in area.y..area.y.saturating_add(area.height) {
            self.split_wide(area.x, y, area.width);
            for x in area.x..area.x.saturating_add(area.width) {
                if let Some(cell) = self.cell(x, y) {
                    cell.reset();
                }
            }
        }
    }

    /// Draws an empty box with a frame and a title; returns the area inside the frame.
    pub(super) fn frame(&mut self, area: Area, title: &SafeText<'_>) -> Area {
        self.clear(area);
        let style = self.theme.text(Token::Dim);
        let (right, bottom) = (area.x + area.width.saturating_sub(1), area.y + area.height.saturating_sub(1));
        for x in area.x..=right {
            self.glyph(x, area.y, '─', style);
            self.glyph(x, bottom, '─', style);
        }
        for y in area.y..=bottom {
            self.glyph(area.x, y, '│', style);
            self.glyph(right, y, '│', style);
        }
        for (x, y, corner) in
            [(area.x, area.y, '┌'), (right, area.y, '┐'), (area.x, bottom, '└'), (right, bottom, '┘')]
        {
            self.glyph(x, y, corner, style);
        }
        let room = area.width.saturating_sub(4);
        let title = title.elide_end(room as usize);
        self.text(area.x + 2, area.y, room, &title, self.theme.text(Token::Title));
        Area {
            x: area.x + 1,
            y: area.y + 1,
            width: area.width.saturating_sub(2),
            height: area.height.saturating_sub(2),
        }
    }
}

/// The ASCII substitute for a glyph, `?` if there is none.
fn ascii(glyph: char) -> char {
    match glyph {
        ' '..='~' => glyph,
        '█' | '▇' | '▆' | '▉' | '▊' => '#',
        '▅' | '▄' | '▋' | '▌' => '=',
        '▃' | '▂' | '▍' | '▎' | '─' | '━' | '–' => '-',
        '▁' => '_',
        '▏' | '│' | '┊' | '┃' | '╷' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╰' | '╭' | '✓' => '+',
        '▾' | '▼' | '↓' => 'v',
        '▸' | '▶' | '›' | '→' => '>',
        '◀' | '←' | '‹' => '<',
        '↑' | '▲' => '^',
        '…' => '~',
        '·' => '.',
        '◆' | '●' => '*',
        '○' => 'o',
        'µ' => 'u',
        _ => '?',
    }
}
