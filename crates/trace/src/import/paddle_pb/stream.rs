//! The file as a stream of protobuf fields, with no more of it in memory than the field being read.

use std::io;

use crate::import::bytes::inflate::{Checkpoints, Stop};
use crate::import::bytes::source::Feed;
use proftui_base::heap;
use proftui_base::saturate::saturate;
use proftui_base::varint::varint;

use super::wire::{Fault, Kind, Tag};

/// Least number of bytes that one read asks for.
const BLOCK: usize = 256 << 10;
/// Longest text that is kept in memory, bytes, of a file that cannot be read again.
const KEPT: usize = 64 << 20;

/// Reads protobuf fields from a stream of inflated text.
pub(super) struct Stream<'p> {
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
    pub(super) fn new(feed: Feed<'p>, is_kept: bool) -> Self {
        let kept = is_kept.then(Vec::new);
        Self { feed, buffer: Vec::new(), at: 0, base: 0, stop: None, checkpoints: None, kept }
    }

    /// Offset in the text of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// True when there was no memory to read on; false once [`Stream::stop`] was called.
    pub(super) fn lacks_memory(&self) -> bool {
        self.stop.as_ref().is_some_and(Stop::is_of_memory)
    }

    /// Takes the reason why the text ended; `None` before its end, and once the reason was taken.
    pub(super) fn stop(&mut self) -> Option<Stop> {
        self.stop.take()
    }

    /// Returns the text, if it was kept, and the checkpoints of a compressed text, if there are any.
    pub(super) fn into_parts(self) -> (Option<Vec<u8>>, Option<Checkpoints>) {
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

    fn number(&mut self) -> Result<u64, Fault> {
        let len = self.ready(10);
        let (value, len) = varint(&self.buffer[self.at..self.at + len])?;
        self.at += len;
        Ok(value)
    }

    /// Reads the next tag; `None` when nothing more can be read.
    pub(super) fn tag(&mut self) -> Result<Option<Tag>, Fault> {
        if self.ready(1) == 0 { Ok(None) } else { Tag::of(self.number()?).map(Some) }
    }

    /// Reads a varint: the value of a varint field, or the length of a length-delimited field.
    pub(super) fn value(&mut self) -> Result<u64, Fault> {
        self.number()
    }

    /// Takes the next `len` bytes; takes none and returns [`Fault::End`] when fewer can be read.
    pub(super) fn take(&mut self, len: usize) -> Result<&[u8], Fault> {
        let ready = self.ready(len);
        let from = self.at;
        if ready < len {
            return Err(Fault::End);
        }
        self.at += len;
        Ok(&self.buffer[from..from + len])
    }

    /// Skips the next `len` bytes, or returns [`Fault::End`] when fewer can be read.
    pub(super) fn skip(&mut self, mut len: u64) -> Result<(), Fault> {
        while len > 0 {
            let step = self.ready(saturate::<usize>(len.min(BLOCK as u64)));
            if step == 0 {
                return Err(Fault::End);
            }
            self.at += step;
            len -= step as u64;
        }
        Ok(())
    }

    /// Skips the value of a field of this wire type, with its length where it has one.
    pub(super) fn skip_value(&mut self, kind: Kind) -> Result<(), Fault> {
        match kind {
            Kind::Varint => self.number().map(|_| ()),
            Kind::Fixed64 => self.skip(8),
            Kind::Fixed32 => self.skip(4),
            Kind::Bytes => {
                let len = self.number()?;
                self.skip(len)
            }
        }
    }
}
