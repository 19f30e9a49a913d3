//! The attributes that the terminal writes with, and the shortest change of them (SGR). Must not know where
//! anything is written.
//!
//! The numbers of attributes and of colours are crossterm's. Three things are our own, since over SSH bytes
//! are time: one sequence for all that changes, where crossterm has one for each; `3N` and `9N` for the
//! sixteen colours of the palette, which crossterm writes as `38;5;N`, and which terminals without more know,
//! too; and the changes made before, so that a frame formats no number twice.

use crossterm::style::{Attribute, Color, Colored, force_color_output};
use ratatui::style::Modifier;
use rustc_hash::FxHashMap;

use super::code::Code;
use super::look::{Look, in_palette};

/// Each attribute of a cell, with the attributes that switch it on and off in the terminal.
const ATTRIBUTES: [(Modifier, Attribute, Attribute); 9] = [
    (Modifier::BOLD, Attribute::Bold, Attribute::NormalIntensity),
    (Modifier::DIM, Attribute::Dim, Attribute::NormalIntensity),
    (Modifier::ITALIC, Attribute::Italic, Attribute::NoItalic),
    (Modifier::UNDERLINED, Attribute::Underlined, Attribute::NoUnderline),
    (Modifier::SLOW_BLINK, Attribute::SlowBlink, Attribute::NoBlink),
    (Modifier::RAPID_BLINK, Attribute::RapidBlink, Attribute::NoBlink),
    (Modifier::REVERSED, Attribute::Reverse, Attribute::NoReverse),
    (Modifier::HIDDEN, Attribute::Hidden, Attribute::NoHidden),
    (Modifier::CROSSED_OUT, Attribute::CrossedOut, Attribute::NotCrossedOut),
];

/// The most sequences that a [`Pen`] keeps before it drops all of them.
// A theme has about a hundred looks, few of which follow each other.
const KEPT: usize = 4096;

/// The colours and attributes with which the terminal writes now, as far as known.
#[derive(Clone, Debug, Default)]
pub(super) struct Pen {
    look: Option<Look>,
    /// Sequences kept to be used again, by the look before and the look after.
    changes: FxHashMap<(Look, Look), Box<[u8]>>,
}

impl Pen {
    /// The pen after the sequence `SGR 0`: the terminal's own colours and no attributes.
    pub(super) fn reset() -> Self {
        Self { look: Some(Look::DEFAULT), ..Self::default() }
    }

    /// Notes that the sequence `SGR 0` was written: the terminal's own colours and no attributes.
    pub(super) fn was_reset(&mut self) {
        self.look = Some(Look::DEFAULT);
    }

    /// True if the cell can be written without a change of colours and attributes; false while these are
    /// unknown.
    pub(super) fn suits(&self, cell: Code) -> bool {
        self.look.is_some_and(|look| look == wanted(look, cell))
    }

    /// Appends the sequence, if one is needed, that sets the terminal's colours and attributes for writing
    /// `cell`.
    pub(super) fn set(&mut self, cell: Code, out: &mut Vec<u8>) {
        self.set_look(wanted(self.look.unwrap_or_default(), cell), out);
    }

    /// Appends the sequence, if one is needed, that sets back all colours and attributes.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        self.set_look(Look::DEFAULT, out);
    }

    fn set_look(&mut self, new: Look, out: &mut Vec<u8>) {
        match self.look.replace(new) {
            Some(old) if old == new => {}
            Some(old) => {
                if self.changes.len() >= KEPT {
                    self.changes.clear();
                }
                out.extend_from_slice(self.changes.entry((old, new)).or_insert_with(|| change(old, new)));
            }
            None => sequence(&anew(new), out),
        }
    }
}

/// The look to set before `cell` is written, if `old` is set now.
fn wanted(old: Look, cell: Code) -> Look {
    if cell.is_blank() { old.for_blank(cell.look) } else { cell.look }
}

/// A short sequence (SGR) that changes the look `old` to `new`.
fn change(old: Look, new: Look) -> Box<[u8]> {
    let (changes, mut anew) = (numbers(old, new), anew(new));
    // A mere reset needs no number.
    if new == Look::DEFAULT {
        anew.clear();
    }
    let mut out = Vec::new();
    sequence(if anew.len() < changes.len() { &anew } else { &changes }, &mut out);
    out.into()
}

/// Appends the sequence (SGR) with these numbers.
fn sequence(numbers: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[");
    out.extend_from_slice(numbers.as_bytes());
    out.push(b'm');
}

/// The numbers (SGR), separated by `;`, that set everything back, and then set `new`.
fn anew(new: Look) -> String {
    let numbers = numbers(Look::DEFAULT, new);
    let mut anew = Attribute::Reset.sgr();
    if !numbers.is_empty() {
        anew.push(';');
        anew.push_str(&numbers);
    }
    anew
}

/// The numbers (SGR), separated by `;`, that change one look to another; empty if nothing differs.
fn numbers(old: Look, new: Look) -> String {
    let mut numbers = Vec::new();
    let gone = old.modifier().difference(new.modifier());
    let mut kept = old.modifier();
    for (modifier, _, off) in ATTRIBUTES {
        if gone.contains(modifier) && kept.contains(modifier) {
            numbers.push(off.sgr());
            // One number ends both bold and dim.
            for (other, _, also) in ATTRIBUTES {
                if also == off {
                    kept.remove(other);
                }
            }
        }
    }
    for (modifier, on, _) in ATTRIBUTES {
        if new.modifier().contains(modifier) && !kept.contains(modifier) {
            numbers.push(on.sgr());
        }
    }
    if old.fg() != new.fg() {
        numbers.push(colour(new.fg(), 0, Colored::ForegroundColor));
    }
    if old.bg() != new.bg() {
        numbers.push(colour(new.bg(), 10, Colored::BackgroundColor));
    }
    numbers.join(";")
}

/// The numbers (SGR) that set the colour of the text (`beyond` 0, `ground` `ForegroundColor`) or of the
/// background (10, `BackgroundColor`).
fn colour(colour: Color, beyond: u8, ground: fn(Color) -> Colored) -> String {
    match in_palette(colour) {
        Some(number @ ..8) => (30 + beyond + number).to_string(),
        Some(number) => (90 - 8 + beyond + number).to_string(),
        None => {
            // Whether there are colours is decided in `caps`, where `--color` goes before NO_COLOR. Crossterm
            // would write nothing.
            force_color_output(true);
            ground(colour).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Cell;
    use ratatui::style::Color;

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
            pen.set(Code::of(&cell), &mut out);
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
