//! From tracks of files to the groups and lanes of the trace: merging, naming, order.
//!
//! Files of one worker share lanes; each worker has groups of its own.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::intern::StrId;
use crate::import::chrome::dialect;
use crate::model::{Group, GroupKind, Lane, LaneKind};

use super::batch::Track;
use super::stage::{Stage, TrackPile};

/// Groups and lanes in the order shown, and the lane of each track.
pub(super) struct Arranged {
    pub groups: Vec<Group>,
    pub lanes: Vec<Lane>,
    pub lane_of_track: Vec<u32>,
}

/// Devices come after ordinary processes and before the profiler's own.
const DEVICE_ORDER: i64 = 5_000_000;
/// Counters of no process come last.
const COUNTER_ORDER: i64 = 0x4000_0000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct GroupKey {
    worker: u16,
    kind: GroupKind,
    pid: StrId,
}

pub(super) fn arrange(stage: &mut Stage, worker_of_file: &[u16]) -> Arranged {
    let main_threads: FxHashSet<(u16, StrId, StrId)> = stage
        .tracks
        .iter()
        .filter(|pile| pile.has_steps && pile.track.group == GroupKind::Process)
        .map(|TrackPile { track, .. }| (track.file, track.pid, track.tid))
        .collect();
    let group_key = |track: &Track| GroupKey {
        worker: worker_of_file[track.file as usize],
        kind: track.group,
        pid: track.pid,
    };

    // Groups by (worker, wanted order, first seen).
    let mut first_seen: FxHashMap<GroupKey, (usize, i64, StrId)> = FxHashMap::default();
    for (seen, TrackPile { track, .. }) in stage.tracks.iter().enumerate() {
        let naming = stage.processes.get(&(track.file, track.pid)).copied().unwrap_or_default();
        let number = number(stage, track.pid);
        let sort = match (track.group, track.kind) {
            (GroupKind::Device, _) => DEVICE_ORDER.saturating_add(number.unwrap_or_default()),
            (GroupKind::Process, LaneKind::Counter) => COUNTER_ORDER,
            // Processes that are no numbers are the profiler's own.
            (GroupKind::Process, _) => {
                naming.sort.unwrap_or(if number.is_some() { 0 } else { COUNTER_ORDER + 1 })
            }
        };
        let entry = first_seen.entry(group_key(track)).or_insert((seen, sort, 0));
        entry.1 = entry.1.min(sort);
        if naming.name != 0 {
            entry.2 = naming.name;
        }
    }
    let mut keys: Vec<_> =
        first_seen.iter().map(|(&key, &(seen, sort, ..))| (key.worker, sort, seen, key)).collect();
    keys.sort_unstable();
    let group_number: FxHashMap<GroupKey, u32> = (0..).zip(&keys).map(|(i, &(.., key))| (key, i)).collect();
    let mut groups: Vec<Group> = keys
        .iter()
        .map(|&(.., key)| {
            let (.., name) = first_seen[&key];
            Group { kind: key.kind, worker: key.worker, pid: key.pid, name, lanes: 0..0 }
        })
        .collect();

    // Lanes by (group, class, main thread first, wanted order, number, text, layer).
    let mut order = BTreeMap::new();
    for (number_of_track, TrackPile { track, .. }) in stage.tracks.iter().enumerate() {
        let naming = thread_naming(stage, track);
        let number = number(stage, track.tid);
        let is_main = track.tid == track.pid || main_threads.contains(&(track.file, track.pid, track.tid));
        let sort = naming.1.or(number).unwrap_or(i64::MAX);
        let key = (
            group_number[&group_key(track)],
            class(track.kind),
            !is_main,
            sort,
            stage.strings.bytes(track.tid).to_vec(),
            layer(track.kind),
        );
        order.entry(key).or_insert_with(Vec::new).push((number_of_track, naming.0));
    }
    let mut lanes: Vec<Lane> = Vec::with_capacity(order.len());
    let mut lane_of_track = vec![0; stage.tracks.len()];
    let mut by_identity: FxHashMap<(u32, LaneKind, StrId), u32> = FxHashMap::default();
    for ((group, ..), tracks) in order {
        for (number, name) in tracks {
            let track = stage.tracks[number].track;
            let next = lanes.len() as u32;
            let lane = *by_identity.entry((group, track.kind, track.tid)).or_insert(next);
            if lane == next {
                let (tid, kind) = (track.tid, track.kind);
                lanes.push(Lane {
                    kind,
                    group,
                    tid,
                    name,
                    rows: 0..0,
                    depth: 0,
                    slices: 0..0,
                    instants: 0..0,
                    counter: None,
                });
            } else if lanes[lane as usize].name == 0 {
                lanes[lane as usize].name = name;
            }
            lane_of_track[number] = lane;
        }
    }
    for (i, lane) in (0..).zip(&mut lanes) {
        let group = &mut groups[lane.group as usize];
        if group.lanes.is_empty() {
            group.lanes = i..i;
        }
        group.lanes.end = i + 1;
        let bare = dialect::paddle_thread_name(stage.strings.bytes(lane.name), stage.strings.bytes(lane.tid))
            .to_vec();
        lane.name = stage.strings.intern(&bare);
    }
    Arranged { groups, lanes, lane_of_track }
}

fn number(stage: &Stage, text: StrId) -> Option<i64> {
    let text = std::str::from_utf8(stage.strings.bytes(text)).ok()?;
    text.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '-').parse().ok()
}

/// Name and wanted order of a track's thread, as its own layer or the thread was named.
fn thread_naming(stage: &Stage, track: &Track) -> (StrId, Option<i64>) {
    let of =
        |layer| stage.threads.get(&(track.file, track.pid, track.tid, layer)).copied().unwrap_or_default();
    let (own, plain) = (of(Some(track.kind)), of(None));
    (if own.name == 0 { plain.name } else { own.name }, own.sort.or(plain.sort))
}

fn class(kind: LaneKind) -> u8 {
    match kind {
        LaneKind::Python | LaneKind::Thread | LaneKind::Stream | LaneKind::StreamRanges => 0,
        LaneKind::Async => 1,
        LaneKind::Counter => 2,
    }
}

/// Layers of one thread or stream: what encloses comes first.
fn layer(kind: LaneKind) -> u8 {
    match kind {
        LaneKind::Python | LaneKind::StreamRanges => 0,
        _ => 1,
    }
}
