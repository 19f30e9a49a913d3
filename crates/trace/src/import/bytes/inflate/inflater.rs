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

    /// Makes an inflater that inflates a file from its start and notes checkpoints.
    ///
    /// # Errors
    /// When the decoder cannot be made.
    pub(crate) fn new(container: Container, reader: R) -> io::Result<Self> {
        Self::start(container, reader, Some(Checkpoints::new(container)))
    }

    /// Makes an inflater for `reader`, which must stand at the start of a member or frame. Without
    /// `checkpoints` it notes none.
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

    /// Fills `block` with the next bytes of the text; fewer come only at the end of the text. Checkpoints
    /// inside gzip members need large blocks, such as a megabyte.
    pub(crate) fn fill(&mut self, block: &mut [u8]) -> Filled {
        match &mut self.0 {
            Kind::Gzip(gzip) => gzip.fill(block),
            Kind::Zstd(zstd) => zstd.fill(block),
        }
    }

    /// The largest window of the zstd frames so far, bytes; 0 for gzip.
    pub(crate) fn window(&self) -> u64 {
        match &self.0 {
            Kind::Gzip(_) => 0,
            Kind::Zstd(zstd) => zstd.window(),
        }
    }

    /// Takes the checkpoints noted so far; `None` when none are to be noted, or they were taken.
    pub(crate) fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        match &mut self.0 {
            Kind::Gzip(gzip) => gzip.take_checkpoints(),
            Kind::Zstd(zstd) => zstd.take_checkpoints(),
        }
    }
}
