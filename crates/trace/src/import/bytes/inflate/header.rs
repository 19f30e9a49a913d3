//! Skips and checks the header of a gzip member. Must not know DEFLATE.

use std::io::Read;

use crc32fast::Hasher;

use super::input::Input;
use super::outcome::{Damage, Stop};

/// Magic number at the start of a member.
pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];

const DEFLATED: u8 = 8;
const HAS_CRC: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Skips the header of a gzip member at the input's position, and checks it.
///
/// # Errors
/// When the header cannot be read, is cut short or invalid, or fails its checksum.
pub(super) fn skip<R: Read>(input: &mut Input<R>) -> Result<(), Stop> {
    let fixed = input.take::<10>()?.ok_or(Damage::Truncated)?;
    let [magic @ .., method, flags, _, _, _, _, _, _] = fixed;
    if magic != MAGIC || method != DEFLATED || flags & RESERVED != 0 {
        return Err(Damage::Data.into());
    }
    let mut check = Hasher::new();
    check.update(&fixed);
    if flags & HAS_EXTRA != 0 {
        let len = input.take::<2>()?.ok_or(Damage::Truncated)?;
        check.update(&len);
        let mut left = usize::from(u16::from_le_bytes(len));
        while left > 0 {
            let bytes = input.peek(1)?;
            let used = left.min(bytes.len());
            if used == 0 {
                return Err(Damage::Truncated.into());
            }
            check.update(&bytes[..used]);
            input.consume(used);
            left -= used;
        }
    }
    for flag in [HAS_NAME, HAS_COMMENT] {
        if flags & flag != 0 {
            skip_text(input, &mut check)?;
        }
    }
    if flags & HAS_CRC != 0 {
        let stored = input.take::<2>()?.ok_or(Damage::Truncated)?;
        if u32::from(u16::from_le_bytes(stored)) != check.finalize() & u32::from(u16::MAX) {
            return Err(Damage::Checksum.into());
        }
    }
    Ok(())
}

/// Skips bytes up to and including the next zero byte, and adds them to the checksum.
fn skip_text<R: Read>(input: &mut Input<R>, check: &mut Hasher) -> Result<(), Stop> {
    loop {
        let bytes = input.peek(1)?;
        if bytes.is_empty() {
            return Err(Damage::Truncated.into());
        }
        let zero = bytes.iter().position(|&byte| byte == 0);
        let used = zero.map_or(bytes.len(), |at| at + 1);
        check.update(&bytes[..used]);
        input.consume(used);
        if zero.is_some() {
            return Ok(());
        }
    }
}
