//! Maps the numbers of groups, lanes, rows and events of one session to those of another session of the same
//! files.
//!
//! A snapshot and the whole trace number them differently, and so may a file that was loaded again. A lane is
//! recognized by its worker, process and thread, a slice by its lane, start and origin, an instant by its
//! origin. Must not know lines or the screen.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proftui_base::cancel;
use proftui_base::ids::Column;
use proftui_base::saturate::saturate;
use proftui_trace::model::{GroupId, GroupKind, LaneId, LaneKind, RowId, SliceId, Trace, WorkerId};

use crate::app::run::Run;
use crate::app::session::{Selection, Session};

/// Estimated time of a [`RenumberJob`] for each group and lane of its two sessions, ns.
const PER_LANE: u64 = 500;

/// The job of finding the groups and lanes of one session in another one of the same files.
#[derive(Clone, Debug)]
pub struct RenumberJob {
    pub(crate) old: Arc<Session>,
    pub(crate) new: Arc<Session>,
    /// True if the new session is the whole trace; false if it is a snapshot.
    pub(crate) is_whole: bool,
}

/// The result of a [`RenumberJob`]: the job itself, and the numbers found.
#[derive(Debug)]
pub struct Renumbered {
    pub(crate) job: RenumberJob,
    pub(crate) numbers: Renumbering,
}

impl Run for RenumberJob {
    type Done = Renumbered;

    fn cost(&self) -> u64 {
        let count = |session: &Session| session.trace.groups.len() + session.trace.lanes.len();
        PER_LANE * (count(&self.old) + count(&self.new)) as u64
    }

    fn run(self) -> Renumbered {
        let numbers = Renumbering::new(&self.old.trace, &self.new.trace);
        Renumbered { job: self, numbers }
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.old, &other.old) && Arc::ptr_eq(&self.new, &other.new)
    }
}

/// What identifies a group or lane across sessions, whatever its number.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Identity {
    worker: WorkerId,
    group: GroupKind,
    pid: Vec<u8>,
    lane: Option<(LaneKind, Vec<u8>)>,
}

fn group_identity(trace: &Trace, number: GroupId) -> Identity {
    let group = &trace.groups[number];
    let pid = trace.strings.bytes(group.pid).to_vec();
    Identity { worker: group.worker, group: group.kind, pid, lane: None }
}

fn lane_identity(trace: &Trace, number: LaneId) -> Identity {
    cancel::check();
    let lane = &trace.lanes[number];
    let of_lane = (lane.kind, trace.strings.bytes(lane.tid).to_vec());
    Identity { lane: Some(of_lane), ..group_identity(trace, lane.group) }
}

/// The numbers that the groups and lanes of one session have in another session of the same files.
#[derive(Debug)]
pub(crate) struct Renumbering {
    /// The new number of each group, by its old number; none if the new trace lacks the group.
    groups: Column<GroupId, Option<GroupId>>,
    /// The new number of each lane, by its old number; none if the new trace lacks the lane.
    lanes: Column<LaneId, Option<LaneId>>,
    /// The new numbers of the lanes that had several rows in the old trace.
    settled: HashSet<LaneId>,
}

impl Renumbering {
    /// Finds the groups and lanes of the `old` trace in the `new` one.
    pub(crate) fn new(old: &Trace, new: &Trace) -> Self {
        let groups = new.groups.ids().iter().map(|group| (group_identity(new, group), group));
        let lanes = new.lanes.ids().iter().map(|lane| (lane_identity(new, lane), lane));
        let (groups, lanes): (HashMap<_, GroupId>, HashMap<_, LaneId>) = (groups.collect(), lanes.collect());
        let group = |group| groups.get(&group_identity(old, group)).copied();
        let lane = |lane| lanes.get(&lane_identity(old, lane)).copied();
        // A lane with one row at most could not be folded before.
        let has_rows = |lane: &LaneId| old.lanes[*lane].rows.len() > 1;
        let settled = old.lanes.ids().iter().filter(has_rows).filter_map(lane).collect();
        let groups = old.groups.ids().iter().map(group).collect();
        let lanes = old.lanes.ids().iter().map(lane).collect();
        Self { groups, lanes, settled }
    }

    /// True for a lane, by its new number, that had several rows in the old trace.
    pub(crate) fn is_settled(&self, new: LaneId) -> bool {
        self.settled.contains(&new)
    }

    /// A group's new number; none where the new trace lacks the group.
    pub(crate) fn group(&self, old: GroupId) -> Option<GroupId> {
        self.groups[old]
    }

    /// A lane's new number; none where the new trace lacks the lane.
    pub(crate) fn lane(&self, old: LaneId) -> Option<LaneId> {
        self.lanes[old]
    }

    /// The new number of a row, by its lane and depth; none if the new trace lacks the row.
    pub(crate) fn row(&self, old_trace: &Trace, new_trace: &Trace, old: RowId) -> Option<RowId> {
        let lane = old_trace.rows[old].lane;
        let depth = old - old_trace.lanes[lane].rows.start;
        let rows = new_trace.lanes[self.lane(lane)?].rows;
        (rows.start + depth < rows.end).then_some(rows.start + depth)
    }

    /// The new number of a slice, by its lane, start and origin; none if the new trace lacks the slice.
    fn slice(&self, old_trace: &Trace, new_trace: &Trace, old: SliceId) -> Option<SliceId> {
        let (start, origin) = (old_trace.slices.start[old], old_trace.slices.origin[old]);
        let lane = &new_trace.lanes[self.lane(old_trace.lane_of(old))?];
        let rows = &new_trace.rows[lane.rows];
        let slices = &new_trace.slices;
        rows.iter().find_map(|row| {
            let ids = row.slices();
            let starts = &slices.start[ids];
            let later = ids.part(starts.partition_point(|&other| other < start)..ids.len());
            let mut same = later.iter().take_while(|&id| slices.start[id] == start);
            same.find(|&id| slices.origin[id] == origin)
        })
    }

    /// The selection in the new trace that corresponds to a selection in the old one; none for a gap, and if
    /// the new trace lacks the event.
    pub(crate) fn selection(
        &self,
        old_trace: &Trace,
        new_trace: &Trace,
        old: Selection,
    ) -> Option<Selection> {
        match old {
            Selection::Slice(id) => self.slice(old_trace, new_trace, id).map(Selection::Slice),
            // The new trace may have slices within the gap.
            Selection::Gap(..) | Selection::Idle(..) => None,
            Selection::Instant(at) => {
                let origin = old_trace.instants[at as usize].origin;
                let found = new_trace.instants.iter().position(|instant| instant.origin == origin);
                found.map(|at| Selection::Instant(saturate::<u32>(at)))
            }
        }
    }
}
