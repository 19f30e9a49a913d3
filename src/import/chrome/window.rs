//! A sliding window over a stream: what is being parsed is whole in memory, what was parsed is let go.
//!
//! Must not know JSON.

use std::io::{self, Read};

/// Bytes read at a time, at least.
const STEP: usize = 1 << 20;

/// The unparsed bytes at hand, and the stream behind them.
pub(super) struct Window<R> {
    reader: R,
    buf: Vec<u8>,
    /// Parsed bytes at the head of `buf`.
    used: usize,
    /// Offset of `buf[0]` in the text.
    base: u64,
    is_last: bool,
    /// The error that ended the stream early.
    error: Option<io::Error>,
    /// Everything read so far, while it is to be kept.
    kept: Option<Vec<u8>>,
    /// Bytes beyond which nothing is kept.
    keep_at_most: usize,
}

impl<R: Read> Window<R> {
    /// A window that keeps what it reads, up to `keep_at_most` bytes; beyond that it keeps nothing.
    pub(super) fn new(reader: R, keep_at_most: usize) -> Self {
        let kept = (keep_at_most > 0).then(Vec::new);
        Self { reader, buf: Vec::new(), used: 0, base: 0, is_last: false, error: None, kept, keep_at_most }
    }

    /// The unparsed bytes at hand.
    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.buf[self.used..]
    }

    /// Lets go of `n` parsed bytes.
    #[inline]
    pub(super) fn advance(&mut self, n: usize) {
        self.used = (self.used + n).min(self.buf.len());
    }

    /// Offset of the first unparsed byte.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.base + self.used as u64
    }

    /// True when nothing follows `rest`.
    #[inline]
    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Reads on; false when there was nothing more. Amounts double, so parsing again from the start of a large value
    /// costs no more than a few times its size.
    pub(super) fn more(&mut self) -> bool {
        if self.is_last {
            return false;
        }
        self.buf.drain(..self.used);
        self.base += self.used as u64;
        self.used = 0;
        let before = self.buf.len();
        let want = STEP.max(before);
        let got = self.reader.by_ref().take(want as u64).read_to_end(&mut self.buf);
        let after = self.buf.len();
        self.is_last = got.is_err() || after - before < want;
        self.error = got.err();
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(&self.buf[before..]);
        }
        self.kept = self.kept.take().filter(|kept| kept.len() <= self.keep_at_most);
        after > before
    }

    /// How many bytes were read in all.
    pub(super) fn total(&self) -> u64 {
        self.base + self.buf.len() as u64
    }

    /// The error that ended the stream early, once.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Everything that was read, if it was to be kept.
    pub(super) fn take_kept(&mut self) -> Option<Vec<u8>> {
        self.kept.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_hold_while_the_window_slides() {
        let text: Vec<u8> = (0..3 * STEP + 17).map(|i| (i % 251) as u8).collect();
        let mut window = Window::new(text.as_slice(), usize::MAX);
        let mut seen = 0_usize;
        loop {
            while window.rest().len() >= 1000 {
                assert_eq!(window.offset(), seen as u64);
                assert_eq!(window.rest()[..1000], text[seen..seen + 1000]);
                window.advance(1000);
                seen += 1000;
            }
            if !window.more() {
                break;
            }
        }
        assert_eq!(window.rest(), &text[seen..]);
        assert_eq!(window.take_kept().as_deref(), Some(text.as_slice()));
        assert_eq!(window.total(), text.len() as u64);
    }
}
