//! Owns the reading of what a terminal sends: keys, the mouse, pasted text, the answer to a question; in
//! crossterm's types of events. Must not know where the bytes come from, nor what a key does.
//!
//! Crossterm has a reader of its own (`event::read`). It was measured instead of this one, with the cursor's
//! position as the question behind each frame, since that is the one whose answer it passes on; release
//! build, demo trace at 200x50, two cores:
//!
//! | | this reader | crossterm's |
//! | --- | --- | --- |
//! | key to first byte, 500 keys: p50, p99, longest | 0.73, 3.47, 6.12 ms | 0.80, 5.86, 9.41 ms |
//! | key to last byte | 0.73, 3.47, 6.12 ms | 0.81, 5.87, 9.50 ms |
//! | key to first byte at 20 KB/s, 60 keys | 0.82, 1.51, 4.52 ms | 0.86, 4.10, 5.45 ms |
//! | key to first byte at 2 KB/s, 25 keys | 0.83, 1.31, 1.66 ms | 0.96, 5.68, 5.96 ms |
//! | lost answers at full speed; at 2 KB/s; of a terminal that takes 3 s | none | 0 of 502; 1 of 27; 3 of 11 |
//! | key while an answer does not come, to first byte | 1.1 ms | 1,453 ms |
//! | Ctrl-C then, to the program's end | 440 ms, 400 of them for the answer | 1,452 ms |
//! | an arrow key whose bytes come 5 ms apart, read as Escape and text | 1 of 20 | 20 of 20 |
//! | Ctrl-C in a paste without its end, to the program's end | 22 ms | never |
//!
//! Crossterm waits for that answer under the lock of the keyboard, up to two seconds, then gives it up, and
//! takes it for that of the next question when it comes. The answer to `CSI 5 n` it drops as an error. So its
//! types are used, and not its reader.

mod paste;
mod sequence;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use paste::Paste;
pub(super) use sequence::Input;
use sequence::{function_key, key, named, sequence};

/// The most bytes of a sequence behind `CSI`; if more have come without its end, they are dropped.
const LONGEST_SEQUENCE: usize = 64;
/// How long to wait for the rest of a sequence after its last byte that has come; then [`Reader::quiet`] ends
/// it.
const REST: Duration = Duration::from_millis(20);

/// Makes inputs of the bytes that a terminal sends, which may be cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The bytes of a sequence or character that is not complete yet.
    rest: Vec<u8>,
    /// The paste that has begun and not ended; none outside a paste.
    paste: Option<Paste>,
}

