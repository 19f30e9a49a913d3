//! The compressed bytes, buffered, with their offset in the file. Must not know what they mean.

use std::io::{self, Read};

/// Bytes read at a time.
const CAPACITY: usize = 256 << 10;

/// A reader, some of its bytes ahead.
#[derive(Debug)]
pub(super) struct Input<R> {
    reader: R,
    buffer: Box<[u8]>,
    /// `buffer[start..end]` is read and not yet used.
    start: usize,
    end: usize,
    /// Offset of `buffer[0]`.
    base: u64,
}

impl<R: Read> Input<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; CAPACITY].into(), start: 0, end: 0, base: 0 }
    }

    /// Bytes used so far.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// What comes next: at least `count` bytes (few), fewer only at the end.
    pub fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
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

    /// The next `N` bytes, used; fewer are left where they are.
    pub fn take<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let taken = self.peek(N)?.first_chunk().copied();
        self.consume(taken.map_or(0, |_| N));
        Ok(taken)
    }

    /// Marks `count` bytes of those last peeked as used.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }
}
