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

/// How many bytes at the beginning of a line, in a text too long for memory, are searched for the line's
/// time.
const LINE: usize = 64 << 10;

/// Number and writer of a document's events of the operating system.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The tool or system that wrote the events; `another system` where it is not known.
    writer: &'static str,
    count: u64,
}

impl Found {
    /// Counts a warning for each of the events, since they are not read; `offset` is that of their value in
    /// the file's text.
    pub(super) fn note(&self, quality: &mut Quality, offset: u64) {
        let Self { writer, count } = self;
        quality.note_many(Warning::Unread, *count, Some(offset), || {
            format!("systemTraceEvents: {count} events of {writer}")
        });
    }
}

/// Counts the operating system's events in `value`: the elements of an array, or of `events` of an object, as
/// Fuchsia writes, or the event lines of a text, as ftrace writes; 0 for any other value.
pub(super) fn count(value: Token<'_>) -> Found {
    let (mut writer, mut count) = ("another system", 0);
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

/// The number of lines that are events of ftrace in `text`, a JSON string without its quotes.
fn lines(text: &[u8]) -> u64 {
    unescape(text).0.split(|&byte| byte == b'\n').filter(|line| has_time(line)).count() as u64
}

/// Counts of the objects in a value that is too long for memory.
#[derive(Default)]
pub(super) struct Objects {
    is_object: bool,
    /// How many objects are directly inside the value (depth 1), and how many one level deeper (depth 2).
    count: [u64; 2],
}

impl Objects {
    /// Counts an object inside the value, by the number of objects and arrays around it; none beyond depth 2.
    /// Depth 0 is the value itself, of which it only notes that it is an object.
    pub(super) fn add(&mut self, depth: u64) {
        match depth {
            0 => self.is_object = true,
            1 | 2 => self.count[saturate::<usize>(depth) - 1] += 1,
            _ => {}
        }
    }

    /// The events: in an array the objects of depth 1, in an object those of depth 2. Who wrote them is not
    /// known, since the key for that may stand behind them.
    pub(super) fn events(&self) -> Found {
        Found { writer: "another system", count: self.count[usize::from(self.is_object)] }
    }
}

impl<S: Supply> Cursor<S> {
    /// Whether the unparsed bytes begin with a quote, and more than [`LONGEST_WHOLE_EVENT`] are in memory.
    /// Asked where they end inside a value, which is then a long string.
    pub(super) fn holds_long_text(&self) -> bool {
        let rest = self.lookahead.rest();
        rest.first() == Some(&b'"') && rest.len() > LONGEST_WHOLE_EVENT
    }

    /// Skips the string at the cursor, a text of ftrace of any length, and counts the events in it; false
    /// when the file ends inside the string.
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

/// Whether a line of ftrace is an event: it does not begin with `#`, and one of its words is a time in
/// seconds and a colon, such as `4023.517:`.
fn has_time(line: &[u8]) -> bool {
    let is_time = |word: &[u8]| {
        let Some(time) = word.strip_suffix(b":") else { return false };
        time.contains(&b'.') && time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    line.first() != Some(&b'#') && line.split(u8::is_ascii_whitespace).any(is_time)
}
