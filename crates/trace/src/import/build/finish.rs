//! The last step of building: everything absorbed becomes the columns of the model.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::import::dialect::{self, devices};
use crate::model::{LaneId, Lineage, Meta, Origin, PartialLoad, Trace, Warning};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Span;

use super::bound::Key;
use super::builder::TraceBuilder;
use super::columns::write_slices;
use super::counters::counters;
use super::device_work::copied::copied;
use super::device_work::physics;
use super::lanes::arrange;
use super::points::write_points;
use super::spans::{outside, processor, spans, steps};
use super::{annotations, cycles, links, repeated};
use crate::import::build::links::flows;

/// Summarises which events loading left out, and counts them as a warning; `None` when all were loaded.
fn partial_load(builder: &mut TraceBuilder) -> Option<PartialLoad> {
    if !builder.is_partial() || builder.bound.outside == 0 {
        return None;
    }
    let spans = builder.files.iter().filter_map(|file| file.extent).map(|(start, end)| Span { start, end });
    let whole = spans.reduce(Span::union).unwrap_or_default();
    let limit = builder.bound.limit.filter(|_| builder.bound.until.is_some());
    let until = builder.bound.until.map(Key::ts);
    let partial = PartialLoad { outside: builder.bound.outside, limit, whole, until };
    builder.quality.note_many(Warning::PartialLoad, partial.outside, None, || {
        "an event outside the requested time range or beyond the memory limit, or an end event without a \
         loaded begin event"
            .into()
    });
    Some(partial)
}

/// Makes the trace of what was absorbed, without what recordings of one worker repeat; with `cycle`, only of
/// the cycles of that number. Unless `keeps_impossible`, device work that cannot be is marked.
///
/// # Errors
/// When there is no memory for the trace.
pub(in crate::import) fn finish(
    mut builder: TraceBuilder,
    cycle: Option<u32>,
    keeps_impossible: bool,
) -> Result<Trace, NoMemory> {
    let workers = cycles::workers(&mut builder);
    let cycles = cycles::cycles(&mut builder, &workers, cycle);
    let epoch = cycles::align(&mut builder);
    repeated::remove(&mut builder, &cycles);
    let served = annotations::mark(&mut builder, &workers)?;
    let counters = counters(&mut builder)?;
    let arranged = arrange(&mut builder, &workers)?;
    let mut trace = Trace { cycles, ..Trace::default() };
    let trace_lanes = arranged.trace_lanes;
    (trace.groups, trace.lanes) = (arranged.groups, arranged.lanes);
    let facts = write_slices(&mut builder, &trace_lanes, &mut trace)?;
    trace.copied = copied(std::mem::take(&mut builder.copied), &trace.slices)?;
    if !keeps_impossible {
        physics::mark(&mut builder, &mut trace)?;
    }
    write_points(&mut builder, counters, &trace_lanes, &mut trace)?;
    if !builder.trees.is_empty() {
        let (trees, branches) = (std::mem::take(&mut builder.trees), std::mem::take(&mut builder.branches));
        let memory: Vec<Origin> = heap::try_collect(trace.memory.iter().map(|memory| memory.origin))?;
        trace.lineage = Lineage::of(trees, branches, &trace.slices.origin, &memory)?;
    }

    let mut lanes_of: FxHashMap<(u16, StrId, StrId), Vec<LaneId>> = FxHashMap::default();
    for (of_file, &lane) in builder.lanes.iter().zip(&trace_lanes) {
        let key = of_file.key;
        lanes_of.entry((key.file, key.pid, key.tid)).or_default().push(lane);
    }
    let carriers = flows::carriers(&builder.flows, &trace.slices)?;
    let search =
        flows::Search { slices: &trace.slices, lanes: &trace.lanes, rows: &trace.rows, lanes_of, carriers };
    let bound = flows::bind(&mut builder, &search)?;
    let is_recorded: Vec<bool> = builder.files.iter().map(|file| file.header.is_recorded()).collect();
    let links::Joined { links, ambiguous } =
        links::join(&trace, &builder.strings, &is_recorded, bound.launches)?;
    trace.links = links;
    builder.quality.note_many(Warning::Link, ambiguous, None, || {
        "several processes have launches with one correlation number; the nearest is taken".into()
    });
    physics::judge_launches(&mut builder, &mut trace, !keeps_impossible)?;
    trace.flows = bound.flows;
    trace.flows_in = heap::try_collect(0..saturate::<u32>(trace.flows.len()))?;
    heap::try_sort_by_key(&mut trace.flows_in, |&flow| trace.flows[flow as usize].to)?;

    trace.steps = steps(&builder, &trace, &served)?;
    trace.outside = outside(&builder, &trace);
    trace.processor = processor(&mut builder, &trace);
    spans(&mut builder, &mut trace, &facts)?;
    let has_dipu = builder.strings.ids().iter().any(|id| dialect::is_dipu(builder.strings.bytes(id)));
    let xla_host = builder.strings.find(devices::XLA_HOST);
    let is_xla = xla_host.is_some_and(|host| builder.processes.values().any(|of| of.name == host));
    for file in &mut builder.files {
        for device in std::mem::take(&mut file.header.devices) {
            if !trace.devices.contains(&device) {
                trace.devices.push(device);
            }
        }
    }
    for file in &builder.files {
        if let Some(why) = &file.header.incomplete {
            builder.quality.note(Warning::Incomplete, None, || why.clone());
        }
        if let Some(since) = &file.header.stopped {
            builder.quality.note(Warning::Stopped, None, || since.clone());
        }
        if let Some(why) = &file.header.no_gpu {
            builder.quality.note(Warning::NoGpu, None, || why.clone());
        }
        let path = || crate::import::error::show(&file.path);
        let lost = file.header.lost.iter().fold(0_u64, |all, &some| all.saturating_add(some));
        builder.quality.note_many(Warning::Lost, lost, None, path);
    }
    let (is_cut, partial) = (builder.is_partial(), partial_load(&mut builder));
    let mut event_types = BTreeMap::new();
    for (kind, count) in builder.files.iter().flat_map(|file| &file.event_types) {
        *event_types.entry(kind.clone()).or_default() += count;
    }
    trace.meta = Meta {
        producer: match builder.files.first() {
            Some(_) if is_xla => "xla".into(),
            Some(file) => file.header.producer(facts.has_operators, has_dipu),
            None => String::new(),
        },
        files: builder.files.iter().map(|file| crate::import::error::show(&file.path)).collect(),
        workers: workers.names,
        epoch,
        inferred: None,
        header: builder
            .files
            .first_mut()
            .map(|file| std::mem::take(&mut file.header.entries))
            .unwrap_or_default(),
        members: builder.files.first_mut().map(|file| file.header.take_members()).unwrap_or_default(),
        event_types,
        partial,
        is_cut,
    };
    trace.strings = builder.strings;
    trace.stacks = builder.stacks;
    trace.quality = builder.quality;
    Ok(trace)
}
