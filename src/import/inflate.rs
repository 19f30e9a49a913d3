//! Compressed text as a stream of blocks, and any place of it again later without keeping the text.
//!
//! While a file is inflated, checkpoints are noted: places from which inflating can start again. Must not know what
//! the text says, nor where its bytes come from.

mod checkpoint;
mod deflate;
mod gzip;
mod header;
mod input;
mod resume;
mod zstd;

#[cfg(test)]
mod tests;

use std::io::{self, Read};

pub use checkpoint::Checkpoints;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Members of DEFLATE, RFC 1952.
    Gzip,
    /// Frames, RFC 8878.
    Zstd,
}

/// What is wrong with a compressed file. All text that comes before the damage has been given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The file ends inside a member.
    Truncated,
    /// Something that cannot be inflated.
    Data,
    /// A member is whole and its checksum or its length is not what its trailer says.
    Checksum,
    /// After a member comes something that is neither another one nor padding.
    Trailing,
}

/// Why there is no more text.
#[derive(Debug)]
pub enum Stop {
    /// The file is whole and at its end.
    End,
    /// Nothing after the damage is looked at.
    Damaged(Damage),
    /// The file could not be read.
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// What a call of [`Inflater::fill`] gave.
#[derive(Debug)]
#[must_use]
pub struct Filled {
    /// Bytes of text, from the start of the block. Less than the block only when there is a `stop`.
    pub len: usize,
    /// That this was the last of the text, and why. `End` ever after.
    pub stop: Option<Stop>,
}

/// A compressed file being inflated.
#[derive(Debug)]
pub struct Inflater<R>(Kind<R>);

#[derive(Debug)]
enum Kind<R> {
    Gzip(Box<gzip::Gzip<R>>),
    Zstd(Box<zstd::Zstd<R>>),
}

impl<R: Read> Inflater<R> {
    /// Inflates what `reader` gives, from the start of a file, and notes checkpoints.
    pub fn new(container: Container, reader: R) -> io::Result<Self> {
        Self::start(container, reader, Some(Checkpoints::new(container)))
    }

    /// From the start of a member.
    fn start(container: Container, reader: R, checkpoints: Option<Checkpoints>) -> io::Result<Self> {
        Ok(Self(match container {
            Container::Gzip => Kind::Gzip(Box::new(gzip::Gzip::new(reader, checkpoints))),
            Container::Zstd => Kind::Zstd(Box::new(zstd::Zstd::new(reader, checkpoints)?)),
        }))
    }

    /// Fills `block` with the text that comes next. Checkpoints inside members are noted in blocks of a
    /// megabyte and, less often, in smaller ones.
    pub fn fill(&mut self, block: &mut [u8]) -> Filled {
        match &mut self.0 {
            Kind::Gzip(gzip) => gzip.fill(block),
            Kind::Zstd(zstd) => zstd.fill(block),
        }
    }

    /// The checkpoints noted so far; they are complete once there was a [`Stop`].
    pub fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        match &mut self.0 {
            Kind::Gzip(gzip) => gzip.take_checkpoints(),
            Kind::Zstd(zstd) => zstd.take_checkpoints(),
        }
    }
}
