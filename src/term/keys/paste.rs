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

/// The control sequence that a terminal sends at the end of pasted text.
const END: &[u8] = b"\x1b[201~";
/// What terminals usually send for Ctrl-C: a byte, or a sequence with the number of `c`.
const CTRL_C: [&[u8]; 2] = [b"\x03", b"\x1b[99;5u"];
/// The most bytes of a paste that become text; further bytes are dropped.
pub(super) const LONGEST_PASTE: usize = 1 << 20;
/// How many of the last bytes of a paste that is too long are kept, to find its end or a Ctrl-C in them.
const TAIL: usize = 16;
/// The time without a further byte after which a Ctrl-C in a paste counts as the key.
const MOMENT: Duration = Duration::from_millis(20);
/// The time without a further byte after which a paste counts as ended.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// A paste, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Paste {
    /// The pasted bytes; of a paste that is too long, its first [`LONGEST_PASTE`] and its last [`TAIL`]
    /// bytes.
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Paste {
    /// Adds `bytes` to the paste, up to its end. Returns how many of `bytes` belong to the paste and its end
    /// mark; `None` if the paste goes on.
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

    /// True if the last bytes that have come are a Ctrl-C.
    pub(super) fn ends_in_ctrl_c(&self) -> bool {
        CTRL_C.iter().any(|key| self.bytes.ends_with(key))
    }

    /// True if the bytes contain the terminal's answer to the question for its status (`CSI 0 n`).
    pub(super) fn has_answer(&self) -> bool {
        memmem::find(&self.bytes, b"\x1b[0n").is_some()
    }

    /// True if bytes of the paste were dropped and Ctrl-C is among its last [`TAIL`] bytes.
    pub(super) fn is_interrupted(&self) -> bool {
        self.is_cut && CTRL_C.iter().any(|key| memmem::find(&self.bytes[LONGEST_PASTE..], key).is_some())
    }

    /// How long to wait for a further byte: [`MOMENT`] behind a Ctrl-C, else [`PATIENCE`].
    pub(super) fn patience(&self) -> Duration {
        if self.ends_in_ctrl_c() { MOMENT } else { PATIENCE }
    }

    /// The paste as an event with the text of its first [`LONGEST_PASTE`] bytes at most; bytes that are not
    /// UTF-8 become U+FFFD.
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
