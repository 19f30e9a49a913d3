//! Who reads the chunks: the thread that asks, or a crew of threads that read ahead.
//!
//! A crew takes chunks in order, reads from each the run that seems to begin there, and hands both over; the one who asks
//! gets them back in order. The number of buffers bounds how far ahead it can be. Must not know what the events are.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread::Scope;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::import::chunk::{Chunk, Chunks};

use super::run::{Piece, Runner};
use super::window::Supply;

/// Chunks read when asked for.
pub(super) struct Alone<'p> {
    chunks: Chunks<'p>,
    spare: Vec<u8>,
}

impl<'p> Alone<'p> {
    pub(super) fn new(chunks: Chunks<'p>) -> Self {
        Self { chunks, spare: Vec::new() }
    }
}

impl Supply for Alone<'_> {
    fn next(&mut self) -> Option<(Chunk, Option<Piece>)> {
        Some((self.chunks.next(std::mem::take(&mut self.spare))?, None))
    }

    fn reuse(&mut self, buffer: Vec<u8>) {
        self.spare = buffer;
    }
}

/// What a crew has read.
pub(super) struct Crew {
    done: Receiver<(Chunk, Option<Piece>)>,
    spare: Sender<Vec<u8>>,
    /// Chunks that came before their turn.
    early: BTreeMap<u64, (Chunk, Option<Piece>)>,
    next: u64,
    buffer_limit: usize,
}

/// Sets a crew of `runners` to work on `chunks`, on threads of `scope`.
pub(super) fn start<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    chunks: &'env Mutex<Chunks<'_>>,
    runners: Vec<Runner>,
) -> Crew {
    let buffers = 2 * runners.len() + 2;
    let (spare, spares) = bounded(buffers);
    let (send, done) = bounded(buffers);
    for _ in 0..buffers {
        // There is room for all of them.
        let _ = spare.send(Vec::new());
    }
    for mut runner in runners {
        let (spares, send) = (spares.clone(), send.clone());
        scope.spawn(move || {
            // A buffer first, then a chunk: whoever holds a chunk can finish it.
            while let Ok(buffer) = spares.recv() {
                let taken = chunks.lock().unwrap_or_else(PoisonError::into_inner).next(buffer);
                let Some(chunk) = taken else { return };
                let piece = runner.piece(chunk.bytes(), chunk.offset);
                if send.send((chunk, piece)).is_err() {
                    return;
                }
            }
        });
    }
    Crew { done, spare, early: BTreeMap::new(), next: 0, buffer_limit: 0 }
}

impl Supply for Crew {
    fn next(&mut self) -> Option<(Chunk, Option<Piece>)> {
        let number = self.next;
        self.next += 1;
        loop {
            if let Some(found) = self.early.remove(&number) {
                return Some(found);
            }
            let (chunk, piece) = self.done.recv().ok()?;
            self.buffer_limit = self.buffer_limit.max(chunk.buffer.capacity());
            self.early.insert(chunk.number, (chunk, piece));
        }
    }

    fn reuse(&mut self, mut buffer: Vec<u8>) {
        // A buffer that grew around a large value goes; a small one takes its place.
        if buffer.capacity() == 0 || buffer.capacity() > self.buffer_limit {
            buffer = Vec::new();
        }
        // The crew may have finished: then nobody wants it.
        let _ = self.spare.try_send(buffer);
    }
}
