//! Text from outside (of traces, paths, programs), made safe to show on a terminal.
//!
//! Owns [`SafeText`]: the only kind of text that a cell, a table or a message takes. Control, C1, bidi and
//! invisible characters become visible escapes, and variation selectors are dropped, so a trace can neither
//! control the terminal nor break the alignment of a line. Must not know where text comes from or where it
//! goes.

use std::borrow::Cow;
use std::fmt;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most combining marks that are kept on one character; more could be drawn over other rows.
const MARKS_PER_BASE: usize = 3;

/// Text that is safe to show on a terminal: unsafe characters, such as control characters, are escaped or
/// dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SafeText<'a>(Cow<'a, str>);

impl<'a> SafeText<'a> {
    /// Makes `text` safe to show, mostly by replacing unsafe characters by escapes such as `\x1b`. Borrows a
    /// `text` that is safe already.
    pub fn new(text: &'a str) -> Self {
        if text.bytes().all(|b| (0x20..0x7f).contains(&b)) || is_safe(text) {
            Self(Cow::Borrowed(text))
        } else {
            Self(Cow::Owned(escape(text)))
        }
    }

    /// Makes text safe that may be invalid UTF-8; each invalid sequence becomes U+FFFD.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => Self::new(text),
            Cow::Owned(text) => SafeText::new(&text).into_owned(),
        }
    }

    /// The text with its escapes, as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same text, owned.
    pub fn into_owned(self) -> SafeText<'static> {
        SafeText(Cow::Owned(self.0.into_owned()))
    }

    /// The same text, borrowed.
    pub fn borrowed(&self) -> SafeText<'_> {
        SafeText(Cow::Borrowed(&self.0))
    }

    /// The width of the text, in columns of the terminal.
    pub fn width(&self) -> usize {
        // Safe text has no control characters.
        if self.0.is_ascii() { self.0.len() } else { self.0.width() }
    }

    /// This text followed by `other`.
    pub fn followed_by(&self, other: &SafeText<'_>) -> SafeText<'static> {
        SafeText::from([&*self.0, &*other.0].concat())
    }

    /// True when the text has no character.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shortens the text to at most `columns` columns, with `…` for the end that is cut, if there is room.
    pub fn elide_end(&self, columns: usize) -> SafeText<'_> {
        if self.width() <= columns {
            return self.borrowed();
        }
        let mut out = head(&self.0, columns.saturating_sub(1)).to_owned();
        if columns > 0 {
            out.push('…');
        }
        SafeText(Cow::Owned(out))
    }

    /// Splits the text into lines of at most `columns` columns where possible. An empty text has no line.
    pub fn wrap(&self, columns: usize) -> impl Iterator<Item = SafeText<'_>> {
        let mut rest = self.as_str();
        std::iter::from_fn(move || {
            let first = graphemes(rest).next()?.len();
            let (line, after) = rest.split_at(head(rest, columns.max(1)).len().max(first));
            rest = after;
            Some(SafeText(Cow::Borrowed(line)))
        })
    }

    /// Splits the text at spaces, or within words that are too wide, into lines of at most `columns` columns
    /// where possible. An empty text has no line.
    pub fn wrap_at_spaces(&self, columns: usize) -> impl Iterator<Item = SafeText<'_>> {
        let mut rest = self.as_str();
        std::iter::from_fn(move || {
            let (line, after) = first_line(rest, columns)?;
            rest = after;
            Some(SafeText(Cow::Borrowed(line)))
        })
    }

    /// Splits the text as [`Self::wrap_at_spaces`] does, into at most `lines` lines; if the text is longer,
    /// the last line ends with `…`.
    pub fn wrap_within(&self, columns: usize, lines: usize) -> Vec<SafeText<'_>> {
        let mut rest = self.as_str();
        let mut wrapped = Vec::new();
        while let Some((line, after)) = first_line(rest, columns).filter(|_| wrapped.len() < lines) {
            let is_cut = wrapped.len() + 1 == lines && !after.is_empty();
            wrapped.push(if is_cut {
                SafeText(Cow::Borrowed(rest)).elide_end(columns).into_owned()
            } else {
                SafeText(Cow::Borrowed(line))
            });
            rest = after;
        }
        wrapped
    }

    /// Shortens the text to at most `columns` columns, with `…` for its middle; if there is little room, as
    /// [`Self::elide_end`] does.
    pub fn elide_middle(&self, columns: usize) -> SafeText<'_> {
        if self.width() <= columns {
            return self.borrowed();
        }
        if columns < 5 {
            return self.elide_end(columns);
        }
        let (start, end) = self.ends(columns);
        SafeText(Cow::Owned(format!("{start}…{end}")))
    }

    /// The beginning and the end that remain where [`Self::elide_middle`] shortens the text to `columns`
    /// columns.
    pub(super) fn ends(&self, columns: usize) -> (&str, &str) {
        let room = columns.saturating_sub(1);
        let left = if columns < 5 { room } else { room * 2 / 3 };
        (head(&self.0, left), tail(&self.0, room - left))
    }

    /// Takes `text` without a check; it must consist of whole characters of a safe text, and `…`.
    pub(super) fn cut(text: Cow<'a, str>) -> Self {
        Self(text)
    }
}

