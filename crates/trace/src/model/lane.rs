//! The order of slices on the timeline: groups (a process or a device), their lanes (a layer of a thread, or
//! a stream), and the rows of a lane (one per depth of nesting).
//!
//! Must not know how high a row is drawn or whether it is folded.

use std::ops::Range;

use proftui_base::ids::Ids;
use proftui_base::intern::StrId;

use super::SliceId;

proftui_base::numbered! {
    /// A lane's number: its index in `Trace::lanes`.
    pub struct LaneId(u32);
}

proftui_base::numbered! {
    /// A group's number: its index in `Trace::groups`.
    pub struct GroupId(u32);
}

proftui_base::numbered! {
    /// A worker's number: its index in `Meta::workers`.
    pub struct WorkerId(u16);
}

proftui_base::numbered! {
    /// A row's number: its index in `Trace::rows`.
    pub struct RowId(u32);
}

/// Whether a group's lanes are of a process or of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKind {
    /// Usually a process of the host, with lanes such as threads and counters.
    Process,
    /// A device, with lanes such as streams.
    Device,
}

/// The lanes of one process or of one device of a worker.
#[derive(Debug)]
pub struct Group {
    /// Whether the group is a process or a device.
    pub kind: GroupKind,
    /// The worker (rank) that the group belongs to, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// What distinguishes the group from others of its kind and worker, such as a process id: a text's number
    /// in `Trace::strings`.
    pub pid: StrId,
    /// The name that a file gives the process or device; the empty string without one.
    pub name: StrId,
    /// The numbers of the group's lanes.
    pub lanes: Ids<LaneId>,
}

/// The kind of a lane, by the events that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKind {
    /// Slices of a thread's Python layer, such as calls of Python functions.
    Python,
    /// Slices of a host thread outside its Python layer, such as operators and runtime calls.
    Thread,
    /// Asynchronous slices of one process that have the same category (`cat`).
    Async,
    /// Events of a stream or another part of a device, such as kernels, copies and synchronizations.
    Stream,
    /// Ranges of a device that repeat what other lanes hold, such as Kineto's `gpu_user_annotation`.
    StreamRanges,
    /// The values of a counter over time.
    Counter,
}

impl LaneKind {
    /// True for lanes of host threads and for lanes of asynchronous slices.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Python | Self::Thread | Self::Async)
    }

    /// True for lanes that repeat events of other lanes, so that sums of times must leave them out.
    pub fn repeats(self) -> bool {
        self == Self::StreamRanges
    }
}

/// One lane of the timeline: the events of, for example, one thread, stream or counter.
#[derive(Debug)]
pub struct Lane {
    /// Which kind of events the lane holds.
    pub kind: LaneKind,
    /// The group that the lane belongs to, an index into `Trace::groups`.
    pub group: GroupId,
    /// What distinguishes the lane from others of its kind in its group, such as a thread id: a text's number
    /// in `Trace::strings`.
    pub tid: StrId,
    /// The name that a file gives the thread or stream; the empty string without one.
    pub name: StrId,
    /// The numbers of the lane's rows; overflow rows come last.
    pub rows: Ids<RowId>,
    /// How many of the lane's rows come before its overflow rows, which hold slices that overlap others
    /// without nesting.
    pub depth: u32,
    /// The numbers of the lane's slices, all rows together.
    pub slices: Ids<SliceId>,
    /// The lane's instants, a range of `Trace::instants`.
    pub instants: Range<u32>,
    /// The lane's counter, an index into `Trace::counters`; `None` where the lane shows no counter.
    pub counter: Option<u32>,
}

impl Lane {
    /// True when the lane has no slice, no instant and no counter.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty() && self.instants.is_empty() && self.counter.is_none()
    }
}

/// A row of a lane: slices that follow one another in time.
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
    pub fn slices(&self) -> Ids<SliceId> {
        Ids::from(self.first..self.first + self.len)
    }
}
