//! Formats JSON: times, texts.

use std::fmt::{self, Arguments, Display, Formatter, Write};

use proftui_base::time::Ns;

/// A time or duration in ns, displayed in µs: `-12.345`; without decimals where it is whole, since a file of
/// whole µs is read as one that rounded them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Micros(pub Ns);

impl Display for Micros {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ns = self.0.unsigned_abs();
        write!(f, "{sign}{}", ns / 1000)?;
        if ns.is_multiple_of(1000) { Ok(()) } else { write!(f, ".{:03}", ns % 1000) }
    }
}

/// A text as a JSON string, with its quotes; bytes that are no UTF-8 become U+FFFD.
pub(super) fn json(text: &[u8]) -> String {
    serde_json::Value::from(String::from_utf8_lossy(text)).to_string()
}

/// Appends formatted text.
pub(super) fn push(out: &mut String, text: Arguments<'_>) {
    // Writing into a text cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_exactly() {
        let times = [0, 999, -1, -1_234_567, i64::MAX, i64::MIN].map(|ns| Micros(ns).to_string());
        assert_eq!(
            times,
            ["0", "0.999", "-0.001", "-1234.567", "9223372036854775.807", "-9223372036854775.808"]
        );
    }
}
