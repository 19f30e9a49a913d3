//! The text in chunks of one size, read one after the other into buffers that are reused.
//!
//! Each buffer leaves room before its bytes, for the unparsed end of the chunk before. Text that must be
//! inflated can be read ahead, on a thread of its own. Must not know the meaning of the text.

use std::io;
use std::thread::{Builder, Scope};

use crossbeam_channel::{Receiver, Sender, bounded};

use proftui_base::heap;

use super::inflate::{Checkpoints, Filled, Stop};
use super::source::Feed;
use crate::import::progress::Progress;

/// Most bytes of a chunk's text unless the request states another size.
pub(in crate::import) const CHUNK: usize = 1 << 20;
/// Bytes of room before a chunk's text, for the unparsed end of the chunk before.
pub(in crate::import) const HEADROOM: usize = 1 << 16;
/// Most chunks, read and inflated, that wait for the parser; one more is read meanwhile.
const AHEAD: usize = 3;

/// One chunk of a file's text, inflated where the file is compressed.
#[derive(Debug)]
pub(in crate::import) struct Chunk {
    /// Index of the chunk in the text, from 0.
    pub number: u64,
    /// Offset in the text of the chunk's first byte.
    pub offset: u64,
    /// [`HEADROOM`] bytes of room, then the chunk's text.
    pub buffer: Vec<u8>,
    /// Why the text ends; `None` in all chunks but the last.
    pub stop: Option<Stop>,
    /// Checkpoints of a compressed text, if any, in its last chunk; `None` in all others.
    pub checkpoints: Option<Checkpoints>,
}

impl Chunk {
    pub(in crate::import) fn bytes(&self) -> &[u8] {
        &self.buffer[HEADROOM..]
    }
}

/// Reads the text of a [`Feed`] chunk by chunk.
pub(in crate::import) struct Filler<'p> {
    feed: Feed<'p>,
    progress: &'p Progress,
    size: usize,
    number: u64,
    offset: u64,
    is_done: bool,
}

impl<'p> Filler<'p> {
    pub(in crate::import) fn new(feed: Feed<'p>, size: usize, progress: &'p Progress) -> Self {
        Self { feed, progress, size: size.max(1), number: 0, offset: 0, is_done: false }
    }

    fn next(&mut self, mut buffer: Vec<u8>) -> Option<Chunk> {
        if self.is_done || self.progress.is_cancelled() {
            return None;
        }
        // Buffers keep their length, so only a new one is filled with zeros.
        let more = (HEADROOM + self.size).saturating_sub(buffer.len());
        if heap::try_reserve(&mut buffer, more).is_err() {
            let (number, offset) = (self.number, self.offset);
            self.is_done = true;
            let stop = Some(Stop::Failed(io::ErrorKind::OutOfMemory.into()));
            buffer = vec![0; HEADROOM];
            return Some(Chunk { number, offset, buffer, stop, checkpoints: None });
        }
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

/// The chunks of a text in order, read on request or ahead by another thread.
pub(in crate::import) enum Chunks<'p> {
    /// Reads each chunk on the thread that requests it.
    Here(Filler<'p>),
    /// Receives chunks from a thread that reads ahead, and sends used buffers back to it.
    Ahead { filled: Receiver<Chunk>, empty: Sender<Vec<u8>> },
}

impl<'p> Chunks<'p> {
    /// Starts a thread of `scope` on which `filler` reads ahead. Where no thread can be started, each chunk
    /// is read by the thread that requests it.
    pub(in crate::import) fn ahead<'scope>(scope: &'scope Scope<'scope, '_>, filler: Filler<'p>) -> Self
    where
        'p: 'scope,
    {
        let (send, filled) = bounded(AHEAD);
        let (empty, buffers) = bounded(2 * AHEAD + 2);
        for _ in 0..=AHEAD {
            // The channel has room for all buffers.
            let _ = empty.send(Vec::new());
        }
        let (hand_over, handed) = bounded::<Filler<'p>>(1);
        let read_ahead = move || {
            let Ok(mut filler) = handed.recv() else { return };
            for buffer in &buffers {
                let Some(chunk) = filler.next(buffer) else { return };
                if send.send(chunk).is_err() {
                    return;
                }
            }
        };
        if Builder::new().spawn_scoped(scope, read_ahead).is_err() {
            return Self::Here(filler);
        }
        // The channel has room, and its other end is the thread's.
        let _ = hand_over.send(filler);
        Self::Ahead { filled, empty }
    }

    /// The next chunk, in exchange for a used buffer; `None` when no more chunks follow, also because loading
    /// is cancelled.
    pub(in crate::import) fn next(&mut self, buffer: Vec<u8>) -> Option<Chunk> {
        match self {
            Self::Here(filler) => filler.next(buffer),
            Self::Ahead { filled, empty } => {
                // Fails when the thread has ended: then no buffer is needed.
                let _ = empty.try_send(buffer);
                filled.recv().ok()
            }
        }
    }
}
