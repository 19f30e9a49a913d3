//! Owns a paste that has begun, and when it ends: by its mark, or, should that never come, by itself. Must
//! not know what is pasted into.
//!
//! A paste without its end would take every key for text. So Ctrl-C in it ends the program: as the last byte,
//! with nothing behind it for a moment, since pasted text may have that byte in it. And the paste ends when
//! no byte comes for some seconds. Not sooner: on a link that hangs, the rest of the text would be taken for
//! commands. For the same reason a paste that has become too long is not ended by the next byte, but its
//! further bytes are dropped until its end.

use std::time::Duration;

use crossterm::event::Event;
use memchr::memmem;

/// What ends pasted text.
const END: &[u8] = b"\x1b[201~";
/// Control and C: as a byte, and as a number, where the terminal sends keys so.
const CTRL_C: [&[u8]; 2] = [b"\x03", b"\x1b[99;5u"];
/// The most bytes that are kept of a paste.
pub(super) const LONGEST_PASTE: usize = 1 << 20;
/// How many last bytes are kept of a longer one, in which the end or a Ctrl-C may have begun.
const TAIL: usize = 16;
/// How long nothing must follow a Ctrl-C in a paste.
const MOMENT: Duration = Duration::from_millis(20);
/// How long a paste without its end waits for further bytes.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// The text of a paste, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Paste {
    /// The pasted bytes; the first [`LONGEST_PASTE`] and the last [`TAIL`] of a paste that is too long.
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Paste {
    /// Takes bytes up to the end of the paste. Returns how many of them belong to the paste, with the mark of
    /// its end; none if it has not ended.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<usize> {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let from = before.saturating_sub(END.len() - 1);
        if let Some(at) = memmem::find(&self.bytes[from..], END) {
            self.bytes.truncate(from + at);
            return Some(from + at + END.len() - before);
        }
        let excess = self.bytes.len().saturating_sub(LONGEST_PASTE + TAIL);
        if excess > 0 {
            self.is_cut = true;
            self.bytes.drain(LONGEST_PASTE..LONGEST_PASTE + excess);
        }
        None
    }

    /// True if Ctrl-C stands at the end of what has come.
    pub(super) fn ends_in_ctrl_c(&self) -> bool {
        CTRL_C.iter().any(|key| self.bytes.ends_with(key))
    }

    /// True if an answer of the terminal is in the text: of a paste without its end, what came after it.
    pub(super) fn has_answer(&self) -> bool {
        memmem::find(&self.bytes, b"\x1b[0n").is_some()
    }

    /// True if the paste is too long for any text, and Ctrl-C is among its last bytes: it may go on for ever.
    pub(super) fn is_interrupted(&self) -> bool {
        self.is_cut && CTRL_C.iter().any(|key| memmem::find(&self.bytes[LONGEST_PASTE..], key).is_some())
    }

    /// How long to wait for further bytes.
    pub(super) fn patience(&self) -> Duration {
        if self.ends_in_ctrl_c() { MOMENT } else { PATIENCE }
    }

    /// The paste as an event.
    pub(super) fn end(mut self) -> Event {
        self.bytes.truncate(LONGEST_PASTE);
        Event::Paste(String::from_utf8_lossy(&self.bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_however_the_bytes_are_cut() {
        let sent = b"one \x1b[201 two\x1b[201~q";
        for cut in 0..sent.len() - 1 {
            let mut paste = Paste::default();
            let first = paste.take(&sent[..cut]);
            assert_eq!(first, None, "{cut}");
            assert_eq!(paste.take(&sent[cut..]), Some(sent.len() - 1 - cut), "{cut}");
            assert_eq!(paste.end(), Event::Paste("one \x1b[201 two".to_owned()));
        }
    }

    #[test]
    fn a_long_paste_is_cut_and_still_finds_its_end() {
        let mut paste = Paste::default();
        for _ in 0..5 {
            assert_eq!(paste.take(&vec![b'x'; LONGEST_PASTE / 2]), None);
        }
        assert!(paste.bytes.len() <= LONGEST_PASTE + TAIL && !paste.is_interrupted());
        assert_eq!(paste.take(b"\x1b[20"), None);
        assert_eq!(paste.take(b"1~w"), Some(2));
        let Event::Paste(text) = paste.end() else { panic!("a paste") };
        assert_eq!(text.len(), LONGEST_PASTE);
    }

    #[test]
    fn ctrl_c_in_a_paste_counts_at_its_end_only_unless_it_is_too_long() {
        let mut paste = Paste::default();
        paste.take(b"a\x03b");
        assert!(!paste.ends_in_ctrl_c() && paste.patience() == PATIENCE);
        for key in CTRL_C {
            paste.take(key);
            assert!(paste.ends_in_ctrl_c() && paste.patience() == MOMENT);
            assert!(!paste.is_interrupted());
        }
        paste.take(&vec![b'x'; 2 * LONGEST_PASTE]);
        assert!(!paste.is_interrupted());
        paste.take(b"\x03x");
        assert!(paste.is_interrupted());
    }
}
