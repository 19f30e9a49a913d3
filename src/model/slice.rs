//! The columns of slices.
//!
//! Must not know lanes' names or links; those hold slice numbers, not the other way round.

use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};

use super::Category;

/// A slice's number.
pub type SliceId = u32;

/// No slice.
pub const NONE: SliceId = u32::MAX;

/// Where an event's text stands: a file of the trace and the byte offset in its (inflated) text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(u64);

impl Origin {
    const OFFSET_BITS: u32 = 48;

    /// No place.
    pub const NONE: Self = Self(u64::MAX);

    /// Byte `offset` of file number `file`.
    pub fn new(file: u16, offset: u64) -> Self {
        Self(u64::from(file) << Self::OFFSET_BITS | offset & ((1 << Self::OFFSET_BITS) - 1))
    }

    /// The file's number in the trace.
    pub fn file(self) -> usize {
        (self.0 >> Self::OFFSET_BITS) as usize
    }

    /// Bytes from the start of the file's text.
    pub fn offset(self) -> u64 {
        self.0 & ((1 << Self::OFFSET_BITS) - 1)
    }
}

/// What is unusual about a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceFlags(u8);

impl SliceFlags {
    /// Begun and never ended: it runs to the end of the trace.
    pub const OPEN: Self = Self(1);
    /// Its duration was missing or unusable: shown with the length that could be kept.
    pub const BAD_DURATION: Self = Self(2);
    /// It overlaps another slice of its lane without nesting: it stands in an overflow row.
    pub const OVERFLOW: Self = Self(4);

    /// A kernel that communicates between devices.
    pub const COMMUNICATION: Self = Self(8);
    /// A kernel launch of a static graph, which Paddle tells from one of a dynamic graph.
    pub const STATIC_GRAPH: Self = Self(16);

    /// True when all of `other` is set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// As a number.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The columns. All have one entry a slice.
#[derive(Debug, Default)]
pub struct Slices {
    /// Start, ns.
    pub start: Vec<Ns>,
    /// Duration, ns, never negative; start + duration never overflows.
    pub dur: Vec<Ns>,
    /// Name.
    pub name: Vec<StrId>,
    /// [`Category`] as a number.
    pub category: Vec<u8>,
    /// What is unusual.
    pub flags: Vec<SliceFlags>,
    /// The innermost slice of the same lane around this one, or [`NONE`].
    pub parent: Vec<SliceId>,
    /// Correlation number joining launch and device work; 0 means none.
    pub correlation: Vec<u32>,
    /// Where the event stands in its file.
    pub origin: Vec<Origin>,
}

impl Slices {
    /// How many slices there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// First instant after the slice, ns.
    pub fn end(&self, id: SliceId) -> Ns {
        self.start[id as usize] + self.dur[id as usize]
    }

    /// The stretch of time that the slice covers.
    pub fn span(&self, id: SliceId) -> Span {
        Span { start: self.start[id as usize], end: self.end(id) }
    }

    /// The slice's category.
    pub fn category(&self, id: SliceId) -> Category {
        Category::from_u8(self.category[id as usize])
    }

    /// The innermost slice around this one.
    pub fn parent(&self, id: SliceId) -> Option<SliceId> {
        Some(self.parent[id as usize]).filter(|&parent| parent != NONE)
    }

    /// The slices around this one, innermost first.
    pub fn ancestors(&self, id: SliceId) -> impl Iterator<Item = SliceId> + '_ {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_keeps_file_and_offset() {
        let origin = Origin::new(513, (1 << 47) + 5);
        assert_eq!((origin.file(), origin.offset()), (513, (1 << 47) + 5));
    }

    #[test]
    fn flags_add_up() {
        let flags = SliceFlags::OPEN.with(SliceFlags::OVERFLOW);
        assert!(flags.has(SliceFlags::OPEN) && flags.has(SliceFlags::OVERFLOW));
        assert!(!flags.has(SliceFlags::BAD_DURATION));
    }
}
