//! The text in chunks of one size, read one after the other into buffers that are used again.
//!
//! Each buffer leaves room before its bytes, for what the chunk before left over. Text that must be inflated can be read
//! ahead, on a thread of its own. Must not know what the text means.

use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::inflate::{Checkpoints, Filled, Stop};
use super::progress::Progress;
use super::source::Feed;

/// Bytes of a chunk, unless told otherwise: few enough to stay in the cache until they are parsed.
pub(super) const CHUNK: usize = 1 << 20;
/// Room before a chunk's bytes.
pub(super) const HEADROOM: usize = 1 << 16;
/// Chunks that may lie ready, inflated and not yet parsed.
const AHEAD: usize = 3;

/// One stretch of the text.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Its place among the chunks, from 0.
    pub number: u64,
    /// Offset of its first byte in the text.
    pub offset: u64,
    /// [`HEADROOM`] bytes of room, then the text.
    pub buffer: Vec<u8>,
    /// Nothing follows, and why.
    pub stop: Option<Stop>,
    /// Of the last chunk of a compressed text.
    pub checkpoints: Option<Checkpoints>,
}

impl Chunk {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[HEADROOM..]
    }
}

/// Reads text chunk by chunk.
pub(super) struct Filler<'p> {
    feed: Feed<'p>,
    progress: &'p Progress,
    size: usize,
    number: u64,
    offset: u64,
    is_done: bool,
}

impl<'p> Filler<'p> {
    pub(super) fn new(feed: Feed<'p>, size: usize, progress: &'p Progress) -> Self {
        Self { feed, progress, size: size.max(1), number: 0, offset: 0, is_done: false }
    }

    fn next(&mut self, mut buffer: Vec<u8>) -> Option<Chunk> {
        if self.is_done || self.progress.is_cancelled() {
            return None;
        }
        // Buffers keep their length, so that only a new one is filled with zeros.
        buffer.resize(HEADROOM + self.size, 0);
        let Filled { len, stop } = self.feed.fill(&mut buffer[HEADROOM..]);
        buffer.truncate(HEADROOM + len);
        self.is_done = stop.is_some();
        let checkpoints = if self.is_done { self.feed.checkpoints() } else { None };
        let chunk = Chunk { number: self.number, offset: self.offset, buffer, stop, checkpoints };
        self.number += 1;
        self.offset += len as u64;
        Some(chunk)
    }
}

/// Where chunks come from.
pub(super) enum Chunks<'p> {
    /// From whoever asks.
    Here(Filler<'p>),
    /// From a thread that reads ahead; empty buffers go back to it.
    Ahead { filled: Receiver<Chunk>, empty: Sender<Vec<u8>> },
}

impl<'p> Chunks<'p> {
    /// Runs `filler` on a thread of `scope`.
    pub(super) fn ahead<'scope>(scope: &'scope Scope<'scope, '_>, mut filler: Filler<'p>) -> Self
    where
        'p: 'scope,
    {
        let (send, filled) = bounded(AHEAD);
        let (empty, buffers) = bounded(2 * AHEAD + 2);
        for _ in 0..=AHEAD {
            // There is room for all of them.
            let _ = empty.send(Vec::new());
        }
        scope.spawn(move || {
            for buffer in &buffers {
                let Some(chunk) = filler.next(buffer) else { return };
                if send.send(chunk).is_err() {
                    return;
                }
            }
        });
        Self::Ahead { filled, empty }
    }

    /// The next chunk, in exchange for a buffer; `None` after the last one, or when loading was stopped.
    pub(super) fn next(&mut self, buffer: Vec<u8>) -> Option<Chunk> {
        match self {
            Self::Here(filler) => filler.next(buffer),
            Self::Ahead { filled, empty } => {
                // Refused when the thread has ended: then nobody wants it.
                let _ = empty.try_send(buffer);
                filled.recv().ok()
            }
        }
    }
}
