//! The threads of the host: which lanes belong to the same thread.
//!
//! A thread has up to two layers, a lane each: one of operators, calls and ranges, and the Python layer. Must
//! not know what the lanes hold.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_trace::model::{GroupId, LaneId, LaneKind, Trace};

/// The lanes of each thread of a trace.
pub(crate) struct Threads {
    /// The lanes of each thread, ascending; the threads in the order of their first lanes.
    lanes: Vec<Vec<LaneId>>,
    /// For each lane of a thread, the thread's index in `lanes`.
    of_lane: FxHashMap<LaneId, usize>,
}

impl Threads {
    /// The threads of a trace.
    pub(crate) fn of(trace: &Trace) -> &Self {
        trace.kept.get(|| Self::make(trace))
    }

    /// Groups the lanes of threads by process and thread id.
    fn make(trace: &Trace) -> Self {
        let mut known: FxHashMap<(GroupId, StrId), usize> = FxHashMap::default();
        let mut found = Self { lanes: Vec::new(), of_lane: FxHashMap::default() };
        let is_layer = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
        for (id, lane) in trace.lanes.iter_with_ids().filter(|(_, lane)| is_layer(lane.kind)) {
            let at = *known.entry((lane.group, lane.tid)).or_insert(found.lanes.len());
            if at == found.lanes.len() {
                found.lanes.push(Vec::new());
            }
            found.lanes[at].push(id);
            found.of_lane.insert(id, at);
        }
        found
    }

    /// The lanes of each thread, ascending; the threads in the order of their first lanes.
    pub(crate) fn all(&self) -> &[Vec<LaneId>] {
        &self.lanes
    }

    /// The threads that these lanes belong to, as indices in [`all`](Self::all), each once, ascending. Lanes
    /// that are no thread's are left out.
    pub(crate) fn of_lanes(&self, lanes: impl Iterator<Item = LaneId>) -> Vec<usize> {
        let mut found: Vec<usize> = lanes.filter_map(|lane| self.index(lane)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The index in [`all`](Self::all) of a lane's thread; `None` for a lane that is no thread's.
    pub(crate) fn index(&self, lane: LaneId) -> Option<usize> {
        self.of_lane.get(&lane).copied()
    }

    /// The lanes of the Python layer of the thread that a lane belongs to; none for a lane that is no
    /// thread's.
    pub(crate) fn python(&self, trace: &Trace, lane: LaneId) -> impl Iterator<Item = LaneId> {
        let lanes = self.index(lane).map_or(&[][..], |at| &self.lanes[at]);
        lanes.iter().copied().filter(|&id| trace.lanes[id].kind == LaneKind::Python)
    }
}
