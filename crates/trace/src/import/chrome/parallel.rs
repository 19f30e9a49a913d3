//! Supplying chunks: read by the parser's own thread, or parsed ahead by several threads.
//!
//! The threads take chunks in order, parse from each the run of events that seems to begin in it, and send
//! both; the parser gets them in order. The number of buffers bounds how far they can be ahead. Must not know
//! the contents of events.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::import::bytes::chunk::{Chunk, Chunks};

use super::chunk_parser::{ChunkParser, ParsedChunk};
use super::lookahead::Supply;

/// Gives the chunks of a text one by one; nothing is parsed ahead.
pub(super) struct SequentialReader<'p> {
    chunks: Chunks<'p>,
    spare: Vec<u8>,
}

impl<'p> SequentialReader<'p> {
    pub(super) fn new(chunks: Chunks<'p>) -> Self {
        Self { chunks, spare: Vec::new() }
    }
}

impl Supply for SequentialReader<'_> {
    fn next(&mut self) -> Option<(Chunk, Option<ParsedChunk>)> {
        Some((self.chunks.next(std::mem::take(&mut self.spare))?, None))
    }

    fn reuse(&mut self, buffer: Vec<u8>) {
        self.spare = buffer;
    }
}

/// Receives the chunks that other threads have read and parsed ahead, and gives them in order.
pub(super) struct ParallelReader {
    done: Receiver<(Chunk, Option<ParsedChunk>)>,
    spare: Sender<Vec<u8>>,
    /// Chunks that were received before an earlier one, by number.
    early: BTreeMap<u64, (Chunk, Option<ParsedChunk>)>,
    /// Number of the next chunk to give.
    next: u64,
    /// The largest capacity, in bytes, of a buffer received with a chunk: a buffer that grew beyond it is not
    /// used again.
    buffer_limit: usize,
}

/// Starts a thread of `scope` for each of `parsers`, or as many as can be started, to parse `chunks` ahead
/// for the returned reader; `None` if none can.
pub(super) fn start<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    chunks: &'env Mutex<Chunks<'_>>,
    parsers: Vec<ChunkParser>,
) -> Option<ParallelReader> {
    let buffers = 2 * parsers.len() + 2;
    let (spare, spares) = bounded(buffers);
    let (send, done) = bounded(buffers);
    for _ in 0..buffers {
        // The channel has room for all buffers.
        let _ = spare.send(Vec::new());
    }
    let mut started = 0;
    for mut chunk_parser in parsers {
        let (spares, send) = (spares.clone(), send.clone());
        let parse = move || {
            // A buffer first, then a chunk: so each thread with a chunk can finish it.
            while let Ok(buffer) = spares.recv() {
                let taken = chunks.lock().unwrap_or_else(PoisonError::into_inner).next(buffer);
                let Some(chunk) = taken else { return };
                let parsed = chunk_parser.parse_ahead(chunk.bytes(), chunk.offset);
                if send.send((chunk, parsed)).is_err() {
                    return;
                }
            }
        };
        if Builder::new().spawn_scoped(scope, parse).is_err() {
            break;
        }
        started += 1;
    }
    (started > 0).then(|| ParallelReader { done, spare, early: BTreeMap::new(), next: 0, buffer_limit: 0 })
}

impl Supply for ParallelReader {
    fn next(&mut self) -> Option<(Chunk, Option<ParsedChunk>)> {
        let number = self.next;
        self.next += 1;
        loop {
            if let Some(found) = self.early.remove(&number) {
                return Some(found);
            }
            let (chunk, parsed) = self.done.recv().ok()?;
            self.buffer_limit = self.buffer_limit.max(chunk.buffer.capacity());
            self.early.insert(chunk.number, (chunk, parsed));
        }
    }

    fn reuse(&mut self, mut buffer: Vec<u8>) {
        // A buffer that grew around a large value is freed; a small one replaces it.
        if buffer.capacity() == 0 || buffer.capacity() > self.buffer_limit {
            buffer = Vec::new();
        }
        // Fails when the threads have ended: then no buffer is needed.
        let _ = self.spare.try_send(buffer);
    }
}
