//! Numbers as digits, without the machinery of formatting: a frame has thousands.

/// Appends the decimal digits of `number`.
pub(super) fn decimal(number: u16, out: &mut Vec<u8>) {
    if number >= 10 {
        decimal(number / 10, out);
    }
    out.push(b'0' + (number % 10) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_number() {
        for number in 0..=u16::MAX {
            let mut out = Vec::new();
            decimal(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
