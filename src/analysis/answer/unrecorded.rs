//! Pauses: stretches of steps in which no thread of the process is in anything that is recorded.
//!
//! Where operators are recorded, what counts are operators, calls and data loading: ranges and phases, which only name time, do not.
//! Must not know why a program pauses.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::time::{union, within};
use crate::base::time::{Ns, Span};
use crate::model::{Category, LaneKind, Step, Trace};

/// A pause is at least this part of the median step: a twentieth.
const LEAST_PART: Ns = 20;
/// A pause is at least as long as this, ns: between operators of short steps there is Python, which is none.
const LEAST: Ns = 1_000_000;

/// The pauses of all steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// Summed duration of the pauses, ns.
    pub total: Ns,
    /// Number of pauses.
    pub count: u64,
    /// Duration of the longest one, ns.
    pub longest: Ns,
    /// Number of the step with the longest one.
    pub step: u64,
}

/// Finds the pauses of steps whose median duration is `median` ns; `None` if there are none, or nothing is recorded but the steps.
pub(super) fn find(trace: &Trace, steps: &[&Step], median: Ns) -> Option<Pauses> {
    let mut of_process: FxHashMap<u32, Vec<&Step>> = FxHashMap::default();
    for step in steps {
        of_process.entry(trace.lanes[trace.lane_of(step.slice) as usize].group).or_default().push(step);
    }
    let mut pauses = Pauses { total: 0, count: 0, longest: 0, step: 0 };
    for (group, steps) in of_process {
        let busy = busy(trace, group);
        if busy.is_empty() {
            continue;
        }
        for step in steps {
            let inside = within(&busy, step.span);
            let ends = [step.span.start].into_iter().chain(inside.iter().map(|span| span.end));
            let starts = inside.iter().map(|span| span.start).chain([step.span.end]);
            for (start, end) in ends.zip(starts) {
                let time = end.saturating_sub(start);
                if time < (median / LEAST_PART).max(LEAST) {
                    continue;
                }
                pauses.total = pauses.total.saturating_add(time);
                pauses.count += 1;
                if (time, step.number) > (pauses.longest, pauses.step) {
                    (pauses.longest, pauses.step) = (time, step.number);
                }
            }
        }
    }
    (pauses.count > 0).then_some(pauses)
}

/// The times in which a thread of a process does something that is recorded; sorted and disjoint.
fn busy(trace: &Trace, group: u32) -> Vec<Span> {
    let slices = &trace.slices;
    let lanes = || {
        let is_thread = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
        trace.lanes.iter().filter(move |lane| lane.group == group && is_thread(lane.kind))
    };
    let has_operators =
        lanes().flat_map(|lane| lane.slices.clone()).any(|id| slices.category(id).is_operator());
    let is_work = |category: Category| match category {
        Category::ProfileStep | Category::PythonFunction => false,
        Category::UserDefined
        | Category::PythonUserDefined
        | Category::Forward
        | Category::Backward
        | Category::Optimization
        | Category::GarbageCollection
        | Category::Compile
        | Category::Checkpoint
        | Category::Import => !has_operators,
        _ => true,
    };
    // What is no step names time, and does nothing itself.
    let outside: FxHashSet<u32> = trace.outside.iter().map(|outside| outside.slice).collect();
    let ids = lanes().flat_map(|lane| lane.slices.clone());
    let ids = ids.filter(|&id| is_work(slices.category(id)) && !outside.contains(&id));
    union(ids.map(|id| slices.span(id)).collect())
}
