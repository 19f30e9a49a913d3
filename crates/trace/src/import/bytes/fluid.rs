//! The binary profile of Paddle's old profiler (`fluid.profiler`, `profile_path`), converted to the text of a
//! Chrome trace.
//!
//! Reads protobuf's wire format by hand: `repeated Event 1`, `start_ns 2`, `end_ns 3`, memory events 4; an
//! event has `name 1` (a path: `op/compute`), `start_ns 2`, `end_ns 3`, `device 5`, `thread or stream 6`,
//! `copy 7` (`bytes 1`), `type 8` (1: on a device). The text is read like any other trace, with the same
//! handling of damage and limits. A profile that is cut short gives JSON without its closing brackets, which
//! the JSON reader counts as damage. Must not know how JSON is read.

use std::io::{self, BufRead, BufReader, Read};

use proftui_base::varint;

/// Most bytes of an event that is read; a longer one counts as damage.
const LONGEST_EVENT: u64 = 1 << 24;

/// True when `head`, the first bytes of a file, begins like a profile of Paddle's old profiler (`fluid`).
pub(in crate::import) fn is_profile(head: &[u8]) -> bool {
    let Some((0x0a, rest)) = head.split_first().map(|(&tag, rest)| (tag, rest)) else { return false };
    let mut rest = rest;
    let Some(len) = varint::take(&mut rest) else { return false };
    let Some((&0x0a, mut rest)) = rest.split_first() else { return false };
    let Some(name) = varint::take(&mut rest) else { return false };
    let (name, after) = rest.split_at(usize::try_from(name).map_or(rest.len(), |name| name.min(rest.len())));
    // A name is text; other tools' protobuf has nested messages here.
    let is_text = name.iter().all(|&byte| byte >= b' ' && byte != 0x7f);
    is_text && (name.len() as u64) < len && after.first().is_none_or(|&tag| tag == 0x10)
}

/// The value of one field of a protobuf message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Removes the next protobuf field from `bytes` and returns its number and value; `None` when it is cut short
/// or invalid.
fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Field<'a>)> {
    let key = varint::take(bytes)?;
    let len = match key & 7 {
        0 => return Some((key >> 3, Field::Number(varint::take(bytes)?))),
        1 => 8,
        2 => usize::try_from(varint::take(bytes)?).ok()?,
        5 => 4,
        _ => return None,
    };
    let value = bytes.get(..len)?;
    *bytes = &bytes[len..];
    Some((key >> 3, Field::Bytes(value)))
}

#[derive(Default)]
struct Event<'a> {
    path: &'a [u8],
    start: u64,
    end: u64,
    device: u64,
    thread: u64,
    is_copy: bool,
    /// Number of bytes that a copy moved, if the event states it.
    bytes: Option<u64>,
    is_device: bool,
}

impl<'a> Event<'a> {
    fn read(mut bytes: &'a [u8]) -> Option<Self> {
        let mut event = Self::default();
        while !bytes.is_empty() {
            match field(&mut bytes)? {
                (1, Field::Bytes(path)) => event.path = path,
                (2, Field::Number(n)) => event.start = n,
                (3, Field::Number(n)) => event.end = n,
                (5, Field::Number(n)) => event.device = n,
                (6, Field::Number(n)) => event.thread = n,
                (7, Field::Bytes(mut copy)) => {
                    event.is_copy = true;
                    if let Some((1, Field::Number(bytes))) = field(&mut copy) {
                        event.bytes = Some(bytes);
                    }
                }
                (8, Field::Number(n)) => event.is_device = n == 1,
                _ => {}
            }
        }
        Some(event)
    }

    fn name(&self) -> &'a [u8] {
        self.path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    fn category(&self) -> &'static str {
        let has = |part: &[u8]| memchr::memmem::find(self.path, part).is_some();
        match self.name() {
            _ if self.is_device && has(b"Memset") => "Memset",
            _ if self.is_device && (self.is_copy || has(b"Memcpy")) => "Memcpy",
            _ if self.is_device => "Kernel",
            b"compute" | b"infer_shape" | b"prepare_data" => "OperatorInner",
            _ => "Operator",
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let us = |ns: i128| {
            let sign = if ns < 0 { "-" } else { "" };
            format!("{sign}{}.{:03}", ns.abs() / 1_000, ns.abs() % 1_000)
        };
        out.extend(b"{\"ph\":\"X\",\"cat\":\"");
        out.extend(self.category().as_bytes());
        out.extend(b"\",\"name\":\"");
        escape(self.name(), out);
        let (start, dur) = (i128::from(self.start), i128::from(self.end) - i128::from(self.start));
        let lane = format!("\",\"pid\":{},\"tid\":{},", self.device.cast_signed(), self.thread.cast_signed());
        out.extend(lane.as_bytes());
        out.extend(format!("\"ts\":{},\"dur\":{},\"args\":{{\"path\":\"", us(start), us(dur)).as_bytes());
        escape(self.path, out);
        out.push(b'"');
        if let Some(bytes) = self.bytes {
            out.extend(format!(",\"bytes\":{bytes}").as_bytes());
        }
        out.extend(b"}}");
    }
}

fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0..0x20 => out.extend(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
}

/// A reader that converts the profile of Paddle's old profiler to the text of a Chrome trace.
pub(in crate::import) struct Profile<R> {
    input: BufReader<R>,
    /// Converted text; the bytes from index `at` on are not yet given out.
    text: Vec<u8>,
    at: usize,
    message: Vec<u8>,
    has_event: bool,
    is_done: bool,
}

impl<R: Read> Profile<R> {
    pub(in crate::import) fn new(input: R) -> Self {
        Self {
            input: BufReader::new(input),
            text: b"{\"profiler\":\"fluid\",\"traceEvents\":[".to_vec(),
            at: 0,
            message: Vec::new(),
            has_event: false,
            is_done: false,
        }
    }

    fn number(&mut self) -> io::Result<Option<u64>> {
        let mut bytes = [0; 10];
        for at in 0..bytes.len() {
            if self.input.read(&mut bytes[at..=at])? == 0 {
                return Ok(None);
            }
            if bytes[at] < 0x80 {
                return Ok(varint::take(&mut &bytes[..]));
            }
        }
        Ok(None)
    }

    /// Reads the next field of the profile and appends its text, if it gives any. False at the end of the
    /// profile, and where damage ends it.
    fn next(&mut self) -> io::Result<bool> {
        if self.input.fill_buf()?.is_empty() {
            self.text.extend(b"]}");
            return Ok(false);
        }
        let Some(key) = self.number()? else { return Ok(false) };
        let kind = key & 7;
        if kind == 0 {
            return Ok(self.number()?.is_some());
        }
        let Some(len) = self.number()?.filter(|&len| kind == 2 && len <= LONGEST_EVENT) else {
            return Ok(false);
        };
        self.message.clear();
        if self.input.by_ref().take(len).read_to_end(&mut self.message)? as u64 != len {
            return Ok(false);
        }
        if std::mem::replace(&mut self.has_event, true) {
            self.text.push(b',');
        }
        match (key >> 3, Event::read(&self.message)) {
            (1, Some(event)) => event.write(&mut self.text),
            // The JSON reader counts both as dropped: an event without a time, and one of an unknown type.
            (1, None) => self.text.extend(b"{\"ph\":\"X\",\"name\":\"(unreadable)\"}"),
            _ => self.text.extend(b"{\"ph\":\"?\",\"name\":\"(memory event)\"}"),
        }
        Ok(true)
    }
}

impl<R: Read> Read for Profile<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.is_done {
            self.text.clear();
            self.at = 0;
            self.is_done = !self.next()?;
        }
        let len = out.len().min(self.text.len() - self.at);
        out[..len].copy_from_slice(&self.text[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &[u8] = b"\x0a\x15\x0a\x0bsgd/\"comput\x10\xe8\x07\x18\xdc\x0b\x30\x04\x10\x00\x18\x00";

    fn text(bytes: &[u8]) -> String {
        let mut text = String::new();
        Profile::new(bytes).read_to_string(&mut text).expect("text");
        text
    }

    #[test]
    fn an_event_becomes_text() {
        assert!(is_profile(PROFILE));
        let want = "{\"profiler\":\"fluid\",\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"\\\"comput\",\
                    \"pid\":0,\"tid\":4,\"ts\":1.000,\"dur\":0.500,\"args\":{\"path\":\"sgd/\\\"comput\"}}]}";
        assert_eq!(text(PROFILE), want);
    }

    #[test]
    fn a_copy_has_its_bytes() {
        let copy = b"\x0a\x0d\x0a\x01c\x10\x01\x18\x02\x3a\x02\x08\x09\x40\x01";
        assert!(
            text(copy).contains(r#""cat":"Memcpy","name":"c""#)
                && text(copy).contains(r#""path":"c","bytes":9}}"#),
            "{}",
            text(copy)
        );
    }

    #[test]
    fn unreadable_events_become_text_that_is_counted() {
        let text = text(b"\x0a\x02\x0a\x7f\x22\x01\x08");
        assert!(
            text.contains("(unreadable)") && text.contains("(memory event)") && text.ends_with("]}"),
            "{text}"
        );
    }

    #[test]
    fn a_cut_profile_gives_text_without_an_end() {
        for len in 0..PROFILE.len() {
            let text = text(&PROFILE[..len]);
            assert!(len == 0 || len >= 23 || !text.ends_with("]}"), "{len}: {text}");
        }
        assert!(!is_profile(b"\x0a\x051.0.2\x10\x00"), "another format begins with its version");
        assert!(!is_profile(b"\x0a\x09\x0a\x07\x0a\x05\x0a\x03\x0a\x01x\x10"), "messages in messages");
    }
}
