//! Files as workers and cycles, and one zero of time for all of them.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::import::directory::worker_in_name;
use crate::model::{Cycle, GroupKind};

use super::stage::Stage;

/// The worker of each file, and the workers' names.
pub(super) fn workers(stage: &Stage) -> (Vec<u16>, Vec<String>) {
    let mut identities = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut worker_of_file = Vec::new();
    let main_processes = main_processes(stage);
    for (number, file) in stage.files.iter().enumerate() {
        let named = worker_in_name(&file.path);
        let pid = main_processes[number];
        let identity = (named.clone(), file.header.host.clone(), file.header.rank, pid);
        let at = identities.iter().position(|known| *known == identity).unwrap_or_else(|| {
            let stem =
                || file.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let name = match file.header.rank {
                Some(rank) => format!("rank {rank}"),
                None => crate::base::text::SafeText::new(&named.unwrap_or_else(stem)).to_string(),
            };
            let name =
                if names.contains(&name) { format!("{name} ({})", stage.strings.text(pid)) } else { name };
            identities.push(identity);
            names.push(name);
            identities.len() - 1
        });
        worker_of_file.push(at as u16);
    }
    (worker_of_file, names)
}

/// For each file the process that most of its host slices belong to.
fn main_processes(stage: &Stage) -> Vec<StrId> {
    let mut counts: FxHashMap<(usize, StrId), u64> = FxHashMap::default();
    for pile in stage.tracks.iter().filter(|pile| !pile.slices.is_empty()) {
        if pile.track.group == GroupKind::Process {
            *counts.entry((pile.track.file as usize, pile.track.pid)).or_default() +=
                pile.slices.len() as u64;
        }
    }
    let mut most = vec![(0, Reverse(0)); stage.files.len()];
    for ((file, pid), count) in counts {
        most[file] = most[file].max((count, Reverse(pid)));
    }
    most.into_iter().map(|(_, Reverse(pid))| pid).collect()
}

/// Numbers each worker's files as cycles in order of time; with `only`, forgets all but that one.
pub(super) fn cycles(stage: &mut Stage, worker_of_file: &[u16], only: Option<u32>) -> Vec<Cycle> {
    let offsets = offsets(stage);
    let mut cycles: Vec<Cycle> = (0..)
        .zip(&stage.files)
        .map(|(file, stage)| {
            let offset = offsets[file as usize];
            let (start, end) = stage.reach.unwrap_or_default();
            let span = Span { start: start.saturating_add(offset), end: end.saturating_add(offset) };
            Cycle { number: 0, worker: worker_of_file[file as usize], file, span }
        })
        .collect();
    cycles.sort_by_key(|cycle| (cycle.worker, cycle.span.start, cycle.file));
    for i in 1..cycles.len() {
        if cycles[i].worker == cycles[i - 1].worker {
            cycles[i].number = cycles[i - 1].number + 1;
        }
    }
    let Some(only) = only else { return cycles };
    cycles.retain(|cycle| cycle.number == only);
    let mut kept = vec![false; stage.files.len()];
    cycles.iter().for_each(|cycle| kept[cycle.file as usize] = true);
    let is_kept = |file: usize| kept[file];
    for pile in stage.tracks.iter_mut().filter(|pile| !is_kept(pile.track.file as usize)) {
        pile.slices = Vec::new();
    }
    stage.instants.retain(|instant| is_kept(instant.origin.file()));
    stage.memory.retain(|memory| is_kept(memory.origin.file()));
    stage.flows.retain(|flow| is_kept(flow.file as usize));
    let tracks = &stage.tracks;
    stage.samples.retain(|sample| is_kept(tracks[sample.track as usize].track.file as usize));
    for (file, _) in stage.files.iter_mut().zip(&kept).filter(|(_, kept)| !**kept) {
        file.phases.clear();
    }
    cycles
}

/// What is added to each file's times so that all share one zero.
fn offsets(stage: &Stage) -> Vec<Ns> {
    let zero = stage.files.iter().filter_map(|file| file.header.base).min().unwrap_or_default();
    if stage.files.len() < 2 {
        return vec![0; stage.files.len()];
    }
    stage.files.iter().map(|file| file.header.base.map_or(0, |base| base.saturating_sub(zero))).collect()
}

/// Puts all files on one zero; gives that zero in the Unix epoch, where known.
pub(super) fn align(stage: &mut Stage) -> Option<Ns> {
    /// Times from here on (2001) are the epoch's own.
    const EPOCH: Ns = 1_000_000_000_000_000_000;
    let offsets = offsets(stage);
    if offsets.iter().any(|&offset| offset != 0) {
        let shift = |ts: &mut Ns, file: usize| *ts = ts.saturating_add(offsets[file]);
        for pile in &mut stage.tracks {
            for slice in &mut pile.slices {
                shift(&mut slice.start, pile.track.file as usize);
                slice.dur = slice.dur.min(Ns::MAX.saturating_sub(slice.start.max(0)));
            }
        }
        stage.instants.iter_mut().for_each(|i| shift(&mut i.ts, i.origin.file()));
        stage.memory.iter_mut().for_each(|m| shift(&mut m.ts, m.origin.file()));
        stage.flows.iter_mut().for_each(|f| shift(&mut f.ts, f.file as usize));
        let tracks = &stage.tracks;
        stage.samples.iter_mut().for_each(|s| shift(&mut s.ts, tracks[s.track as usize].track.file as usize));
    }
    let base = stage.files.iter().filter_map(|file| file.header.base).min();
    let is_epoch = || stage.files.iter().filter_map(|file| file.reach).any(|(start, _)| start >= EPOCH);
    base.or_else(|| is_epoch().then_some(0))
}
