//! Work that runs on while later work of its stream begins and ends.

use rustc_hash::FxHashMap;

use crate::model::{SliceId, Trace};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

/// How many later kernels, copies or memsets of other launches work may outlast. In real traces it is 1.
const OUTLASTED: usize = 4;
/// How long work may outlast the start of later work, ns. In real traces it is 13 µs.
const OVERRUN: Ns = 50_000;
/// With how many later ones work is compared, so that no input takes time by the square of its events.
const COMPARED: usize = 1_000;
/// A lane of which more than one in so many kernels, copies and memsets overruns is no stream.
const FEW: usize = 20;

/// The work of a stream that overruns later work of other launches, each with how many of the next
/// [`COMPARED`] it outlasts; empty if the lane seems to be no stream. `work` is in order of start. Names of
/// which half and more overruns stand for what runs beside the stream.
pub(super) fn overruns(trace: &Trace, work: &[SliceId]) -> Result<Vec<(SliceId, usize)>, NoMemory> {
    let slices = &trace.slices;
    let is_other = |one: SliceId, other: SliceId| {
        slices.correlation[one] == 0 || slices.correlation[one] != slices.correlation[other]
    };
    let pairs = work.iter().zip(work.iter().skip(1)).enumerate();
    let runs_on =
        pairs.filter(|&(_, (&id, &next))| slices.end(id).saturating_sub(slices.start[next]) > OVERRUN);
    let mut candidates = runs_on.map(|(at, _)| at).peekable();
    if candidates.peek().is_none() {
        return Ok(Vec::new());
    }
    let others = next_others(work, is_other)?;
    let mut found: Vec<(SliceId, usize)> = Vec::new();
    for at in candidates {
        let (id, end) = (work[at], slices.end(work[at]));
        let later = &work[others[at]..];
        let outlasted = later[..later.partition_point(|&later| slices.start[later] < end)]
            .iter()
            .take(COMPARED)
            .filter(|&&later| slices.end(later) <= end && is_other(id, later))
            .count();
        if outlasted > OUTLASTED {
            heap::try_push(&mut found, (id, outlasted))?;
        }
    }
    if found.len() * FEW > work.len() {
        found.clear();
    }
    let mut counts: FxHashMap<StrId, [usize; 2]> = FxHashMap::default();
    found.iter().for_each(|&(id, _)| counts.entry(slices.name[id]).or_default()[0] += 1);
    if !found.is_empty() {
        for &id in work {
            if let Some(count) = counts.get_mut(&slices.name[id]) {
                count[1] += 1;
            }
        }
    }
    found.retain(|&(id, _)| {
        counts.get(&slices.name[id]).is_none_or(|[over, all]| *over < 2 || 2 * over < *all)
    });
    Ok(found)
}

/// For each work the index of the first later one of another launch, or the number of all.
fn next_others(
    work: &[SliceId],
    is_other: impl Fn(SliceId, SliceId) -> bool,
) -> Result<Vec<usize>, NoMemory> {
    let mut others = heap::try_filled(work.len(), work.len())?;
    for at in (1..work.len()).rev() {
        others[at - 1] = if is_other(work[at - 1], work[at]) { at } else { others[at] };
    }
    Ok(others)
}
