//! What a snapshot is made of: events, blocks and segments.
//!
//! Must not know pickles.

use crate::model::StackId;
use proftui_base::intern::StrId;

/// What an event of the history does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Action {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Oom,
    Snapshot,
    Annotate,
    /// An action that is not known.
    Unknown,
}

/// The actions by their names in a file.
pub(super) const ACTIONS: [(&str, Action); 11] = [
    ("alloc", Action::Alloc),
    ("free_requested", Action::FreeRequested),
    ("free_completed", Action::FreeCompleted),
    ("segment_alloc", Action::SegmentAlloc),
    ("segment_free", Action::SegmentFree),
    ("segment_map", Action::SegmentMap),
    ("segment_unmap", Action::SegmentUnmap),
    ("oom", Action::Oom),
    ("snapshot", Action::Snapshot),
    ("annotate", Action::Annotate),
    ("user_defined", Action::Annotate),
];

/// One event of the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub action: Action,
    /// The action's name, by its number among the texts of the pickle.
    pub name: StrId,
    pub address: u64,
    /// Size in bytes, as the program asked for it.
    pub bytes: i64,
    pub stream: i64,
    /// Time, µs since the Unix epoch; `None` where the writer states none.
    pub time: Option<i64>,
    /// Bytes that were free on the device, stated by events of [`Action::Oom`].
    pub device_free: Option<i64>,
    pub stack: StackId,
    /// The text that the program attached, by its number among the texts of the pickle.
    pub metadata: StrId,
    /// The torch.compile context.
    pub context: StrId,
}

/// A block of a segment at the end of the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub address: Option<u64>,
    pub size: i64,
    /// Bytes that the program asked for; `size` where not stated.
    pub requested: i64,
    pub is_allocated: bool,
    pub stack: StackId,
}

/// A segment at the end of the history.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub device: i64,
    pub address: u64,
    pub size: i64,
    /// Its blocks, as indices.
    pub blocks: Vec<u32>,
}
