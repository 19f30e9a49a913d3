//! Damage of one byte: what it can be, and where.

use std::fmt;

use crate::generate::rng::Rng;

/// What happens to one byte of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// One bit is inverted.
    Flip(u8),
    /// Another byte stands there.
    Replace(u8),
    /// The byte is removed.
    Remove,
    /// One more stands before it.
    Insert(u8),
    /// The text ends before it.
    Cut,
}

/// Bytes that mean something in JSON: worse to meet than others.
pub(crate) const MEANINGFUL: &[u8] = b"{}[]:,\"\\ \n\x000-.eE\x80";

impl Damage {
    /// Any damage; half of the bytes that it brings mean something.
    pub(crate) fn any(rng: &mut Rng) -> Self {
        let byte = if rng.below(2) == 0 {
            MEANINGFUL[rng.below(MEANINGFUL.len() as u64) as usize]
        } else {
            rng.below(256) as u8
        };
        match rng.below(6) {
            0 | 1 => Self::Flip(1 << rng.below(8)),
            2 => Self::Replace(byte),
            3 => Self::Remove,
            4 => Self::Insert(byte),
            _ => Self::Cut,
        }
    }

    /// The text with this damage at byte `at`.
    pub(crate) fn strike(self, text: &[u8], at: usize) -> Vec<u8> {
        let (before, byte, after) = (&text[..at], text[at], &text[at + 1..]);
        let instead: &[u8] = match self {
            Self::Flip(bit) => &[byte ^ bit],
            Self::Replace(other) => &[other],
            Self::Remove => &[],
            Self::Insert(more) => &[more, byte],
            Self::Cut => return before.to_vec(),
        };
        [before, instead, after].concat()
    }

    /// By how much what stands behind it moves.
    pub(crate) fn shift(self) -> isize {
        match self {
            Self::Flip(_) | Self::Replace(_) | Self::Cut => 0,
            Self::Remove => -1,
            Self::Insert(_) => 1,
        }
    }

    /// The kind of the damage, for a table.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Flip(_) => "flipped",
            Self::Replace(_) => "replaced",
            Self::Remove => "removed",
            Self::Insert(_) => "inserted",
            Self::Cut => "cut off",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flip(bit) => write!(f, "bit {bit:#04x} flipped"),
            Self::Replace(byte) => write!(f, "replaced by {:?}", char::from(*byte)),
            Self::Insert(byte) => write!(f, "{:?} inserted", char::from(*byte)),
            Self::Remove | Self::Cut => f.write_str(self.kind()),
        }
    }
}
