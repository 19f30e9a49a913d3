//! The process that launched the device work of a file in which several processes have launches.
//!
//! Correlation numbers of processes collide. Where a file has the events of one process after those of
//! another, the offset of the work in the file says whose it is; else a device belongs to a process if only
//! the launches of that process explain nearly all of its work.

use rustc_hash::FxHashMap;

use crate::model::{GroupId, SliceId};
use proftui_base::saturate::saturate;

use super::calls::{Calls, Correlated};

/// Least share of device work that the launches of its process must explain: a few launches may be lost.
const EXPLAINED: f64 = 0.95;

/// Whose device work is whose, in one recording.
#[derive(Default)]
pub(super) struct Owners {
    /// For each process the offset in the file at which its events begin, in order; empty where the events of
    /// processes are mixed.
    blocks: Vec<(u64, GroupId)>,
    of_device: FxHashMap<GroupId, GroupId>,
}

impl Owners {
    /// Finds the owners for each recording in which several processes have launches; `None` for the others.
    /// The recorder repeats no number in a file, so that its recordings (`is_recorded`) have
    /// no owners. `work` is in order of slice ids.
    pub(super) fn of(calls: &Calls<'_>, is_recorded: &[bool], work: &[Correlated]) -> Vec<Option<Self>> {
        let all = 0..saturate::<u32>(calls.recordings());
        all.map(|recording| {
            let is_shared = calls.processes(recording).len() > 1 && !is_recorded[recording as usize];
            is_shared.then(|| Self::of_recording(calls, work, recording))
        })
        .collect()
    }

    fn of_recording(calls: &Calls<'_>, work: &[Correlated], recording: u32) -> Self {
        let processes = calls.processes(recording);
        let work: Vec<&Correlated> = work.iter().filter(|work| work.recording == recording).collect();
        let by_blocks = Self { blocks: blocks(calls, recording, processes), ..Self::default() };
        let in_block = |work: &Correlated| by_blocks.process(calls, work);
        if !by_blocks.blocks.is_empty() && explains(calls, &work, in_block) {
            return by_blocks;
        }
        Self { of_device: by_device(calls, &work), ..Self::default() }
    }

    /// The process that launched `work`; `None` where it is not known.
    pub(super) fn process(&self, calls: &Calls<'_>, work: &Correlated) -> Option<GroupId> {
        let offset = calls.trace.slices.origin[work.id].offset();
        let at = self.blocks.partition_point(|block| block.0 <= offset);
        match self.blocks.get(at.saturating_sub(1)) {
            Some(block) => Some(block.1),
            None => self.of_device.get(&calls.group(work.id)).copied(),
        }
    }
}

/// True if the launches of the process that `of` gives for device work could have launched nearly all of the
/// `work` that any process could have launched.
fn explains(calls: &Calls<'_>, work: &[&Correlated], of: impl Fn(&Correlated) -> Option<GroupId>) -> bool {
    let (mut all, mut explained) = (0_u64, 0_u64);
    for work in work {
        let candidates = calls.candidates(work);
        let possible = || candidates.first_ones().iter().filter(|&&call| calls.is_possible(call, work));
        all += u64::from(possible().next().is_some());
        let process = of(work);
        explained += u64::from(possible().any(|&call| Some(calls.process(call)) == process));
    }
    all > 0 && explained as f64 >= EXPLAINED * all as f64
}

/// The offset at which the events of each process begin in the file; empty where they are mixed.
fn blocks(calls: &Calls<'_>, recording: u32, processes: &[GroupId]) -> Vec<(u64, GroupId)> {
    let trace = calls.trace;
    let file = usize::from(trace.cycles[recording as usize].file);
    let mut extents: Vec<(u64, u64, GroupId)> = Vec::new();
    for &process in processes {
        let slices = trace.groups[process].lanes.iter().flat_map(|lane| trace.lanes[lane].slices);
        let origins =
            slices.map(|id: SliceId| trace.slices.origin[id]).filter(|origin| origin.file() == file);
        let (first, last) = origins.fold((u64::MAX, 0), |(first, last), origin| {
            (first.min(origin.offset()), last.max(origin.offset()))
        });
        extents.push((first, last, process));
    }
    extents.sort_unstable();
    let are_apart = extents.iter().zip(extents.iter().skip(1)).all(|(one, next)| one.1 < next.0);
    if are_apart {
        extents.into_iter().map(|(first, _, process)| (first, process)).collect()
    } else {
        Vec::new()
    }
}

/// The process of each device whose work the launches of one process explain, and those of no other process
/// do as well.
fn by_device(calls: &Calls<'_>, work: &[&Correlated]) -> FxHashMap<GroupId, GroupId> {
    let mut found = FxHashMap::default();
    for work in work.chunk_by(|a, b| calls.group(a.id) == calls.group(b.id)) {
        let mut possible: FxHashMap<GroupId, u64> = FxHashMap::default();
        let mut all = 0_u64;
        for work in work {
            let candidates = calls.candidates(work);
            let mut could: Vec<GroupId> = candidates
                .first_ones()
                .iter()
                .filter(|&&call| calls.is_possible(call, work))
                .map(|&call| calls.process(call))
                .collect();
            could.sort_unstable();
            could.dedup();
            all += u64::from(!could.is_empty());
            could.into_iter().for_each(|process| *possible.entry(process).or_default() += 1);
        }
        let Some((&process, &most)) = possible.iter().max_by_key(|&(process, count)| (count, process)) else {
            continue;
        };
        let is_alone = possible.values().filter(|&&count| count == most).count() == 1;
        if most as f64 >= EXPLAINED * all as f64 && is_alone {
            found.insert(calls.group(work[0].id), process);
        }
    }
    found
}
