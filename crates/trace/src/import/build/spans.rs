//! The trace's steps, its start-up, validation and teardown ranges, its span, and its main span without far
//! outliers.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::dialect;
use crate::model::{
    Category, Lane, LaneKind, Outside, OutsideKind, ProcessorUse, SliceFlags, SliceId, Slices, Step, Trace,
    Warning, WorkerId,
};
use proftui_base::fmt;
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};

use super::annotations::Served;
use super::builder::TraceBuilder;
use super::columns::SliceFacts;

/// Distance from the median, ns, beyond which a time is an outlier: 11.6 days.
const OUTLIER: Ns = 1_000_000_000_000_000;
/// A time is an outlier, too, if it is this many times as far from most slices as these are from each other,
const FAR: Ns = 100;
/// and at least this far from them, ns,
const LEAST_FAR: Ns = 1_000_000_000;
/// if at most one in so many slices is.
const RARE: usize = 50;
/// Within how many slices around a step it is looked for one of the same name.
const NESTED: usize = 64;
/// How many slices are compared first.
const SAMPLE: usize = 1024;
/// Fewest slices among which some are few.
const FEWEST: usize = 16;

/// Makes the trace's steps, in order of start, from the step slices on threads; for a worker without any,
/// from the lanes of steps of its devices, or else the copies of steps on the stream that has most of them. A
/// step of which devices have a step of the same number is as long as those, if no other step of the file
/// has the number. A step within a step of the same
/// name is left out. `served` has what steps of serving engines serve, by the origin of the step's slice.
///
/// # Errors
/// When there is no memory for the steps.
pub(super) fn steps(builder: &TraceBuilder, trace: &Trace, served: &Served) -> Result<Vec<Step>, NoMemory> {
    let number = |id: SliceId| dialect::step_number(builder.strings.bytes(trace.slices.name[id]));
    let worker = |lane: &Lane| trace.groups[lane.group].worker;
    let step = |lane: &Lane, id: SliceId| Step {
        number: number(id).unwrap_or_default(),
        worker: worker(lane),
        slice: id,
        span: trace.slices.span(id),
        serving: served.get(&trace.slices.origin[id]).copied(),
    };
    let is_step = |id: SliceId| trace.slices.category(id) == Category::ProfileStep;
    let is_within_itself = |id: SliceId| {
        let name = trace.slices.name[id];
        let mut around = trace.slices.ancestors(id).take(NESTED);
        around.any(|around| is_step(around) && trace.slices.name[around] == name)
    };
    let mut steps: Vec<Step> = Vec::new();
    for lane in trace.lanes.iter().filter(|lane| matches!(lane.kind, LaneKind::Python | LaneKind::Thread)) {
        for id in lane.slices.iter().filter(|&id| is_step(id) && !is_within_itself(id)) {
            heap::try_push(&mut steps, step(lane, id))?;
        }
    }
    let on_threads: FxHashSet<WorkerId> = steps.iter().map(|step| step.worker).collect();
    let file = |id: SliceId| trace.slices.origin[id].file();
    let mut of_devices: FxHashMap<(WorkerId, usize, StrId), Step> = FxHashMap::default();
    let mut on_streams: FxHashMap<WorkerId, Vec<Step>> = FxHashMap::default();
    for lane in trace.lanes.iter().filter(|lane| lane.kind == LaneKind::StreamRanges) {
        for id in lane.slices.iter().filter(|&id| is_step(id)) {
            let known =
                of_devices.entry((worker(lane), file(id), trace.slices.name[id])).or_insert(step(lane, id));
            known.span = known.span.union(trace.slices.span(id));
        }
        if on_threads.contains(&worker(lane)) {
            continue;
        }
        let is_named = |id: &SliceId| dialect::is_step(builder.strings.bytes(trace.slices.name[*id]));
        let found: Vec<Step> = lane.slices.iter().filter(is_named).map(|id| step(lane, id)).collect();
        let most = on_streams.entry(worker(lane)).or_default();
        if found.len() > most.len() {
            *most = found;
        }
    }
    let key = |step: &Step| (step.worker, file(step.slice), step.number);
    let spans: FxHashMap<(WorkerId, usize, u64), Span> =
        of_devices.values().map(|step| (key(step), step.span)).collect();
    let mut same: FxHashMap<(WorkerId, usize, u64), u32> = FxHashMap::default();
    steps.iter().filter(|_| !spans.is_empty()).for_each(|step| *same.entry(key(step)).or_default() += 1);
    for step in steps.iter_mut().filter(|step| same.get(&key(step)) == Some(&1)) {
        step.span = spans.get(&key(step)).copied().unwrap_or(step.span);
    }
    let with_lanes: FxHashSet<WorkerId> = of_devices.keys().map(|key| key.0).collect();
    let of_lanes = of_devices.into_values().filter(|step| !on_threads.contains(&step.worker));
    steps.extend(of_lanes);
    let others = on_streams.into_iter().filter(|(of, _)| !with_lanes.contains(of));
    steps.extend(others.flat_map(|(_, found)| found));
    steps.sort_unstable_by_key(|step| (step.span.start, step.slice));
    let mut counts: FxHashMap<WorkerId, u64> = FxHashMap::default();
    for step in steps.iter_mut().filter(|step| step.serving.is_some() && number(step.slice).is_none()) {
        let count = counts.entry(step.worker).or_default();
        step.number = *count;
        *count += 1;
    }
    Ok(steps)
}

