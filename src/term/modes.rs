//! Owns the list of the terminal's modes that the program switches on, and the control sequences that switch them on and off.
//! Must not know when that happens or who writes them. Nothing here allocates: a signal handler uses it, too.

/// Control sequences that end whatever an interrupted frame left open: a half-written escape sequence, a synchronized update,
/// colours.
const CALM: &str = "\x18\x1b[?2026l\x1b[0m";

/// A mode of the terminal that is switched on and has to be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Line settings: no echo, no lines, no signals by keys. Has no control sequence.
    Raw = 1,
    AltScreen = 2,
    HiddenCursor = 4,
    Paste = 8,
    Mouse = 16,
}

impl Mode {
    /// All modes, in the order in which they are switched on.
    const ALL: [Self; 5] = [Self::Raw, Self::AltScreen, Self::HiddenCursor, Self::Mouse, Self::Paste];

    pub(super) const fn on(self) -> &'static str {
        match self {
            Self::Raw => "",
            Self::AltScreen => "\x1b[?1049h",
            Self::HiddenCursor => "\x1b[?25l",
            Self::Paste => "\x1b[?2004h",
            // Buttons, movement while one is down; positions as decimal numbers.
            Self::Mouse => "\x1b[?1002h\x1b[?1006h",
        }
    }

    pub(super) const fn off(self) -> &'static str {
        match self {
            Self::Raw => "",
            Self::AltScreen => "\x1b[?1049l",
            Self::HiddenCursor => "\x1b[?25h",
            Self::Paste => "\x1b[?2004l",
            Self::Mouse => "\x1b[?1006l\x1b[?1002l",
        }
    }
}

/// A set of modes, as one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ModeSet(u8);

impl ModeSet {
    /// The modes of a running explorer without an open prompt.
    pub(super) const ENTERED: Self = Self(Mode::Raw as u8 | Mode::AltScreen as u8 | Mode::HiddenCursor as u8);

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

    /// The control sequences that switch these modes on.
    pub(super) fn on(self) -> Sequence {
        let modes = Mode::ALL.into_iter().filter(|mode| self.contains(*mode));
        modes.fold(Sequence::default(), |text, mode| text.then(mode.on()))
    }

    /// The control sequences that end an interrupted frame and switch these modes off, in the opposite order.
    pub(super) fn off(self) -> Sequence {
        let modes = Mode::ALL.into_iter().rev().filter(|mode| self.contains(*mode));
        modes.fold(Sequence::default().then(CALM), |text, mode| text.then(mode.off()))
    }
}

/// A text of control sequences in an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { bytes: [0; Self::CAPACITY], len: 0 }
    }
}

impl Sequence {
    /// Room for [`CALM`] and the sequence of every mode; a test holds it.
    const CAPACITY: usize = 80;

    fn then(mut self, text: &str) -> Self {
        for (slot, byte) in self.bytes[self.len..].iter_mut().zip(text.bytes()) {
            *slot = byte;
        }
        self.len = (self.len + text.len()).min(Self::CAPACITY);
        self
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_switched_on_is_switched_off_in_the_opposite_order() {
        let all = ModeSet::ENTERED.with(Mode::Paste).with(Mode::Mouse);
        assert_eq!(all.on().bytes(), b"\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h");
        let off = b"\x18\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?25h\x1b[?1049l";
        assert_eq!(all.off().bytes(), off);
        assert!(all.off().bytes().len() < Sequence::CAPACITY);
        assert_eq!(all.without(Mode::Paste).without(Mode::Mouse), ModeSet::ENTERED);
        assert_eq!(ModeSet::from_bits(all.bits()), all);
        assert!(ModeSet::default().is_empty() && ModeSet::default().on().bytes().is_empty());
    }
}
