//! A tolerant JSON scanner over a byte slice: tokens are not copied, nesting needs no recursion, and no
//! length in the input makes it allocate.
//!
//! It accepts the oddities that producers write (raw control characters, NaN, stray commas, bad escapes) and
//! notes them. Must not know the meaning of values.

mod number;

use super::escapes::unescape;
pub(super) use number::plain_number;
use number::{ends_value, is_nonfinite, is_number};

/// Most bytes of a value of [`Kind::Word`].
const LONGEST_WORD: usize = 64;
/// Levels of nesting in one value beyond which [`Oddities::DEPTH`] is noted.
pub(crate) const MAX_DEPTH: usize = 200;

/// Why a value could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end before the end of the value is known.
    End,
    /// Not JSON, at this index of the bytes.
    Bad(usize),
}

/// The kind of a JSON value. As wide as a machine word, which makes tokens faster to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Kind {
    String,
    Number,
    /// `NaN`, `inf` or `Infinity`, in upper or lower case, with a sign or without.
    NonFinite,
    /// A word that is no JSON, such as `N/A` or `0x10`; only where [`Scanner::takes_words`] is set.
    Word,
    Bool,
    Null,
    Object,
    Array,
}

/// A JSON value: its kind and its text, for a string without the quotes and with its escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a [u8],
}

impl<'a> Token<'a> {
    /// The text of a string or number; `None` for any other kind.
    pub(crate) fn key(&self) -> Option<&'a [u8]> {
        matches!(self.kind, Kind::String | Kind::Number).then_some(self.text)
    }
}

/// The kinds of oddities found in JSON that was read all the same, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Oddities(u8);

impl Oddities {
    pub(crate) const CONTROL: Self = Self(1);
    pub(crate) const UTF8: Self = Self(2);
    pub(crate) const NONFINITE: Self = Self(4);
    pub(crate) const SYNTAX: Self = Self(8);
    pub(crate) const DEPTH: Self = Self(16);
    pub(crate) const WORD: Self = Self(32);

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }
}

/// The objects and arrays around a value: one bit per level, set for an object.
#[derive(Default)]
struct Nesting {
    depth: usize,
    /// The innermost levels; the lowest bit is the innermost.
    bits: u64,
    /// The levels further out, 64 in each number.
    outer: Vec<u64>,
}

impl Nesting {
    #[inline]
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(is_object);
        self.depth += 1;
    }

    #[inline]
    fn pop(&mut self) {
        self.bits >>= 1;
        self.depth -= 1;
        if self.depth > 0
            && self.depth.is_multiple_of(64)
            && let Some(bits) = self.outer.pop()
        {
            self.bits = bits;
        }
    }

    #[inline]
    fn is_object(&self) -> bool {
        self.bits & 1 == 1
    }
}

