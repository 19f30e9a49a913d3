//! The order in which groups and lanes are shown: what matters for a device's time first.
//!
//! For each worker its devices with work (at most four), the process that launches most, the other processes
//! and devices with work, devices without work, and what the profiler recorded of itself. Must not know
//! lines, or what is folded.

use std::cmp::Reverse;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_insight::analysis::ledger::Ledger;
use proftui_trace::index::Index;
use proftui_trace::model::{GroupId, GroupKind, Lane, LaneId, LaneKind, Trace, WorkerId};

/// The most devices with work that come first among a worker's groups.
const FIRST_DEVICES: usize = 4;

/// The order of groups, and of the lanes in each group.
#[derive(Debug, Default)]
pub struct Order {
    /// The numbers of all groups, first to last.
    pub groups: Vec<GroupId>,
    /// The numbers of all lanes, group by group as in the trace; within a group, in the order shown.
    lanes: Vec<LaneId>,
}

/// The class of a group; the groups of a worker are shown in the order of these classes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Device,
    Launching,
    Other,
    Idle,
    Profiler,
}

impl Order {
    /// Orders each worker's groups, and each group's lanes, those that matter most for devices first.
    pub fn of(trace: &Trace, index: &Index, ledger: &Ledger) -> Self {
        let launches: Vec<usize> =
            trace.lanes.par_iter().map(|lane| trace.links.within(lane.slices).len()).collect();
        let busy: Vec<Ns> = trace.lanes.par_iter().map(|lane| device_time(trace, index, lane)).collect();
        let mut lanes: Vec<LaneId> = trace.lanes.ids().iter().collect();
        let mut of_group = vec![0; trace.groups.len()];
        for (group, most) in trace.groups.iter().zip(&mut of_group) {
            let range = group.lanes.indices();
            *most = range.clone().map(|lane| launches[lane]).sum();
            match group.kind {
                GroupKind::Process => launching_first(&mut lanes[range], trace, &launches),
                GroupKind::Device => order_streams(&mut lanes[range], trace, &busy),
            }
        }
        Self { groups: groups(trace, ledger, &of_group), lanes }
    }

    /// The same order of groups, but in each group the lanes sorted by `busy`, in ns, longest first; lanes
    /// without a time come last.
    pub(crate) fn by(&self, trace: &Trace, busy: impl Fn(LaneId) -> Option<Ns>) -> Self {
        let mut lanes = self.lanes.clone();
        for group in &trace.groups {
            let range = group.lanes.indices();
            lanes[range].sort_by_cached_key(|&lane| Reverse(busy(lane)));
        }
        Self { groups: self.groups.clone(), lanes }
    }

    /// The lanes of a group, in the order shown.
    pub fn lanes(&self, trace: &Trace, group: GroupId) -> &[LaneId] {
        &self.lanes[trace.groups[group].lanes.indices()]
    }
}

/// Moves the lanes of the thread whose lane launches most device work to the front of a process's `lanes`.
/// `launches` has the number of events of device work that each lane launches.
fn launching_first(lanes: &mut [LaneId], trace: &Trace, launches: &[usize]) {
    let most = lanes.iter().copied().max_by_key(|&lane| (launches[lane.index()], Reverse(lane)));
    let Some(most) = most.filter(|&lane| launches[lane.index()] > 0) else { return };
    let tid = trace.lanes[most].tid;
    let is_of = |lane: LaneId| {
        let lane = &trace.lanes[lane];
        lane.tid == tid && matches!(lane.kind, LaneKind::Python | LaneKind::Thread)
    };
    lanes.sort_by_key(|&lane| !is_of(lane));
}

/// The durations of the events on a stream, added up, ns; 0 for a lane of another kind.
fn device_time(trace: &Trace, index: &Index, lane: &Lane) -> Ns {
    if lane.kind != LaneKind::Stream {
        return 0;
    }
    lane.rows.iter().map(|row| index.sum(trace, row, trace.span).busy).fold(0, Ns::saturating_add)
}

/// Orders the lanes of a device: streams by `busy` (ns, by lane), longest first, each followed by its ranges,
/// then other lanes.
fn order_streams(lanes: &mut [LaneId], trace: &Trace, busy: &[Ns]) {
    let lane = |id: LaneId| &trace.lanes[id];
    let mut of_stream: Vec<(StrId, Ns)> = lanes
        .iter()
        .filter(|&&id| lane(id).kind == LaneKind::Stream)
        .map(|&id| (lane(id).tid, busy[id.index()]))
        .collect();
    // Stable: streams with the same time keep their order.
    of_stream.sort_by_key(|&(_, ns)| Reverse(ns));
    let position: FxHashMap<StrId, usize> =
        of_stream.iter().enumerate().map(|(at, &(tid, _))| (tid, at)).collect();
    lanes.sort_by_key(|&id| {
        let lane = lane(id);
        let is_counter = lane.kind == LaneKind::Counter;
        (is_counter, position.get(&lane.tid).copied().unwrap_or(usize::MAX), lane.kind)
    });
}

/// The numbers of all groups in the order shown; `launches` has the number of events of device work that each
/// group launches.
fn groups(trace: &Trace, ledger: &Ledger, launches: &[usize]) -> Vec<GroupId> {
    let has_work = |group: GroupId| ledger.devices.iter().any(|device| device.group == group);
    let workers = trace.groups.iter().map(|group| group.worker.index() + 1).max().unwrap_or_default();
    // Of each worker, the most launches of a process, and the process.
    let mut most: Vec<(usize, Option<GroupId>)> = vec![(0, None); workers];
    for ((number, group), &launches) in trace.groups.iter_with_ids().zip(launches) {
        let most = &mut most[group.worker.index()];
        if launches > most.0 {
            *most = (launches, Some(number));
        }
    }
    let mut devices = vec![0; workers];
    let mut keys: Vec<((WorkerId, Class), GroupId)> = Vec::with_capacity(trace.groups.len());
    for (number, group) in trace.groups.iter_with_ids() {
        let worker = group.worker.index();
        let class = match group.kind {
            GroupKind::Device if has_work(number) => {
                devices[worker] += 1;
                if devices[worker] <= FIRST_DEVICES { Class::Device } else { Class::Other }
            }
            GroupKind::Device => Class::Idle,
            GroupKind::Process if most[worker].1 == Some(number) => Class::Launching,
            GroupKind::Process if is_profilers(trace, number) => Class::Profiler,
            GroupKind::Process => Class::Other,
        };
        keys.push(((group.worker, class), number));
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, number)| number).collect()
}

/// True for a group that looks like one in which the profiler records itself.
pub fn is_profilers(trace: &Trace, group: GroupId) -> bool {
    let group = &trace.groups[group];
    let pid = trace.strings.text(group.pid);
    let has_number = pid.as_str().bytes().any(|byte| byte.is_ascii_digit());
    let is_counters = |lane: LaneId| trace.lanes[lane].kind == LaneKind::Counter;
    group.kind == GroupKind::Process && !has_number && !group.lanes.iter().all(is_counters)
}
