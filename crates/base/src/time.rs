//! Time in whole nanoseconds, spans of it, and the conversion from decimal text.
//!
//! Text is never converted through floats: a float of microseconds since the Unix epoch resolves 0.25 µs
//! only. Must not know formats: callers name the unit of their text.

use crate::saturate::saturate;

/// A time or a duration in nanoseconds; the zero of a trace's times depends on the trace.
pub type Ns = i64;

/// A half-open span of time `[start, end)`, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first instant of the span, ns.
    pub start: Ns,
    /// The first instant after the span, ns.
    pub end: Ns,
}

impl Span {
    /// The span between two times (ns), given in either order.
    pub fn new(a: Ns, b: Ns) -> Self {
        Self { start: a.min(b), end: a.max(b) }
    }

    /// The length in ns, at most `i64::MAX`.
    pub fn len(self) -> Ns {
        self.end.saturating_sub(self.start)
    }

    /// True when the span has no length.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// True when the time `t` (ns) lies in the span; the end of the span does not.
    pub fn contains(self, t: Ns) -> bool {
        self.start <= t && t < self.end
    }

    /// True when the two spans share some time, or an empty one lies inside the other, not at its ends.
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The smallest span that contains both spans, and so the time between them.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Adds up durations (ns) in their order, saturating at the ends of `i64`.
pub fn sum(times: impl IntoIterator<Item = Ns>) -> Ns {
    times.into_iter().fold(0, Ns::saturating_add)
}

/// Parses a decimal number of microseconds, such as `-3.25`, to ns, rounded half away from zero. `None` when
/// the text is no such number or the result does not fit.
pub fn parse_us(text: &[u8]) -> Option<Ns> {
    parse_scaled(text, 3)
}

/// Parses a decimal number and multiplies it by `10^shift`, rounded half away from zero. `None` when the text
/// is no such number or the result does not fit.
pub fn parse_scaled(text: &[u8], shift: i32) -> Option<i64> {
    if let Some(plain) = parse_plain(text, shift) {
        return Some(plain);
    }
    parse_general(text, shift)
}

/// Parses a decimal number of a common form, such as `-3.25`, and multiplies it by `10^shift`; `None` for
/// other forms, or if the result is no whole number that fits.
fn parse_plain(text: &[u8], shift: i32) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value: i64 = 0;
    let mut fraction: Option<i32> = None;
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + i64::from(byte - b'0');
                if let Some(decimals) = fraction.as_mut() {
                    *decimals += 1;
                }
            }
            b'.' if fraction.is_none() => fraction = Some(0),
            _ => return None,
        }
    }
    if fraction.is_some() && digits.len() == 1 {
        return None;
    }
    let missing = shift - fraction.unwrap_or(0);
    let power = 10_i64.checked_pow(u32::try_from(missing).ok()?)?;
    let value = value.checked_mul(power)?;
    Some(if negative { -value } else { value })
}

/// Parses the microseconds at the start of `text` if they and what follows have a common form: returns ns,
/// the number of bytes read, and whether there is a decimal point. [`parse_us`] parses all forms.
#[inline]
pub fn scan_us(text: &[u8]) -> Option<(Ns, usize, bool)> {
    let from = usize::from(text.first() == Some(&b'-'));
    let (mut value, mut len) = head_digits(text.get(from..)?)?;
    if len == 8 {
        let (more, decimals) = head_digits(&text[from + 8..])?;
        value = value * TENS[decimals] + more;
        len += decimals;
    }
    if len == 0 || text[from] == b'0' && len > 1 {
        return None;
    }
    let mut at = from + len;
    let has_point = text.get(at) == Some(&b'.');
    if has_point {
        let (fraction, decimals) = head_digits(&text[at + 1..])?;
        value = value * 1000 + fraction * TENS.get(3_usize.checked_sub(decimals)?)?;
        at += 1 + decimals;
    } else {
        value *= 1000;
    }
    if !matches!(text.get(at)?, b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t') {
        return None;
    }
    let value = i64::try_from(value).ok()?;
    Some((if from == 1 { -value } else { value }, at, has_point))
}

/// Powers of ten, from `10^0` to `10^8`, by their exponent.
const TENS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Parses the ASCII digits that the first eight bytes of `text` begin with: their value and their number (0
/// to 8). `None` when `text` has fewer than eight bytes.
#[inline]
fn head_digits(text: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*text.first_chunk()?);
    let len = digits_of(word);
    // Shifts the last digit into the highest byte; the zero bytes shifted in below count as leading zeros.
    let value = if len == 0 { 0 } else { eight_digits(word << (64 - 8 * len)) };
    Some((value, len))
}

/// Counts the ASCII digits that `text` begins with.
#[inline]
pub fn leading_digits(text: &[u8]) -> usize {
    let mut at = 0;
    // Eight bytes at a time: the CPU would mispredict the end of a loop over single bytes.
    while let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let len = digits_of(u64::from_le_bytes(*chunk));
        at += len;
        if len < 8 {
            return at;
        }
    }
    at + text[at..].iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Counts the ASCII digits that eight bytes begin with (0 to 8). The first byte is the lowest of `word`.
