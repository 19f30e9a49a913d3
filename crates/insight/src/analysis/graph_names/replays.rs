//! The launches of graphs in a trace, each with its device work in order of time.
//!
//! All work of one launch of a graph has the correlation of the launch call. Must not know captures, except
//! for the numbers of keys.

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_trace::import;
use proftui_trace::model::{Category, LaneId, SliceId, Trace};

use super::key::{self, Key};
use super::sizes;
use super::taken::is_annotation;
use crate::analysis::vocabulary::graph_launch::is_graph_launch;

/// One launch of a graph, with its device work.
#[derive(Debug)]
pub(super) struct Replay {
    /// The launch call; `None` where it is not in the trace.
    pub launch: Option<SliceId>,
    /// The device work of the launch, in order of start.
    pub work: Vec<SliceId>,
    /// The index of the launch's sequence in [`Replays::sequences`].
    pub sequence: u32,
    /// The rank of the process that launched; `None` if it is not known.
    pub rank: Option<i64>,
    /// A number for the lane (that of the work, if the call is not in the trace) and the step of the launch:
    /// launches of one lane in one step, or outside of all steps, have the same.
    pub row: u32,
    /// The batch size or number of tokens that the step around the launch states; `None` if none is stated.
    pub size: Option<u64>,
}

/// What the device work of a launch is, in order, without its times.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Sequence {
    pub keys: Vec<Key>,
    /// The stream of each piece of work, as a number from 0; empty if all work is on one stream.
    pub streams: Vec<u32>,
    /// The name of each piece of work, a number in the strings of the trace.
    pub names: Vec<StrId>,
}

/// The launches of graphs with device work in a trace, in order of that work, and their distinct sequences.
#[derive(Debug, Default)]
pub(super) struct Replays {
    pub all: Vec<Replay>,
    pub sequences: Vec<Sequence>,
}

impl Replays {
    /// Finds the launches of graphs in a trace. `strings` are those of the captures, with which keys are
    /// made.
    pub(super) fn of(trace: &Trace, strings: &Interner) -> Self {
        let slices = &trace.slices;
        let ranks: Vec<Option<i64>> = trace.meta.workers.iter().map(|w| import::rank_in_name(w)).collect();
        let mut keys: FxHashMap<(u8, StrId), Key> = FxHashMap::default();
        let mut known: FxHashMap<Sequence, u32> = FxHashMap::default();
        let mut rows: FxHashMap<(LaneId, Option<SliceId>), u32> = FxHashMap::default();
        let mut found = Self::default();
        for (launch, mut work) in launches(trace) {
            work.sort_by_key(|&id| (slices.start[id], id));
            let Some(&first) = work.first() else { continue };
            let sequence = sequence(trace, &work, strings, &mut keys);
            let next = saturate::<u32>(known.len());
            let sequence = *known.entry(sequence).or_insert(next);
            let lane = trace.lane_of(launch.unwrap_or(first));
            let worker = trace.groups[trace.lanes[lane].group].worker;
            let rank = ranks.get(worker.index()).copied().flatten();
            let rank = rank.or_else(|| import::rank_in_name(file_name(trace, first)));
            let (step, size) = launch.map_or((None, None), |launch| step_around(trace, launch));
            let next = saturate::<u32>(rows.len());
            let row = *rows.entry((lane, step)).or_insert(next);
            found.all.push(Replay { launch, work, sequence, rank, row, size });
        }
        found.all.sort_by_key(|replay| (slices.start[replay.work[0]], replay.work[0]));
        let mut sequences: Vec<(Sequence, u32)> = known.into_iter().collect();
        sequences.sort_by_key(|(_, number)| *number);
        found.sequences = sequences.into_iter().map(|(sequence, _)| sequence).collect();
        found
    }
}

/// The name, without folders, of the file that a slice is in; the empty text where it is not known.
fn file_name(trace: &Trace, id: SliceId) -> &str {
    let path = trace.meta.files.get(trace.slices.origin[id].file());
    path.and_then(|path| path.rsplit('/').next()).unwrap_or_default()
}

/// The launches of graphs with device work, each as its call and that work. `None` stands for a call outside
/// of the trace: several pieces of work share its correlation.
pub(super) fn launches(trace: &Trace) -> Vec<(Option<SliceId>, Vec<SliceId>)> {
    let slices = &trace.slices;
    let mut names: FxHashMap<StrId, bool> = FxHashMap::default();
    let mut found = Vec::new();
    for links in trace.links.all().chunk_by(|one, other| one.0 == other.0) {
        let launch = links[0].0;
        let name = slices.name[launch];
        if *names.entry(name).or_insert_with(|| is_graph_launch(trace.strings.bytes(name))) {
            found.push((Some(launch), links.iter().map(|link| link.1).collect()));
        }
    }
    if trace.links.orphan_work > 1 {
        let mut orphans: FxHashMap<(usize, u32), Vec<SliceId>> = FxHashMap::default();
        for id in slices.ids() {
            let correlation = slices.correlation[id];
            let is_orphan = || trace.links.launch_of(id).is_none();
            if correlation != 0 && slices.category(id).is_device_work() && is_orphan() {
                orphans.entry((slices.origin[id].file(), correlation)).or_default().push(id);
            }
        }
        found.extend(orphans.into_values().filter(|work| work.len() > 1).map(|work| (None, work)));
        found.sort_by_key(|(_, work)| work.iter().min().copied());
    }
    found
}

fn sequence(
    trace: &Trace,
    work: &[SliceId],
    strings: &Interner,
    known: &mut FxHashMap<(u8, StrId), Key>,
) -> Sequence {
    let slices = &trace.slices;
    let mut lanes: Vec<LaneId> = Vec::new();
    let mut streams: Vec<u32> = Vec::with_capacity(work.len());
    for &id in work {
        let lane = trace.lane_of(id);
        let at = lanes.iter().position(|&seen| seen == lane).unwrap_or_else(|| {
            lanes.push(lane);
            lanes.len() - 1
        });
        streams.push(saturate::<u32>(at));
    }
    if lanes.len() == 1 {
        streams.clear();
    }
    let names: Vec<StrId> = work.iter().map(|&id| slices.name[id]).collect();
    let key_of = |(&id, &name): (&SliceId, &StrId)| {
        let category = slices.category(id);
        *known
            .entry((category as u8, name))
            .or_insert_with(|| key::of_work(category, trace.strings.bytes(name), name, strings))
    };
    let keys = work.iter().zip(&names).map(key_of).collect();
    Sequence { keys, streams, names }
}

/// The step around a launch, and the size that a serving engine states for it; `None` where there is none.
fn step_around(trace: &Trace, launch: SliceId) -> (Option<SliceId>, Option<u64>) {
    let slices = &trace.slices;
    let size = |id: SliceId| {
        let name = trace.strings.bytes(slices.name[id]);
        sizes::of_step(std::str::from_utf8(name).ok()?)
    };
    // Import gives the outermost annotation of an engine the category of steps.
    let is_wanted = |category| is_annotation(category) || category == Category::ProfileStep;
    let mut annotations = slices.ancestors(launch).filter(|&id| is_wanted(slices.category(id)));
    if let Some((step, size)) = annotations.find_map(|id| Some((id, size(id)?))) {
        return (Some(step), Some(size));
    }
    let is_step = |&id: &SliceId| slices.category(id) == Category::ProfileStep;
    (slices.ancestors(launch).find(is_step), None)
}
