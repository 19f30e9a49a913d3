//! Assigning files to workers and cycles, and moving all files to one zero of time.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::import::dialect::{ranks_in_name, worker_in_name};
use crate::model::{Cycle, GroupKind, WorkerId};
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};

use super::builder::{FileRecord, TraceBuilder};

/// The worker number of each file, and the workers' names.
pub(super) fn workers(builder: &TraceBuilder) -> (Vec<WorkerId>, Column<WorkerId, String>) {
    let mut identities = Vec::new();
    let mut names: Column<WorkerId, String> = Column::default();
    let mut worker_of_file = Vec::new();
    let main_processes = main_processes(builder);
    for (number, file) in builder.files.iter().enumerate() {
        let named = worker_in_name(&file.path);
        let pid = main_processes[number];
        let identity = (named.clone(), file.header.host.clone(), file.header.rank, pid);
        let at = identities.iter().position(|known| *known == identity).unwrap_or_else(|| {
            let stem =
                || file.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let name = match (file.header.rank, ranks_in_name(&file.path)) {
                (Some(rank), Some(ranks)) => format!("rank {rank} {ranks}"),
                (Some(rank), None) => format!("rank {rank}"),
                (None, _) => proftui_base::text::SafeText::new(&named.unwrap_or_else(stem)).to_string(),
            };
            let name =
                if names.contains(&name) { format!("{name} ({})", builder.strings.text(pid)) } else { name };
            identities.push(identity);
            names.push(name);
            identities.len() - 1
        });
        worker_of_file.push(WorkerId::from_index(at));
    }
    (worker_of_file, names)
}

/// For each file, the id of the process with the most host slices; 0, the empty string, without host slices.
pub(super) fn main_processes(builder: &TraceBuilder) -> Vec<StrId> {
    let mut counts: FxHashMap<(usize, StrId), u64> = FxHashMap::default();
    for lane in builder.lanes.iter().filter(|lane| !lane.slices.is_empty()) {
        if lane.key.group == GroupKind::Process {
            *counts.entry((lane.key.file as usize, lane.key.pid)).or_default() += lane.slices.len() as u64;
        }
    }
    let mut most = vec![(0, Reverse(StrId::EMPTY)); builder.files.len()];
    for ((file, pid), count) in counts {
        most[file] = most[file].max((count, Reverse(pid)));
    }
    most.into_iter().map(|(_, Reverse(pid))| pid).collect()
}

/// Numbers each worker's files as cycles, from 0, in order of start. With `only`, keeps the cycles of that
/// number and removes the events of all other files.
pub(super) fn cycles(
    builder: &mut TraceBuilder,
    worker_of_file: &[WorkerId],
    only: Option<u32>,
) -> Vec<Cycle> {
    let offsets = offsets(builder);
    let mut cycles: Vec<Cycle> = (0..)
        .zip(&builder.files)
        .map(|(file, record)| {
            let offset = offsets[file as usize];
            let span = loaded(builder, record.length.or(record.extent).unwrap_or_default());
            let span =
                Span { start: span.start.saturating_add(offset), end: span.end.saturating_add(offset) };
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
    let mut kept = vec![false; builder.files.len()];
    cycles.iter().for_each(|cycle| kept[cycle.file as usize] = true);
    let is_kept = |file: usize| kept[file];
    for lane in builder.lanes.iter_mut().filter(|lane| !is_kept(lane.key.file as usize)) {
        lane.slices = Vec::new();
    }
    builder.instants.retain(|instant| is_kept(instant.origin.file()));
    builder.allocations.retain(|allocation| is_kept(allocation.origin.file()));
    builder.flows.retain(|flow| is_kept(flow.origin.file()));
    let lanes = &builder.lanes;
    builder.samples.retain(|sample| is_kept(lanes[sample.lane as usize].key.file as usize));
    for (file, _) in builder.files.iter_mut().zip(&kept).filter(|(_, kept)| !**kept) {
        file.event_types.clear();
    }
    cycles
}

/// The part of an extent (first and last time, ns) that lies in the loaded time range; empty where none of it
/// does.
fn loaded(builder: &TraceBuilder, (start, end): (Ns, Ns)) -> Span {
    let range = &builder.bound.range;
    let span = Span { start: start.max(range.first()), end: end.min(range.last().saturating_add(1)) };
    if span.start < span.end || start == end { span } else { Span { start, end: start } }
}

/// The time that a file's zero stands for, ns since the Unix epoch; `None` when not known.
fn base(file: &FileRecord) -> Option<Ns> {
    /// A file whose first time is at least this, ns, is taken to count from the Unix epoch.
    const EPOCH: Ns = 1_000_000_000_000_000_000;
    file.header.base.or_else(|| file.extent.is_some_and(|(start, _)| start >= EPOCH).then_some(0))
}

/// For each file, the ns to add to its times so that all files count from one zero; 0 where the file's own
/// zero is not known.
fn offsets(builder: &TraceBuilder) -> Vec<Ns> {
    let zero = builder.files.iter().filter_map(base).min().unwrap_or_default();
    if builder.files.len() < 2 {
        return vec![0; builder.files.len()];
    }
    builder.files.iter().map(|file| base(file).map_or(0, |base| base.saturating_sub(zero))).collect()
}

/// Moves the times of all files to one zero, as far as their own zeros are known. Returns this zero in ns
/// since the Unix epoch; `None` when none is known.
pub(super) fn align(builder: &mut TraceBuilder) -> Option<Ns> {
    let offsets = offsets(builder);
    if offsets.iter().any(|&offset| offset != 0) {
        let shift = |ts: &mut Ns, file: usize| *ts = ts.saturating_add(offsets[file]);
        for lane in &mut builder.lanes {
            for slice in &mut lane.slices {
                shift(&mut slice.start, lane.key.file as usize);
                slice.dur = slice.dur.min(Ns::MAX.saturating_sub(slice.start.max(0)));
            }
        }
        builder.instants.iter_mut().for_each(|i| shift(&mut i.ts, i.origin.file()));
        builder.allocations.iter_mut().for_each(|a| shift(&mut a.ts, a.origin.file()));
        builder.flows.iter_mut().for_each(|f| shift(&mut f.ts, f.origin.file()));
        let lanes = &builder.lanes;
        builder.samples.iter_mut().for_each(|s| shift(&mut s.ts, lanes[s.lane as usize].key.file as usize));
    }
    builder.files.iter().filter_map(base).min()
}
