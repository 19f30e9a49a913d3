//! Owns the bytes by which a signal handler restores the terminal: those of [`ModeSet::off`], as constants
//! that are put together in an array. A handler may not run the code of crossterm, which makes texts and so
//! allocates. A test checks that both are the same bytes.

use super::modes::{Mode, ModeSet};

/// The sequences that end what an interrupted frame may have left open: a half-written escape sequence, a
/// synchronized update, colours.
const CALM: &str = "\x18\x1b[?2026l\x1b[0m";

/// The control sequences that switch the mode off; empty for raw mode, which has none.
const fn off(mode: Mode) -> &'static str {
    match mode {
        Mode::Raw => "",
        Mode::AltScreen => "\x1b[?1049l",
        Mode::Keyboard => "\x1b[<1u",
        Mode::HiddenCursor => "\x1b[?25h",
        Mode::Mouse => "\x1b[?1006l\x1b[?1002l",
        Mode::Paste => "\x1b[?2004l",
    }
}

/// The control sequences that end an interrupted frame and switch these modes off, in the opposite order of
/// [`Mode::ALL`].
pub(super) fn sequence(modes: ModeSet) -> Sequence {
    let modes = Mode::ALL.into_iter().rev().filter(|mode| modes.contains(*mode));
    modes.fold(Sequence::default().then(CALM), |text, mode| text.then(off(mode)))
}

/// Control sequences in an array of fixed size, since a signal handler may not allocate.
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
    /// The size of the array in bytes: enough for [`CALM`] and the sequences of all modes.
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
    fn a_signal_handler_writes_what_the_commands_write() {
        for modes in (0..64).map(ModeSet::from_bits) {
            assert_eq!(std::str::from_utf8(sequence(modes).bytes()), Ok(&*modes.off()), "{modes:?}");
        }
        assert!(Mode::ALL.iter().all(|mode| (*mode as u8) < 64), "all modes are among these");
    }
}
