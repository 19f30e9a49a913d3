//! Protobuf's numbers of variable length: seven bits a byte, the lowest first, the eighth bit set in all but
//! the last byte.
//!
//! Must not know fields or messages.

use std::io::Read;

/// The most bytes that a number of 64 bits takes, at seven bits a byte.
const LONGEST_NUMBER: usize = 10;

/// Why no number of variable length (Protobuf's varint) is at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The bytes end before the number does, or there are none.
    End,
    /// The number has more than 64 bits, or more than 10 bytes.
    TooLong,
}

/// The number of variable length (Protobuf's varint) at the start of `bytes`, and how many bytes it takes.
///
/// # Errors
/// When the bytes end before the number does, or the number has more than 64 bits or 10 bytes.
pub fn varint(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    let mut value = 0_u64;
    for (at, &byte) in bytes.iter().take(LONGEST_NUMBER).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            let is_too_long = at + 1 == LONGEST_NUMBER && byte > 1;
            return if is_too_long { Err(Fault::TooLong) } else { Ok((value, at + 1)) };
        }
    }
    Err(if bytes.len() < LONGEST_NUMBER { Fault::End } else { Fault::TooLong })
}

/// Reads the number of variable length at the start of `bytes`, and moves `bytes` behind it. `None` where
/// there is no such number; `bytes` then stays as it is.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (value, len) = varint(bytes).ok()?;
    *bytes = &bytes[len..];
    Some(value)
}

/// Reads a number of variable length from `from`. `None` if that fails; the bytes read until then are lost.
pub fn read(from: &mut impl Read) -> Option<u64> {
    let mut bytes = [0; LONGEST_NUMBER];
    for at in 0..LONGEST_NUMBER {
        from.read_exact(&mut bytes[at..=at]).ok()?;
        if bytes[at] < 0x80 {
            return varint(&bytes[..=at]).ok().map(|(value, _)| value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGEST: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

    #[test]
    fn numbers_of_all_lengths() {
        assert_eq!(varint(&[0x05, 9]), Ok((5, 1)));
        assert_eq!(varint(&[0x80, 0x01]), Ok((128, 2)));
        assert_eq!(varint(&LARGEST), Ok((u64::MAX, 10)));
        assert_eq!(varint(&[0xff; 9]), Err(Fault::End));
        assert_eq!(varint(&[0xff; 12]), Err(Fault::TooLong));
        assert_eq!(varint(&[]), Err(Fault::End));
    }

    #[test]
    fn taking_and_reading_go_on_behind_the_number() {
        let mut bytes = &[0x80, 0x01, 7][..];
        assert_eq!((take(&mut bytes), bytes), (Some(128), &[7][..]));
        let mut from = &[&LARGEST[..], &[7]].concat()[..];
        assert_eq!((read(&mut from), read(&mut from), read(&mut from)), (Some(u64::MAX), Some(7), None));
        let mut cut = &[0x80][..];
        assert_eq!((take(&mut cut), cut.len()), (None, 1));
    }
}
