//! The containers that can be inflated, and how inflating ends.

use std::io;

use thiserror::Error;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// gzip, RFC 1952: DEFLATE streams in members.
    Gzip,
    /// zstd, RFC 8878: a sequence of frames.
    Zstd,
}

/// How a compressed file is damaged.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum Damage {
    /// The file ends inside a gzip member or a zstd frame.
    #[error("the compressed data is cut off or damaged")]
    Truncated,
    /// The compressed data is invalid.
    #[error("the compressed data is invalid")]
    Data,
    /// A checksum, or the length of a gzip member, differs from that of the data.
    #[error("the compressed data fails its checksum or length check")]
    Checksum,
    /// Data of another kind follows a gzip member or a zstd frame.
    #[error("other data follows the compressed data")]
    Trailing,
}

/// Why the inflated text ends.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nothing more follows: the text is at its end, or another reason was returned before.
    End,
    /// The compressed file is damaged.
    Damaged(Damage),
    /// The file could not be read, its text takes too much memory, or loading was cancelled.
    Failed(io::Error),
}

impl Stop {
    /// True where the text ends because its reader, not the decoder, had no memory.
    pub(crate) fn is_of_memory(&self) -> bool {
        let is_of_memory =
            |error: &io::Error| error.kind() == io::ErrorKind::OutOfMemory && error.get_ref().is_none();
        matches!(self, Self::Failed(error) if is_of_memory(error))
    }
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
pub(crate) struct Filled {
    /// Bytes of text at the start of the block; less than the size of the block only with a `stop`.
    pub len: usize,
    /// Why the text ends after these bytes; `None` where more may follow.
    pub stop: Option<Stop>,
}
