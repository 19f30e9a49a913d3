//! Events of the operating system that a trace has beside its own, under the key `systemTraceEvents`: they are not read, but
//! named and counted.

use super::event::members;
use super::header::elements;
use super::scan::{Kind, Token, unescape};

/// The key of these events.
pub(super) const KEY: &[u8] = b"systemTraceEvents";

/// The tool or system that wrote the events in `value`, and their number: the elements of `events` of an object, as Fuchsia
/// writes, or the lines with a time of a text, as ftrace writes.
pub(super) fn count(value: Token<'_>) -> (&'static str, u64) {
    let (mut writer, mut found) = ("another system", 0);
    match value.kind {
        Kind::Object => members(value, |key, value| match key {
            b"type" if value.text == b"fuchsia" => writer = "Fuchsia",
            b"events" => elements(value, |_| found += 1),
            _ => {}
        }),
        Kind::Array => elements(value, |_| found += 1),
        Kind::String => {
            let text = unescape(value.text).0;
            (writer, found) =
                ("ftrace", text.split(|&byte| byte == b'\n').filter(|line| has_time(line)).count() as u64);
        }
        _ => {}
    }
    (writer, found)
}

/// Whether a line of ftrace is an event: one of its words is a time in seconds and a colon, such as `4023.517:`.
fn has_time(line: &[u8]) -> bool {
    let is_time = |word: &[u8]| {
        let Some(time) = word.strip_suffix(b":") else { return false };
        time.contains(&b'.') && time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    line.first() != Some(&b'#') && line.split(u8::is_ascii_whitespace).any(is_time)
}