impl From<String> for SafeText<'static> {
    fn from(text: String) -> Self {
        if SafeText::new(&text).as_str() == text {
            Self(Cow::Owned(text))
        } else {
            SafeText::new(&text).into_owned()
        }
    }
}

impl fmt::Display for SafeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The first line of a text at a width of `columns` columns, and the text after it, without the spaces
/// between; `None` for an empty text.
fn first_line(text: &str, columns: usize) -> Option<(&str, &str)> {
    let first = graphemes(text).next()?.len();
    let fitting = head(text, columns.max(1)).len().max(first);
    let is_whole = fitting == text.len() || text[fitting..].starts_with(' ');
    let end = if is_whole { fitting } else { text[..fitting].rfind(' ').unwrap_or(fitting) };
    let end = if end == 0 { fitting } else { end };
    Some((text[..end].trim_end_matches(' '), text[end..].trim_start_matches(' ')))
}

/// The graphemes of a text, such as a letter with its marks.
pub fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let len = match *bytes.first()? {
            b' '..=b'~' => 1,
            0xc2 | 0xc3 => 2,
            0xe2 => 3,
            _ => 0,
        };
        let is_alone = len > 0 && bytes.get(len).is_none_or(u8::is_ascii);
        let len = if is_alone { len } else { rest.graphemes(true).next()?.len() };
        let (first, after) = rest.split_at(len);
        rest = after;
        Some(first)
    })
}

/// The longest prefix of the text that has whole graphemes only and is no wider than `columns`.
pub(super) fn head(text: &str, columns: usize) -> &str {
    if text.is_ascii() {
        return &text[..columns.min(text.len())];
    }
    let (mut used, mut at) = (0, 0);
    for grapheme in graphemes(text) {
        used += grapheme.width();
        if used > columns {
            return &text[..at];
        }
        at += grapheme.len();
    }
    text
}

/// The longest suffix of the text that has whole graphemes only and is no wider than `columns`.
pub(super) fn tail(text: &str, columns: usize) -> &str {
    if text.is_ascii() {
        return &text[text.len().saturating_sub(columns)..];
    }
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > columns {
            return &text[at + grapheme.len()..];
        }
    }
    text
}

/// True for text that needs no change to be safe to show.
fn is_safe(text: &str) -> bool {
    let mut marks = MARKS_PER_BASE;
    for ch in text.chars() {
        if matches!(ch, ' '..='~' | '─'..='◿' | '·' | 'µ' | '…') {
            marks = 0;
            continue;
        }
        if is_hidden(ch) || is_selector(ch) {
            return false;
        }
        if ch.width() == Some(0) {
            marks += 1;
            if marks > MARKS_PER_BASE {
                return false;
            }
        } else {
            marks = 0;
        }
    }
    true
}

/// Makes text safe to show, mostly by replacing unsafe characters by escapes.
fn escape(text: &str) -> String {
    use fmt::Write;
    let mut out = String::with_capacity(text.len() + 16);
    // A mark that opens the text has no base: `None` gives it a dotted circle.
    let mut marks: Option<usize> = None;
    for ch in text.chars() {
        if is_selector(ch) {
            continue;
        }
        if is_hidden(ch) {
            let _ = match ch {
                '\n' => out.write_str("\\n"),
                '\t' => out.write_str("\\t"),
                '\r' => out.write_str("\\r"),
                '\0' => out.write_str("\\0"),
                '\u{1}'..='\u{ff}' => write!(out, "\\x{:02x}", ch as u32),
                _ => write!(out, "\\u{{{:x}}}", ch as u32),
            };
            marks = Some(0);
        } else if ch.width() == Some(0) {
            let seen = marks.unwrap_or(0);
            if marks.is_none() {
                out.push('◌');
            }
            match seen {
                0..MARKS_PER_BASE => out.push(ch),
                MARKS_PER_BASE => out.push('…'),
                _ => {}
            }
            marks = Some(seen + 1);
        } else {
            out.push(ch);
            marks = Some(0);
        }
    }
    out
}

