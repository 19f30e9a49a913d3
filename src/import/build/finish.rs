//! The last step: everything staged becomes the columns of the model.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::import::chrome::dialect;
use crate::model::counter::CounterUnit;
use crate::model::{
    Category, Counter, Cycle, GroupKind, Instant, LaneKind, MemoryEvent, Meta, NONE, Origin, Row, SliceFlags,
    Slices, Step, Trace, Warning,
};

use super::lanes::{Arranged, arrange};
use super::layout::{Layout, layout};
use super::stage::{Stage, Staged};
use super::{flows, links};
use crate::import::directory::worker_in_name;

/// Times further than this from the median are outliers (11.6 days), ns.
const OUTLIER: Ns = 1_000_000_000_000_000;

/// Builds the trace; with `cycle`, only that cycle of each worker.
pub(in crate::import) fn finish(mut stage: Stage, cycle: Option<u32>) -> Trace {
    let (worker_of_file, workers) = workers(&stage);
    let cycles = cycles(&mut stage, &worker_of_file, cycle);
    let epoch = align(&mut stage);
    let counters = counters(&mut stage);
    let arranged = arrange(&mut stage, &worker_of_file);
    let mut trace = Trace { cycles, ..Trace::default() };
    let lane_of_track = place_slices(&mut stage, arranged, &mut trace);
    place_points(&mut stage, counters, &lane_of_track, &mut trace);

    let mut lanes_of: FxHashMap<(u16, StrId, StrId), Vec<u32>> = FxHashMap::default();
    for (track, &lane) in stage.tracks.iter().zip(&lane_of_track) {
        lanes_of.entry((track.file, track.pid, track.tid)).or_default().push(lane);
    }
    let carriers = flows::carriers(&stage.flows, &trace.slices);
    let ground =
        flows::Ground { slices: &trace.slices, lanes: &trace.lanes, rows: &trace.rows, lanes_of, carriers };
    let bound = flows::bind(&mut stage, &ground);
    trace.links = links::join(&trace.slices, bound.launches);
    trace.flows = bound.flows;
    trace.flows_in = (0..trace.flows.len() as u32).collect();
    trace.flows_in.sort_by_key(|&flow| trace.flows[flow as usize].to);

    trace.steps = steps(&stage, &trace);
    spans(&mut stage, &mut trace);
    for cycle in &mut trace.cycles {
        cycle.span =
            Span { start: cycle.span.start.max(trace.span.start), end: cycle.span.end.min(trace.span.end) };
    }
    let has_operators = trace.slices.category.iter().any(|&c| Category::from_u8(c) == Category::Operator);
    let has_dipu = (0..stage.strings.len() as StrId).any(|id| dialect::is_dipu(stage.strings.bytes(id)));
    for file in &mut stage.files {
        for device in std::mem::take(&mut file.header.devices) {
            if !trace.devices.contains(&device) {
                trace.devices.push(device);
            }
        }
    }
    let mut phases = BTreeMap::new();
    for (&letter, count) in stage.files.iter().flat_map(|file| &file.phases) {
        *phases.entry(letter).or_default() += count;
    }
    trace.meta = Meta {
        producer: stage
            .files
            .first()
            .map_or_else(String::new, |file| file.header.producer(has_operators, has_dipu)),
        files: stage.files.iter().map(|file| crate::import::error::show(&file.path)).collect(),
        workers,
        epoch,
        header: stage
            .files
            .first_mut()
            .map(|file| std::mem::take(&mut file.header.entries))
            .unwrap_or_default(),
        phases,
    };
    trace.strings = stage.strings;
    trace.quality = stage.quality;
    trace
}

/// The worker of each file, and the workers' names.
fn workers(stage: &Stage) -> (Vec<u16>, Vec<String>) {
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
    for slice in &stage.slices {
        let track = stage.tracks[slice.track as usize];
        if track.group == GroupKind::Process {
            *counts.entry((slice.origin.file(), track.pid)).or_default() += 1;
        }
    }
    let mut most = vec![(0, Reverse(0)); stage.files.len()];
    for ((file, pid), count) in counts {
        most[file] = most[file].max((count, Reverse(pid)));
    }
    most.into_iter().map(|(_, Reverse(pid))| pid).collect()
}

