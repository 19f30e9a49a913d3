//! Unrecorded time: stretches of steps in which no thread of the process is in anything that is recorded.
//!
//! Steps and Python functions never count as recorded. Where operators are recorded, ranges and phases, which
//! only name time, do not count either, nor do garbage collections, compilations, checkpoints and imports;
//! operators, calls and data loading do. Must not know what the program does in unrecorded time: it may
//! compute in code that is not recorded, or wait.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::part::time::{union, within};
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, GroupId, LaneKind, SliceId, Step, Trace};

/// A stretch without recorded events counts only if it lasts at least the median step's duration divided by
/// this.
const LEAST_PART: Ns = 20;
/// A stretch without recorded events that is shorter than this does not count, ns.
const LEAST_STRETCH: Ns = 1_000_000;

/// Unrecorded time within steps: long stretches in which no thread of the step's process is in a recorded
/// event that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrecorded {
    /// Summed duration of the unrecorded stretches, ns.
    pub total: Ns,
    /// Number of unrecorded stretches.
    pub count: u64,
    /// Duration of the longest unrecorded stretch, ns.
    pub longest: Ns,
    /// Number of the step with the longest unrecorded stretch.
    pub step: u64,
}

/// Finds the unrecorded time of `steps`, whose median duration is `median` ns, in processes that have events
/// that count; `None` if no stretch is long enough.
pub(super) fn find(trace: &Trace, steps: &[&Step], median: Ns) -> Option<Unrecorded> {
    let mut of_process: FxHashMap<GroupId, Vec<&Step>> = FxHashMap::default();
    for step in steps {
        of_process.entry(trace.lanes[trace.lane_of(step.slice)].group).or_default().push(step);
    }
    let mut found = Unrecorded { total: 0, count: 0, longest: 0, step: 0 };
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
                if time < (median / LEAST_PART).max(LEAST_STRETCH) {
                    continue;
                }
                found.total = found.total.saturating_add(time);
                found.count += 1;
                if (time, step.number) > (found.longest, found.step) {
                    (found.longest, found.step) = (time, step.number);
                }
            }
        }
    }
    (found.count > 0).then_some(found)
}

/// The times of the whole trace in which at least one thread of a process is in a recorded event that counts;
/// sorted and disjoint.
fn busy(trace: &Trace, group: GroupId) -> Vec<Span> {
    let slices = &trace.slices;
    let lanes = || {
        let is_thread = |kind| matches!(kind, LaneKind::Thread | LaneKind::Python);
        trace.lanes.iter().filter(move |lane| lane.group == group && is_thread(lane.kind))
    };
    let has_operators = lanes().flat_map(|lane| lane.slices).any(|id| slices.category(id).is_operator());
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
    // What is outside of the steps are ranges that name time, too.
    let outside: FxHashSet<SliceId> = trace.outside.iter().map(|outside| outside.slice).collect();
    let ids = lanes().flat_map(|lane| lane.slices);
    let ids = ids.filter(|&id| is_work(slices.category(id)) && !outside.contains(&id));
    union(ids.map(|id| slices.span(id)).collect())
}
