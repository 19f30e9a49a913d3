//! An event as written in the file: fields and arguments by name, values not yet interpreted.
//!
//! For summaries that need arguments of many events, which the model does not hold. Must not know which
//! arguments matter.

use std::borrow::Cow;

use proftui_base::time::parse_scaled;

use super::escapes::unescape;
use super::scan::{Fault, Kind, Scanner, Token};

/// A JSON value as written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawValue<'a>(Token<'a>);

/// Key and value of a member of an object; the key is as written in the file, with its escapes.
pub type RawMember<'a> = (&'a [u8], RawValue<'a>);

impl<'a> RawValue<'a> {
    /// The text of a string with its escapes resolved; of any other value the bytes as written in the file.
    pub fn text(self) -> Cow<'a, [u8]> {
        if self.0.kind == Kind::String && memchr::memchr(b'\\', self.0.text).is_some() {
            Cow::Owned(unescape(self.0.text).0)
        } else {
            Cow::Borrowed(self.0.text)
        }
    }

    /// The number, or the number in a string, rounded to a whole number; `None` for any other value, and
    /// beyond `i64`.
    pub fn integer(self) -> Option<i64> {
        self.0.key().and_then(|text| parse_scaled(text, 0))
    }

    /// True when the value is an array.
    pub fn is_array(self) -> bool {
        self.0.kind == Kind::Array
    }

    /// True when the value is a string.
    pub fn is_string(self) -> bool {
        self.0.kind == Kind::String
    }

    /// Appends the value to `out` as valid JSON; a value that is not valid as written becomes a string.
    pub fn push_json(self, out: &mut String) {
        let text = std::str::from_utf8(self.0.text).ok();
        let is_good = |text: &&str| match self.0.kind {
            // A string with escapes, or with characters that should be escaped, is not copied as it is.
            Kind::String => !text.bytes().any(|byte| byte < b' ' || byte == b'\\'),
            _ => serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
        };
        match (text.filter(is_good), self.0.kind) {
            (Some(text), Kind::String) => {
                out.push('"');
                out.push_str(text);
                out.push('"');
            }
            (Some(text), _) => out.push_str(text),
            (None, _) => push_text(&self.text(), out),
        }
    }

    /// The elements of an array; no elements for any other value.
    pub fn elements(self) -> impl Iterator<Item = RawValue<'a>> {
        let mut scan = Scanner::again(self.0.text);
        scan.pos = 1;
        let mut is_open = self.is_array();
        std::iter::from_fn(move || {
            while is_open {
                match scan.peek() {
                    Ok(b',') => scan.pos += 1,
                    Ok(b']') | Err(_) => is_open = false,
                    // The text was scanned to its end before, so a fault cannot happen.
                    Ok(_) => return scan.value().ok().map(RawValue),
                }
            }
            None
        })
    }
}

/// Appends `text` to `out` as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD.
pub fn push_text(text: &[u8], out: &mut String) {
    out.push_str(&serde_json::Value::from(String::from_utf8_lossy(text)).to_string());
}

/// An event as written in the file: its fields and its arguments, with their names.
#[derive(Clone, Copy, Debug)]
pub struct RawEvent<'a, 'e> {
    /// The event's members in the file's order, except `args` where that is an object.
    pub fields: &'e [RawMember<'a>],
    /// The members of the object `args`, the last one if there are several, in the file's order; empty
    /// without one.
    pub arguments: &'e [RawMember<'a>],
}

impl<'a> RawEvent<'a, '_> {
    /// The field of this name, compared as written in the file; the last one where it occurs twice, `None`
    /// without one.
    pub fn field(&self, name: &[u8]) -> Option<RawValue<'a>> {
        self.fields.iter().rev().find(|(key, _)| *key == name).map(|&(_, value)| value)
    }

    /// The argument of this name, compared as written in the file; the last one where it occurs twice, `None`
    /// without one.
    pub fn argument(&self, name: &[u8]) -> Option<RawValue<'a>> {
        self.arguments.iter().rev().find(|(key, _)| *key == name).map(|&(_, value)| value)
    }
}

