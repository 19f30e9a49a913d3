//! Makes the groups and lanes of the trace from the lanes of all files: merges, names and orders them.
//!
//! Files of one worker share lanes; groups are separate for each worker.

mod moved;
mod named_devices;
mod named_processes;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Group, GroupId, GroupKind, Lane, LaneId, LaneKind, WorkerId};
use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::{Column, Ids};
use proftui_base::intern::StrId;

use super::builder::TraceBuilder;
use super::cycles::Workers;
use super::input::LaneKey;

/// The trace's groups and lanes, in the order in which they are shown.
pub(super) struct Arranged {
    pub groups: Column<GroupId, Group>,
    pub lanes: Column<LaneId, Lane>,
    /// The trace's lane for each lane of the trace builder, indexed by the builder's lane number.
    pub trace_lanes: Vec<LaneId>,
}

/// Sort order of the group of device 0; the group of device N has N more.
const DEVICE_ORDER: i64 = 5_000_000;
/// Least sort order of a device's lanes that are no streams, or repeat what streams have.
const AFTER_STREAMS: i64 = 1 << 32;
/// Sort order of a process's group with only lanes of counters: after the devices.
const COUNTER_ORDER: i64 = 0x4000_0000;

/// The identity of a group: a worker's process or device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct GroupKey {
    worker: WorkerId,
    kind: GroupKind,
    pid: StrId,
}

/// Merges the lanes of all files into the trace's groups and lanes, in the order in which they are shown.
///
/// # Errors
/// When there is no memory for the lanes.
pub(super) fn arrange(builder: &mut TraceBuilder, workers: &Workers) -> Result<Arranged, NoMemory> {
    let main_threads: FxHashSet<(u16, StrId, StrId)> = builder
        .lanes
        .iter()
        .filter(|lane| lane.has_steps && lane.key.group == GroupKind::Process)
        .map(|lane| (lane.key.file, lane.key.pid, lane.key.tid))
        .collect();
    let group_key = |key: &LaneKey| GroupKey {
        worker: workers.of(key.file, key.pid),
        kind: key.group,
        pid: workers.pid(key.file, key.pid),
    };

    // Groups by (worker, sort index, first occurrence).
    let mut first_seen: FxHashMap<GroupKey, (usize, i64, StrId)> = FxHashMap::default();
    for (seen, key) in builder.lanes.iter().map(|lane| lane.key).enumerate() {
        let naming = builder.processes.get(&(key.file, key.pid)).copied().unwrap_or_default();
        let number = number(builder, workers.pid(key.file, key.pid));
        let sort = match (key.group, key.kind) {
            (GroupKind::Device, _) => DEVICE_ORDER.saturating_add(number.unwrap_or_default()),
            (GroupKind::Process, LaneKind::Counter) => COUNTER_ORDER,
            // Processes whose ids are no numbers belong to the profiler itself.
            (GroupKind::Process, _) => {
                naming.sort.unwrap_or(if number.is_some() { 0 } else { COUNTER_ORDER + 1 })
            }
        };
        let entry = first_seen.entry(group_key(&key)).or_insert((seen, sort, StrId::EMPTY));
        entry.1 = entry.1.min(sort);
        if naming.name != StrId::EMPTY {
            entry.2 = naming.name;
        }
    }
    let mut keys: Vec<_> =
        first_seen.iter().map(|(&key, &(seen, sort, ..))| (key.worker, sort, seen, key)).collect();
    keys.sort_unstable();
    let group_number: FxHashMap<GroupKey, GroupId> =
        Ids::below(keys.len()).iter().zip(&keys).map(|(id, &(.., key))| (key, id)).collect();
    let mut groups: Column<GroupId, Group> = keys
        .iter()
        .map(|&(.., key)| {
            let (.., name) = first_seen[&key];
            Group { kind: key.kind, worker: key.worker, pid: key.pid, name, lanes: Ids::default() }
        })
        .collect();

    // Lanes by (group, class, main thread first, sort index, number, text, layer).
    let mut order = BTreeMap::new();
    for (of_file, key) in builder.lanes.iter().map(|lane| lane.key).enumerate() {
        let (name, sort) = thread_naming(builder, &key);
        let is_main =
            key.tid == workers.pid(key.file, key.pid) || main_threads.contains(&(key.file, key.pid, key.tid));
        let sort_key = (
            group_number[&group_key(&key)],
            class(key.kind),
            !is_main,
            sort.or(number(builder, key.tid)).unwrap_or(i64::MAX),
            builder.strings.bytes(key.tid).to_vec(),
            layer(key.kind),
        );
        order.entry(sort_key).or_insert_with(Vec::new).push((of_file, name));
    }
    let mut lanes: Column<LaneId, Lane> = Column::new();
    heap::try_reserve(lanes.as_mut_vec(), order.len())?;
    let mut trace_lanes = heap::try_filled(LaneId::default(), builder.lanes.len())?;
    let mut by_identity: FxHashMap<(GroupId, LaneKind, StrId), LaneId> = FxHashMap::default();
    heap::fallible(|| by_identity.try_reserve(order.len()))?;
    for ((group, ..), of_files) in order {
        for (of_file, name) in of_files {
            let LaneKey { tid, kind, .. } = builder.lanes[of_file].key;
            let next = lanes.ids().end;
            let lane = *by_identity.entry((group, kind, tid)).or_insert(next);
            if lane == next {
                let lane = Lane {
                    kind,
                    group,
                    tid,
                    name,
                    rows: Ids::default(),
                    depth: 0,
                    slices: Ids::default(),
                    instants: 0..0,
                    counter: None,
                };
                heap::try_push(lanes.as_mut_vec(), lane)?;
            } else if lanes[lane].name == StrId::EMPTY {
                lanes[lane].name = name;
            }
            trace_lanes[of_file] = lane;
        }
    }
    for (id, lane) in lanes.iter_with_ids() {
        let group = &mut groups[lane.group];
        if group.lanes.is_empty() {
            group.lanes = Ids::from(id..id);
        }
        group.lanes.end = id + 1;
    }
    Ok(Arranged { groups, lanes, trace_lanes })
}

/// The number with which a process or thread id ends, if neither a digit nor `-` comes before it, such as 7
/// for `stream 7`; ids are sorted by it. `None` for ids of another form.
fn number(builder: &TraceBuilder, text: StrId) -> Option<i64> {
    let text = std::str::from_utf8(builder.strings.bytes(text)).ok()?;
    text.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '-').parse().ok()
}

/// The name and the sort index that metadata gives a lane; [`StrId::EMPTY`] and `None` without them.
fn thread_naming(builder: &TraceBuilder, key: &LaneKey) -> (StrId, Option<i64>) {
    let of = |layer| builder.threads.get(&(key.file, key.pid, key.tid, layer)).copied().unwrap_or_default();
    let (own, plain) = (of(Some(key.kind)), of(None));
    (if own.name == StrId::EMPTY { plain.name } else { own.name }, own.sort.or(plain.sort))
}

/// Sort key of lane kinds within a group: threads and streams, then asynchronous slices, then counters.
fn class(kind: LaneKind) -> u8 {
    match kind {
        LaneKind::Python | LaneKind::Thread | LaneKind::Stream | LaneKind::StreamRanges => 0,
        LaneKind::Async => 1,
        LaneKind::Counter => 2,
    }
}

/// Sort key of the lane kinds of one thread or stream: a thread's Python layer and a stream's ranges come
/// first.
fn layer(kind: LaneKind) -> u8 {
    match kind {
        LaneKind::Python | LaneKind::StreamRanges => 0,
        _ => 1,
    }
}
