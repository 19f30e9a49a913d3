//! Steps of serving engines: the outermost annotations of each thread, where the worker has no steps that a
//! profiler or the recorder marks.
//!
//! Must not know the names of annotations: `dialect::serving` does.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::dialect;
use crate::model::{Category, LaneKind, Origin, Serving, WorkerId};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

use super::builder::TraceBuilder;
use super::cycles::Workers;
use super::input::Slice;

/// What the steps of a serving engine do, by the origins of the steps' events.
pub(super) type Served = FxHashMap<Origin, Serving>;

/// A slice by its time, origin, lane in the builder, and index among the lane's slices.
#[derive(Clone, Copy)]
struct Range {
    start: Ns,
    end: Ns,
    origin: Origin,
    lane: usize,
    at: usize,
}

impl Range {
    fn contains(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A thread: its worker, its annotations, and its marked steps.
#[derive(Default)]
struct Thread {
    worker: WorkerId,
    annotations: Vec<(Range, Serving)>,
    steps: Vec<Range>,
}

/// Makes steps of the outermost annotations of serving engines, on threads whose workers have no marked
/// steps. Returns what steps serve, as far as such annotations say.
///
/// # Errors
/// When there is no memory.
pub(super) fn mark(builder: &mut TraceBuilder, workers: &Workers) -> Result<Served, NoMemory> {
    let mut served = Served::default();
    let named: FxHashMap<StrId, Serving> = builder
        .strings
        .ids()
        .iter()
        .filter_map(|name| Some((name, dialect::serving::serving(builder.strings.bytes(name))?)))
        .collect();
    if named.is_empty() {
        return Ok(served);
    }
    let threads = threads(builder, workers, &named)?;
    let marked: FxHashSet<WorkerId> =
        threads.iter().filter(|thread| !thread.steps.is_empty()).map(|thread| thread.worker).collect();
    for Thread { worker, annotations, steps } in threads {
        let annotations = outermost(annotations);
        if marked.contains(&worker) {
            served.extend(within_steps(steps, &annotations));
            continue;
        }
        for (step, serving) in annotations {
            let lane = &mut builder.lanes[step.lane];
            lane.slices[step.at].category = Category::ProfileStep;
            lane.has_steps = true;
            served.insert(step.origin, serving);
        }
    }
    Ok(served)
}

/// The threads of all files, with their annotations (ranges with a name in `named`) and their marked steps.
fn threads(
    builder: &TraceBuilder,
    workers: &Workers,
    named: &FxHashMap<StrId, Serving>,
) -> Result<Vec<Thread>, NoMemory> {
    let mut threads: Vec<Thread> = Vec::new();
    let mut known = FxHashMap::default();
    let is_thread = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
    for (number, lane) in builder.lanes.iter().enumerate().filter(|(_, lane)| is_thread(lane.key.kind)) {
        let key = lane.key;
        let thread = *known.entry((key.file, key.pid, key.tid)).or_insert(threads.len());
        if thread == threads.len() {
            threads.push(Thread { worker: workers.of(key.file, key.pid), ..Thread::default() });
        }
        let thread = &mut threads[thread];
        for (at, slice) in lane.slices.iter().enumerate() {
            let &Slice { start, dur, origin, name, category, .. } = slice;
            let range = Range { start, end: start.saturating_add(dur), origin, lane: number, at };
            if slice.is_step() {
                heap::try_push(&mut thread.steps, range)?;
            } else if matches!(category, Category::UserDefined | Category::PythonUserDefined)
                && let Some(&serving) = named.get(&name)
            {
                heap::try_push(&mut thread.annotations, (range, serving))?;
            }
        }
    }
    Ok(threads)
}

/// The annotations of a thread that are in no other annotation, by start, each completed by the annotations
/// within it.
fn outermost(mut annotations: Vec<(Range, Serving)>) -> Vec<(Range, Serving)> {
    annotations.sort_unstable_by_key(|(range, _)| (range.start, Reverse(range.end), range.origin));
    annotations.dedup_by(|(inner, inner_serving), (outer, serving)| {
        let is_inside = outer.contains(inner);
        if is_inside {
            *serving = serving.or(*inner_serving);
        }
        is_inside
    });
    annotations
}

/// The origins of steps to which exactly one of the `annotations` belongs, with what that annotation says.
fn within_steps(mut steps: Vec<Range>, annotations: &[(Range, Serving)]) -> Vec<(Origin, Serving)> {
    steps.sort_unstable_by_key(|step| (step.start, step.origin));
    let step_of = |annotation: &Range| {
        let begun = &steps[..steps.partition_point(|step| step.start <= annotation.start)];
        begun.last().filter(|step| step.contains(annotation)).map(|step| step.origin)
    };
    // Those of one step follow each other.
    let mut found: Vec<(Origin, Serving, usize)> = Vec::new();
    for (range, serving) in annotations {
        match (step_of(range), found.last_mut()) {
            (Some(step), Some((last, _, count))) if *last == step => *count += 1,
            (Some(step), _) => found.push((step, *serving, 1)),
            (None, _) => {}
        }
    }
    found.into_iter().filter(|&(.., count)| count == 1).map(|(step, serving, _)| (step, serving)).collect()
}