/// The fields and the arguments of one event, read in one pass.
#[derive(Debug, Default)]
pub(super) struct Members<'a> {
    fields: Vec<RawMember<'a>>,
    arguments: Vec<RawMember<'a>>,
}

impl<'a> Members<'a> {
    /// Empties the lists of fields and arguments but keeps their memory.
    pub(super) fn recycle<'b>(self) -> Members<'b> {
        Members { fields: emptied(self.fields), arguments: emptied(self.arguments) }
    }

    /// Reads the fields and arguments of the event at the scanner, and moves past it.
    ///
    /// # Errors
    /// When it is no object or not JSON, or the bytes end inside it.
    pub(super) fn read(&mut self, scan: &mut Scanner<'a>) -> Result<(), Fault> {
        if scan.peek()? != b'{' {
            return Err(Fault::Bad(scan.pos));
        }
        scan.pos += 1;
        while let Some(key) = scan.next_key()? {
            if key == b"args" && scan.peek()? == b'{' {
                self.arguments.clear();
                scan.pos += 1;
                scan.takes_words = true;
                while let Some(key) = scan.next_key()? {
                    self.arguments.push((key, RawValue(scan.value()?)));
                    scan.after_member()?;
                }
                scan.takes_words = false;
            } else {
                self.fields.push((key, RawValue(scan.value()?)));
            }
            scan.after_member()?;
        }
        Ok(())
    }

    pub(super) fn event(&self) -> RawEvent<'a, '_> {
        RawEvent { fields: &self.fields, arguments: &self.arguments }
    }
}

/// An empty vector that reuses the memory of `members`, for members of another lifetime.
fn emptied<'b>(mut members: Vec<RawMember<'_>>) -> Vec<RawMember<'b>> {
    members.clear();
    let none = RawValue(Token { kind: Kind::Null, text: b"" });
    // Collecting from a vector's own iterator keeps its memory.
    members.into_iter().map(|_| (b"".as_slice(), none)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_arguments_by_name() {
        let text =
            br#"{"ph":"X","name":"a\"b","args":{"External id":"7","Input Dims":[[1, 2],[],3],"n":-2}}"#;
        let mut members = Members::default();
        members.read(&mut Scanner::new(text, true)).expect("an event");
        let event = members.event();
        assert_eq!(event.field(b"name").expect("there").text().as_ref(), b"a\"b");
        assert_eq!(event.argument(b"External id").and_then(RawValue::integer), Some(7));
        assert_eq!(event.argument(b"n").and_then(RawValue::integer), Some(-2));
        let dims = event.argument(b"Input Dims").expect("there");
        let lengths: Vec<usize> = dims.elements().map(|dim| dim.elements().count()).collect();
        assert_eq!(lengths, [2, 0, 0]);
        assert!(event.field(b"args").is_none() && event.argument(b"none").is_none());
    }

    #[test]
    fn whatever_the_file_writes_comes_out_as_json() {
        let text = b"{\"args\":{\"a\":[[1, 2],[\"x\"]],\"b\":\"q\\u0041\\\"\",\"c\":\"a\nb\xff\",\"d\":NaN,\"e\":-1.5e3,\"f\":[1,NaN]}}";
        let mut members = Members::default();
        members.read(&mut Scanner::new(text, true)).expect("an event");
        let mut out = String::new();
        for (_, value) in members.event().arguments {
            value.push_json(&mut out);
            out.push('\n');
        }
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(
            lines,
            ["[[1, 2],[\"x\"]]", "\"qA\\\"\"", "\"a\\nb\u{fffd}\"", "\"NaN\"", "-1.5e3", "\"[1,NaN]\""]
        );
    }

    #[test]
    fn an_event_cut_short_asks_for_more() {
        let text = br#"{"ph":"X","args":{"a":[1,"#;
        assert_eq!(Members::default().read(&mut Scanner::new(text, false)), Err(Fault::End));
    }
}
