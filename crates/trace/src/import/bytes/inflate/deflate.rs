//! One DEFLATE stream, from its start or from a block boundary inside it. Must not know gzip.
//!
//! zlib-rs does the work. It is fast, but reports only the byte up to which it has read, not the bit, and can
//! only start at a byte. To resume at a bit, each start bit in that byte is tried, and filler blocks are put
//! before the data to shift it there. A filler block is empty, except one of a single literal for odd bits.

use proftui_base::saturate::saturate;
use zlib_rs::{Inflate, InflateFlush, Status};

/// Most bytes of text by which a DEFLATE stream can refer back.
pub(super) const WINDOW: usize = 32 << 10;
/// Base-two logarithm of [`WINDOW`].
const WINDOW_BITS: u8 = 15;

/// An empty block of fixed codes: its bits, from the lowest, and their number.
const EMPTY: (u64, u32) = (0b010, 10);
/// A block of fixed codes with one literal, which makes the number of bits odd: its bits, from the lowest,
/// and their number.
const ODD: (u64, u32) = (0b1001_1010, 19);

/// A DEFLATE stream being inflated.
pub(super) struct Deflate(Inflate);

/// The result of [`Deflate::step`].
pub(super) struct Step {
    /// Number of bytes of input that the step used.
    pub read: usize,
    /// Number of bytes of text that the step wrote.
    pub written: usize,
    pub end: StepEnd,
}

/// Why a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepEnd {
    /// The input is used up or the output is full.
    Inside,
    /// A step by block came to the end of a block, with input and room for output left.
    Boundary,
    /// The stream ended in the last byte that was used.
    End,
    /// The input is no valid DEFLATE.
    Bad,
}

impl Deflate {
    pub(super) fn new() -> Self {
        Self(Inflate::new(false, WINDOW_BITS))
    }

    /// Resets the state for another stream.
    pub(super) fn reset(&mut self) {
        self.0.reset(false);
    }

    /// Resumes a stream at a block that starts at bit `bit` of the byte `first`, after the text in `window`.
    /// Bits count from the lowest; 8 is the next byte's first.
    pub(super) fn at_boundary(first: u8, bit: u32, window: &[u8]) -> Self {
        let mut stream = Self::new();
        let (prefix, bits) = filler(bit % 8);
        let bytes = prefix.to_le_bytes();
        let mixed = (bits / 8) as usize;
        // The filler's literal comes before the window, to which an undamaged stream does not refer.
        stream.step(&bytes[..mixed], &mut [0; 2], false);
        // Fails only in a stream with a header.
        let _ = stream.0.set_dictionary(window);
        if bit < 8 {
            let byte = bytes[mixed] | first & (0xff << bit);
            stream.step(&[byte], &mut [0; 2], false);
        }
        stream
    }

    /// Inflates from `input` to `output`; with `by_block`, at most to the next block boundary.
    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8], by_block: bool) -> Step {
        let (read, written) = (self.0.total_in(), self.0.total_out());
        let flush = if by_block { InflateFlush::Block } else { InflateFlush::NoFlush };
        let status = self.0.decompress(input, output, flush);
        let read = saturate::<usize>(self.0.total_in() - read);
        let written = saturate::<usize>(self.0.total_out() - written);
        let end = match status {
            Err(_) => StepEnd::Bad,
            Ok(Status::StreamEnd) => StepEnd::End,
            Ok(Status::Ok) if by_block && read < input.len() && written < output.len() => StepEnd::Boundary,
            Ok(Status::Ok | Status::BufError) => StepEnd::Inside,
        };
        Step { read, written, end }
    }
}

impl std::fmt::Debug for Deflate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deflate").finish_non_exhaustive()
    }
}

/// Filler blocks whose length in bits is `bit` modulo 8: the bits, from the lowest, and the number of bits.
fn filler(bit: u32) -> (u64, u32) {
    let (mut bits, mut count) = if bit.is_multiple_of(2) { (0, 0) } else { ODD };
    while count % 8 != bit {
        bits |= EMPTY.0 << count;
        count += EMPTY.1;
    }
    (bits, count)
}
