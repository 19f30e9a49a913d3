//! A sliding window over the chunks: what is being parsed is whole in memory, what was parsed is let go.
//!
//! With each chunk may come a piece: a run in it that another thread has read already. Must not know JSON.

use std::collections::VecDeque;

use crate::import::chunk::{Chunk, HEADROOM};
use crate::import::inflate::{Checkpoints, Stop};

use super::run::Piece;

/// Where chunks come from, and where used buffers go.
pub(super) trait Supply {
    /// The next chunk in order and the piece read from it; `None` after the last.
    fn next(&mut self) -> Option<(Chunk, Option<Piece>)>;
    /// Takes a buffer back.
    fn reuse(&mut self, buffer: Vec<u8>);
}

/// The unparsed bytes at hand, and the chunks behind them.
pub(super) struct Window<S> {
    supply: S,
    buf: Vec<u8>,
    /// Bytes at the head of `buf` that are parsed or were never there.
    used: usize,
    /// Offset in the text of the first unparsed byte.
    offset: u64,
    /// Bytes cut out of what is being parsed.
    gone: u64,
    is_last: bool,
    /// Why the text ends.
    stop: Option<Stop>,
    checkpoints: Option<Checkpoints>,
    /// Pieces ahead, in order.
    pieces: VecDeque<Piece>,
    /// Everything read so far, while it is to be kept.
    kept: Option<Vec<u8>>,
    /// Bytes beyond which nothing is kept.
    keep_at_most: usize,
}

impl<S: Supply> Window<S> {
    /// A window that keeps what it reads, up to `keep_at_most` bytes; beyond that it keeps nothing.
    pub(super) fn new(supply: S, keep_at_most: usize) -> Self {
        Self {
            supply,
            buf: Vec::new(),
            used: 0,
            offset: 0,
            gone: 0,
            is_last: false,
            stop: None,
            checkpoints: None,
            pieces: VecDeque::new(),
            kept: (keep_at_most > 0).then(Vec::new),
            keep_at_most,
        }
    }

    /// The unparsed bytes at hand.
    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.buf[self.used..]
    }

    /// Lets go of `n` parsed bytes.
    #[inline]
    pub(super) fn advance(&mut self, n: usize) {
        let n = n.min(self.buf.len() - self.used);
        self.used += n;
        self.offset += n as u64 + std::mem::take(&mut self.gone);
    }

    /// Takes everything at hand from byte `from` on away, but for the last `tail` bytes. It must lie within what is parsed
    /// as one.
    pub(super) fn cut(&mut self, from: usize, tail: usize) {
        let end = self.buf.len() - tail;
        self.gone += (end - (self.used + from)) as u64;
        self.buf.drain(self.used + from..end);
    }

    /// How many bytes were taken away.
    pub(super) fn gone(&self) -> u64 {
        self.gone
    }

    /// Offset of the first unparsed byte.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// True when nothing follows `rest`.
    #[inline]
    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Reads on; false when there was nothing more. A large value is joined from as many chunks as double it, so parsing
    /// it again from its start costs no more than a few times its size.
    pub(super) fn more(&mut self) -> bool {
        let before = self.rest().len();
        let mut after = before;
        while !self.is_last && (after == before || after < 2 * before) {
            after += self.take_chunk();
        }
        after > before
    }

    /// Takes the next chunk in; how many bytes it brought.
    fn take_chunk(&mut self) -> usize {
        let Some((mut chunk, piece)) = self.supply.next() else {
            self.is_last = true;
            return 0;
        };
        self.stop = chunk.stop.take();
        self.is_last = self.stop.is_some();
        self.checkpoints = chunk.checkpoints.take();
        self.pieces.extend(piece);
        self.keep(chunk.bytes());
        let len = chunk.bytes().len();
        let rest = self.buf.len() - self.used;
        let spare = if rest <= HEADROOM {
            chunk.buffer[HEADROOM - rest..HEADROOM].copy_from_slice(&self.buf[self.used..]);
            self.used = HEADROOM - rest;
            std::mem::replace(&mut self.buf, chunk.buffer)
        } else {
            self.buf.drain(..self.used);
            self.used = 0;
            self.buf.extend_from_slice(chunk.bytes());
            chunk.buffer
        };
        self.supply.reuse(spare);
        len
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
        self.kept = self.kept.take().filter(|kept| kept.len() <= self.keep_at_most);
    }

    /// The piece that begins at the first unparsed byte. Pieces that begin before it were read from the wrong place.
    pub(super) fn take_piece(&mut self) -> Option<Piece> {
        while self.pieces.front()?.start < self.offset {
            self.pieces.pop_front();
        }
        if self.pieces.front()?.start == self.offset { self.pieces.pop_front() } else { None }
    }

    /// How many bytes of `rest` lie before the next piece.
    pub(super) fn before_piece(&self) -> usize {
        let ahead = self.pieces.iter().find(|piece| piece.start > self.offset);
        ahead.map_or(self.rest().len(), |piece| (piece.start - self.offset) as usize)
    }

    /// How many bytes were read in all.
    pub(super) fn total(&self) -> u64 {
        self.offset + self.rest().len() as u64
    }

    /// Why the text ends, once.
    pub(super) fn take_stop(&mut self) -> Option<Stop> {
        self.stop.take()
    }

    /// Where inflating can start again, when all of a compressed text was read.
    pub(super) fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        self.checkpoints.take()
    }

    /// Everything that was read, if it was to be kept.
    pub(super) fn take_kept(&mut self) -> Option<Vec<u8>> {
        self.kept.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Progress;
    use crate::import::chunk::{Chunks, Filler};
    use crate::import::source::Feed;

    struct Plain<'p>(Chunks<'p>);

    impl Supply for Plain<'_> {
        fn next(&mut self) -> Option<(Chunk, Option<Piece>)> {
            self.0.next(Vec::new()).map(|chunk| (chunk, None))
        }

        fn reuse(&mut self, _: Vec<u8>) {}
    }

    #[test]
    fn offsets_hold_while_the_window_slides() {
        let text: Vec<u8> = (0..3 * HEADROOM + 17).map(|i| (i % 251) as u8).collect();
        let progress = Progress::default();
        for (chunk, take) in [(100, 1000), (1 << 16, 1000), (1 << 15, 100_000), (1 << 20, 7)] {
            let feed = Feed::Plain(Box::new(text.as_slice()));
            let chunks = Chunks::Here(Filler::new(feed, chunk, &progress));
            let mut window = Window::new(Plain(chunks), usize::MAX);
            let mut seen = 0_usize;
            loop {
                while window.rest().len() >= take {
                    assert_eq!(window.offset(), seen as u64);
                    assert_eq!(window.rest()[..take], text[seen..seen + take]);
                    window.advance(take);
                    seen += take;
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
}
