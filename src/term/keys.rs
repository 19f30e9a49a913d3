//! Owns the reading of what a terminal sends: keys, pasted text, the answer to a question.
//!
//! Our own, since the keyboard libraries keep a terminal's answers to themselves, and those say when a frame has arrived
//! ([`super::pace`]). Must not know where the bytes come from, nor what a key does.

use crate::app::key::Key;
use crate::app::mouse::{Mouse, MouseAction};

/// What ends pasted text.
const PASTE_END: &[u8] = b"\x1b[201~";
/// The most bytes of a sequence; a longer one is none.
const LONGEST: usize = 64;

/// Something that a terminal sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Key(Key),
    /// Text that was pasted while bracketed paste was on. It may hold anything.
    Paste(String),
    Mouse(Mouse),
    /// The answer to the question for the terminal's status (`CSI 5 n`).
    Answer,
}

/// Reads bytes piece by piece.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Bytes that are no whole sequence yet.
    rest: Vec<u8>,
    is_pasting: bool,
}

impl Reader {
    /// Takes bytes; returns what is complete with them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.rest.extend_from_slice(bytes);
        let mut inputs = Vec::new();
        let mut at = 0;
        while let Some((len, input)) = self.next(at) {
            inputs.extend(input);
            at += len;
        }
        self.rest.drain(..at);
        inputs
    }

    /// True if bytes wait for others: for a moment only, since the first bytes of a sequence are keys, too.
    pub(super) fn is_waiting(&self) -> bool {
        !self.rest.is_empty() && !self.is_pasting
    }

    /// Takes the bytes that wait as keys, since no others came: Escape, or a character with Alt.
    pub(super) fn end(&mut self) -> Vec<Input> {
        let rest = std::mem::take(&mut self.rest);
        match rest[..] {
            [0x1b] => vec![Input::Key(Key::Esc)],
            [0x1b, byte @ b' '..=b'~'] => vec![Input::Key(Key::Alt(byte.into()))],
            _ => Vec::new(),
        }
    }

    /// The length of the sequence at `at` and what it is, if anything; none if it is not complete.
    fn next(&mut self, at: usize) -> Option<(usize, Option<Input>)> {
        let bytes = self.rest.get(at..).filter(|bytes| !bytes.is_empty())?;
        if self.is_pasting {
            let len = bytes.windows(PASTE_END.len()).position(|part| part == PASTE_END)?;
            self.is_pasting = false;
            let text = String::from_utf8_lossy(&bytes[..len]).into_owned();
            return Some((len + PASTE_END.len(), Some(Input::Paste(text))));
        }
        match bytes {
            [0x1b] => None,
            [0x1b, 0x1b, ..] => Some((1, Some(Input::Key(Key::Esc)))),
            [0x1b, b'[', b'[', rest @ ..] => {
                // The first function keys of the Linux console.
                let key = rest.first()?;
                let number = key.checked_sub(b'A').filter(|number| *number < 5);
                Some((4, number.map(|number| Input::Key(Key::F(number + 1)))))
            }
            [0x1b, b'[', rest @ ..] => {
                let len = rest.iter().position(|byte| !(b' '..=b'?').contains(byte));
                let len = len.or((rest.len() > LONGEST).then(|| rest.len() - 1))?;
                let input = sequence(&rest[..len], rest[len]);
                self.is_pasting = &rest[..=len] == b"200~";
                // What cannot end a sequence begins something else.
                Some((2 + len + usize::from((b'@'..=b'~').contains(&rest[len])), input))
            }
            [0x1b, b'O', rest @ ..] => Some((3, named(*rest.first()?).map(Input::Key))),
            [0x1b, rest @ ..] => {
                let (len, key) = plain(rest)?;
                let with_alt = |key| if let Key::Char(c) = key { Key::Alt(c) } else { key };
                Some((1 + len, key.map(with_alt).map(Input::Key)))
            }
            _ => plain(bytes).map(|(len, key)| (len, key.map(Input::Key))),
        }
    }
}

