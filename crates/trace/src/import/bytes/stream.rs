//! The inflated text of a binary file as a stream, with no more of it in memory than is asked for at once.
//!
//! Must not know any format.

use std::io;

use proftui_base::heap;
use proftui_base::saturate::saturate;

use super::inflate::{Checkpoints, Stop};
use super::source::Feed;

/// The text ends before what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) struct Ended;

/// Least number of bytes that one read asks for.
const BLOCK: usize = 256 << 10;
/// Longest text that is kept in memory, bytes, of a file that cannot be read again.
const KEPT: usize = 64 << 20;

/// Reads a stream of inflated text.
pub(in crate::import) struct Stream<'p> {
    feed: Feed<'p>,
    buffer: Vec<u8>,
    /// Index in `buffer` of the next byte.
    at: usize,
    /// Offset in the text of `buffer[0]`.
    base: u64,
    stop: Option<Stop>,
    checkpoints: Option<Checkpoints>,
    /// The text so far; `None` when it need not be kept, or is longer than [`KEPT`].
    kept: Option<Vec<u8>>,
}

impl<'p> Stream<'p> {
    pub(in crate::import) fn new(feed: Feed<'p>, is_kept: bool) -> Self {
        let kept = is_kept.then(Vec::new);
        Self { feed, buffer: Vec::new(), at: 0, base: 0, stop: None, checkpoints: None, kept }
    }

    /// Offset in the text of the next byte.
    pub(in crate::import) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// True when there was no memory to read on; false once [`Stream::stop`] was called.
    pub(in crate::import) fn lacks_memory(&self) -> bool {
        self.stop.as_ref().is_some_and(Stop::is_of_memory)
    }

    /// Takes the reason why the text ended; `None` before its end, and once the reason was taken.
    pub(in crate::import) fn stop(&mut self) -> Option<Stop> {
        self.stop.take()
    }

    /// Returns the text, if it was kept, and the checkpoints of a compressed text, if there are any.
    pub(in crate::import) fn into_parts(self) -> (Option<Vec<u8>>, Option<Checkpoints>) {
        (self.kept, self.checkpoints)
    }

    /// Reads until `buffer` has the next `len` bytes, and returns how many of them it has: fewer only where
    /// reading stopped.
    fn ready(&mut self, len: usize) -> usize {
        while self.buffer.len() - self.at < len && self.stop.is_none() {
            self.buffer.drain(..self.at);
            self.base += self.at as u64;
            self.at = 0;
            // At most doubled: a length that the file declares is not trusted before its bytes are read.
            let filled = self.buffer.len();
            if heap::try_grow(&mut self.buffer, BLOCK.max(filled)).is_err() {
                self.stop = Some(Stop::Failed(io::ErrorKind::OutOfMemory.into()));
                break;
            }
            self.buffer.resize(filled + BLOCK.max(filled), 0);
            let got = self.feed.fill(&mut self.buffer[filled..]);
            self.buffer.truncate(filled + got.len);
            if let Some(kept) = &mut self.kept {
                kept.extend_from_slice(&self.buffer[filled..]);
            }
            self.kept = self.kept.take().filter(|kept| kept.len() <= KEPT);
            if got.stop.is_some() {
                self.stop = got.stop;
                self.checkpoints = self.feed.checkpoints();
            }
        }
        (self.buffer.len() - self.at).min(len)
    }

    /// The next bytes of the text, at most `len`, which stay to be read: fewer only where reading stopped.
    pub(in crate::import) fn peek(&mut self, len: usize) -> &[u8] {
        let ready = self.ready(len);
        &self.buffer[self.at..self.at + ready]
    }

    /// Takes the next byte.
    #[inline]
    pub(in crate::import) fn byte(&mut self) -> Result<u8, Ended> {
        if self.at == self.buffer.len() && self.ready(1) == 0 {
            return Err(Ended);
        }
        self.at += 1;
        Ok(self.buffer[self.at - 1])
    }

    /// Takes the next `len` bytes; takes none and fails when fewer can be read.
    #[inline]
    pub(in crate::import) fn take(&mut self, len: usize) -> Result<&[u8], Ended> {
        let ready = self.ready(len);
        let from = self.at;
        if ready < len {
            return Err(Ended);
        }
        self.at += len;
        Ok(&self.buffer[from..from + len])
    }

    /// Skips the next `len` bytes, or fails when fewer can be read.
    pub(in crate::import) fn skip(&mut self, mut len: u64) -> Result<(), Ended> {
        while len > 0 {
            let step = self.ready(saturate::<usize>(len.min(BLOCK as u64)));
            if step == 0 {
                return Err(Ended);
            }
            self.at += step;
            len -= step as u64;
        }
        Ok(())
    }
}