#[inline]
fn digits_of(word: u64) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let low = word ^ (ONES * 0x30);
    // The lowest bit set is exact: a byte beyond 9 sets its top bit, and only then can it carry into the
    // next.
    let others = (low.wrapping_add(ONES * 0x76) | low) & (ONES * 0x80);
    (others.trailing_zeros() / 8) as usize
}

/// The value of eight ASCII digits, the first of which is the lowest byte of `word`; zero bytes count as 0.
#[inline]
fn eight_digits(word: u64) -> u64 {
    let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    let all = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32;
    all & 0xffff_ffff
}

/// Parses a decimal number of any form and multiplies it by `10^shift`, rounded half away from zero. `None`
/// where the text is no such number or the result does not fit.
fn parse_general(text: &[u8], shift: i32) -> Option<i64> {
    let text = text.trim_ascii();
    let (negative, text) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    let at = text.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(text.len());
    let (mantissa, exponent) = text.split_at(at);
    let exponent: i32 = match exponent.split_first() {
        None => 0,
        Some((_, digits)) => {
            saturate::<i32>(std::str::from_utf8(digits).ok()?.parse::<i64>().ok()?.clamp(-9999, 9999))
        }
    };
    let point = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
    let (whole, fraction) = mantissa.split_at(point);
    let fraction = fraction.get(1..).unwrap_or(&[]);
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    if !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    // The value is 0.d1d2d3… times ten to `scale`; digits at or beyond `scale` only round.
    let scale = i64::try_from(whole.len()).ok()? + i64::from(exponent) + i64::from(shift);
    let mut value: i64 = 0;
    for (i, &digit) in (0_i64..).zip(whole.iter().chain(fraction)) {
        if i < scale {
            value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        } else {
            if i == scale && digit >= b'5' {
                value = value.checked_add(1)?;
            }
            break;
        }
    }
    let given = i64::try_from(whole.len() + fraction.len()).ok()?;
    if value != 0 && scale > given {
        value = value.checked_mul(10_i64.checked_pow(u32::try_from(scale - given).ok()?)?)?;
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_text_is_exact() {
        let cases: [(&str, Option<i64>); 18] = [
            ("0", Some(0)),
            ("7", Some(7_000)),
            ("-3.25", Some(-3_250)),
            ("1712170298000123.456", Some(1_712_170_298_000_123_456)),
            ("1712170298000123.457", Some(1_712_170_298_000_123_457)),
            ("9007199254740993", Some(9_007_199_254_740_993_000)),
            ("1.5e3", Some(1_500_000)),
            ("1E-3", Some(1)),
            ("0.0004", Some(0)),
            ("0.0005", Some(1)),
            (" 42.5 ", Some(42_500)),
            ("+1", Some(1_000)),
            (".5", Some(500)),
            ("5.", Some(5_000)),
            ("", None),
            (".", None),
            ("nan", None),
            ("9223372036854775808", None),
        ];
        for (text, want) in cases {
            assert_eq!(parse_us(text.as_bytes()), want, "{text:?}");
        }
    }

    #[test]
    fn long_and_absurd_numbers_do_not_hang_or_wrap() {
        let long = vec![b'9'; 1 << 20];
        assert_eq!(parse_us(&long), None);
        assert_eq!(parse_us(b"1e999999999999"), None);
        assert_eq!(parse_us(b"1e-999999999999"), Some(0));
        assert_eq!(parse_us(b"1e-9999"), Some(0));
        assert_eq!(parse_us(b"0e9999"), Some(0));
        let mut padded = b"0.".to_vec();
        padded.extend(vec![b'1'; 1 << 16]);
        assert_eq!(parse_us(&padded), Some(111));
    }

    #[test]
    fn scanning_agrees_with_parsing() {
        for text in [
            "0",
            "7",
            "12.5",
            "1.50",
            "-7.125",
            "1712170298000123",
            "99999999",
            "12345678.901",
            "123456789012345.678",
            "5.",
        ] {
            let padded = format!("{text},        ");
            let (value, len, has_point) = scan_us(padded.as_bytes()).expect(text);
            assert_eq!((Some(value), len), (parse_us(text.as_bytes()), text.len()), "{text}");
            assert_eq!(has_point, text.contains('.'));
        }
        for text in [
            "",
            "-,",
            "01,",
            "1.2345,",
            "1e3,",
            "12345678901234567,",
            "9999999999999999,",
            "1",
            "x",
            ".5,",
            "1]",
            "1.2x,       ",
        ] {
            assert_eq!(scan_us(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn plain_and_general_parsing_agree() {
        for text in ["0", "1", "12.5", "-7.125", "999999999999.999"] {
            assert_eq!(parse_plain(text.as_bytes(), 3), parse_general(text.as_bytes(), 3), "{text}");
        }
    }

    #[test]
    fn spans() {
        let span = Span::new(9, 3);
        assert_eq!((span.start, span.end, span.len()), (3, 9, 6));
        assert!(span.contains(3) && !span.contains(9));
        assert!(span.overlaps(Span::new(8, 20)) && !span.overlaps(Span::new(9, 20)));
    }
}