/// A character or control character: its bytes, and the key. None if its bytes are not complete.
fn plain(bytes: &[u8]) -> Option<(usize, Option<Key>)> {
    let key = match *bytes.first()? {
        0 => Key::Ctrl(' '),
        b'\r' | b'\n' => Key::Enter,
        b'\t' => Key::Tab,
        0x7f => Key::Backspace,
        byte @ 1..=0x1a => Key::Ctrl((byte - 1 + b'a').into()),
        byte @ 0x1c..=0x1f => Key::Ctrl((byte - 0x1c + b'4').into()),
        byte if byte.is_ascii() => Key::Char(byte.into()),
        _ => {
            let most = &bytes[..bytes.len().min(4)];
            return match std::str::from_utf8(most) {
                Ok(text) => text.chars().next().map(|c| (c.len_utf8(), Some(Key::Char(c)))),
                Err(error) if error.valid_up_to() > 0 => {
                    let text = String::from_utf8_lossy(&most[..error.valid_up_to()]);
                    text.chars().next().map(|c| (c.len_utf8(), Some(Key::Char(c))))
                }
                Err(error) => error.error_len().map(|len| (len, None)),
            };
        }
    };
    Some((1, Some(key)))
}

/// What a control sequence with these numbers and this last byte says; none for the release of a key and for what is no key.
fn sequence(numbers: &[u8], last: u8) -> Option<Input> {
    let text = std::str::from_utf8(numbers).ok()?;
    if let Some(report) = text.strip_prefix('<') {
        return mouse(report, last).map(Input::Mouse);
    }
    let mut fields = text.split(';').map(|field| field.split(':'));
    let number = |field: Option<std::str::Split<'_, char>>| field?.next()?.parse::<u32>().ok();
    let first = number(fields.next());
    let mut modifiers = fields.next();
    // One more than the bits: 1 for Shift, 2 for Alt, 4 for Control.
    let held =
        modifiers.as_mut().and_then(|field| field.next()?.parse::<u32>().ok()).unwrap_or(1).saturating_sub(1);
    if modifiers.and_then(|mut field| field.next()) == Some("3") {
        return None;
    }
    let key = match (last, first) {
        (b'n', Some(0 | 3)) => return Some(Input::Answer),
        (b'~', Some(1 | 7)) => Key::Home,
        (b'~', Some(4 | 8)) => Key::End,
        (b'~', Some(3)) => Key::Delete,
        (b'~', Some(5)) => Key::PageUp,
        (b'~', Some(6)) => Key::PageDown,
        (b'~', Some(number @ 11..=15)) => Key::F((number - 10) as u8),
        (b'~', Some(number @ 17..=21)) => Key::F((number - 11) as u8),
        (b'~', Some(number @ 23..=24)) => Key::F((number - 12) as u8),
        (b'u', Some(code)) => encoded(code, held)?,
        (b'Z', _) => Key::BackTab,
        (last, None | Some(1)) => named(last)?,
        _ => return None,
    };
    Some(Input::Key(key))
}

/// What the mouse did, by a report of the form `BUTTON;COLUMN;LINE`, counted from 1, with `M` at the end or `m` for a release.
fn mouse(report: &str, last: u8) -> Option<Mouse> {
    let mut numbers = report.split(';').map(|number| number.parse::<u16>().ok());
    let (button, column, line) = (numbers.next()??, numbers.next()??, numbers.next()??);
    // Bits 2 to 4 state held keys; bit 5 that the mouse moved.
    let action = match (button & !0x1c, last) {
        (0, b'M') => MouseAction::Press,
        (0, b'm') => MouseAction::Release,
        (32, b'M') => MouseAction::Drag,
        (64, b'M') => MouseAction::WheelUp,
        (65, b'M') => MouseAction::WheelDown,
        _ => return None,
    };
    Some(Mouse { action, x: column.checked_sub(1)?, y: line.checked_sub(1)? })
}

/// The key that is named by the last byte of a sequence.
fn named(last: u8) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'P'..=b'S' => Key::F(last - b'P' + 1),
        _ => return None,
    })
}

