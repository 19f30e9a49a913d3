//! A line of the timeline: what it shows, and what of it can be pinned and hidden.
//!
//! Must not know how a line is drawn.

use proftui_trace::model::{GroupId, LaneId, RowId, Trace};

use crate::app::session::renumber::Renumbering;

/// What one line of the timeline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// The heading of a group, by the group's index in the trace.
    Group(GroupId),
    /// The idle time of a device by cause, by the index of the device's group.
    Idle(GroupId),
    /// One row of slices of a lane; a folded lane shows only its first row.
    Row(LaneId, RowId),
    /// The values of a counter, by its lane and its index in the trace's counters.
    Counter(LaneId, u32),
    /// The instants of a lane that has no slices.
    Marks(LaneId),
    /// The merged streams of a device, by the device's group.
    Merged(GroupId),
    /// The heading of a device's lanes of ranges and counters, by the device's group.
    More(GroupId),
    /// The heading of what the profiler recorded of itself.
    Others,
}

impl LineKind {
    /// The line of the `new` trace that corresponds to this line of the `old` one; none if the new trace
    /// lacks its group, lane, row or counter.
    pub(crate) fn renumbered(self, numbers: &Renumbering, old: &Trace, new: &Trace) -> Option<Self> {
        Some(match self {
            Self::Group(group) => Self::Group(numbers.group(group)?),
            Self::Idle(group) => Self::Idle(numbers.group(group)?),
            Self::Merged(group) => Self::Merged(numbers.group(group)?),
            Self::More(group) => Self::More(numbers.group(group)?),
            Self::Others => Self::Others,
            Self::Row(lane, row) => Self::Row(numbers.lane(lane)?, numbers.row(old, new, row)?),
            Self::Counter(lane, _) => {
                let lane = numbers.lane(lane)?;
                Self::Counter(lane, new.lanes[lane].counter?)
            }
            Self::Marks(lane) => Self::Marks(numbers.lane(lane)?),
        })
    }
}

/// What can be pinned and hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Track {
    /// The idle time of a device, by the index of the device's group.
    Idle(GroupId),
    /// A lane.
    Lane(LaneId),
}

/// One line of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the line shows.
    pub kind: LineKind,
    /// False for the further rows of a lane; true for every other line.
    pub is_head: bool,
    /// True for a line of a pinned lane or of pinned idle time, which usually stays on top while other lines
    /// scroll.
    pub is_pinned: bool,
    /// True for a line of a group whose heading is left out.
    pub is_outer: bool,
}

impl Line {
    /// What is pinned or hidden with the line; none for a heading and for merged streams.
    pub fn track(&self) -> Option<Track> {
        match self.kind {
            LineKind::Idle(group) => Some(Track::Idle(group)),
            _ => self.lane().map(Track::Lane),
        }
    }

    /// The lane that the line belongs to; none for a heading, the idle time of a device and merged streams.
    pub fn lane(&self) -> Option<LaneId> {
        match self.kind {
            LineKind::Group(_)
            | LineKind::Idle(_)
            | LineKind::Merged(_)
            | LineKind::More(_)
            | LineKind::Others => None,
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => Some(lane),
        }
    }

    /// The row of slices that the line shows; none for merged streams, and for lines without slices.
    pub fn row(&self) -> Option<RowId> {
        match self.kind {
            LineKind::Row(_, row) => Some(row),
            _ => None,
        }
    }
}
