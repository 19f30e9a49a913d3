//! The last step: everything staged becomes the columns of the model.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::import::chrome::dialect;
use crate::model::{Lineage, Meta, Origin, PartialLoad, Trace, Warning};

use super::lanes::arrange;
use super::place::place_slices;
use super::points::{counters, place_points};
use super::spans::{spans, steps};
use super::stage::Stage;
use super::{cycles, flows, links};

/// What was left out, if anything was.
fn partial_load(stage: &mut Stage) -> Option<PartialLoad> {
    if !stage.is_part() || stage.bound.outside == 0 {
        return None;
    }
    let spans = stage.files.iter().filter_map(|file| file.reach).map(|(start, end)| Span { start, end });
    let whole = spans.reduce(Span::union).unwrap_or_default();
    let limit = stage.bound.limit.filter(|_| stage.bound.until.is_some());
    let until = stage.bound.until.filter(|&until| until != Ns::MIN);
    let partial = PartialLoad { outside: stage.bound.outside, limit, whole, until };
    stage.quality.note_many(Warning::PartialLoad, partial.outside, None, || "left out".into());
    Some(partial)
}

/// Builds the trace; with `cycle`, only that cycle of each worker.
pub(in crate::import) fn finish(mut stage: Stage, cycle: Option<u32>) -> Trace {
    let (worker_of_file, workers) = cycles::workers(&stage);
    let cycles = cycles::cycles(&mut stage, &worker_of_file, cycle);
    let epoch = cycles::align(&mut stage);
    let counters = counters(&mut stage);
    let arranged = arrange(&mut stage, &worker_of_file);
    let mut trace = Trace { cycles, ..Trace::default() };
    let lane_of_track = arranged.lane_of_track;
    (trace.groups, trace.lanes) = (arranged.groups, arranged.lanes);
    let placed = place_slices(&mut stage, &lane_of_track, &mut trace);
    place_points(&mut stage, counters, &lane_of_track, &mut trace);
    if !stage.trees.is_empty() {
        let (trees, branches) = (std::mem::take(&mut stage.trees), std::mem::take(&mut stage.branches));
        let memory: Vec<Origin> = trace.memory.iter().map(|memory| memory.origin).collect();
        trace.lineage = Lineage::of(trees, branches, &trace.slices.origin, &memory);
    }

    let mut lanes_of: FxHashMap<(u16, StrId, StrId), Vec<u32>> = FxHashMap::default();
    for (pile, &lane) in stage.tracks.iter().zip(&lane_of_track) {
        let track = pile.track;
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
    spans(&mut stage, &mut trace, placed.span);
    for cycle in &mut trace.cycles {
        cycle.span =
            Span { start: cycle.span.start.max(trace.span.start), end: cycle.span.end.min(trace.span.end) };
    }
    let has_dipu = (0..stage.strings.len() as StrId).any(|id| dialect::is_dipu(stage.strings.bytes(id)));
    for file in &mut stage.files {
        for device in std::mem::take(&mut file.header.devices) {
            if !trace.devices.contains(&device) {
                trace.devices.push(device);
            }
        }
    }
    for file in &stage.files {
        if let Some(why) = &file.header.incomplete {
            stage.quality.note(Warning::Incomplete, None, || why.clone());
        }
        if let Some(why) = &file.header.no_gpu {
            stage.quality.note(Warning::NoGpu, None, || why.clone());
        }
        let path = || crate::import::error::show(&file.path);
        let lost = file.header.lost.iter().fold(0_u64, |all, &some| all.saturating_add(some));
        stage.quality.note_many(Warning::Lost, lost, None, path);
    }
    let partial = partial_load(&mut stage);
    let mut event_types = BTreeMap::new();
    for (&letter, count) in stage.files.iter().flat_map(|file| &file.phases) {
        *event_types.entry(letter).or_default() += count;
    }
    trace.meta = Meta {
        producer: stage
            .files
            .first()
            .map_or_else(String::new, |file| file.header.producer(placed.has_operators, has_dipu)),
        files: stage.files.iter().map(|file| crate::import::error::show(&file.path)).collect(),
        workers,
        epoch,
        header: stage
            .files
            .first_mut()
            .map(|file| std::mem::take(&mut file.header.entries))
            .unwrap_or_default(),
        event_types,
        partial,
    };
    trace.strings = stage.strings;
    trace.quality = stage.quality;
    trace
}
