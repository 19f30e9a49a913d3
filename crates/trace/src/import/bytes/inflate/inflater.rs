//! Inflating a gzip or zstd file.

use std::io::{self, Read};

use super::checkpoint::Checkpoints;
use super::gzip::Gzip;
use super::outcome::{Container, Filled};
use super::zstd::Zstd;

/// A compressed file being inflated.
#[derive(Debug)]
pub(crate) struct Inflater<R>(Kind<R>);

#[derive(Debug)]
enum Kind<R> {
    Gzip(Box<Gzip<R>>),
    Zstd(Box<Zstd<R>>),
}

impl<R: Read> Inflater<R> {
    /// An inflater that continues with `gzip`, which starts inside a member.
    pub(super) fn inside(gzip: Gzip<R>) -> Self {
        Self(Kind::Gzip(Box::new(gzip)))
    }

    /// Inflates a file from its start, and notes checkpoints.
    ///
    /// # Errors
    /// When the decoder cannot be made.
    pub(crate) fn new(container: Container, reader: R) -> io::Result<Self> {
        Self::start(container, reader, Some(Checkpoints::new(container)))
    }

    /// Inflates from the start of a member or frame, where `reader` must stand, and adds checkpoints to
    /// `checkpoints`; notes none when it is `None`.
    pub(super) fn start(
        container: Container,
        reader: R,
        checkpoints: Option<Checkpoints>,
    ) -> io::Result<Self> {
        Ok(Self(match container {
            Container::Gzip => Kind::Gzip(Box::new(Gzip::new(reader, checkpoints))),
            Container::Zstd => Kind::Zstd(Box::new(Zstd::new(reader, checkpoints)?)),
        }))
    }

    /// Fills `block` with the next bytes of the text. Fewer bytes come at the end only, with the reason in
    /// `stop`. Checkpoints inside gzip members need a large block, such as a megabyte; in smaller blocks
    /// fewer are noted, or none.
    pub(crate) fn fill(&mut self, block: &mut [u8]) -> Filled {
        match &mut self.0 {
            Kind::Gzip(gzip) => gzip.fill(block),
            Kind::Zstd(zstd) => zstd.fill(block),
        }
    }

    /// Bytes of the text that inflating holds in memory: the largest window of a zstd frame so far; 0 for
    /// gzip, which holds 32 KiB at most.
    pub(crate) fn window(&self) -> u64 {
        match &self.0 {
            Kind::Gzip(_) => 0,
            Kind::Zstd(zstd) => zstd.window(),
        }
    }

    /// Takes the checkpoints noted so far; they are complete once there was a [`Stop`](super::Stop). `None`
    /// if inflating was started without any, and after the first call.
    pub(crate) fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        match &mut self.0 {
            Kind::Gzip(gzip) => gzip.take_checkpoints(),
            Kind::Zstd(zstd) => zstd.take_checkpoints(),
        }
    }
}