/// The ranges of a trace's threads that mark time outside of all steps, in order of start.
pub(super) fn outside(builder: &TraceBuilder, trace: &Trace) -> Vec<Outside> {
    let names = OutsideKind::ALL.map(|kind| builder.strings.find(kind.name().as_bytes()));
    let mut found = Vec::new();
    if names.iter().all(Option::is_none) {
        return found;
    }
    let slices = &trace.slices;
    for lane in trace.lanes.iter().filter(|lane| matches!(lane.kind, LaneKind::Python | LaneKind::Thread)) {
        for id in lane.slices {
            let is_range = matches!(slices.category(id), Category::PythonUserDefined | Category::UserDefined);
            let name = Some(slices.name[id]).filter(|_| is_range);
            if let Some(at) = names.iter().position(|known| known.is_some() && *known == name) {
                let worker = trace.groups[lane.group].worker;
                found.push(Outside { kind: OutsideKind::ALL[at], worker, slice: id, span: slices.span(id) });
            }
        }
    }
    found.sort_by_key(|outside| (outside.span.start, outside.slice));
    found
}

/// The processor time of the trace's steps, as the headers of its files state it.
pub(super) fn processor(builder: &mut TraceBuilder, trace: &Trace) -> Vec<ProcessorUse> {
    let mut found = Vec::new();
    for cycle in &trace.cycles {
        let Some(file) = builder.files.get_mut(usize::from(cycle.file)) else { continue };
        let of_steps = std::mem::take(&mut file.header.processor).into_iter();
        found.extend(of_steps.map(|time| ProcessorUse { worker: cycle.worker, time }));
    }
    found
}

/// Sets the trace's span and main span, and adjusts the spans of its cycles, by the trace's events. Sets
/// nothing if there are no events.
///
/// # Errors
/// When there is no memory to find outliers.
pub(super) fn spans(
    builder: &mut TraceBuilder,
    trace: &mut Trace,
    facts: &SliceFacts,
) -> Result<(), NoMemory> {
    let Some(whole) = marks(trace).into_iter().chain(facts.span).reduce(Span::union) else {
        if builder.files.iter().all(|file| file.extent.is_none()) {
            builder.quality.note(Warning::Empty, None, || "no event has a timestamp".into());
        }
        return Ok(());
    };
    trace.span = whole;
    // What was loaded of a file's extent is known; the slices in it may be fewer.
    if !builder.is_partial() {
        let possible = has_impossible(builder).then(|| lengths_of_possible(trace));
        let lengths = possible.as_ref().unwrap_or(&facts.lengths);
        for cycle in &mut trace.cycles {
            let of = (usize::from(cycle.file), cycle.worker);
            cycle.span = lengths.get(&of).copied().unwrap_or(cycle.span);
        }
    }
    let has_length = |file: u16| {
        let length = builder.files.get(usize::from(file)).and_then(|file| file.length);
        length.is_some_and(|(start, end)| start < end)
    };
    let of_slices = trace.cycles.iter().filter(|cycle| has_length(cycle.file) && !cycle.span.is_empty());
    let of_slices = of_slices.map(|cycle| cycle.span);
    // The length of a file has ends without a begin, which are no part of the trace.
    let kept = |span: Span| Span { start: span.start.max(whole.start), end: span.end.min(whole.end) };
    let main = of_slices.reduce(Span::union).map(kept).filter(|span| span.start <= span.end);
    trace.main_span = main.unwrap_or(whole);
    without_outliers(builder, trace, facts)?;
    let main = trace.main_span;
    for cycle in &mut trace.cycles {
        let shared = Span { start: cycle.span.start.max(main.start), end: cycle.span.end.min(main.end) };
        if shared.start < shared.end {
            cycle.span = shared;
        }
    }
    Ok(())
}

/// True if device work was found to be impossible.
fn has_impossible(builder: &TraceBuilder) -> bool {
    builder.quality.count(Warning::Impossible) > 0
}

/// As [`SliceFacts::lengths`], without device work that cannot be.
fn lengths_of_possible(trace: &Trace) -> FxHashMap<(usize, WorkerId), Span> {
    let slices = &trace.slices;
    let mut lengths: FxHashMap<(usize, WorkerId), Span> = FxHashMap::default();
    for lane in &trace.lanes {
        let worker = trace.groups[lane.group].worker;
        let is_known = |id: &SliceId| !slices.flags[*id].has(SliceFlags::BAD_DURATION);
        for id in lane.slices.iter().filter(|&id| has_length(slices, id)).filter(is_known) {
            let span = slices.span(id);
            let of = (slices.origin[id].file(), worker);
            lengths.entry(of).and_modify(|known| *known = known.union(span)).or_insert(span);
        }
    }
    lengths
}

