//! The Python functions around slices of threads.
//!
//! Functions are on a lane of their own, so that nesting does not show what they are around. Must not know what is read from a stack.

use rustc_hash::FxHashMap;

use crate::model::{Category, LaneId, LaneKind, SliceId, Trace};

use super::nesting::Jumps;
use super::threads::Threads;

/// Finds the Python functions around slices of threads.
pub(super) struct PythonFunctions {
    /// For each lane with Python functions, by the lane of the same thread's operators: the functions, by start, outer ones first.
    lanes: FxHashMap<LaneId, Vec<SliceId>>,
    /// The lanes of the functions, for searches from a function outwards.
    jumps: FxHashMap<LaneId, Jumps>,
}

impl PythonFunctions {
    pub(super) fn of(trace: &Trace) -> Self {
        let slices = &trace.slices;
        let is_function = |id: SliceId| slices.category(id) == Category::PythonFunction;
        let threads = Threads::of(trace);
        let mut jumps: FxHashMap<LaneId, Jumps> = FxHashMap::default();
        for (number, lane) in (0..).zip(&trace.lanes).filter(|(_, lane)| lane.kind == LaneKind::Python) {
            jumps.insert(number, Jumps::of(slices, lane.slices.clone(), is_function));
        }
        let mut lanes: FxHashMap<LaneId, Vec<SliceId>> = FxHashMap::default();
        for (number, _) in (0..).zip(&trace.lanes).filter(|(_, lane)| lane.kind == LaneKind::Thread) {
            let python = threads.python(trace, number);
            let mut functions: Vec<SliceId> = python
                .flat_map(|lane| trace.lanes[lane as usize].slices.clone())
                .filter(|&id| is_function(id))
                .collect();
            if !functions.is_empty() {
                // Of equal starts the outer function stays before the inner one, as rows are.
                functions.sort_by_key(|&id| trace.slices.start[id as usize]);
                lanes.insert(number, functions);
            }
        }
        Self { lanes, jumps }
    }

    /// The innermost Python function of a slice's thread that is around the slice.
    pub(super) fn innermost(&self, trace: &Trace, id: SliceId) -> Option<SliceId> {
        let slices = &trace.slices;
        let functions = self.lanes.get(&trace.lane_of(id))?;
        let span = slices.span(id);
        let begun = functions.partition_point(|&function| slices.start[function as usize] <= span.start);
        let last = *functions[..begun].last()?;
        self.jumps.get(&trace.lane_of(last))?.ending_from(slices, last, span.end)
    }
}

/// A Python function and those around it, innermost first.
pub(super) fn outwards(trace: &Trace, innermost: SliceId) -> impl Iterator<Item = SliceId> + Clone + '_ {
    let around = std::iter::once(innermost).chain(trace.slices.ancestors(innermost));
    around.filter(|&id| trace.slices.category(id) == Category::PythonFunction)
}
