//! The names of frames: which names count as one, how they are shown, and which slices are frames by them.
//!
//! Steps are one frame whatever their numbers, and Python functions whatever the addresses in their names.
//! Must not know trees.

use rustc_hash::FxHashMap;

use crate::analysis::vocabulary::address;
use crate::analysis::vocabulary::hook_frames::HookFrames;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_trace::model::{Category, LaneKind, SliceFlags, SliceId, Trace};

use super::choice::Stacking;

/// Stands for the name of the frame around device work whose launch on the host is not known.
pub(super) const NO_LAUNCH: StrId = StrId::NONE;
/// The title of the frame that is named [`NO_LAUNCH`].
const NO_LAUNCH_TITLE: &str = "(launch not recorded)";
/// What the names of the frames of PyTorch's `Module.__call__` begin with; the module's name follows.
const MODULE: &[u8] = b"nn.Module: ";

/// What a slice's name says: the name of its frame, and whether it is a hook's or a module's.
#[derive(Clone, Copy)]
struct Name {
    /// The string that stands for all names that count as one with this name.
    key: StrId,
    /// True if a Python function of this name counts as one of our hooks, whatever is around it.
    is_hook: bool,
    /// True if a Python function of this name counts as one of our hooks where a module's frame is directly
    /// around it.
    is_hook_in_module: bool,
    /// True if a Python function of this name is a module's call.
    is_module: bool,
}

/// For each string of a trace, what it says as a slice's name.
struct OfTrace(Column<StrId, Name>);

impl OfTrace {
    fn of(trace: &Trace) -> Self {
        let hooks = HookFrames::of(trace);
        let has_functions = trace.lanes.iter().any(|lane| lane.kind == LaneKind::Python);
        let mut first: FxHashMap<Vec<u8>, StrId> = FxHashMap::default();
        let name = |key: StrId| {
            let mut name = Name { key, is_hook: false, is_hook_in_module: false, is_module: false };
            if has_functions {
                let text = trace.strings.bytes(key);
                if address::is_in(text) {
                    name.key = *first.entry(address::around(text).concat()).or_insert(key);
                }
                name.is_module = text.starts_with(MODULE);
                name.is_hook = hooks.has(text, None);
                name.is_hook_in_module = hooks.has(text, Some(MODULE));
            }
            name
        };
        let mut of: Column<StrId, Name> = trace.strings.ids().iter().map(name).collect();
        let mut steps: FxHashMap<&[u8], StrId> = FxHashMap::default();
        for step in &trace.steps {
            let name = trace.slices.name[step.slice];
            if let Some(prefix) = before_number(trace.strings.bytes(name)) {
                of[name].key = *steps.entry(prefix).or_insert(name);
            }
        }
        Self(of)
    }
}

/// Finds the names of the frames of a trace's slices, by one stacking.
pub(super) struct Names<'a> {
    trace: &'a Trace,
    stacking: Stacking,
    /// For each string of the trace, what it says as a slice's name.
    of: &'a Column<StrId, Name>,
}

impl<'a> Names<'a> {
    pub(super) fn of(trace: &'a Trace, stacking: Stacking) -> Self {
        Self { trace, stacking, of: &trace.kept.get(|| OfTrace::of(trace)).0 }
    }

    /// The name of a slice's frame, the same for all names that count as one; `None` if the slice is no
    /// frame.
    pub(super) fn frame(&self, id: SliceId) -> Option<StrId> {
        let slices = &self.trace.slices;
        if slices.flags[id].has(SliceFlags::PROFILER) {
            return None;
        }
        let (category, name) = (slices.category(id), self.of[slices.name[id]]);
        let is_function = category == Category::PythonFunction;
        let is_frame = match self.stacking {
            Stacking::Operators => !is_function,
            Stacking::Stack => !is_function || !self.is_hook(id, name),
            Stacking::Modules => category.is_operator() || is_function && name.is_module,
        };
        is_frame.then_some(name.key)
    }

    /// True if the Python function `id` counts as one of our hooks; `name` is what its name says.
    fn is_hook(&self, id: SliceId, name: Name) -> bool {
        let slices = &self.trace.slices;
        let is_in_module = || slices.parent(id).is_some_and(|around| self.of[slices.name[around]].is_module);
        name.is_hook || name.is_hook_in_module && is_in_module()
    }

    /// The name of the frame of a piece of device work, the same for all names that count as one.
    pub(super) fn of_work(&self, id: SliceId) -> StrId {
        self.of[self.trace.slices.name[id]].key
    }
}

/// The name of a step without its number: `ProfilerStep#` of `ProfilerStep#12`; `None` for names that do not
/// end with `#` and digits.
fn before_number(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let prefix = &name[..name.len() - digits];
    (digits > 0 && prefix.ends_with(b"#")).then_some(prefix)
}

/// The text that is shown for a frame of this name and category, such as a step's name without its number.
pub(super) fn title(trace: &Trace, name: StrId, category: Category) -> SafeText<'_> {
    if name == NO_LAUNCH {
        return SafeText::new(NO_LAUNCH_TITLE);
    }
    let text = trace.strings.bytes(name);
    match before_number(text).filter(|_| category == Category::ProfileStep) {
        Some(prefix) => SafeText::from_bytes(prefix),
        None if category == Category::PythonFunction && address::is_in(text) => {
            SafeText::from_bytes(&address::around(text).concat()).into_owned()
        }
        None => trace.string_or(name, "(unnamed)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_named_without_their_numbers() {
        assert_eq!(before_number(b"ProfilerStep#12"), Some(b"ProfilerStep#".as_slice()));
        assert_eq!(before_number(b"Optimizer.step#SGD.step"), None);
        assert_eq!(before_number(b"layer1"), None);
        assert_eq!(before_number(b"#"), None);
    }
}
