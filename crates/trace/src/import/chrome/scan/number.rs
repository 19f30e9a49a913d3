//! Which bytes of JSON are numbers. Must not know where in a text they are.

use proftui_base::time::leading_digits;

/// The length of the plain decimal number that `text` begins with; `None` where a slower check must decide.
#[inline]
pub(in super::super) fn plain_number(text: &[u8]) -> Option<usize> {
    let digits = |at: usize| at + leading_digits(&text[at..]);
    let from = usize::from(text.first() == Some(&b'-'));
    let mut at = digits(from);
    if at == from || text[from] == b'0' && at > from + 1 {
        return None;
    }
    if text.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    ends_value(*text.get(at)?).then_some(at)
}

/// True for the bytes that may follow a number or a word in a list or an object.
#[inline]
pub(super) fn ends_value(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
}

/// True for a JSON number, and also for numbers such as `+1`, `.5` and `5.`.
pub(super) fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let whole = digits(rest);
    if whole > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix(b".") {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    if let Some(after) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let after = after.strip_prefix(b"-").or_else(|| after.strip_prefix(b"+")).unwrap_or(after);
        return !after.is_empty() && digits(after) == after.len();
    }
    rest.is_empty()
}

/// True for `NaN`, `inf` and `Infinity` in any case, with a sign or without.
pub(super) fn is_nonfinite(text: &[u8]) -> bool {
    let name = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    [b"nan".as_slice(), b"inf", b"infinity"].iter().any(|known| name.eq_ignore_ascii_case(known))
}