/// The key that is sent as a character's number (`CSI NUMBER ; HELD u`).
fn encoded(code: u32, held: u32) -> Option<Key> {
    Some(match char::from_u32(code)? {
        '\x1b' => Key::Esc,
        '\r' => Key::Enter,
        '\t' if held & 1 != 0 => Key::BackTab,
        '\t' => Key::Tab,
        '\x7f' => Key::Backspace,
        // Keys without a character, and those of the number pad.
        '\u{e000}'..='\u{f8ff}' => return None,
        c if c.is_control() => return None,
        c if held & 4 != 0 => Key::Ctrl(c.to_ascii_lowercase()),
        c => {
            let c = if held & 1 != 0 { c.to_ascii_uppercase() } else { c };
            if held & 2 != 0 { Key::Alt(c) } else { Key::Char(c) }
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<Input> {
        let mut reader = Reader::default();
        let mut inputs = reader.take(bytes);
        inputs.extend(reader.end());
        inputs
    }

    #[test]
    fn keys_are_read() {
        for (sent, key) in [
            ("w", Key::Char('w')),
            ("卷", Key::Char('卷')),
            (" ", Key::Char(' ')),
            ("\r", Key::Enter),
            ("\t", Key::Tab),
            ("\x03", Key::Ctrl('c')),
            ("\x00", Key::Ctrl(' ')),
            ("\x7f", Key::Backspace),
            ("\x1b", Key::Esc),
            ("\x1b[", Key::Alt('[')),
            ("\x1bx", Key::Alt('x')),
            ("\x1bé", Key::Alt('é')),
            ("\x1b[D", Key::Left),
            ("\x1b[1;5D", Key::Left),
            ("\x1bOA", Key::Up),
            ("\x1bOP", Key::F(1)),
            ("\x1b[[E", Key::F(5)),
            ("\x1b[Z", Key::BackTab),
            ("\x1b[H", Key::Home),
            ("\x1b[4~", Key::End),
            ("\x1b[3~", Key::Delete),
            ("\x1b[5~", Key::PageUp),
            ("\x1b[15~", Key::F(5)),
            ("\x1b[17;2~", Key::F(6)),
            ("\x1b[24~", Key::F(12)),
            ("\x1b[27u", Key::Esc),
            ("\x1b[97;5u", Key::Ctrl('a')),
            ("\x1b[97;2u", Key::Char('A')),
            ("\x1b[97;3:2u", Key::Alt('a')),
            ("\x1b[9;2u", Key::BackTab),
        ] {
            assert_eq!(read(sent.as_bytes()), [Input::Key(key)], "{sent:?}");
        }
    }

    #[test]
    fn what_is_of_no_interest_is_dropped() {
        for sent in [
            &b"\x1b[97;1:3u"[..],
            b"\x1b[1;1:3A",
            b"\x1b[2~",
            b"\x1b[I",
            b"\x1b[?62;4c",
            b"\xff",
            b"\x1b[57441u",
        ] {
            assert_eq!(read(sent), [], "{sent:?}");
        }
        assert_eq!(read(b"\x1b[0nq"), [Input::Answer, Input::Key(Key::Char('q'))]);
        assert_eq!(read(b"\x1b\x1b[A"), [Input::Key(Key::Esc), Input::Key(Key::Up)]);
        assert_eq!(read(b"\x1b[12\x1b[A"), [Input::Key(Key::Up)]);
        let mut long = b"\x1b[".to_vec();
        long.extend([b'1'; 200]);
        assert!(read(&long).len() < 200);
    }

    #[test]
    fn the_mouse_is_read() {
        for (sent, action, x, y) in [
            ("\x1b[<0;1;1M", MouseAction::Press, 0, 0),
            ("\x1b[<0;200;50m", MouseAction::Release, 199, 49),
            ("\x1b[<32;12;3M", MouseAction::Drag, 11, 2),
            ("\x1b[<64;12;3M", MouseAction::WheelUp, 11, 2),
            ("\x1b[<81;12;3M", MouseAction::WheelDown, 11, 2),
        ] {
            assert_eq!(read(sent.as_bytes()), [Input::Mouse(Mouse { action, x, y })], "{sent:?}");
        }
        for sent in ["\x1b[<1;1;1M", "\x1b[<0;0;1M", "\x1b[<0;1M", "\x1b[<35;1;1M", "\x1b[<;;M"] {
            assert_eq!(read(sent.as_bytes()), [], "{sent:?}");
        }
    }

    #[test]
    fn pasted_text_is_no_key() {
        let pasted = Input::Paste("a\n\x1b[Aé".to_owned());
        assert_eq!(read("\x1b[200~a\n\x1b[Aé\x1b[201~q".as_bytes()), [pasted, Input::Key(Key::Char('q'))]);
    }

    proptest! {
        /// However the bytes are cut, the same is read.
        #[test]
        fn pieces_are_put_together(cuts in prop::collection::vec(0_usize..60, 0..6)) {
            let sent = "w\x1b[1;5D\x1bx卷\x1b[200~é\x1b[201~\x1b[0n\x1bOP\x1b\x1b[27u".as_bytes();
            let mut reader = Reader::default();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(sent.len())).collect();
            cuts.extend([0, sent.len()]);
            cuts.sort_unstable();
            let mut inputs: Vec<Input> = cuts.windows(2).flat_map(|cut| reader.take(&sent[cut[0]..cut[1]])).collect();
            inputs.extend(reader.end());
            prop_assert_eq!(inputs, read(sent));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = read(&bytes);
        }
    }
}