/// Reads JSON values from `buf`, one after the other; `pos` is the index of the next byte to read.
pub(crate) struct Scanner<'a> {
    pub buf: &'a [u8],
    pub pos: usize,
    pub odd: Oddities,
    /// True when nothing follows `buf`, so that a number or a word may end where the bytes end.
    pub is_last: bool,
    /// True to read a word that is no JSON as a value of [`Kind::Word`]: among the arguments of an event,
    /// where a producer's odd value must not cost the event.
    pub takes_words: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(buf: &'a [u8], is_last: bool) -> Self {
        Self { buf, pos: 0, odd: Oddities::default(), is_last, takes_words: false }
    }

    /// As [`Scanner::new`], but takes words that are no JSON as values: for text that was scanned before.
    pub(crate) fn again(buf: &'a [u8]) -> Self {
        Self { takes_words: true, ..Self::new(buf, true) }
    }

    /// Skips white space; returns the next byte, which is not consumed, or [`Fault::End`] without one.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<u8, Fault> {
        self.pos = blank(self.buf, self.pos);
        self.buf.get(self.pos).copied().ok_or(Fault::End)
    }

    /// Reads the string whose opening quote is at `pos`, and moves past the string. Returns the text between
    /// its quotes, with escapes; notes oddities in it.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<&'a [u8], Fault> {
        let start = self.pos + 1;
        let mut at = start;
        let mut high = false;
        let mut surrogates = false;
        loop {
            at = plain_end(self.buf, at, &mut high);
            match self.buf.get(at) {
                None => return Err(Fault::End),
                Some(b'"') => break,
                Some(b'\\') => at = self.escape(at, &mut surrogates)?,
                Some(_) => {
                    self.odd.add(Oddities::CONTROL);
                    at += 1;
                }
            }
        }
        let text = &self.buf[start..at];
        self.pos = at + 1;
        if high && std::str::from_utf8(text).is_err() || surrogates && has_lone_surrogate(text) {
            self.odd.add(Oddities::UTF8);
        }
        Ok(text)
    }

    /// Returns the index behind the escape whose backslash is at index `at`. Sets `surrogates` if the escape
    /// may be half of a surrogate pair.
    fn escape(&mut self, at: usize, surrogates: &mut bool) -> Result<usize, Fault> {
        match self.buf.get(at + 1) {
            None => Err(Fault::End),
            Some(b'u') => {
                let digits = self.buf.get(at + 2..at + 6).ok_or(Fault::End)?;
                if digits.iter().all(u8::is_ascii_hexdigit) {
                    *surrogates |= matches!(digits[0], b'd' | b'D');
                    Ok(at + 6)
                } else {
                    self.odd.add(Oddities::SYNTAX);
                    Ok(at + 2)
                }
            }
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(_) => {
                self.odd.add(Oddities::SYNTAX);
                Ok(at + 2)
            }
        }
    }

    /// Reads the next value and moves past it; an object or array is one token.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<Token<'a>, Fault> {
        match self.peek()? {
            b'"' => Ok(Token { kind: Kind::String, text: self.string()? }),
            b'{' | b'[' => {
                let start = self.pos;
                let kind = if self.buf[start] == b'{' { Kind::Object } else { Kind::Array };
                self.skip_container()?;
                Ok(Token { kind, text: &self.buf[start..self.pos] })
            }
            _ => self.scalar(),
        }
    }

    #[inline]
    fn scalar(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.pos;
        let rest = &self.buf[start..];
        if let Some(len) = plain_number(rest) {
            self.pos = start + len;
            return Ok(Token { kind: Kind::Number, text: &rest[..len] });
        }
        self.other_scalar()
    }

    /// As [`Scanner::scalar`], for what is no plain number.
    #[inline(never)]
    fn other_scalar(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.pos;
        let rest = &self.buf[start..];
        let len = rest
            .iter()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.'))
            .count();
        if len == rest.len() && !self.is_last {
            return Err(Fault::End);
        }
        let text = &rest[..len];
        if self.takes_words && rest.get(len).is_some_and(|&byte| !ends_value(byte)) {
            return self.word();
        }
        let kind = match text {
            b"true" | b"false" => Kind::Bool,
            b"null" => Kind::Null,
            _ if is_number(text) => Kind::Number,
            _ if is_nonfinite(text) => {
                self.odd.add(Oddities::NONFINITE);
                Kind::NonFinite
            }
            _ if len > 0
                && len == rest.len()
                && ["true", "false", "null"].iter().any(|w| w.as_bytes().starts_with(text)) =>
            {
                return Err(Fault::End);
            }
            _ if self.takes_words => return self.word(),
            _ => return Err(Fault::Bad(start)),
        };
        self.pos = start + len;
        Ok(Token { kind, text })
    }

    /// Reads the word at `pos`, which is no JSON, and moves past it: bytes up to a comma, a closing bracket
    /// or white space, of which a comma or a closing bracket must be next.
    #[cold]
    fn word(&mut self) -> Result<Token<'a>, Fault> {
        let (start, rest) = (self.pos, &self.buf[self.pos..]);
        let is_word = |byte: &u8| byte.is_ascii_graphic() && !br#",:"{}[]"#.contains(byte);
        let len = rest.iter().take(LONGEST_WORD).take_while(|byte| is_word(byte)).count();
        let end = blank(rest, len);
        match rest.get(end) {
            Some(b',' | b'}' | b']') if len > 0 => {
                self.pos = start + len;
                self.odd.add(Oddities::WORD);
                Ok(Token { kind: Kind::Word, text: &rest[..len] })
            }
            None if !self.is_last => Err(Fault::End),
            _ => Err(Fault::Bad(start)),
        }
    }

    /// Moves past the object or array at `pos`, of any depth.
    fn skip_container(&mut self) -> Result<(), Fault> {
        let mut open = Nesting::default();
        loop {
            let byte = self.peek()?;
            match byte {
                b'{' | b'[' => {
                    open.push(byte == b'{');
                    if open.depth > MAX_DEPTH {
                        self.odd.add(Oddities::DEPTH);
                    }
                    self.pos += 1;
                    if byte == b'{' && self.open_member(&mut open)?
                        || byte == b'[' && self.open_element(&mut open)?
                    {
                        continue;
                    }
                }
                b'"' => {
                    self.string()?;
                }
                _ => {
                    self.scalar()?;
                }
            }
            // A value ended: skip closing brackets and braces, then move to the next value.
            loop {
                if open.depth == 0 {
                    return Ok(());
                }
                let is_object = open.is_object();
                match self.peek()? {
                    b',' => {
                        self.pos += 1;
                        if if is_object {
                            self.open_member(&mut open)?
                        } else {
                            self.open_element(&mut open)?
                        } {
                            break;
                        }
                    }
                    b'}' if is_object => {
                        self.pos += 1;
                        open.pop();
                    }
                    b']' if !is_object => {
                        self.pos += 1;
                        open.pop();
                    }
                    _ => return Err(Fault::Bad(self.pos)),
                }
            }
        }
    }

    /// Moves to the value of an object's next member. False if the object ends instead: then moves past its
    /// end and removes it from `open`.
    fn open_member(&mut self, open: &mut Nesting) -> Result<bool, Fault> {
        if self.next_key()?.is_some() {
            return Ok(true);
        }
        open.pop();
        Ok(false)
    }

    /// Moves to an array's next element. False if the array ends instead: then moves past its end and removes
    /// it from `open`.
    fn open_element(&mut self, open: &mut Nesting) -> Result<bool, Fault> {
        if self.peek()? == b']' {
            self.pos += 1;
            open.pop();
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads an object's next key and the colon behind the key; `None` when it read the closing brace
    /// instead.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        loop {
            match self.peek()? {
                b'"' => {
                    let key = self.string()?;
                    if self.peek()? != b':' {
                        return Err(Fault::Bad(self.pos));
                    }
                    self.pos += 1;
                    return Ok(Some(key));
                }
                b'}' => {
                    self.pos += 1;
                    return Ok(None);
                }
                b',' => {
                    self.odd.add(Oddities::SYNTAX);
                    self.pos += 1;
                }
                _ => return Err(Fault::Bad(self.pos)),
            }
        }
    }

    /// Moves past the comma behind an object's member, or to the closing brace; anything else is a fault.
    #[inline]
    pub(crate) fn after_member(&mut self) -> Result<(), Fault> {
        match self.peek()? {
            b',' => {
                self.pos += 1;
                if self.peek()? == b'}' {
                    self.odd.add(Oddities::SYNTAX);
                }
                Ok(())
            }
            b'}' => Ok(()),
            _ => Err(Fault::Bad(self.pos)),
        }
    }
}

