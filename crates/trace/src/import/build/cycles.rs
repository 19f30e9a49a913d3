//! Assigning files to workers and cycles, and moving all files to one zero of time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::dialect::devices;
use crate::import::dialect::workers::{host_in_name, ranks_in_name, ranks_in_pid, worker_in_name};
use crate::model::{Cycle, GroupKind, Warning, WorkerId};
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};

use super::builder::{FileRecord, TraceBuilder};

/// Most workers of a trace: files and merged ranks.
const MOST_WORKERS: usize = 50_000;

/// What makes files those of one worker: its name or ranks, host, rank and process.
type Identity = (Option<String>, Option<String>, Option<i64>, StrId);

/// The workers, and which files, or processes of merged files, are whose.
#[derive(Debug, Default)]
pub(super) struct Workers {
    pub names: Column<WorkerId, String>,
    /// The worker of each file; of a merged file the first of its workers.
    of_file: Vec<WorkerId>,
    /// The worker of each process and device of a merged file, and its id without the ranks.
    of_process: FxHashMap<(u16, StrId), (WorkerId, StrId)>,
}

impl Workers {
    /// The worker of a file's process or device.
    pub(super) fn of(&self, file: u16, pid: StrId) -> WorkerId {
        self.of_process.get(&(file, pid)).map_or(self.of_file[usize::from(file)], |of| of.0)
    }

    /// The id of a file's process or device, without the ranks that a merged file puts before it.
    pub(super) fn pid(&self, file: u16, pid: StrId) -> StrId {
        self.of_process.get(&(file, pid)).map_or(pid, |of| of.1)
    }

    /// The workers of a file, in order.
    fn in_file(&self, file: u16) -> Vec<WorkerId> {
        let mut all = vec![self.of_file[usize::from(file)]];
        all.extend(self.of_process.iter().filter(|(of, _)| of.0 == file).map(|(_, of)| of.0));
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The ranks that a merged file names in the ids of its processes and devices, in order, each with the ids;
/// an id comes with what is left of it without the ranks.
fn merged(builder: &TraceBuilder, file: usize) -> BTreeMap<String, Vec<(StrId, Vec<u8>)>> {
    let mut found: BTreeMap<String, Vec<(StrId, Vec<u8>)>> = BTreeMap::new();
    let lanes = builder.lanes.iter().filter(|lane| lane.key.file as usize == file);
    let mut pids: Vec<StrId> = lanes.map(|lane| lane.key.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    for pid in pids {
        if let Some((ranks, rest)) = ranks_in_pid(builder.strings.bytes(pid)) {
            found.entry(ranks.to_owned()).or_default().push((pid, rest.to_vec()));
        }
    }
    found
}

/// The workers of the files. The processes of a merged file belong to the ranks in their ids.
pub(super) fn workers(builder: &mut TraceBuilder) -> Workers {
    let mut identities: FxHashMap<Identity, WorkerId> = FxHashMap::default();
    let mut workers = Workers::default();
    for (number, pid) in main_processes(builder).into_iter().enumerate() {
        let mut first = None;
        let mut ranks_of = merged(builder, number);
        if workers.names.len() + ranks_of.len() > MOST_WORKERS {
            let why = || format!("{} ranks in one file: taken for one", ranks_of.len());
            builder.quality.note(Warning::Limit, None, why);
            ranks_of.clear();
        }
        for (ranks, pids) in ranks_of {
            let host = builder.files[number].header.host.clone();
            let identity = (Some(ranks.clone()), host, None, StrId::EMPTY);
            let worker = *identities.entry(identity).or_insert_with(|| {
                workers.names.push(ranks);
                WorkerId::from_index(workers.names.len() - 1)
            });
            first = first.or(Some(worker));
            for (pid, rest) in pids {
                let bare = builder.strings.intern(&rest);
                workers.of_process.insert((saturate::<u16>(number), pid), (worker, bare));
            }
        }
        if let Some(first) = first {
            workers.of_file.push(first);
            continue;
        }
        let (file, names) = (&builder.files[number], &mut workers.names);
        let process = builder.processes.get(&(saturate::<u16>(number), pid)).map(|process| process.name);
        let is_xla = process.is_some_and(|name| builder.strings.bytes(name) == devices::XLA_HOST);
        let named = worker_in_name(&file.path).or_else(|| host_in_name(&file.path).filter(|_| is_xla));
        let identity = (named.clone(), file.header.host.clone(), file.header.rank, pid);
        let worker = *identities.entry(identity).or_insert_with(|| {
            let stem =
                || file.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let name = match (file.header.rank, ranks_in_name(&file.path)) {
                (Some(rank), Some(ranks)) => format!("rank {rank} {ranks}"),
                (Some(rank), None) => format!("rank {rank}"),
                (None, _) => proftui_base::text::SafeText::new(&named.unwrap_or_else(stem)).to_string(),
            };
            let name =
                if names.contains(&name) { format!("{name} ({})", builder.strings.text(pid)) } else { name };
            names.push(name);
            WorkerId::from_index(names.len() - 1)
        });
        workers.of_file.push(worker);
    }
    workers
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
/// number and removes the events of all others.
pub(super) fn cycles(builder: &mut TraceBuilder, workers: &Workers, only: Option<u32>) -> Vec<Cycle> {
    let offsets = offsets(builder);
    let mut cycles: Vec<Cycle> = (0..)
        .zip(&builder.files)
        .flat_map(|(file, record)| {
            let offset = offsets[file as usize];
            let span = loaded(builder, record.length.or(record.extent).unwrap_or_default());
            let span =
                Span { start: span.start.saturating_add(offset), end: span.end.saturating_add(offset) };
            workers.in_file(file).into_iter().map(move |worker| Cycle { number: 0, worker, file, span })
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
    let kept: FxHashSet<(u16, WorkerId)> = cycles.iter().map(|cycle| (cycle.file, cycle.worker)).collect();
    let is_kept = |file: u16, pid: StrId| kept.contains(&(file, workers.of(file, pid)));
    let lanes: Vec<bool> = builder.lanes.iter().map(|lane| is_kept(lane.key.file, lane.key.pid)).collect();
    for (lane, _) in builder.lanes.iter_mut().zip(&lanes).filter(|(_, is_kept)| !**is_kept) {
        lane.slices = Vec::new();
    }
    builder.instants.retain(|instant| lanes[instant.lane as usize]);
    builder.allocations.retain(|allocation| lanes[allocation.lane as usize]);
    builder.flows.retain(|flow| is_kept(saturate(flow.origin.file()), flow.pid));
    builder.samples.retain(|sample| lanes[sample.lane as usize]);
    let files: FxHashSet<u16> = kept.iter().map(|&(file, _)| file).collect();
    for (_, file) in (0_u16..).zip(&mut builder.files).filter(|(number, _)| !files.contains(number)) {
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
