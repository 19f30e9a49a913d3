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
    /// A process of the host; its lanes are threads (native and Python slices apart), asynchronous slices and
    /// counters.
    Process,
    /// A device; its lanes are streams, ranges that repeat other lanes, and counters.
    Device,
}

/// A group of lanes: those of one process of a worker, or of one device of a worker.
#[derive(Debug)]
pub struct Group {
    /// Whether the group is a process or a device.
    pub kind: GroupKind,
    /// The worker (rank) that the group belongs to, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The process id or the device's number as a text, as the file states it, but such as `NPU 0` for
    /// Ascend's devices: the text's number in `Trace::strings`.
    pub pid: StrId,
    /// The name that a file gives the process or device; the empty string without one.
    pub name: StrId,
    /// The numbers of the group's lanes.
    pub lanes: Ids<LaneId>,
}

/// The kind of a lane, by the events that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKind {
    /// Slices of a thread's Python layer, such as Python functions, Paddle's steps and phases, garbage
    /// collections.
    Python,
    /// All slices of a host thread that are not of its Python layer: operators, runtime calls, ranges.
    Thread,
    /// Asynchronous slices of one process that have the same category (`cat`).
    Async,
    /// Events of a stream or other part of a device, such as device work (kernels, copies, memsets),
    /// synchronizations and events of unified memory.
    Stream,
    /// Ranges of a device that repeat other lanes: host ranges around the device work launched in them
    /// (Kineto's `gpu_user_annotation`), or of Ascend's profiler the sums (`Overlap Analysis`), the parts of
    /// collectives, and those collectives that are on the streams, too.
    StreamRanges,
    /// The values of a counter over time.
    Counter,
}

impl LaneKind {
    /// True for lanes with events of threads of the host, and for those of asynchronous slices.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Python | Self::Thread | Self::Async)
    }

    /// True for lanes that repeat events of other lanes, so that sums of times must leave them out.
    pub fn repeats(self) -> bool {
        self == Self::StreamRanges
    }
}

/// A lane: the slices and instants of one layer of a thread, of a stream or of its ranges, the asynchronous
/// slices of one category, or one counter.
#[derive(Debug)]
pub struct Lane {
    /// Which kind of events the lane holds.
    pub kind: LaneKind,
    /// The group that the lane belongs to, an index into `Trace::groups`.
    pub group: GroupId,
    /// What distinguishes the lane from others of its kind in its group, as a text's number in
    /// `Trace::strings`: the thread id, the stream's number or title, the category of asynchronous slices, or
    /// the counter's title.
    pub tid: StrId,
    /// The name that a file gives the thread or stream; the empty string without one.
    pub name: StrId,
    /// The numbers of the lane's rows: one per depth of nesting, then those for slices that overlap others
    /// without nesting, and for the slices in those (the overflow rows, but see `depth`).
    pub rows: Ids<RowId>,
    /// How many of the lane's rows come before the overflow rows, which hold slices that overlap others
    /// without nesting, and the slices in those. On a lane of asynchronous slices, where no row is called an
    /// overflow row, the number of all rows.
    pub depth: u32,
    /// The numbers of the lane's slices, all rows together.
    pub slices: Ids<SliceId>,
    /// The lane's instants, a range of `Trace::instants`.
    pub instants: Range<u32>,
    /// The lane's counter, an index into `Trace::counters`; `None` for a lane of another kind, and where the
    /// counter has no samples or is a curve of memory that stays 0.
    pub counter: Option<u32>,
}

impl Lane {
    /// True when the lane has no slice, no instant and no counter.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty() && self.instants.is_empty() && self.counter.is_none()
    }
}

/// A row of a lane: slices that follow one another in time, either those of one depth of nesting or, in an
/// overflow row, some that overlap others without nesting or lie in such slices.
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
