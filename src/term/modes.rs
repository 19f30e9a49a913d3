//! Owns the list of the terminal's modes that the program switches on, and the commands of crossterm that
//! switch them on and off. Must not know when that happens or who writes them. `last` has the same bytes for
//! a signal handler.
//!
//! The mouse reports buttons, and movement with a button down, by commands of our own: crossterm's
//! `EnableMouseCapture` also switches on the reports of every movement (mode 1003), about ten bytes for each
//! cell that the mouse passes, for which the explorer has no use. The focus (`EnableFocusChange`) is not
//! reported: nothing depends on it. Reports of another program's modes are read and dropped.

use std::fmt;

use crossterm::Command;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags,
};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen};

use super::command::ansi;

/// The character that ends a half-written escape sequence.
const CANCEL: &str = "\x18";
/// The flags by which the terminal reports keys without ambiguity, and with the keys of other layouts.
// Escape then begins no other sequence and need not be waited out; Control and the key of C is Ctrl-C in a
// Cyrillic layout, too. Terminals that do not know this ignore it.
const KEYBOARD: KeyboardEnhancementFlags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
    .union(KeyboardEnhancementFlags::REPORT_ALTERNATE_KEYS);

/// A mode of the terminal that the program switches on and has to switch off again. Its number is its bit in
/// a [`ModeSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Raw mode of the line settings: input is not echoed, does not wait for whole lines, and makes no
    /// signals.
    Raw = 1,
    AltScreen = 2,
    HiddenCursor = 4,
    Paste = 8,
    Mouse = 16,
    /// The terminal reports Escape and keys with Control or Alt as numbers, if it can.
    // A terminal keeps this mode for the main and the alternate screen apart.
    Keyboard = 32,
}

impl Mode {
    /// All modes, in the order in which [`ModeSet::on`] switches them on.
    pub(super) const ALL: [Self; 6] =
        [Self::Raw, Self::AltScreen, Self::Keyboard, Self::HiddenCursor, Self::Mouse, Self::Paste];

    pub(super) fn on(self) -> String {
        match self {
            Self::Raw => String::new(),
            Self::AltScreen => ansi(&EnterAlternateScreen),
            Self::Keyboard => ansi(&PushKeyboardEnhancementFlags(KEYBOARD)),
            Self::HiddenCursor => ansi(&Hide),
            Self::Mouse => ansi(&ReportButtons),
            Self::Paste => ansi(&EnableBracketedPaste),
        }
    }

    pub(super) fn off(self) -> String {
        match self {
            Self::Raw => String::new(),
            Self::AltScreen => ansi(&LeaveAlternateScreen),
            Self::Keyboard => ansi(&PopKeyboardEnhancementFlags),
            Self::HiddenCursor => ansi(&Show),
            Self::Mouse => ansi(&ReportNoButtons),
            Self::Paste => ansi(&DisableBracketedPaste),
        }
    }
}

/// The command by which the terminal reports the mouse's buttons, and its movement while a button is down,
/// with positions as decimal numbers.
struct ReportButtons;

impl Command for ReportButtons {
    fn write_ansi(&self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str("\x1b[?1002h\x1b[?1006h")
    }
}

/// The command that ends what [`ReportButtons`] begins.
struct ReportNoButtons;

impl Command for ReportNoButtons {
    fn write_ansi(&self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str("\x1b[?1006l\x1b[?1002l")
    }
}

/// A set of modes, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ModeSet(u8);

impl ModeSet {
    /// The modes that entering the terminal switches on: all but paste and mouse.
    pub(super) const ENTERED: Self =
        Self(0).with(Mode::Raw).with(Mode::AltScreen).with(Mode::Keyboard).with(Mode::HiddenCursor);

    pub(super) const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn contains(self, mode: Mode) -> bool {
        self.0 & mode as u8 != 0
    }

    pub(super) const fn with(self, mode: Mode) -> Self {
        Self(self.0 | mode as u8)
    }

    pub(super) const fn without(self, mode: Mode) -> Self {
        Self(self.0 & !(mode as u8))
    }

    /// The control sequences that switch these modes on, in the order of [`Mode::ALL`]; raw mode has none.
    pub(super) fn on(self) -> String {
        Mode::ALL.into_iter().filter(|mode| self.contains(*mode)).map(Mode::on).collect()
    }

    /// The control sequences that end what an interrupted frame may have left open, and switch these modes
    /// off.
    pub(super) fn off(self) -> String {
        let calm = [CANCEL.to_owned(), ansi(&EndSynchronizedUpdate), ansi(&SetAttribute(Attribute::Reset))];
        let modes = Mode::ALL.into_iter().rev().filter(|mode| self.contains(*mode));
        calm.into_iter().chain(modes.map(Mode::off)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_switched_on_is_switched_off_in_the_opposite_order() {
        let all = ModeSet::ENTERED.with(Mode::Paste).with(Mode::Mouse);
        assert_eq!(all.on(), "\x1b[?1049h\x1b[>5u\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h");
        let off = "\x18\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?25h\x1b[<1u\x1b[?1049l";
        assert_eq!(all.off(), off);
        assert_eq!(all.without(Mode::Paste).without(Mode::Mouse), ModeSet::ENTERED);
        assert_eq!(ModeSet::from_bits(all.bits()), all);
        assert!(ModeSet::default().is_empty() && ModeSet::default().on().is_empty());
    }
}
