//! Where slices lie: groups (a process, a device), lanes (a layer of a thread, a stream), rows (one depth).
//!
//! Must not know how high a row is drawn or whether it is folded.

use std::ops::Range;

use crate::base::intern::StrId;

use super::SliceId;

/// A lane's number.
pub type LaneId = u32;
/// A row's number.
pub type RowId = u32;

/// What a group stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKind {
    /// A process of the host.
    Process,
    /// A device; its lanes are streams.
    Device,
}

/// A process or a device of one worker.
#[derive(Debug)]
pub struct Group {
    /// Process or device.
    pub kind: GroupKind,
    /// The worker (rank) it belongs to, an index into `Meta::workers`.
    pub worker: u16,
    /// The producer's process id or device number, as text.
    pub pid: StrId,
    /// Name given by metadata, or empty.
    pub name: StrId,
    /// Its lanes.
    pub lanes: Range<LaneId>,
}

/// What a lane holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKind {
    /// Ranges of a thread's Python layer: functions, or Paddle's steps and stages.
    Python,
    /// Operators, runtime calls and ranges of a thread.
    Thread,
    /// Asynchronous events of one category.
    Async,
    /// Kernels, copies and fills of a stream.
    Stream,
    /// Ranges that the host opened, as seen by a stream: no device work.
    StreamRanges,
    /// Counter values over time.
    Counter,
}

impl LaneKind {
    /// True where events of other lanes are shown once more: sums leave them out.
    pub fn repeats(self) -> bool {
        self == Self::StreamRanges
    }
}

/// One lane.
#[derive(Debug)]
pub struct Lane {
    /// What it holds.
    pub kind: LaneKind,
    /// The group it belongs to.
    pub group: u32,
    /// The producer's thread id, stream number or category, as text.
    pub tid: StrId,
    /// Name given by metadata, or empty.
    pub name: StrId,
    /// Its rows: one a depth, then the overflow rows.
    pub rows: Range<RowId>,
    /// How many of the rows are regular; those after hold slices that overlap without nesting.
    pub depth: u32,
    /// Its slices.
    pub slices: Range<SliceId>,
    /// Its instants, a range of `Trace::instants`.
    pub instants: Range<u32>,
    /// Its counter, an index into `Trace::counters`.
    pub counter: Option<u32>,
}

impl Lane {
    /// True when nothing was recorded on the lane.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty() && self.instants.is_empty() && self.counter.is_none()
    }
}

/// One depth of one lane: slices that follow one another.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The lane.
    pub lane: LaneId,
    /// First slice.
    pub first: SliceId,
    /// How many slices.
    pub len: u32,
}

impl Row {
    /// The slices of the row, in order of time.
    pub fn slices(&self) -> Range<SliceId> {
        self.first..self.first + self.len
    }
}
