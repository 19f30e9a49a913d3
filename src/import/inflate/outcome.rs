//! The containers that can be inflated, and how inflating ends.

use std::io;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// gzip, RFC 1952: DEFLATE streams in members.
    Gzip,
    /// zstd, RFC 8878: a sequence of frames.
    Zstd,
}

/// The damage of a compressed file. All text before the damage is given out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The file ends inside a member.
    Truncated,
    /// The compressed data is invalid.
    Data,
    /// A member is complete, and its checksum or its length differs from its trailer's.
    Checksum,
    /// Bytes that are neither another member nor padding follow a member.
    Trailing,
}

/// Why the text ends.
#[derive(Debug)]
pub enum Stop {
    /// The file is whole and at its end.
    End,
    /// The file is damaged; nothing after the damage is read.
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

/// The result of filling a block with text.
#[derive(Debug)]
#[must_use]
pub struct Filled {
    /// Bytes of text at the start of the block; fewer than the block holds only when there is a `stop`.
    pub len: usize,
    /// Set when the text ends here, with the reason; every later call gives `End`.
    pub stop: Option<Stop>,
}
