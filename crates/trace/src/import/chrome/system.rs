//! Events of the operating system that a trace has beside its own, under the key `systemTraceEvents`: they
//! are not read, but named and counted. Those of a value that is too long for memory are counted while it is
//! read.

use crate::model::{Quality, Warning};
use proftui_base::saturate::saturate;

use super::cursor::Cursor;
use super::escapes::unescape;
use super::event::{LONGEST_WHOLE_EVENT, members};
use super::header::elements;
use super::lookahead::Supply;
use super::scan::{Kind, Token};

/// The key of the operating system's events in a document.
pub(super) const KEY: &[u8] = b"systemTraceEvents";

/// How many bytes of a line are kept at most, to find the line's time.
const LINE: usize = 64 << 10;

/// The number of a document's events of the operating system, and what wrote them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The tool or system that wrote the events; `an unknown system` where it is not known.
    writer: &'static str,
    count: u64,
}

impl Found {
    /// Counts the events as unread in `quality`; `offset` is the byte offset of their value in the file's
    /// text.
    pub(super) fn note(&self, quality: &mut Quality, offset: u64) {
        let Self { writer, count } = self;
        quality.note_many(Warning::Unread, *count, Some(offset), || {
            format!("systemTraceEvents: {count} events of {writer}")
        });
    }
}

/// Counts the operating system's events in `value`: an object, array or text as known tools write it.
pub(super) fn count(value: Token<'_>) -> Found {
    let (mut writer, mut count) = ("an unknown system", 0);
    match value.kind {
        Kind::Object => members(value, |key, value| match key {
            b"type" if value.text == b"fuchsia" => writer = "Fuchsia",
            b"events" => elements(value, |_| count += 1),
            _ => {}
        }),
        Kind::Array => elements(value, |_| count += 1),
        Kind::String => (writer, count) = ("ftrace", lines(value.text)),
        _ => {}
    }
    Found { writer, count }
}

/// Counts ftrace's events in `text`, a JSON string or a line of one, without quotes.
fn lines(text: &[u8]) -> u64 {
    unescape(text).0.split(|&byte| byte == b'\n').filter(|line| has_time(line)).count() as u64
}

/// Counts of the objects in a value that is too long for memory.
#[derive(Default)]
pub(super) struct Objects {
    is_object: bool,
    /// Numbers of objects at depth 1, directly inside the value, and at depth 2.
    count: [u64; 2],
}

impl Objects {
    /// Notes an object by `depth`, the number of objects and arrays around it; the value itself has depth 0,
    /// and depths above 2 are ignored.
    pub(super) fn add(&mut self, depth: u64) {
        match depth {
            0 => self.is_object = true,
            1 | 2 => self.count[saturate::<usize>(depth) - 1] += 1,
            _ => {}
        }
    }

    /// The events in the value, of unknown writer: in an array the objects of depth 1, in an object those of
    /// depth 2.
    pub(super) fn events(&self) -> Found {
        Found { writer: "an unknown system", count: self.count[usize::from(self.is_object)] }
    }
}

impl<S: Supply> Cursor<S> {
    /// True if more than [`LONGEST_WHOLE_EVENT`] unparsed bytes are in memory, of which the first is a quote.
    pub(super) fn holds_long_text(&self) -> bool {
        let rest = self.lookahead.rest();
        rest.first() == Some(&b'"') && rest.len() > LONGEST_WHOLE_EVENT
    }

    /// Skips the string at the cursor, of any length, and counts ftrace's events in it; false when the file
    /// ends inside the string.
    pub(super) fn count_lines(&mut self) -> (Found, bool) {
        self.lookahead.advance(1);
        let (mut line, mut is_escaped, mut count) = (Vec::new(), false, 0);
        let is_whole = 'text: loop {
            let rest = self.lookahead.rest();
            for (at, &byte) in rest.iter().enumerate() {
                if byte == b'"' && !is_escaped {
                    self.lookahead.advance(at + 1);
                    break 'text true;
                }
                if line.len() < LINE {
                    line.push(byte);
                }
                if byte == b'\n' || is_escaped && byte == b'n' {
                    count += lines(&line);
                    line.clear();
                }
                is_escaped = byte == b'\\' && !is_escaped;
            }
            self.lookahead.advance(rest.len());
            if !self.lookahead.more() {
                break false;
            }
        };
        (Found { writer: "ftrace", count: count + lines(&line) }, is_whole)
    }
}

/// True if a line of ftrace is an event: it has a time such as `4023.517:` and is no comment.
fn has_time(line: &[u8]) -> bool {
    let is_time = |word: &[u8]| {
        let Some(time) = word.strip_suffix(b":") else { return false };
        time.contains(&b'.') && time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    line.first() != Some(&b'#') && line.split(u8::is_ascii_whitespace).any(is_time)
}
