//! The device work of each step of a serving engine: its time by class, and the time between the work of two
//! steps.
//!
//! A step's work is that which calls launch that begin within the step on the step's thread, whenever and on
//! whichever stream it runs. Must not know tables.

use rustc_hash::FxHashMap;

use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::threads::Threads;
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::union;
use crate::analysis::part::work::devices;
use crate::analysis::vocabulary::kernel_class::KernelClasses;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{KernelClass, Step, Trace, WorkerId};

/// The device work that one step launched, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StepWork {
    /// The time of the work of each class, in the order of [`KernelClass::ALL`], added up over streams, ns.
    pub classes: [Ns; KernelClass::ALL.len()],
    /// The time from the first start to the last end of the work; `None` without work.
    pub span: Option<Span>,
    /// The recorded time without device work between the work of the worker's earlier steps and this step's,
    /// ns; `None` if either is missing.
    pub bubble: Option<Ns>,
}

/// The device work of the steps that were given to [`work`].
pub(super) struct Work {
    /// The work of each step, in the order of the steps given.
    pub of_steps: Vec<StepWork>,
    /// The summed time of the device work launched while a step of its worker ran, but in no step of the
    /// launching thread, ns.
    pub elsewhere: Ns,
    /// True if the part's lanes, at any time, have device work with a known launch, or have no stream but
    /// launches of such work.
    pub has_device: bool,
}

/// The steps of one thread or worker: `order` has their indices in `steps`, in order of start.
struct Begun<'a> {
    steps: &'a [&'a Step],
    order: Vec<usize>,
}

impl<'a> Begun<'a> {
    fn of(steps: &'a [&'a Step], mut order: Vec<usize>) -> Self {
        order.sort_by_key(|&at| steps[at].span.start);
        Self { steps, order }
    }

    /// The index in `steps` of the step that began last at or before `time` (ns); `None` if no step began by
    /// then, or that step has ended.
    fn at(&self, time: Ns) -> Option<usize> {
        let begun = self.order.partition_point(|&at| self.steps[at].span.start <= time);
        let last = *self.order[..begun].last()?;
        self.steps[last].span.contains(time).then_some(last)
    }
}

/// Finds the device work that each of `steps` launched on its own thread, whenever it ran, as far as
/// [`Part::links`] returns it.
pub(super) fn work(part: &Part<'_>, steps: &[&Step]) -> Work {
    let trace = part.trace();
    let threads = Threads::of(trace);
    let mut of_thread: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut of_worker: FxHashMap<WorkerId, Vec<usize>> = FxHashMap::default();
    for (at, step) in steps.iter().enumerate() {
        if let Some(thread) = threads.index(trace.lane_of(step.slice)) {
            of_thread.entry(thread).or_default().push(at);
        }
        of_worker.entry(step.worker).or_default().push(at);
    }
    let of_thread: FxHashMap<usize, Begun<'_>> =
        of_thread.into_iter().map(|(thread, order)| (thread, Begun::of(steps, order))).collect();
    let of_worker: FxHashMap<WorkerId, Begun<'_>> =
        of_worker.into_iter().map(|(worker, order)| (worker, Begun::of(steps, order))).collect();

    let mut found =
        Work { of_steps: vec![StepWork::default(); steps.len()], elsewhere: 0, has_device: false };
    let mut classes = KernelClasses::of(trace);
    for (launch, work) in part.links() {
        if !trace.slices.category(work).is_device_work() {
            continue;
        }
        found.has_device = true;
        let (lane, start, span) =
            (trace.lane_of(launch), trace.slices.start[launch], trace.slices.span(work));
        let step = threads.index(lane).and_then(|thread| of_thread.get(&thread)?.at(start));
        if let Some(step) = step {
            let of_step = &mut found.of_steps[step];
            let time = &mut of_step.classes[classes.class(work) as usize];
            *time = time.saturating_add(span.len());
            of_step.span = Some(of_step.span.map_or(span, |known| known.union(span)));
        } else {
            let worker = trace.groups[trace.lanes[lane].group].worker;
            let is_during = of_worker.get(&worker).is_some_and(|steps| steps.at(start).is_some());
            found.elsewhere = found.elsewhere.saturating_add(if is_during { span.len() } else { 0 });
        }
    }
    add_bubbles(trace, part.scope(), &of_worker, &mut found.of_steps);
    found
}

/// Sets `bubble` for the steps that have a bubble, from the device work on the lanes of `scope`. `work` has
/// an entry per step.
fn add_bubbles(
    trace: &Trace,
    scope: &Scope,
    of_worker: &FxHashMap<WorkerId, Begun<'_>>,
    work: &mut [StepWork],
) {
    let whole = Scope { span: None, lanes: scope.lanes.clone() };
    let part = Part::new(trace, &whole);
    let mut busy: FxHashMap<WorkerId, Vec<Span>> = FxHashMap::default();
    for device in devices(&part) {
        busy.entry(device.worker).or_default().extend(device.spans(|_| true));
    }
    for (worker, steps) in of_worker {
        let busy = Lengths::of(union(busy.remove(worker).unwrap_or_default()));
        let run = Lengths::of(part.run(*worker).to_vec());
        let mut last: Option<Ns> = None;
        for &at in &steps.order {
            let Some(span) = work[at].span else { continue };
            if let Some(end) = last {
                let gap = Span { start: end, end: span.start.max(end) };
                work[at].bubble = Some(run.within(gap).saturating_sub(busy.within(gap)));
            }
            last = Some(last.map_or(span.end, |end| end.max(span.end)));
        }
    }
}