/// The index behind any white space at index `at` of `buf`.
#[inline]
pub(super) fn blank(buf: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = buf.get(at) {
        at += 1;
    }
    at
}

/// The first index from `at` on whose byte is a quote, a backslash or below 0x20, else the end. Sets `high`
/// if a byte before that index is not ASCII, sometimes also for a later byte.
#[inline]
pub(super) fn plain_end(buf: &[u8], mut at: usize, high: &mut bool) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES * 0x80;
    let zero_bytes = |v: u64| v.wrapping_sub(ONES) & !v & TOPS;
    while let Some(chunk) = buf.get(at..at + 8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        // The lowest bit set is exact; bits above it may come from a borrow, and are not used.
        let hits = zero_bytes(word ^ (ONES * u64::from(b'"')))
            | zero_bytes(word ^ (ONES * u64::from(b'\\')))
            | word.wrapping_sub(ONES * 0x20) & !word & TOPS;
        *high |= word & TOPS != 0;
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = buf.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        *high |= byte >= 0x80;
        at += 1;
    }
    at
}

/// True when an escape in `text` is half of a surrogate pair without the other half.
fn has_lone_surrogate(text: &[u8]) -> bool {
    unescape(text).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scan(text: &[u8]) -> (Result<Token<'_>, Fault>, Oddities) {
        let mut scanner = Scanner::new(text, true);
        (scanner.value(), scanner.odd)
    }

    #[test]
    fn good_values() {
        for text in [
            "1",
            "-0.5e+3",
            "\"a\"",
            "[]",
            "{}",
            "[1,[2,{\"a\":null}],true]",
            "{\"a\":{\"b\":[]},\"c\":1}",
            "0",
        ] {
            let (token, odd) = scan(text.as_bytes());
            assert!(token.is_ok() && !odd.any(), "{text}: {token:?} {odd:?}");
        }
    }

    #[test]
    fn oddities_are_accepted_and_noted() {
        for (text, odd) in [
            ("\"a\nb\"", Oddities::CONTROL),
            ("\"\\x\"", Oddities::SYNTAX),
            ("\"\\ud800\"", Oddities::UTF8),
            ("NaN", Oddities::NONFINITE),
            ("-Infinity", Oddities::NONFINITE),
            ("{,\"a\":1}", Oddities::SYNTAX),
        ] {
            let (token, seen) = scan(text.as_bytes());
            assert!(token.is_ok(), "{text}");
            assert_eq!(seen, odd, "{text}");
        }
        assert!(!scan("\"\\ud83d\\ude00\"".as_bytes()).1.any(), "a whole pair is fine");
        assert!(scan(b"\"\xff\"").1.has(Oddities::UTF8));
    }

    #[test]
    fn faults_have_their_index() {
        for (text, fault) in [
            ("[1", Fault::End),
            ("\"abc", Fault::End),
            ("\"abc\\", Fault::End),
            ("{\"a\"", Fault::End),
            ("tru", Fault::End),
            ("[1}", Fault::Bad(2)),
            ("{\"a\" 1}", Fault::Bad(5)),
            ("01", Fault::Bad(0)),
            ("0x1f", Fault::Bad(0)),
            ("'a'", Fault::Bad(0)),
            ("[1 2]", Fault::Bad(3)),
        ] {
            assert_eq!(scan(text.as_bytes()).0, Err(fault), "{text}");
        }
    }

    #[test]
    fn words_are_values_where_they_are_taken() {
        for text in ["N/A", "-nan(ind)", "1.#QNAN", "None", "True", "undefined", "0x10", "01"] {
            let text = format!("{{\"a\":[{text}],\"b\":{text} }}");
            let mut scanner = Scanner::again(text.as_bytes());
            assert!(scanner.value().is_ok(), "{text}");
            assert!(scanner.odd.has(Oddities::WORD), "{text}");
            assert!(matches!(scan(text.as_bytes()).0, Err(Fault::Bad(_))), "{text}");
        }
        for text in ["{\"a\":1 2}", "{\"a\":}", "{\"a\":x\"b\"}", "{\"a\":N/A", "{\"a\":x y}"] {
            assert!(Scanner::again(text.as_bytes()).value().is_err(), "{text}");
        }
        let mut cut = Scanner { takes_words: true, ..Scanner::new(b"{\"a\":N/", false) };
        assert_eq!(cut.value(), Err(Fault::End));
        assert_eq!(Scanner::again(b"[-1.5,null,true]").odd, Oddities::default());
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        let (token, odd) = scan(&deep);
        assert!(token.is_ok() && odd.has(Oddities::DEPTH));
        assert_eq!(scan(&vec![b'['; 1_000_000]).0, Err(Fault::End));
    }

    proptest! {
        #[test]
        fn anything_serde_accepts_is_accepted_whole(text in "[\\[\\]{}\":,0-9a-z\\\\ .eE+-]{0,40}") {
            if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                let mut scanner = Scanner::new(text.as_bytes(), true);
                prop_assert!(scanner.value().is_ok());
                prop_assert_eq!(scanner.peek(), Err(Fault::End));
            }
        }

        #[test]
        fn any_bytes_end_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = scan(&bytes);
            let _ = unescape(&bytes);
        }

        #[test]
        fn the_wide_string_scan_equals_the_narrow(bytes in proptest::collection::vec(any::<u8>(), 0..64), at in 0_usize..64) {
            let mut high = false;
            let at = at.min(bytes.len());
            let want = bytes[at..].iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).map_or(bytes.len(), |n| at + n);
            prop_assert_eq!(plain_end(&bytes, at, &mut high), want);
        }
    }
}
