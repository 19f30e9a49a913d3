//! What is taken from around a captured launch: the innermost operator, the shapes of the nearest operator that has some, the innermost module,
//! the innermost other Python function, the innermost annotation.
//!
//! Must not know which launches are nodes of one graph.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::python_functions::{PythonFunctions, outwards};
use crate::analysis::shapes::shapes;
use crate::base::intern::{Interner, StrId};
use crate::import::{Texts, VisitError};
use crate::model::{GraphRecord, Origin, SliceId, Trace};

use super::captures::is_annotation;

/// The beginning of the name of a Python function that is a module's call.
const MODULE: &[u8] = b"nn.Module: ";

/// What is around the captured launches of a trace.
pub(super) struct Surroundings<'a> {
    trace: &'a Trace,
    functions: PythonFunctions,
    /// The input shapes of operators around launches, as far as they have some.
    shapes: FxHashMap<SliceId, String>,
    /// The parts of a record that are the same for all launches in one Python function: module, class, frame.
    of_function: FxHashMap<SliceId, [StrId; 3]>,
}

impl<'a> Surroundings<'a> {
    /// Reads the shapes of all operators around `calls`.
    ///
    /// # Errors
    /// When the trace's file cannot be read again.
    pub(super) fn read(trace: &'a Trace, texts: &Texts, calls: &[SliceId]) -> Result<Self, VisitError> {
        let slices = &trace.slices;
        let mut seen: FxHashSet<SliceId> = FxHashSet::default();
        let mut wanted: Vec<SliceId> = Vec::new();
        for &call in calls {
            // What is around a slice that was met before was met with it.
            let new = slices.ancestors(call).take_while(|&id| seen.insert(id));
            wanted.extend(new.filter(|&id| slices.category(id).is_operator()));
        }
        let origin = |id: SliceId| slices.origin[id as usize];
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
        let functions = PythonFunctions::of(trace);
        Ok(Self { trace, functions, shapes: read, of_function: FxHashMap::default() })
    }

    /// The record of a launch in the trace with number `file`; its texts are added to `strings`.
    pub(super) fn record(&mut self, call: SliceId, file: u32, strings: &mut Interner) -> GraphRecord {
        let trace = self.trace;
        let slices = &trace.slices;
        let name = |id: SliceId| trace.strings.bytes(slices.name[id as usize]);
        let operators = || slices.ancestors(call).filter(|&id| slices.category(id).is_operator());
        let shapes = operators().find_map(|id| self.shapes.get(&id));
        let annotation = slices.ancestors(call).find(|&id| is_annotation(slices.category(id)));
        let mut text = |id: Option<SliceId>| id.map_or(0, |id| strings.intern(name(id)));
        let (operator, annotation) = (text(operators().next()), text(annotation));
        let shapes = shapes.map_or(0, |shapes| strings.intern(shapes.as_bytes()));
        let [module, class, frame] = self.of_function(call, strings);
        GraphRecord { operator, shapes, module, class, frame, annotation, file: Some(file) }
    }

    /// The innermost module around a launch, its class, and the innermost Python function that is no module.
    fn of_function(&mut self, call: SliceId, strings: &mut Interner) -> [StrId; 3] {
        let trace = self.trace;
        let Some(innermost) = self.functions.innermost(trace, call) else { return [0; 3] };
        let find = || {
            let name = |id: SliceId| trace.strings.bytes(trace.slices.name[id as usize]);
            let mut names = outwards(trace, innermost).map(name);
            let module = outwards(trace, innermost).map(name).find_map(|name| name.strip_prefix(MODULE));
            let module = module.unwrap_or_default();
            let frame = names.find(|name| !name.starts_with(MODULE)).unwrap_or_default();
            [module, class(module), frame].map(|text| strings.intern(text))
        };
        *self.of_function.entry(innermost).or_insert_with(find)
    }
}

/// The class of a module: its name without the number, `Linear` of `Linear_3`.
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
