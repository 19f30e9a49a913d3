//! The list of names: the texts to which a process's other files refer by number, one after the other, each
//! after its length in bytes (u32, little endian). The first text has number 1.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are parts of words, whose widths the format fixes"
)]

use crate::chunk::u32_at;

/// Most bytes of a name; longer names are cut to this length.
pub const LONGEST_NAME: usize = 4096;

/// Most names whose numbers a process keeps in memory.
pub const MOST_NAMES: usize = 1 << 18;
/// Most bytes of the names whose numbers a process keeps in memory; also limits the bytes of names that wait
/// to be written to the list's file.
pub const MOST_BYTES: u64 = 16 << 20;

/// Encodes a name, cut to [`LONGEST_NAME`] bytes, as an entry of the list of names: its length as a u32, then
/// its bytes.
pub fn bytes(name: &[u8]) -> Vec<u8> {
    let name = &name[..name.len().min(LONGEST_NAME)];
    [&(name.len() as u32).to_le_bytes(), name].concat()
}

/// Decodes a list of names up to the first incomplete or invalid entry: returns the names, and how many bytes
/// their entries take.
pub fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let (mut names, mut at) = (Vec::new(), 0);
    while bytes.len() >= at + 4 {
        let len = u32_at(bytes, at) as usize;
        let Some(name) = bytes.get(at + 4..at + 4 + len).filter(|_| len <= LONGEST_NAME) else { break };
        names.push(name.to_vec());
        at += 4 + len;
    }
    (names, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_read_back() {
        let mut list = [bytes(b"one"), bytes(b""), bytes(&[b'x'; LONGEST_NAME + 9])].concat();
        let end = list.len();
        list.extend([9, 0, 0, 0, b't']);
        let (names, used) = read(&list);
        assert_eq!(names, [b"one".to_vec(), Vec::new(), vec![b'x'; LONGEST_NAME]]);
        assert_eq!(used, end, "an incomplete one waits");
        assert_eq!(read(&u32::MAX.to_le_bytes()), (Vec::new(), 0));
    }
}
