//! Slices, stored as columns: one list per attribute.
//!
//! Must not know lanes or links: those refer to slices by number, not the other way round.

use proftui_base::ids::{Column, Ids};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};

use super::Category;

proftui_base::numbered! {
    /// A slice's number: its index in the columns of [`Slices`].
    pub struct SliceId(u32);
}

impl SliceId {
    /// The number that stands for no slice.
    pub const NONE: Self = Self::new(u32::MAX);
}

/// Where an event stands: its file's number (16 bits), and a key that only the reader of the file's format
/// understands (48 bits): of text and protobuf the byte offset in the file's text, as inflated and, if need
/// be, converted for reading; of a memory snapshot the event's number. Keys ascend in the file's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(u64);

impl Origin {
    const OFFSET_BITS: u32 = 48;

    /// The value that stands for no event.
    pub const NONE: Self = Self(u64::MAX);

    /// Makes the origin at byte `offset` of the inflated text of file number `file`. Only the lower 48 bits
    /// of `offset` are kept.
    pub fn new(file: u16, offset: u64) -> Self {
        Self(u64::from(file) << Self::OFFSET_BITS | offset & ((1 << Self::OFFSET_BITS) - 1))
    }

    /// The origin as a number that sorts by file, then by offset.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The file's number: an index into `Meta::files`.
    pub fn file(self) -> usize {
        (self.0 >> Self::OFFSET_BITS) as usize
    }

    /// The byte offset in the file's inflated text.
    pub fn offset(self) -> u64 {
        self.0 & ((1 << Self::OFFSET_BITS) - 1)
    }
}

/// Properties of a slice, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceFlags(u8);

impl SliceFlags {
    /// The slice has a begin event, but no end event was loaded, so its end is only assumed.
    pub const OPEN: Self = Self(1);
    /// The file states no usable duration for the slice; its duration here is a substitute.
    pub const BAD_DURATION: Self = Self(2);
    /// The slice is in an overflow row: a row for slices that overlap others of their lane without nesting.
    pub const OVERFLOW: Self = Self(4);

    /// The slice is a kernel that, by its name, communicates between devices.
    pub const COMMUNICATION: Self = Self(8);
    /// The slice is Paddle's range around a kernel launch of a static graph.
    pub const STATIC_GRAPH: Self = Self(16);
    /// The slice marks the time in which the profiler recorded (Kineto's category `Trace`), not an activity
    /// of the program.
    pub const PROFILER: Self = Self(32);

    /// True when all bits of `other` are set here.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits as a number.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The union of both sets of bits.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The columns of slices. Each has one entry per slice, at the index that is the slice's number.
#[derive(Debug, Default)]
pub struct Slices {
    /// Start of the slice, ns.
    pub start: Column<SliceId, Ns>,
    /// Duration of the slice, ns, never negative.
    pub dur: Column<SliceId, Ns>,
    /// Name of the slice (its number in `Trace::strings`).
    pub name: Column<SliceId, StrId>,
    /// [`Category`] of the slice, as its number; [`Slices::category`] converts it.
    pub category: Column<SliceId, u8>,
    /// Further properties of the slice, as bits.
    pub flags: Column<SliceId, SliceFlags>,
    /// The innermost slice that the slice is nested in, on the same lane; [`SliceId::NONE`] without one.
    pub parent: Column<SliceId, SliceId>,
    /// Correlation number, by which a launch and its device work are joined; 0 where the slice has none.
    pub correlation: Column<SliceId, u32>,
    /// The origin of the slice's event; of the begin event if the slice is made of a begin and an end event.
    pub origin: Column<SliceId, Origin>,
}

impl Slices {
    /// The number of slices.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// The numbers of all slices.
    pub fn ids(&self) -> Ids<SliceId> {
        self.start.ids()
    }

    /// True when there are no slices.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// The end of a slice, ns: its start plus its duration.
    pub fn end(&self, id: SliceId) -> Ns {
        self.start[id] + self.dur[id]
    }

    /// The time that a slice covers, from its start to its end.
    pub fn span(&self, id: SliceId) -> Span {
        Span { start: self.start[id], end: self.end(id) }
    }

    /// The category of a slice.
    pub fn category(&self, id: SliceId) -> Category {
        Category::from_u8(self.category[id])
    }

    /// The innermost slice that a slice is nested in, on the same lane; `None` without one.
    pub fn parent(&self, id: SliceId) -> Option<SliceId> {
        Some(self.parent[id]).filter(|&parent| parent != SliceId::NONE)
    }

    /// The slices that a slice is nested in, from its parent to the outermost.
    pub fn ancestors(&self, id: SliceId) -> impl Iterator<Item = SliceId> + Clone + '_ {
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