/// True for the variation selectors U+FE00 to U+FE0F, which choose the form of the character before them.
fn is_selector(ch: char) -> bool {
    matches!(ch, '\u{fe00}'..='\u{fe0f}')
}

/// True for a character that is shown as an escape, such as a control character, an invisible character or
/// one that reorders text.
fn is_hidden(ch: char) -> bool {
    ch.is_control()
        || matches!(ch,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ff9e}' | '\u{ff9f}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{10ffff}')
        || (ch as u32) & 0xfffe == 0xfffe
        || matches!(ch, '\u{fdd0}'..='\u{fdef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forbidden(ch: char) -> bool {
        matches!(ch, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    }

    #[test]
    fn hostile_text_is_made_visible() {
        let cases = [
            ("plain", "plain"),
            ("\x1b[2J", "\\x1b[2J"),
            ("a\tb\r\n\0", "a\\tb\\r\\n\\0"),
            ("\u{9b}31m", "\\x9b31m"),
            ("x\u{202e}y", "x\\u{202e}y"),
            ("\u{200b}", "\\u{200b}"),
            ("⚠\u{fe0f}", "⚠"),
            ("\u{301}a", "◌\u{301}a"),
            ("conv卷积", "conv卷积"),
            ("\u{e0041}", "\\u{e0041}"),
        ];
        for (text, want) in cases {
            assert_eq!(SafeText::new(text).as_str(), want);
        }
        assert_eq!(SafeText::from_bytes(b"a\xffb").as_str(), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn graphemes_are_those_of_unicode(
            text in "[a \r\n\u{7f}\u{ad}éµ█│…▾卷🇩👩\u{600}\u{110bd}\u{200d}\u{301}\u{fe0f}\u{20e3}ᄀ각क्]{0,12}",
            any in ".*",
        ) {
            for text in [text, any] {
                prop_assert!(graphemes(&text).eq(text.graphemes(true)), "{text:?}");
            }
        }
    }

    #[test]
    fn a_pile_of_marks_is_cut() {
        let zalgo = format!("a{}", "\u{301}".repeat(200));
        assert_eq!(SafeText::new(&zalgo).as_str(), "a\u{301}\u{301}\u{301}…");
    }

    #[test]
    fn eliding_keeps_both_ends() {
        let name = SafeText::new("ampere_sgemm_128x64_nn");
        assert_eq!(name.elide_middle(12).as_str(), "ampere_…4_nn");
        assert_eq!(name.elide_end(7).as_str(), "ampere…");
        assert_eq!(name.elide_end(0).as_str(), "");
        assert_eq!(name.elide_middle(3).as_str(), "am…");
        assert_eq!(SafeText::new("卷积卷积").elide_end(4).as_str(), "卷…");
    }

    #[test]
    fn wrapping_loses_nothing() {
        let text = SafeText::new("abcdefg");
        let lines: Vec<_> = text.wrap(3).map(SafeText::into_owned).collect();
        assert_eq!(lines.iter().map(SafeText::as_str).collect::<Vec<_>>(), ["abc", "def", "g"]);
        assert_eq!(SafeText::new("卷积").wrap(1).count(), 2);
        let at_spaces = |text: &'static str, columns| {
            SafeText::new(text).wrap_at_spaces(columns).map(|line| line.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(at_spaces("one two three", 7), ["one two", "three"]);
        assert_eq!(at_spaces("one  two", 4), ["one", "two"]);
        assert_eq!(at_spaces("unbreakable on", 6), ["unbrea", "kable", "on"]);
        assert_eq!(at_spaces("", 6), [""; 0]);
        assert_eq!(SafeText::new("").wrap(5).count(), 0);
    }

    proptest! {
        #[test]
        fn nothing_forbidden_survives(text in any::<String>(), columns in 0_usize..40) {
            let safe = SafeText::new(&text);
            prop_assert!(!safe.as_str().chars().any(forbidden));
            prop_assert!(safe.elide_middle(columns).width() <= columns);
            prop_assert!(safe.elide_end(columns).width() <= columns);
            let again = SafeText::new(safe.as_str());
            prop_assert_eq!(again.as_str(), safe.as_str(), "cleaning twice changes nothing");
        }
    }
}