impl Reader {
    /// Takes further bytes; returns the inputs that are complete with them, in their order.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.rest.extend_from_slice(bytes);
        let mut inputs = Vec::new();
        let mut at = 0;
        loop {
            if let Some(mut paste) = self.paste.take() {
                let Some(len) = paste.take(&self.rest[at..]) else {
                    self.rest.clear();
                    if paste.is_interrupted() {
                        inputs.push(interrupt());
                    }
                    self.paste = Some(paste);
                    return inputs;
                };
                at += len;
                inputs.push(Input::Event(paste.end()));
            }
            let Some((len, input)) = self.next(at) else { break };
            inputs.extend(input);
            at += len;
        }
        self.rest.drain(..at);
        inputs
    }

    /// How long after the last byte to wait for those that would end what has begun; none if nothing has.
    pub(super) fn patience(&self) -> Option<Duration> {
        match &self.paste {
            Some(paste) => Some(paste.patience()),
            None => (!self.rest.is_empty()).then_some(REST),
        }
    }

    /// Ends what has begun if `since`, the time without a byte, is at least [`Self::patience`]. A paste
    /// counts as ended, or as the key Ctrl-C if it ends in that. Of other bytes, Escape alone is a key,
    /// Escape and a printable ASCII character are that with Alt, and all else is dropped.
    pub(super) fn quiet(&mut self, since: Duration) -> Vec<Input> {
        if self.patience().is_none_or(|patience| since < patience) {
            return Vec::new();
        }
        if let Some(paste) = self.paste.take() {
            let answer = paste.has_answer().then_some(Input::Answer);
            let ended = if paste.ends_in_ctrl_c() { interrupt() } else { Input::Event(paste.end()) };
            return answer.into_iter().chain([ended]).collect();
        }
        let rest = std::mem::take(&mut self.rest);
        match rest[..] {
            [0x1b] => vec![Input::Event(key(KeyCode::Esc))],
            [0x1b, byte @ b' '..=b'~'] => vec![Input::Event(with_alt(key(KeyCode::Char(byte.into()))))],
            _ => Vec::new(),
        }
    }

    /// The length of the sequence or character at `at`, and its input if it has one; none if it is not
    /// complete. Begins a paste at the sequence for that.
    fn next(&mut self, at: usize) -> Option<(usize, Option<Input>)> {
        let bytes = self.rest.get(at..).filter(|bytes| !bytes.is_empty())?;
        let event = |event: Option<Event>| event.map(Input::Event);
        match bytes {
            [0x1b] => None,
            [0x1b, 0x1b, ..] => Some((1, event(Some(key(KeyCode::Esc))))),
            [0x1b, b'[', b'[', rest @ ..] => Some((4, event(function_key(*rest.first()?)))),
            [0x1b, b'[', rest @ ..] => {
                let len = rest.iter().position(|byte| !(b' '..=b'?').contains(byte));
                let len = len.or((rest.len() > LONGEST_SEQUENCE).then(|| rest.len() - 1))?;
                let input = sequence(&rest[..len], rest[len]);
                self.paste = (&rest[..=len] == b"200~").then(Paste::default);
                // What cannot end a sequence begins something else.
                Some((2 + len + usize::from((b'@'..=b'~').contains(&rest[len])), input))
            }
            [0x1b, b'O', rest @ ..] => Some((3, event(named(*rest.first()?).map(key)))),
            [0x1b, rest @ ..] => {
                let (len, plain) = plain(rest)?;
                Some((1 + len, event(plain.map(with_alt))))
            }
            _ => plain(bytes).map(|(len, plain)| (len, event(plain))),
        }
    }
}

/// Control and C.
fn interrupt() -> Input {
    Input::Event(Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)))
}

/// The key with Alt.
fn with_alt(event: Event) -> Event {
    match event {
        Event::Key(key) => Event::Key(KeyEvent { modifiers: key.modifiers | KeyModifiers::ALT, ..key }),
        other => other,
    }
}

/// The number of bytes of the first character or control character, and its key; no key for bytes that are
/// not UTF-8. None if the character is not complete.
fn plain(bytes: &[u8]) -> Option<(usize, Option<Event>)> {
    let with_control = |c: u8| Event::Key(KeyEvent::new(KeyCode::Char(char::from(c)), KeyModifiers::CONTROL));
    let event = match *bytes.first()? {
        0 => with_control(b' '),
        b'\r' | b'\n' => key(KeyCode::Enter),
        b'\t' => key(KeyCode::Tab),
        0x7f => key(KeyCode::Backspace),
        byte @ 1..=0x1a => with_control(byte - 1 + b'a'),
        byte @ 0x1c..=0x1f => with_control(byte - 0x1c + b'4'),
        byte if byte.is_ascii() => character(char::from(byte)),
        _ => {
            let most = &bytes[..bytes.len().min(4)];
            return match std::str::from_utf8(most) {
                Ok(text) => text.chars().next().map(|c| (c.len_utf8(), Some(character(c)))),
                Err(error) if error.valid_up_to() > 0 => {
                    let text = String::from_utf8_lossy(&most[..error.valid_up_to()]);
                    text.chars().next().map(|c| (c.len_utf8(), Some(character(c))))
                }
                Err(error) => error.error_len().map(|len| (len, None)),
            };
        }
    };
    Some((1, Some(event)))
}

/// A character's key; Shift is held for capital letters.
fn character(c: char) -> Event {
    let held = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    Event::Key(KeyEvent::new(KeyCode::Char(c), held))
}
