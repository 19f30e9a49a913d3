//! The host threads of a trace with what each did, and the worker that each belongs to.
//!
//! Must not know devices.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_trace::model::{Category, LaneId, LaneKind, SliceId, Trace, WorkerId};

use super::activity::Activities;
use super::timeline::Timeline;

/// A host thread with its lanes and what it did.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) worker: WorkerId,
    pub(super) lanes: Vec<LaneId>,
    pub(super) timeline: Timeline,
    /// How many pieces of device work it launched.
    launches: usize,
    /// True if it has only calls of the runtime or driver, of which none launches anything, as one that
    /// watches events has.
    is_watching: bool,
}

/// The host threads of a trace, as far as they have slices other than overhead.
#[derive(Debug, Default)]
pub(super) struct Threads {
    pub(super) all: Vec<Thread>,
    by_lane: FxHashMap<LaneId, usize>,
    /// The indices in `all` of the threads of each worker, by the index of the worker.
    by_worker: Vec<Vec<usize>>,
}

impl Thread {
    /// How many pieces of device work the thread launched.
    pub(super) fn launches(&self) -> usize {
        self.launches
    }

    /// True if the thread only looks at what others do: its calls are no reason why they launch nothing.
    pub(super) fn is_watching(&self) -> bool {
        self.is_watching
    }
}

impl Threads {
    /// Finds the host threads of a trace, and works out what each did.
    pub(super) fn of(trace: &Trace) -> Self {
        let names = Activities::of(trace);
        let mut lanes: Vec<(WorkerId, Vec<LaneId>)> = Vec::new();
        let mut known = FxHashMap::default();
        let mut shared: FxHashMap<WorkerId, Vec<SliceId>> = FxHashMap::default();
        for (number, lane) in trace.lanes.iter().enumerate() {
            if !matches!(lane.kind, LaneKind::Python | LaneKind::Thread) || lane.slices.is_empty() {
                continue;
            }
            let worker = trace.groups[lane.group].worker;
            // Overhead for which the producer knows no thread is on a lane of its own.
            let is_overhead = |id: SliceId| trace.slices.category(id) == Category::Overhead;
            if lane.slices.iter().all(is_overhead) {
                shared.entry(worker).or_default().extend(lane.slices);
                continue;
            }
            let at = *known.entry((lane.group, lane.tid)).or_insert_with(|| {
                lanes.push((worker, Vec::new()));
                lanes.len() - 1
            });
            lanes[at].1.push(LaneId::from_index(number));
        }
        let all: Vec<Thread> = lanes
            .into_par_iter()
            .map(|(worker, lanes)| {
                let shared = shared.get(&worker).map_or(&[][..], Vec::as_slice);
                let timeline = Timeline::of(trace, &names, &lanes, shared);
                let slices = || lanes.iter().map(|&lane| trace.lanes[lane].slices);
                let launches = slices().map(|ids| trace.links.within(ids).len()).sum();
                let is_call = |id: SliceId| trace.slices.category(id).is_runtime();
                let is_watching = launches == 0 && slices().all(|ids| ids.iter().all(is_call));
                Thread { worker, lanes, timeline, launches, is_watching }
            })
            .collect();
        let mut by_lane = FxHashMap::default();
        let mut by_worker = vec![Vec::new(); trace.meta.workers.len().max(1)];
        for (at, thread) in all.iter().enumerate() {
            by_lane.extend(thread.lanes.iter().map(|&lane| (lane, at)));
            if let Some(threads) = by_worker.get_mut(thread.worker.index()) {
                threads.push(at);
            }
        }
        Self { all, by_lane, by_worker }
    }

    /// The index in `all` of the thread that a slice is on; `None` for a slice on no host thread.
    pub(super) fn of_slice(&self, trace: &Trace, id: SliceId) -> Option<usize> {
        self.by_lane.get(&trace.lane_of(id)).copied()
    }

    /// The index in `all` of the thread of a worker that launched most pieces of device work, the first of
    /// equals; `None` if the worker has no threads.
    pub(super) fn launching(&self, worker: WorkerId) -> Option<usize> {
        self.of_worker(worker).iter().copied().rev().max_by_key(|&at| self.all[at].launches)
    }

    /// The indices in `all` of the threads of a worker.
    pub(super) fn of_worker(&self, worker: WorkerId) -> &[usize] {
        self.by_worker.get(worker.index()).map_or(&[], Vec::as_slice)
    }
}
