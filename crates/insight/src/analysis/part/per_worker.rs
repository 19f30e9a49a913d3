//! The steps and the memory events of each worker of a trace, so that a summary of one rank does not visit
//! those of all others.
//!
//! Must not know what is summarized.

use proftui_trace::model::{Cycle, MemoryEvent, Step, Trace, WorkerId};

/// For each worker, the indices of its steps in `Trace::steps` and of its memory events in `Trace::memory`,
/// ascending.
struct PerWorker {
    steps: Vec<Vec<u32>>,
    memory: Vec<Vec<u32>>,
}

impl PerWorker {
    fn of(trace: &Trace) -> Self {
        let workers = trace.meta.workers.len().max(1);
        let of_event = |event: &MemoryEvent| {
            let group = trace.lanes[event.lane].group;
            trace.groups[group].worker
        };
        Self {
            steps: numbers(workers, trace.steps.iter().map(|step| step.worker)),
            memory: numbers(workers, trace.memory.iter().map(of_event)),
        }
    }
}

/// For each of `workers` workers, the indices of the items that belong to it, ascending. `of` yields the
/// worker of each item.
fn numbers(workers: usize, of: impl Iterator<Item = WorkerId>) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); workers];
    for (number, worker) in (0..).zip(of) {
        found.get_mut(worker.index()).into_iter().for_each(|numbers: &mut Vec<u32>| numbers.push(number));
    }
    found
}

/// The items of `all` that belong to `workers`, in order; `is_of` is true for these items, and `of` returns
/// the indices of each worker's items.
fn chosen<'a, T, F: Fn(&T) -> bool>(
    trace: &'a Trace,
    workers: &[WorkerId],
    all: &'a [T],
    of: fn(&PerWorker) -> &[Vec<u32>],
    is_of: F,
) -> impl Iterator<Item = &'a T> + use<'a, T, F> {
    let one = match workers {
        [one] if trace.meta.workers.len() > 1 => {
            let known = trace.kept.get(|| PerWorker::of(trace));
            Some(of(known).get(one.index()).map_or(&[][..], Vec::as_slice))
        }
        _ => None,
    };
    let several = if one.is_some() { &[][..] } else { all };
    let own = one.unwrap_or_default().iter().map(|&at| &all[at as usize]);
    own.chain(several.iter().filter(move |thing| is_of(thing)))
}

/// The steps of `workers`, in order of time. `workers` must be sorted.
pub(crate) fn steps<'a>(trace: &'a Trace, workers: &[WorkerId]) -> impl Iterator<Item = &'a Step> + use<'a> {
    let several = workers.to_vec();
    let is_of = move |step: &Step| several.binary_search(&step.worker).is_ok();
    chosen(trace, workers, &trace.steps, |known| &known.steps, is_of)
}

/// The memory events of `workers`, in order of time. `workers` must be sorted.
pub(crate) fn memory<'a>(
    trace: &'a Trace,
    workers: &[WorkerId],
) -> impl Iterator<Item = &'a MemoryEvent> + use<'a> {
    let several = workers.to_vec();
    let is_of = move |event: &MemoryEvent| {
        let group = trace.lanes[event.lane].group;
        several.binary_search(&trace.groups[group].worker).is_ok()
    };
    chosen(trace, workers, &trace.memory, |known| &known.memory, is_of)
}

/// The recorded cycles of a worker, in order of time.
pub(crate) fn cycles(trace: &Trace, worker: WorkerId) -> &[Cycle] {
    let from = trace.cycles.partition_point(|cycle| cycle.worker < worker);
    let to = trace.cycles.partition_point(|cycle| cycle.worker <= worker);
    &trace.cycles[from..to]
}
