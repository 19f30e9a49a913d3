//! Work that began before its launch, or that a stream ran out of the order of the launches.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::dialect::launch::is_graph_launch;
use crate::model::{Lane, LaneId, SliceId, Trace};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::{Interner, StrId};
use proftui_base::time::Ns;

use super::speed::RESOLUTION;

const NONE: u32 = u32::MAX;
/// A lane of which more than one in so many kernels, copies and memsets is out of order is no stream.
const FEW: usize = 20;

/// Which calls launch graphs, by their names.
pub(super) struct GraphLaunches<'a> {
    strings: &'a Interner,
    known: FxHashMap<StrId, bool>,
}

impl<'a> GraphLaunches<'a> {
    pub(super) fn new(strings: &'a Interner) -> Self {
        Self { strings, known: FxHashMap::default() }
    }

    fn has(&mut self, name: StrId) -> bool {
        *self.known.entry(name).or_insert_with(|| is_graph_launch(self.strings.bytes(name)))
    }
}

/// True for work that begins before its launch by more than times may be rounded.
fn is_early(trace: &Trace, launch: SliceId, work: SliceId) -> bool {
    trace.slices.start[work].saturating_add(RESOLUTION) < trace.slices.start[launch]
}

/// The device work that begins before its launch.
///
/// # Errors
/// When there is no memory for it.
pub(super) fn early(trace: &Trace) -> Result<Vec<SliceId>, NoMemory> {
    let early = trace.links.all().iter().filter(|&&(launch, work)| is_early(trace, launch, work));
    heap::try_collect(early.map(|&(_, work)| work))
}

/// The fewest kernels, copies and memsets of a stream without which the others run in the order of their
/// launches, as a stream does. Work of graphs, which may run on several streams, and work before its launch
/// are left aside, and files are looked at by themselves. None of a file if more than one in [`FEW`] is out
/// of order: then the lane is no stream.
///
/// # Errors
/// When there is no memory to compare the work.
pub(super) fn out_of_order(
    trace: &Trace,
    lane: &Lane,
    graphs: &mut GraphLaunches<'_>,
) -> Result<Vec<SliceId>, NoMemory> {
    let slices = &trace.slices;
    let links = trace.links.launched_within(lane.slices);
    let start = |launch: SliceId| slices.start[launch];
    let is_sorted = || links.is_sorted_by_key(|&(_, launch)| start(launch));
    if lane.rows.len() < 2 && is_sorted() {
        return Ok(Vec::new());
    }
    let mut of_lane: Vec<(SliceId, SliceId)> = Vec::new();
    for &(work, launch) in links {
        if !is_early(trace, launch, work) && !graphs.has(slices.name[launch]) {
            heap::try_push(&mut of_lane, (work, launch))?;
        }
    }
    let file = |work: SliceId| slices.origin[work].file();
    heap::try_sort_by_key(&mut of_lane, |&(work, launch)| {
        (file(work), slices.start[work], start(launch), work)
    })?;
    let mut found = Vec::new();
    for of_file in of_lane.chunk_by(|one, other| file(one.0) == file(other.0)) {
        let by_start = outside_of_longest_run(of_file, |&(_, launch)| start(launch))?;
        if by_start.is_empty() || by_start.len() * FEW > of_file.len() {
            continue;
        }
        // A call may launch at any moment from its start to its end.
        let by_end = outside_of_longest_run(of_file, |&(_, launch)| slices.end(launch))?;
        for at in by_start.into_iter().filter(|at| by_end.binary_search(at).is_ok()) {
            heap::try_push(&mut found, of_file[at].0)?;
        }
    }
    Ok(found)
}

/// The indices of the items that are not in the longest run of items, in order but with gaps, whose keys do
/// not decrease. Time n log n (patience sorting).
fn outside_of_longest_run<T>(items: &[T], key: impl Fn(&T) -> Ns) -> Result<Vec<usize>, NoMemory> {
    if items.is_sorted_by_key(&key) {
        return Ok(Vec::new());
    }
    // Of the runs of each length, the last item of the one whose last key is the smallest; and of each item
    // the one before it in its run.
    let mut lasts: Vec<u32> = Vec::new();
    let mut before: Vec<u32> = heap::try_filled(NONE, items.len())?;
    for (index, item) in (0_u32..).zip(items) {
        let length = lasts.partition_point(|&last| key(&items[last as usize]) <= key(item));
        if let Some(shorter) = length.checked_sub(1) {
            before[index as usize] = lasts[shorter];
        }
        match lasts.get_mut(length) {
            Some(last) => *last = index,
            None => heap::try_push(&mut lasts, index)?,
        }
    }
    let mut is_in_run = heap::try_filled(false, items.len())?;
    let mut at = lasts.last().copied().unwrap_or(NONE);
    while at != NONE {
        is_in_run[at as usize] = true;
        at = before[at as usize];
    }
    heap::try_collect(is_in_run.iter().enumerate().filter(|(_, is_in_run)| !**is_in_run).map(|(at, _)| at))
}

/// The `work` whose launch has other work of the same name on the same lane.
pub(super) fn again(trace: &Trace, work: &[SliceId]) -> Vec<SliceId> {
    let launches: FxHashSet<SliceId> = work.iter().filter_map(|&id| trace.links.launch_of(id)).collect();
    let key = |launch: SliceId, id: SliceId| (launch, trace.slices.name[id], trace.lane_of(id));
    let mut counts: FxHashMap<(SliceId, StrId, LaneId), u32> = FxHashMap::default();
    for launch in launches {
        trace.links.work_of(launch).for_each(|id| *counts.entry(key(launch, id)).or_default() += 1);
    }
    let is_again = |&id: &SliceId| {
        trace.links.launch_of(id).is_some_and(|launch| counts.get(&key(launch, id)).is_some_and(|&n| n > 1))
    };
    work.iter().copied().filter(is_again).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_items_are_left_out_of_order() {
        let of = |keys: &[Ns]| outside_of_longest_run(keys, |&key| key).expect("memory");
        assert_eq!(of(&[1, 2, 2, 3]), [0_usize; 0]);
        assert_eq!(of(&[1, 9, 2, 3]), [1]);
        assert_eq!(of(&[4, 5, 1, 6, 7]), [2]);
        assert_eq!(of(&[3, 4, 1, 2, 5, 6, 0]), [0, 1, 6]);
        assert_eq!(of(&[]), [0_usize; 0]);
    }
}
