//! Owns the list of escape sequences that may be sent to a terminal, and finds the first output that is not
//! allowed. Must not know who sends it.

/// The modes that may be switched: cursor, alternate screen, bracketed paste, synchronized update.
const MODES: &[&str] = &["25", "1002", "1006", "1049", "2004", "2026"];
/// How the terminal is made to send keys as numbers, and no longer.
const KEYBOARD: [&str; 2] = ["\x1b[>5u", "\x1b[<1u"];
/// Bytes shown before and after a violation.
const CONTEXT: usize = 60;

/// Checks that only allowed output was sent; the error names the first violation, its offset and the bytes
/// around it.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    let (mut text, valid) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, bytes.len()),
        Err(error) => (std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(), error.valid_up_to()),
    };
    while let Some(first) = text.chars().next() {
        let taken = match first {
            '\x1b' => sequence(text),
            // The guard ends whatever was cut off before it says its own.
            '\x18' if text[1..].starts_with("\x1b[?2026l") => Some(1),
            _ => (!is_obeyed_or_unseen(first)).then_some(first.len_utf8()),
        };
        let Some(taken) = taken else {
            return Err(report(bytes, valid - text.len(), &first.escape_unicode()));
        };
        text = &text[taken..];
    }
    if valid < bytes.len() { Err(report(bytes, valid, &"not UTF-8")) } else { Ok(()) }
}

/// The length of the allowed sequence that the text opens with.
fn sequence(text: &str) -> Option<usize> {
    // Text for the clipboard, which base64 keeps from steering anything; never a question for what is on it.
    if let Some(clip) = text.strip_prefix("\x1b]52;c;") {
        let len = clip.find('\x07')?;
        let is_base64 =
            clip[..len].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
        return (is_base64 && len > 0).then_some(7 + len + 1);
    }
    // Keys as numbers, on and off.
    if let Some(mode) = KEYBOARD.iter().find(|mode| text.starts_with(**mode)) {
        return Some(mode.len());
    }
    let body = text.strip_prefix("\x1b[")?;
    let end = body.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?'))?;
    let (numbers, last) = (&body[..end], body[end..].chars().next()?);
    let are_plain = !numbers.contains(['?', ':']);
    let is_allowed = match last {
        '@'..='H' | 'd' | 'J'..='M' | 'P' | 'X' => are_plain,
        // The question whether a frame has arrived; no other.
        'n' => numbers == "5",
        'm' => !numbers.contains('?'),
        'h' | 'l' => numbers.strip_prefix('?').is_some_and(|mode| MODES.contains(&mode)),
        _ => false,
    };
    is_allowed.then_some(2 + end + 1)
}

/// Whether a terminal obeys the character, or a person cannot see it: C0, DEL and C1, bidi and invisible
/// format characters, variation selectors, fillers, private use, tags, noncharacters.
pub(crate) fn is_obeyed_or_unseen(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
            | 0xfff0..=0xfffb | 0xe000..=0xf8ff | 0xe_0000..)
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c, '\u{fdd0}'..='\u{fdef}')
}

fn report(bytes: &[u8], at: usize, what: &dyn std::fmt::Display) -> String {
    let around = &bytes[at.saturating_sub(CONTEXT)..bytes.len().min(at + CONTEXT)];
    format!("{what} at byte {at} of {}: …{}…", bytes.len(), around.escape_ascii())
}

#[test]
fn drawing_passes_and_the_rest_is_named() {
    for fine in [
        "plain, é, 卷积, e\u{301}, \u{fffd}",
        "\x1b[4P\x1b[4@\x1b[3M\x1b[3L\x1b[9X",
        "\x1b[2J\x1b[1;1H\x1b[K\x1b[38;5;208;1m\x1b[4:3mx\x1b[0m\x1b[m",
        "\x1b[?1049h\x1b[?25l\x1b[?2026h\x1b[?2026l\x18\x1b[?2026l\x1b[0m\x1b[?25h\x1b[?1049l",
        "\x1b[>5u\x1b[<1u",
        "\x1b]52;c;Y3VkYQ==\x07",
    ] {
        assert_eq!(check(fine.as_bytes()), Ok(()), "{fine:?}");
    }
    for (bytes, what) in [
        (&b"ok\x07"[..], "\\u{7} at byte 2 of 3"),
        (b"\n", "\\u{a} at"),
        (b"\x18x", "\\u{18} at"),
        (b"\x1b]0;title\x1b\\", "\\u{1b} at byte 0"),
        (b"\x1b]52;c;?\x07", "\\u{1b} at"),
        (b"\x1b]52;p;YQ==\x07", "\\u{1b} at"),
        (b"\x1b[>31u", "\\u{1b} at"),
        (b"\x1b[6n", "\\u{1b} at"),
        (b"\x1b[1;2r", "\\u{1b} at"),
        (b"\x1b[?1000h", "\\u{1b} at"),
        (b"\x1b[?2J", "\\u{1b} at"),
        (b"\x1b[38;5;", "\\u{1b} at"),
        (b"\xc2\x9b2J", "\\u{9b} at"),
        ("a\u{202e}b".as_bytes(), "\\u{202e} at byte 1"),
        ("\u{200b}".as_bytes(), "\\u{200b} at"),
        ("\u{e0041}".as_bytes(), "\\u{e0041} at"),
        (b"ab\x9bc", "not UTF-8 at byte 2 of 4: \u{2026}ab\\x9bc"),
    ] {
        let said = check(bytes).unwrap_err();
        assert!(said.starts_with(what), "{said}");
    }
}
