//! Reading an event again for display: every field and argument, in the file's order.
//!
//! Must not know which fields matter.

use crate::import::argument::{Argument, Value};
use proftui_base::text::SafeText;

use super::escapes::unescape;
use super::event::members;
use super::scan::{Kind, Scanner, Token};

/// Most bytes of the text of one key or value that are shown; a longer text is cut.
const TEXT_LIMIT: usize = 64 << 10;

/// The members of the JSON object that `text` begins with, for display; `None` without a readable object.
pub(in crate::import) fn read(text: &[u8]) -> Option<Vec<Argument>> {
    let mut scan = Scanner::again(text);
    let token = scan.value().ok()?;
    (token.kind == Kind::Object).then(|| object(token, 0))
}

fn object(token: Token<'_>, depth: usize) -> Vec<Argument> {
    let mut out = Vec::new();
    members(token, |key, value| out.push(Argument { name: text(key), value: self::value(value, depth + 1) }));
    out
}

fn value(token: Token<'_>, depth: usize) -> Value {
    match token.kind {
        Kind::String => Value::Text(text(token.text)),
        // Arguments of arguments are shown as the file writes them.
        Kind::Object if depth < 2 => Value::Object(object(token, depth)),
        Kind::Object | Kind::Array => Value::Array(plain(&compact(token.text))),
        _ => Value::Plain(plain(token.text)),
    }
}

/// The text of an object or array, cut if it is long, with white space only in strings and behind commas.
fn compact(text: &[u8]) -> Vec<u8> {
    let text = &text[..text.len().min(2 * TEXT_LIMIT)];
    let mut out = Vec::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for &byte in text {
        if !in_string && byte.is_ascii_whitespace() {
            continue;
        }
        out.push(byte);
        if !in_string && byte == b',' {
            out.push(b' ');
        }
        in_string ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
    }
    out
}

/// Resolves the escapes in a token's text and makes it safe to show; cuts a long text.
pub(in crate::import) fn text(raw: &[u8]) -> SafeText<'static> {
    plain(&unescape(&raw[..raw.len().min(2 * TEXT_LIMIT)]).0)
}

fn plain(bytes: &[u8]) -> SafeText<'static> {
    if bytes.len() <= TEXT_LIMIT {
        return SafeText::from_bytes(bytes).into_owned();
    }
    let head = SafeText::from_bytes(&bytes[..TEXT_LIMIT]);
    SafeText::from(format!("{head}… ({} bytes in all)", bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_whole() {
        let event = br#"{"ph":"X","name":"k\n","ts":1.50,"args":{"grid":[1,
              2,"a,  b"],"q\u001b":"v","deep":{"a":{"b":1}}}},{"next":1}"#;
        let members = read(event).expect("an event");
        let lines: Vec<_> = members.iter().map(|m| format!("{}={}", m.name, m.value.line())).collect();
        assert_eq!(lines[1], "name=k\\n");
        assert_eq!(lines[2], "ts=1.50", "as the file writes it");
        assert_eq!(lines[3], r#"args={grid: [1, 2, "a,  b"], q\x1b: v, deep: {"a":{"b":1}}}"#);
    }

    #[test]
    fn long_text_is_cut_with_its_length() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(TEXT_LIMIT * 3));
        let members = read(long.as_bytes()).expect("an event");
        assert!(members[0].value.line().as_str().ends_with("bytes in all)"));
    }
}
