//! Mends the text of Paddle's JSON: Paddle writes the names of events without escaping quotes, backslashes
//! and control characters, and `nan` and `inf` as numbers.
//!
//! Must not know the rest of JSON.

use memchr::memmem;

/// What stands before the name of an event in Paddle's layout.
const OPEN: &[u8] = b"\"name\": \"";
/// What stands behind the name of an event in Paddle's layout.
const CLOSE: &[u8] = b"\", \"pid\": ";

/// Non-finite numbers as Paddle writes them, with the colon before; they are invalid JSON.
const NO_NUMBERS: [&[u8]; 4] = [b": -nan", b": nan", b": -inf", b": inf"];

/// Escapes the names of events in Paddle's layout, and writes 0 for each of `NO_NUMBERS`; `None` if nothing
/// changes.
pub(crate) fn repair(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() + 1024);
    let mut rest = text;
    while let Some(open) = memmem::find(rest, OPEN) {
        let (before, name) = rest.split_at(open + OPEN.len());
        plain(before, &mut out);
        // The names of processes and threads are arguments, with nothing behind them: those are no names of
        // events.
        let end = memmem::find(name, CLOSE).filter(|&end| {
            !memmem::find(&name[..end], OPEN).is_some_and(|next| name[..next].contains(&b'}'))
        });
        let (name, after) = name.split_at(end.unwrap_or_default());
        escape(name, &mut out);
        rest = after;
    }
    plain(rest, &mut out);
    (out != text).then_some(out)
}

/// Appends text outside of names, with 0 for each of `NO_NUMBERS`.
fn plain(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memmem::find(rest, b": ") {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let wrong = NO_NUMBERS.iter().find(|wrong| rest.starts_with(wrong));
        out.extend_from_slice(if wrong.is_some() { b": 0" } else { b": " });
        rest = &rest[wrong.map_or(2, |wrong| wrong.len())..];
    }
    out.extend_from_slice(rest);
}

/// Appends a name, with quotes, backslashes and control characters escaped as JSON demands.
fn escape(name: &[u8], out: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0..0x20 => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let text =
            b"{\"name\": \"a \"b\" \\ \t[1.000 us]\", \"pid\": 1, \"blocks per SM\": -nan,\n\"x\": inf}";
        let fixed = repair(text).expect("changed");
        let value: serde_json::Value = serde_json::from_slice(&fixed).expect("JSON");
        assert_eq!(value["name"], "a \"b\" \\ \t[1.000 us]");
        assert_eq!(value["blocks per SM"], 0);
    }

    #[test]
    fn valid_text_stays() {
        let text = br#"{"name": "k", "pid": 1, "args": {"name": "thread 1"}}, {"name": "l", "pid": 2}"#;
        assert_eq!(repair(text), None);
        let text = br#"{"args": {"name": "thread \"1\""}}, {"name": "l", "pid": 2}"#;
        assert_eq!(repair(text), None);
    }
}
