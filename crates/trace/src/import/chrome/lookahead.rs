//! The unparsed bytes that are in memory, which grow chunk by chunk; parsed bytes are discarded.
//!
//! A chunk may come with a run of its events that another thread has parsed already. Must not know JSON.

use std::collections::VecDeque;

use crate::import::bytes::chunk::{Chunk, HEADROOM};
use crate::import::bytes::inflate::{Checkpoints, Stop};
use proftui_base::saturate::saturate;

use super::chunk_parser::ParsedChunk;

/// Source of a text's chunks, which takes used buffers back.
pub(super) trait Supply {
    /// The next chunk in order and the events parsed from it ahead, if any; `None` when no more come.
    fn next(&mut self) -> Option<(Chunk, Option<ParsedChunk>)>;
    /// Takes a buffer back, to be filled again.
    fn reuse(&mut self, buffer: Vec<u8>);
}

/// A buffer with the unparsed bytes of a text: it grows by chunks and discards parsed bytes.
pub(super) struct LookaheadBuffer<S> {
    supply: S,
    buf: Vec<u8>,
    /// Number of bytes at the head of `buf` that are parsed, or are unused room.
    used: usize,
    /// Offset in the text of the first unparsed byte.
    offset: u64,
    /// Number of bytes cut out of the event or other value that is being parsed.
    gone: u64,
    is_last: bool,
    /// Why the text ends; `None` until the last chunk is read, and after the reason was taken.
    stop: Option<Stop>,
    checkpoints: Option<Checkpoints>,
    /// The chunks parsed ahead that were neither taken nor discarded yet, in the text's order.
    parsed: VecDeque<ParsedChunk>,
    /// All text read so far; `None` when it is not to be kept, is longer than `keep_at_most`, or was taken.
    kept: Option<Vec<u8>>,
    /// Length of the longest text that is kept, bytes; 0 keeps none.
    keep_at_most: usize,
}

impl<S: Supply> LookaheadBuffer<S> {
    /// A buffer that keeps the whole text if it is no longer than `keep_at_most` bytes.
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
            parsed: VecDeque::new(),
            kept: (keep_at_most > 0).then(Vec::new),
            keep_at_most,
        }
    }

    /// The unparsed bytes that are in memory.
    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.buf[self.used..]
    }

    /// Marks the next `n` unparsed bytes as parsed, or all in memory if there are fewer. Bytes that were cut
    /// out then count in the offset, too.
    #[inline]
    pub(super) fn advance(&mut self, n: usize) {
        let n = n.min(self.buf.len() - self.used);
        self.used += n;
        self.offset += n as u64 + std::mem::take(&mut self.gone);
    }

    /// Removes the unparsed bytes in memory from index `from` on, except the last `tail` bytes. The removed
    /// bytes must be of one value, which is then parsed without them.
    pub(super) fn cut(&mut self, from: usize, tail: usize) {
        let end = self.buf.len() - tail;
        self.gone += (end - (self.used + from)) as u64;
        self.buf.drain(self.used + from..end);
    }

    /// Number of bytes cut out of the event or other value that is being parsed.
    pub(super) fn gone(&self) -> u64 {
        self.gone
    }

    /// Offset in the text of the first unparsed byte.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// True once the last chunk was read: no text follows [`rest`](Self::rest).
    #[inline]
    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Reads chunks until there are at least twice as many unparsed bytes as before, or the text ends; false
    /// when none were added.
    pub(super) fn more(&mut self) -> bool {
        let before = self.rest().len();
        let mut after = before;
        while !self.is_last && (after == before || after < 2 * before) {
            after += self.take_chunk();
        }
        after > before
    }

    /// Appends the next chunk to the unparsed bytes; returns its length in bytes, or 0 when there is none.
    fn take_chunk(&mut self) -> usize {
        let Some((mut chunk, parsed)) = self.supply.next() else {
            self.is_last = true;
            return 0;
        };
        self.stop = chunk.stop.take();
        self.is_last = self.stop.is_some();
        self.checkpoints = chunk.checkpoints.take();
        self.parsed.extend(parsed);
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

    /// Takes the chunk parsed ahead whose run begins at the first unparsed byte, if there is one, and
    /// discards earlier chunks.
    pub(super) fn take_parsed(&mut self) -> Option<ParsedChunk> {
        while self.parsed.front()?.start < self.offset {
            self.parsed.pop_front();
        }
        if self.parsed.front()?.start == self.offset { self.parsed.pop_front() } else { None }
    }

    /// How many unparsed bytes in memory stand before the next run that was parsed ahead; all of them without
    /// such a run.
    pub(super) fn before_parsed(&self) -> usize {
        let ahead = self.parsed.iter().find(|parsed| parsed.start > self.offset);
        ahead.map_or(self.rest().len(), |parsed| saturate::<usize>(parsed.start - self.offset))
    }

    /// Number of bytes of text read so far, parsed or not, without those cut out of the value that is being
    /// parsed.
    pub(super) fn total(&self) -> u64 {
        self.offset + self.rest().len() as u64
    }

    /// Takes the reason why the text ended; `None` before the last chunk is read, and once it was taken.
    pub(super) fn take_stop(&mut self) -> Option<Stop> {
        self.stop.take()
    }

    /// Takes the checkpoints of a compressed text that was read to its end, if it has any.
    pub(super) fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        self.checkpoints.take()
    }

    /// Takes the whole text, if it was kept.
    pub(super) fn take_kept(&mut self) -> Option<Vec<u8>> {
        self.kept.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Progress;
    use crate::import::bytes::chunk::{Chunks, Filler};
    use crate::import::bytes::source::Feed;

    struct Plain<'p>(Chunks<'p>);

    impl Supply for Plain<'_> {
        fn next(&mut self) -> Option<(Chunk, Option<ParsedChunk>)> {
            self.0.next(Vec::new()).map(|chunk| (chunk, None))
        }

        fn reuse(&mut self, _: Vec<u8>) {}
    }

    #[test]
    fn offsets_hold_while_the_buffer_slides() {
        let text: Vec<u8> = (0..3 * HEADROOM + 17).map(|i| (i % 251) as u8).collect();
        let progress = Progress::default();
        for (chunk, take) in [(100, 1000), (1 << 16, 1000), (1 << 15, 100_000), (1 << 20, 7)] {
            let feed = Feed::Plain(Box::new(text.as_slice()));
            let chunks = Chunks::Here(Filler::new(feed, chunk, &progress));
            let mut lookahead = LookaheadBuffer::new(Plain(chunks), usize::MAX);
            let mut seen = 0_usize;
            loop {
                while lookahead.rest().len() >= take {
                    assert_eq!(lookahead.offset(), seen as u64);
                    assert_eq!(lookahead.rest()[..take], text[seen..seen + take]);
                    lookahead.advance(take);
                    seen += take;
                }
                if !lookahead.more() {
                    break;
                }
            }
            assert_eq!(lookahead.rest(), &text[seen..]);
            assert_eq!(lookahead.take_kept().as_deref(), Some(text.as_slice()));
            assert_eq!(lookahead.total(), text.len() as u64);
        }
    }
}
