//! Finds the Python functions around a slice of a thread, which lie in a lane of their own.
//!
//! Must not know what is made of them.

use rustc_hash::FxHashMap;

use proftui_trace::model::{Category, LaneId, LaneKind, SliceId, Trace};

use super::nesting::Jumps;
use super::threads::Threads;

/// Finds the Python functions around the slices of a trace's threads.
pub struct PythonFunctions<'a> {
    trace: &'a Trace,
    /// The Python functions of each thread that has any and also a lane of operators, which is the key;
    /// sorted by start.
    lanes: FxHashMap<LaneId, Vec<SliceId>>,
    /// For each lane of the Python layer, the search for functions around its slices.
    jumps: FxHashMap<LaneId, Jumps>,
}

impl<'a> PythonFunctions<'a> {
    /// Collects the Python functions of all threads of a trace.
    pub fn of(trace: &'a Trace) -> Self {
        let slices = &trace.slices;
        let is_function = |id: SliceId| slices.category(id) == Category::PythonFunction;
        let threads = Threads::of(trace);
        let mut jumps: FxHashMap<LaneId, Jumps> = FxHashMap::default();
        for (number, lane) in trace.lanes.iter_with_ids().filter(|(_, lane)| lane.kind == LaneKind::Python) {
            jumps.insert(number, Jumps::of(slices, lane.slices, is_function));
        }
        let mut lanes: FxHashMap<LaneId, Vec<SliceId>> = FxHashMap::default();
        for (number, _) in trace.lanes.iter_with_ids().filter(|(_, lane)| lane.kind == LaneKind::Thread) {
            let python = threads.python(trace, number);
            let mut functions: Vec<SliceId> =
                python.flat_map(|lane| trace.lanes[lane].slices).filter(|&id| is_function(id)).collect();
            if !functions.is_empty() {
                // Of equal starts the outer function stays before the inner one, as rows are.
                functions.sort_by_key(|&id| trace.slices.start[id]);
                lanes.insert(number, functions);
            }
        }
        Self { trace, lanes, jumps }
    }

    /// The innermost Python function around a slice on a thread's lane of operators; `None` if there is none,
    /// and for other slices.
    pub fn innermost(&self, id: SliceId) -> Option<SliceId> {
        let slices = &self.trace.slices;
        let functions = self.lanes.get(&self.trace.lane_of(id))?;
        let span = slices.span(id);
        let begun = functions.partition_point(|&function| slices.start[function] <= span.start);
        let last = *functions[..begun].last()?;
        self.jumps.get(&self.trace.lane_of(last))?.ending_from(slices, last, span.end)
    }

    /// The Python function `function` and the Python functions around it, from the innermost outwards.
    pub fn outwards(&self, function: SliceId) -> impl Iterator<Item = SliceId> + Clone + use<'a> {
        let trace = self.trace;
        let around = std::iter::once(function).chain(trace.slices.ancestors(function));
        around.filter(|&id| trace.slices.category(id) == Category::PythonFunction)
    }
}
