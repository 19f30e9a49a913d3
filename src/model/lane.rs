//! The order of slices on the timeline: groups (a process or a device), their lanes (a layer of a thread, or a stream), and the rows of
//! a lane (one per depth of nesting).
//!
//! Must not know how high a row is drawn or whether it is folded.

use std::ops::Range;

use crate::base::intern::StrId;

use super::SliceId;

/// A lane's number: its index in `Trace::lanes`.
pub type LaneId = u32;
/// A row's number: its index in `Trace::rows`.
pub type RowId = u32;

/// The kinds of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKind {
    /// A process of the host.
    Process,
    /// A device; its lanes are streams.
    Device,
}

/// A group of lanes: a process of one worker, or a device of one.
#[derive(Debug)]
pub struct Group {
    /// Whether it is a process or a device.
    pub kind: GroupKind,
    /// The worker (rank) that it belongs to, an index into `Meta::workers`.
    pub worker: u16,
    /// The producer's process id or device number, as text.
    pub pid: StrId,
    /// The name that metadata events give it, or the empty string.
    pub name: StrId,
    /// The numbers of the group's lanes.
    pub lanes: Range<LaneId>,
}

/// The kinds of lanes, by the events that they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKind {
    /// Ranges of a thread's Python layer: functions, or Paddle's steps and phases.
    Python,
    /// Operators, runtime calls and ranges of a thread.
    Thread,
    /// Asynchronous slices of one category.
    Async,
    /// Device work of a stream: kernels, copies and memsets.
    Stream,
    /// Ranges of the host that a producer shows once more on a stream, around the device work launched in them.
    StreamRanges,
    /// The values of a counter over time.
    Counter,
}

impl LaneKind {
    /// True for lanes that show events of other lanes once more, which sums leave out.
    pub fn repeats(self) -> bool {
        self == Self::StreamRanges
    }
}

/// A lane: the slices, instants or counter of one thread, stream or the like.
#[derive(Debug)]
pub struct Lane {
    /// The kind of events that it holds.
    pub kind: LaneKind,
    /// The group that it belongs to, an index into `Trace::groups`.
    pub group: u32,
    /// The producer's thread id, stream number or category, as text.
    pub tid: StrId,
    /// The name that metadata events give it, or the empty string.
    pub name: StrId,
    /// The numbers of its rows: one per depth of nesting, then the overflow rows.
    pub rows: Range<RowId>,
    /// How many of the rows are for nested slices; the overflow rows after them hold slices that overlap without nesting.
    pub depth: u32,
    /// The numbers of the lane's slices, all rows together.
    pub slices: Range<SliceId>,
    /// Its instants, a range of `Trace::instants`.
    pub instants: Range<u32>,
    /// Its counter, an index into `Trace::counters`.
    pub counter: Option<u32>,
}

impl Lane {
    /// True when the lane has no slice, no instant and no counter.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty() && self.instants.is_empty() && self.counter.is_none()
    }
}

/// A row: the slices of one depth of a lane, which follow one another in time.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of the lane that the row belongs to.
    pub lane: LaneId,
    /// The number of the row's first slice.
    pub first: SliceId,
    /// How many slices the row has.
    pub len: u32,
}

impl Row {
    /// The numbers of the row's slices, in order of time.
    pub fn slices(&self) -> Range<SliceId> {
        self.first..self.first + self.len
    }
}
