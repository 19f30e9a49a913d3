//! The compressed bytes, buffered, with their offset in the file. Must not know their meaning.

use std::io::{self, Read};

/// Size of the buffer, and of the largest read, bytes.
const CAPACITY: usize = 256 << 10;

/// A buffered reader that can look ahead.
#[derive(Debug)]
pub(super) struct Input<R> {
    reader: R,
    buffer: Box<[u8]>,
    /// The bytes `buffer[start..end]` are read and not yet consumed.
    start: usize,
    end: usize,
    /// Offset of `buffer[0]`, counted from where the reader started.
    base: u64,
}

impl<R: Read> Input<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; CAPACITY].into(), start: 0, end: 0, base: 0 }
    }

    /// Offset of the next byte, counted from where the reader started.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// The next bytes, which are not consumed: at least `count`, which must be at most [`CAPACITY`]; fewer
    /// only at the end of the file.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end - self.start < count {
            self.buffer.copy_within(self.start..self.end, 0);
            self.base += self.start as u64;
            (self.start, self.end) = (0, self.end - self.start);
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read.min(self.buffer.len() - self.end),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Consumes the next `N` bytes; consumes nothing and returns `None` when there are fewer.
    pub(super) fn take<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let taken = self.peek(N)?.first_chunk().copied();
        self.consume(taken.map_or(0, |_| N));
        Ok(taken)
    }

    /// Consumes `count` of the bytes last peeked, at most all of them.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }
}
