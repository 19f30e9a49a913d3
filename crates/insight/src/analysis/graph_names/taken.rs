//! What is taken from around a captured launch: the innermost operator, the shapes of the nearest operator
//! that has some, the innermost module, the innermost other Python function, the innermost annotation.
//!
//! Must not know which launches are nodes of one graph.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::arguments::shapes::shapes;
use crate::analysis::part::threads::Threads;
use proftui_base::intern::Interner;
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::{Category, GraphRecord, LaneId, Origin, SliceId, Trace};

/// The beginning of the name of a Python function that is a module's call.
const MODULE: &[u8] = b"nn.Module: ";

/// True for the categories `UserDefined` and `PythonUserDefined`, ranges that a program or a library names.
pub(super) fn is_annotation(category: Category) -> bool {
    matches!(category, Category::UserDefined | Category::PythonUserDefined)
}

/// What is around the captured launches of a trace: the input shapes of operators, and the innermost
/// Python functions.
pub(super) struct Surroundings<'a> {
    trace: &'a Trace,
    /// The input shapes of the operators around the launches, by the slice of the operator; operators without
    /// shapes are left out.
    shapes: FxHashMap<SliceId, String>,
    /// The innermost Python functions around each launch, by the slice of the launch.
    functions: FxHashMap<SliceId, Functions>,
}

/// The innermost module call and the innermost other Python function around a launch.
#[derive(Clone, Copy, Debug, Default)]
struct Functions {
    /// The innermost Python function that is a module's call; `None` if there is none.
    module: Option<SliceId>,
    /// The innermost Python function that is no module's call; `None` if there is none.
    frame: Option<SliceId>,
}

impl<'a> Surroundings<'a> {
    /// Reads from the trace's file the input shapes of the operators around the launch calls `calls`, and
    /// finds the innermost Python functions around these calls.
    ///
    /// # Errors
    /// When the trace's file has changed or cannot be read again.
    pub(super) fn read(trace: &'a Trace, texts: &Texts, calls: &[SliceId]) -> Result<Self, VisitError> {
        let slices = &trace.slices;
        let mut seen: FxHashSet<SliceId> = FxHashSet::default();
        let mut wanted: Vec<SliceId> = Vec::new();
        for &call in calls {
            // What is around a slice that was met before was met with it.
            let new = slices.ancestors(call).take_while(|&id| seen.insert(id));
            wanted.extend(new.filter(|&id| slices.category(id).is_operator()));
        }
        let origin = |id: SliceId| slices.origin[id];
        wanted.retain(|&id| origin(id) != Origin::NONE);
        wanted.sort_unstable_by_key(|&id| origin(id));
        let origins: Vec<Origin> = wanted.iter().map(|&id| origin(id)).collect();
        let mut read = FxHashMap::default();
        texts.visit(&origins, |at, event| {
            let shapes = shapes(event);
            if !shapes.is_empty() && shapes != "[]" {
                read.insert(wanted[at], shapes);
            }
        })?;
        Ok(Self { trace, shapes: read, functions: functions(trace, calls) })
    }

    /// What is around a captured launch, as a record. `file` is the index of its trace among the files of the
    /// captures; the record's texts are added to `strings`.
    pub(super) fn record(&self, call: SliceId, file: u32, strings: &mut Interner) -> GraphRecord {
        let slices = &self.trace.slices;
        let name = |id: SliceId| self.trace.strings.bytes(slices.name[id]);
        let operators = || slices.ancestors(call).filter(|&id| slices.category(id).is_operator());
        let shapes = operators().find_map(|id| self.shapes.get(&id)).map_or("", String::as_str);
        let annotation = slices.ancestors(call).find(|&id| is_annotation(slices.category(id)));
        let functions = self.functions.get(&call).copied().unwrap_or_default();
        let module = functions.module.and_then(|id| name(id).strip_prefix(MODULE)).unwrap_or_default();
        let mut text = |id: Option<SliceId>| strings.intern(id.map(name).unwrap_or_default());
        let (operator, annotation, frame) =
            (text(operators().next()), text(annotation), text(functions.frame));
        let [shapes, module, class] =
            [shapes.as_bytes(), module, class(module)].map(|text| strings.intern(text));
        GraphRecord { operator, shapes, module, class, frame, annotation, file: Some(file) }
    }
}

/// Finds, by their times, the innermost module call and the innermost other Python function around each call.
fn functions(trace: &Trace, calls: &[SliceId]) -> FxHashMap<SliceId, Functions> {
    // Not by nesting: a function that ended by an exception lasts to the end of the recording, beyond the
    // ends of its callers.
    let slices = &trace.slices;
    let threads = Threads::of(trace);
    let mut by_lane: FxHashMap<LaneId, Vec<SliceId>> = FxHashMap::default();
    calls.iter().for_each(|&call| by_lane.entry(trace.lane_of(call)).or_default().push(call));
    let mut found = FxHashMap::default();
    for (lane, mut calls) in by_lane {
        calls.sort_by_key(|&id| slices.start[id]);
        let lanes = threads.python(trace, lane).map(|lane| trace.lanes[lane].slices);
        let mut functions: Vec<SliceId> =
            lanes.flatten().filter(|&id| slices.category(id) == Category::PythonFunction).collect();
        functions.sort_by_key(|&id| (slices.start[id], Reverse(slices.end(id)), id));
        let mut begun = functions.into_iter().peekable();
        let mut open: Vec<SliceId> = Vec::new();
        for call in calls {
            let span = slices.span(call);
            while let Some(id) = begun.next_if(|&id| slices.start[id] <= span.start) {
                while open.pop_if(|&mut last| slices.end(last) < slices.start[id]).is_some() {}
                open.push(id);
            }
            let mut of_call = Functions::default();
            for &id in open.iter().rev().filter(|&&id| slices.end(id) >= span.end) {
                let is_module = trace.strings.bytes(slices.name[id]).starts_with(MODULE);
                let innermost = if is_module { &mut of_call.module } else { &mut of_call.frame };
                innermost.get_or_insert(id);
                if of_call.module.is_some() && of_call.frame.is_some() {
                    break;
                }
            }
            found.insert(call, of_call);
        }
    }
    found
}

/// The class of a module: its name without `_` and a number at the end, `Linear` of `Linear_3`.
fn class(module: &[u8]) -> &[u8] {
    let digits = module.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let stem = &module[..module.len() - digits];
    if digits > 0 { stem.strip_suffix(b"_").unwrap_or(module) } else { module }
}

#[cfg(test)]
mod tests {
    use super::class;

    #[test]
    fn the_number_of_a_module_is_no_part_of_its_class() {
        let classes = [b"Linear_3".as_slice(), b"Conv2d", b"Conv2d_10", b"Model_", b"42"].map(class);
        assert_eq!(classes, [b"Linear".as_slice(), b"Conv2d", b"Conv2d", b"Model_", b"42"]);
    }
}
