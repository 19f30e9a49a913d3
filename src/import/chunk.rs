//! The text in chunks of one size, read one after the other into buffers that are used again.
//!
//! Each buffer leaves room before its bytes, for what the chunk before left over. Must not know what the text means.

use std::io::{self, Read};

use super::progress::Progress;

/// Bytes of a chunk, unless told otherwise.
pub(super) const CHUNK: usize = 1 << 20;
/// Room before a chunk's bytes.
pub(super) const HEADROOM: usize = 1 << 16;

/// One stretch of the text.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Its place among the chunks, from 0.
    pub number: u64,
    /// Offset of its first byte in the text.
    pub offset: u64,
    /// [`HEADROOM`] bytes of room, then the text.
    pub buffer: Vec<u8>,
    /// Nothing follows.
    pub is_last: bool,
    /// The error that ended the stream early.
    pub error: Option<io::Error>,
}

impl Chunk {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[HEADROOM..]
    }
}

/// Reads a stream chunk by chunk.
pub(super) struct Chunks<'p> {
    reader: Box<dyn Read + Send + 'p>,
    progress: &'p Progress,
    size: usize,
    number: u64,
    offset: u64,
    is_done: bool,
}

impl<'p> Chunks<'p> {
    pub(super) fn new(reader: Box<dyn Read + Send + 'p>, size: usize, progress: &'p Progress) -> Self {
        Self { reader, progress, size: size.max(1), number: 0, offset: 0, is_done: false }
    }

    /// The next chunk, read into `buffer`; `None` after the last one, or when asked to stop.
    pub(super) fn next(&mut self, mut buffer: Vec<u8>) -> Option<Chunk> {
        if self.is_done || self.progress.is_cancelled() {
            return None;
        }
        // Buffers keep their length, so that only a new one is filled with zeros.
        buffer.resize(HEADROOM + self.size, 0);
        let (filled, error) = fill(&mut *self.reader, &mut buffer[HEADROOM..]);
        buffer.truncate(HEADROOM + filled);
        let is_last = filled < self.size;
        self.is_done = is_last;
        let chunk = Chunk { number: self.number, offset: self.offset, buffer, is_last, error };
        self.number += 1;
        self.offset += filled as u64;
        Some(chunk)
    }
}

/// Reads until `buf` is full or the stream ends; how much there was, and the error that ended it.
pub(super) fn fill(reader: &mut dyn Read, buf: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buf.len() {
        match reader.read(&mut buf[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}
