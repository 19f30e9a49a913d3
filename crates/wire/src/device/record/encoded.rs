//! A record as words, and how fields of each type stand in them. Must not know which records there are.

use crate::chunk::{u32_at, u64_at};

/// Most 64-bit words that a record may have.
pub const MAX_WORDS: usize = 16;

/// An encoded record: a buffer of the maximum length, of which the first `len` words are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The record's words, followed by zeros.
    pub words: [u64; MAX_WORDS],
    /// Number of words that belong to the record.
    pub len: usize,
}

impl Encoded {
    /// The record's words, without the unused end of the buffer.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }

    /// The record's bytes as they stand in a file: its words, little endian.
    pub fn to_vec(&self) -> Vec<u8> {
        self.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// A type that a field of a record can have.
pub(super) trait Field: Sized {
    /// Decodes the field at byte offset `at` of a record's bytes; a number that extends beyond their end is
    /// 0.
    fn read(bytes: &[u8], at: usize) -> Self;
    /// Encodes the field at byte offset `at` into a record's words, whose bits for the field must be zero.
    fn write(self, words: &mut [u64; MAX_WORDS], at: usize);
}

impl Field for u32 {
    fn read(bytes: &[u8], at: usize) -> Self {
        u32_at(bytes, at)
    }

    #[inline]
    fn write(self, words: &mut [u64; MAX_WORDS], at: usize) {
        words[at / 8] |= u64::from(self) << (8 * (at % 8));
    }
}

impl Field for u64 {
    fn read(bytes: &[u8], at: usize) -> Self {
        u64_at(bytes, at)
    }

    #[inline]
    fn write(self, words: &mut [u64; MAX_WORDS], at: usize) {
        words[at / 8] = self;
    }
}

impl<const N: usize> Field for [u32; N] {
    fn read(bytes: &[u8], at: usize) -> Self {
        std::array::from_fn(|which| u32_at(bytes, at + 4 * which))
    }

    #[inline]
    fn write(self, words: &mut [u64; MAX_WORDS], at: usize) {
        for (which, number) in self.into_iter().enumerate() {
            number.write(words, at + 4 * which);
        }
    }
}