/// Numbers each worker's files as cycles in order of time; with `only`, forgets all but that one.
fn cycles(stage: &mut Stage, worker_of_file: &[u16], only: Option<u32>) -> Vec<Cycle> {
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
    stage.slices.retain(|slice| is_kept(slice.origin.file()));
    stage.instants.retain(|instant| is_kept(instant.origin.file()));
    stage.memory.retain(|memory| is_kept(memory.origin.file()));
    stage.flows.retain(|flow| is_kept(flow.file as usize));
    let tracks = &stage.tracks;
    stage.samples.retain(|sample| is_kept(tracks[sample.track as usize].file as usize));
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
fn align(stage: &mut Stage) -> Option<Ns> {
    /// Times from here on (2001) are the epoch's own.
    const EPOCH: Ns = 1_000_000_000_000_000_000;
    let offsets = offsets(stage);
    if offsets.iter().any(|&offset| offset != 0) {
        let shift = |ts: &mut Ns, file: usize| *ts = ts.saturating_add(offsets[file]);
        for slice in &mut stage.slices {
            shift(&mut slice.start, slice.origin.file());
            slice.dur = slice.dur.min(Ns::MAX.saturating_sub(slice.start.max(0)));
        }
        stage.instants.iter_mut().for_each(|i| shift(&mut i.ts, i.origin.file()));
        stage.memory.iter_mut().for_each(|m| shift(&mut m.ts, m.origin.file()));
        stage.flows.iter_mut().for_each(|f| shift(&mut f.ts, f.file as usize));
        let tracks = &stage.tracks;
        stage.samples.iter_mut().for_each(|s| shift(&mut s.ts, tracks[s.track as usize].file as usize));
    }
    let base = stage.files.iter().filter_map(|file| file.header.base).min();
    let is_epoch = || stage.files.iter().filter_map(|file| file.reach).any(|(start, _)| start >= EPOCH);
    base.or_else(|| is_epoch().then_some(0))
}

/// Counter series from samples, and curves from memory events, each with its track.
fn counters(stage: &mut Stage) -> Vec<(u32, Counter)> {
    let mut samples = std::mem::take(&mut stage.samples);
    samples.sort_by_key(|sample| (sample.track, sample.ts));
    let mut out: Vec<(u32, Counter)> = Vec::new();
    for series in samples.chunk_by(|a, b| a.track == b.track) {
        let first = series[0];
        let mut counter = Counter::new(first.name, first.series, CounterUnit::Number);
        counter.ts = series.iter().map(|sample| sample.ts).collect();
        counter.value = series.iter().map(|sample| sample.value).collect();
        out.push((first.track, counter));
    }
    out.extend(stage.memory_curves());
    out
}

/// Orders slices by lane, row and start, and fills the columns; gives back the lane of each track.
fn place_slices(stage: &mut Stage, arranged: Arranged, trace: &mut Trace) -> Vec<u32> {
    let mut staged = std::mem::take(&mut stage.slices);
    let Arranged { groups, lanes, lane_of_track } = arranged;
    let lane_of = |slice: &Staged| lane_of_track[slice.track as usize];
    // Stable: of two equal slices the first in the file is around the other.
    staged.par_sort_by_key(|slice| (lane_of(slice), slice.start, Reverse(slice.dur)));
    let resolutions: Vec<(Ns, Ns)> =
        stage.files.iter().map(|file| resolution(file.is_fine, file.header.is_paddle())).collect();
    let per_lane: Vec<&[Staged]> = staged.chunk_by(|a, b| lane_of(a) == lane_of(b)).collect();
    let layouts: Vec<Layout> = per_lane
        .par_iter()
        .map(|slices| {
            let of_files = slices.iter().map(|slice| resolutions[slice.origin.file()]);
            let (tolerance, notes_from) = of_files.max().unwrap_or_default();
            layout(slices, tolerance, notes_from)
        })
        .collect();

    let n = staged.len();
    let mut columns = Slices {
        start: Vec::with_capacity(n),
        dur: Vec::with_capacity(n),
        name: Vec::with_capacity(n),
        category: Vec::with_capacity(n),
        flags: Vec::with_capacity(n),
        parent: Vec::with_capacity(n),
        correlation: Vec::with_capacity(n),
        origin: Vec::with_capacity(n),
    };
    (trace.groups, trace.lanes) = (groups, lanes);
    for (slices, layout) in per_lane.iter().zip(&layouts) {
        let lane = lane_of(&slices[0]);
        let is_async = slices[0].family != 0;
        let first = columns.len() as u32;
        let first_row = trace.rows.len() as u32;
        // Counting sort by row keeps the order of starts within each.
        let mut counts = vec![0_u32; layout.rows as usize + 1];
        layout.row.iter().for_each(|&row| counts[row as usize + 1] += 1);
        for row in 0..layout.rows as usize {
            counts[row + 1] += counts[row];
            trace.rows.push(Row { lane, first: first + counts[row], len: counts[row + 1] - counts[row] });
        }
        let mut place = vec![0_u32; slices.len()];
        let mut order = vec![0_u32; slices.len()];
        for (i, &row) in layout.row.iter().enumerate() {
            let at = &mut counts[row as usize];
            place[i] = *at;
            order[*at as usize] = i as u32;
            *at += 1;
        }
        for &i in &order {
            let slice = &slices[i as usize];
            let is_overflow = !is_async && layout.row[i as usize] >= layout.depth;
            columns.start.push(slice.start);
            columns.dur.push(slice.dur);
            columns.name.push(slice.name);
            columns.category.push(slice.category as u8);
            columns.flags.push(if is_overflow {
                slice.flags.with(SliceFlags::OVERFLOW)
            } else {
                slice.flags
            });
            let parent = layout.parent[i as usize];
            columns.parent.push(if parent == NONE { NONE } else { first + place[parent as usize] });
            columns.correlation.push(slice.correlation);
            if slice.end != Origin::NONE {
                trace.ends.push((columns.origin.len() as u32, slice.end));
            }
            columns.origin.push(slice.origin);
        }
        let target = &mut trace.lanes[lane as usize];
        target.slices = first..columns.len() as u32;
        target.rows = first_row..trace.rows.len() as u32;
        target.depth = if is_async { layout.rows } else { layout.depth };
        if !is_async {
            note_overlaps(stage, slices, layout);
        }
    }
    trace.slices = columns;
    lane_of_track
}

/// A file's time resolution, and the smallest reach beyond a neighbour worth a note, both ns. Paddle's times are rounded
/// twice, so there a reach within the resolution means nothing; anywhere else it stands in the file.
fn resolution(is_fine: bool, is_paddle: bool) -> (Ns, Ns) {
    match (is_fine, is_paddle) {
        (_, true) => (1_000, 1_001),
        (true, false) => (1, 1),
        (false, false) => (1_000, 1),
    }
}

fn note_overlaps(stage: &mut Stage, slices: &[Staged], layout: &Layout) {
    let strings = &stage.strings;
    for &i in &layout.overlaps {
        let slice = &slices[i as usize];
        stage
            .quality
            .note(Warning::Overlap, Some(slice.origin.offset()), || strings.text(slice.name).to_string());
    }
}

/// Places counters, instants and memory events on their lanes.
fn place_points(stage: &mut Stage, counters: Vec<(u32, Counter)>, lane_of_track: &[u32], trace: &mut Trace) {
    // Cycles of one worker share a lane: their samples follow each other.
    for (track, counter) in counters {
        let lane = &mut trace.lanes[lane_of_track[track as usize] as usize];
        match lane.counter {
            None => {
                lane.counter = Some(trace.counters.len() as u32);
                trace.counters.push(counter);
            }
            Some(at) => {
                let known = &mut trace.counters[at as usize];
                let mut all: Vec<_> = known.ts.iter().copied().zip(known.value.iter().copied()).collect();
                all.extend(counter.ts.into_iter().zip(counter.value));
                all.sort_by_key(|&(ts, _)| ts);
                (known.ts, known.value) = all.into_iter().unzip();
            }
        }
    }
    trace.counters.iter_mut().for_each(Counter::seal);
    let instants = std::mem::take(&mut stage.instants);
    trace.instants = instants
        .into_iter()
        .map(|i| Instant { ts: i.ts, lane: lane_of_track[i.track as usize], name: i.name, origin: i.origin })
        .collect();
    trace.instants.sort_by_key(|instant| (instant.lane, instant.ts));
    let mut at = 0;
    for chunk in trace.instants.chunk_by(|a, b| a.lane == b.lane) {
        trace.lanes[chunk[0].lane as usize].instants = at..at + chunk.len() as u32;
        at += chunk.len() as u32;
    }
    let memory = std::mem::take(&mut stage.memory);
    trace.memory = memory
        .into_iter()
        .map(|m| MemoryEvent {
            ts: m.ts,
            lane: lane_of_track[m.track as usize],
            bytes: m.bytes,
            address: m.address,
            place: m.place,
            allocated: m.allocated,
            reserved: m.reserved,
            origin: m.origin,
        })
        .collect();
}

/// The steps, in order of time.
fn steps(stage: &Stage, trace: &Trace) -> Vec<Step> {
    let mut steps = Vec::new();
    for lane in &trace.lanes {
        if !matches!(lane.kind, LaneKind::Python | LaneKind::Thread) {
            continue;
        }
        let ids = lane.slices.clone().filter(|&id| trace.slices.category(id) == Category::ProfileStep);
        steps.extend(ids.map(|id| Step {
            number:
                dialect::step_number(stage.strings.bytes(trace.slices.name[id as usize])).unwrap_or_default(),
            worker: trace.groups[lane.group as usize].worker,
            slice: id,
            span: trace.slices.span(id),
        }));
    }
    steps.sort_by_key(|step| (step.span.start, step.slice));
    steps
}

/// The whole span and the one without far outliers.
fn spans(stage: &mut Stage, trace: &mut Trace) {
    let slices = &trace.slices;
    let points = trace.instants.iter().map(|i| i.ts).chain(trace.memory.iter().map(|m| m.ts));
    let points = points
        .chain(trace.counters.iter().flat_map(|c| c.ts.first().into_iter().chain(c.ts.last()).copied()));
    let edges = points
        .map(|ts| (ts, ts))
        .chain((0..slices.len() as u32).map(|id| (slices.start[id as usize], slices.end(id))));
    let whole = edges.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
    let Some((start, end)) = whole else {
        if stage.files.iter().all(|file| file.reach.is_none()) {
            stage.quality.note(Warning::Empty, None, || "no event has a time".into());
        }
        return;
    };
    trace.span = Span { start, end };
    trace.main_span = trace.span;
    if slices.is_empty() {
        return;
    }
    let mut starts = slices.start.clone();
    let mut ends: Vec<Ns> = (0..slices.len() as u32).map(|id| slices.end(id)).collect();
    let middle = slices.len() / 2;
    let start_median = *starts.select_nth_unstable(middle).1;
    let end_median = *ends.select_nth_unstable(middle).1;
    let is_far = |id: u32| {
        slices.start[id as usize].saturating_sub(start_median).saturating_abs() > OUTLIER
            || slices.end(id).saturating_sub(end_median) > OUTLIER
    };
    let mut main: Option<Span> = None;
    let mut far = 0;
    for id in 0..slices.len() as u32 {
        if is_far(id) {
            far += 1;
        } else {
            main = Some(main.map_or(slices.span(id), |span| span.union(slices.span(id))));
        }
    }
    if far > 0 {
        stage.quality.note_many(Warning::Outlier, far, None, || "first view shows the main part".into());
        trace.main_span = main.unwrap_or(trace.span);
    }
}
