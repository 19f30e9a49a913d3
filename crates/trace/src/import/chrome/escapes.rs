//! Resolves the escapes of JSON strings. Must not know what a string means.

/// A string's text with its escapes resolved, bad ones left as they are; and whether half of a surrogate pair
/// was replaced by U+FFFD.
pub(crate) fn unescape(text: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut lone = false;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &text[at..]) {
        out.extend_from_slice(&text[at..at + next]);
        at += next;
        let plain = match text.get(at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'u') if unit(text, at).is_some() => {
                let (ch, used) = code_point(text, at);
                lone |= ch.is_none();
                let mut utf8 = [0; 4];
                out.extend_from_slice(ch.unwrap_or('\u{fffd}').encode_utf8(&mut utf8).as_bytes());
                at += used;
                continue;
            }
            _ => {
                out.push(b'\\');
                at += 1;
                continue;
            }
        };
        out.push(plain);
        at += 2;
    }
    out.extend_from_slice(&text[at..]);
    (out, lone)
}

/// The UTF-16 unit of the escape `\uXXXX` at index `at`; `None` when no such escape is there.
fn unit(text: &[u8], at: usize) -> Option<u32> {
    let escape = text.get(at..at + 6)?;
    if &escape[..2] != b"\\u" || !escape[2..].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
}

/// The character of the escape or surrogate pair of escapes at index `at`, and its length in the text, bytes;
/// no character for half of a pair.
fn code_point(text: &[u8], at: usize) -> (Option<char>, usize) {
    let first = unit(text, at).unwrap_or(0xfffd);
    if let (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) = (first, unit(text, at + 6)) {
        return (char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12);
    }
    (char::from_u32(first), 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_resolve() {
        assert_eq!(unescape(b"a\\n\\u00e9\\ud83d\\ude00\\q\\\"").0, "a\né😀\\q\"".as_bytes());
        assert_eq!(unescape(b"\\udc00x"), ("\u{fffd}x".into(), true));
    }
}