/// The extent of the instants, memory events and counter samples; `None` without them.
fn marks(trace: &Trace) -> Option<Span> {
    let points = trace.instants.iter().map(|i| i.ts).chain(trace.memory.iter().map(|m| m.ts));
    let edges = trace.counters.iter().flat_map(|c| c.ts.first().into_iter().chain(c.ts.last()).copied());
    points.chain(edges).map(|ts| Span { start: ts, end: ts }).reduce(Span::union)
}

/// The times between which slices are no outliers by [`FAR`] and [`LEAST_FAR`]; `None` if there are too few
/// slices.
fn usual(slices: &Slices) -> Option<Span> {
    let stride = slices.len() / SAMPLE + 1;
    let ids = slices.ids().iter().step_by(stride).filter(|&id| has_length(slices, id));
    let mut starts: Vec<Ns> = ids.map(|id| slices.start[id]).collect();
    if starts.len() < FEWEST {
        return None;
    }
    starts.sort_unstable();
    let few = starts.len() / 20;
    let most = Span { start: starts[few.max(1)], end: starts[starts.len() - 1 - few.max(1)] };
    let far = most.len().saturating_mul(FAR).max(LEAST_FAR);
    Some(Span { start: most.start.saturating_sub(far), end: most.end.saturating_add(far) })
}

/// True for slices that take time, except the profiler's own span and device work that cannot be.
fn has_length(slices: &Slices, id: SliceId) -> bool {
    slices.dur[id] > 0
        && !slices.flags[id].has(SliceFlags::PROFILER)
        && slices.category(id) != Category::Impossible
}

/// Counts the few slices that are far from all others in time, by [`FAR`], as a warning, and leaves them out
/// of the main span.
fn without_strays(builder: &mut TraceBuilder, trace: &mut Trace) {
    let slices = &trace.slices;
    let Some(usual) = usual(slices) else { return };
    let whole = trace.main_span;
    if usual.start <= whole.start && whole.end <= usual.end {
        return;
    }
    let (mut main, mut far, mut time): (Option<Span>, usize, Ns) = (None, 0, 0);
    let (mut near_files, mut far_files) = (FxHashSet::default(), FxHashSet::default());
    // What is outside of the main span already was counted before.
    let is_inside = |id: &SliceId| whole.start <= slices.start[*id] && slices.end(*id) <= whole.end;
    for id in slices.ids().iter().filter(|&id| has_length(slices, id)).filter(is_inside) {
        let span = slices.span(id);
        if span.start < usual.start || span.end > usual.end {
            far += 1;
            time = time.saturating_add(span.len());
            far_files.insert(slices.origin[id].file());
        } else {
            near_files.insert(slices.origin[id].file());
            main = Some(main.map_or(span, |main| main.union(span)));
        }
    }
    let Some(main) = main else { return };
    // What lasts long is no stray, nor is a whole recording.
    if !far_files.is_subset(&near_files)
        || far == 0
        || far > (slices.len() / RARE).max(1)
        || time > main.len()
    {
        return;
    }
    builder.quality.note_many(Warning::Outlier, far as u64, None, || lengths(main, whole));
    trace.main_span = main;
}

/// The example of [`Warning::Outlier`]: the trace's length without the outliers and with them.
fn lengths(main: Span, whole: Span) -> String {
    let [main, whole] = [main, whole].map(|span| fmt::duration(span.len()));
    format!("the trace's length is {main} without them, {whole} with them")
}

/// Counts slices that are far from the median in time ([`OUTLIER`]), or from most others, as a warning, and
/// leaves them out of the main span where possible.
fn without_outliers(
    builder: &mut TraceBuilder,
    trace: &mut Trace,
    facts: &SliceFacts,
) -> Result<(), NoMemory> {
    if facts.span.is_none_or(|span| span.len() <= OUTLIER) {
        without_strays(builder, trace);
        return Ok(());
    }
    let slices = &trace.slices;
    let mut starts = heap::try_collect(slices.start.iter().copied())?;
    let mut ends = heap::try_collect(slices.ids().iter().map(|id| slices.end(id)))?;
    let middle = slices.len() / 2;
    let start_median = *starts.select_nth_unstable(middle).1;
    let end_median = *ends.select_nth_unstable(middle).1;
    let is_far = |id: SliceId| {
        slices.start[id].saturating_sub(start_median).saturating_abs() > OUTLIER
            || slices.end(id).saturating_sub(end_median) > OUTLIER
    };
    let mut main: Option<Span> = None;
    let mut far = 0;
    let is_possible = |id: &SliceId| slices.category(*id) != Category::Impossible;
    for id in slices.ids().iter().filter(is_possible) {
        if is_far(id) {
            far += 1;
        } else if has_length(slices, id) {
            main = Some(main.map_or(slices.span(id), |span| span.union(slices.span(id))));
        }
    }
    if far > 0 {
        let (whole, main) = (trace.main_span, main.unwrap_or(trace.main_span));
        builder.quality.note_many(Warning::Outlier, far, None, || lengths(main, whole));
        trace.main_span = main;
    }
    without_strays(builder, trace);
    Ok(())
}
