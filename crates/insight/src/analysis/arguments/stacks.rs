//! The Python stacks around operators: from the Python functions of the operator's thread, else from the
//! operator's arguments.
//!
//! A stack is text: its innermost frames, innermost first, without those of our hooks. Operators of a
//! backward pass have the stack of the forward operator whose gradient they compute, as in PyTorch's tables.
//! Must not know which tables group by stacks.

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{FlowKind, Origin, SliceId, Trace};

use super::shapes;
use crate::analysis::part::nesting::Innermost;
use crate::analysis::part::python_functions::PythonFunctions;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, owner};
use crate::analysis::vocabulary::address;
use crate::analysis::vocabulary::hook_frames::HookFrames;

/// Separates the frames in the text of a stack: the frame before it was called by the frame after it.
pub(crate) const CALLED_BY: &str = " < ";

/// The innermost frames of the Python stacks of operators, as texts.
#[derive(Debug, Default)]
pub struct Stacks {
    /// Each distinct stack, as text.
    texts: Interner,
    /// For each operator whose stack was found, the id of the stack in `texts`.
    operators: FxHashMap<SliceId, StrId>,
}

impl Stacks {
    /// Finds the innermost frames, `depth` at most, of the stacks of the operators of `scope` and of its
    /// device work. A backward operator whose forward operator is known has the stack of that one instead.
    ///
    /// # Errors
    /// When a file has changed or cannot be read.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope, depth: usize) -> Result<Self, VisitError> {
        let mut read = Self::default();
        let operators = owner::operators(&Part::new(trace, scope));
        // For each operator with a stack in the files, those that have the same stack.
        let mut unread: FxHashMap<SliceId, Vec<SliceId>> = FxHashMap::default();
        let mut frames = Frames::of(trace, depth);
        let forwards = Forwards::of(trace);
        for id in operators {
            let source = forwards.of_operator(id).unwrap_or(id);
            match frames.stack(source, &mut read.texts) {
                Some(stack) => _ = read.operators.insert(id, stack),
                None => unread.entry(source).or_default().push(id),
            }
        }
        let origin = |id: SliceId| trace.slices.origin[id];
        let mut wanted: Vec<SliceId> =
            unread.keys().copied().filter(|&id| origin(id) != Origin::NONE).collect();
        wanted.sort_unstable_by_key(|&id| (origin(id), id));
        let origins: Vec<Origin> = wanted.iter().map(|&id| origin(id)).collect();
        let hooks = HookFrames::of(trace);
        texts.visit(&origins, |at, event| {
            let stack = argument(event, hooks, depth);
            if !stack.is_empty() {
                let stack = read.texts.intern(&stack);
                let same = unread.get(&wanted[at]).into_iter().flatten();
                read.operators.extend(same.map(|&id| (id, stack)));
            }
        })?;
        Ok(read)
    }

    /// The id of an operator's stack in [`texts`](Self::texts); 0, the empty text, if it has none or was not
    /// read.
    pub(crate) fn number(&self, id: SliceId) -> StrId {
        self.operators.get(&id).copied().unwrap_or_default()
    }

    /// The distinct stacks as texts, by the ids that [`number`](Self::number) returns.
    pub(crate) fn texts(&self) -> &Interner {
        &self.texts
    }
}

/// Finds, by flows, the forward operators whose gradients the operators of a backward pass compute.
struct Forwards<'a> {
    trace: &'a Trace,
    /// Finds the innermost operator, at or around a slice, to which a forward-to-backward flow goes; `None`
    /// in a trace without flows.
    backward: Option<Innermost>,
}

impl<'a> Forwards<'a> {
    fn of(trace: &'a Trace) -> Self {
        let slices = &trace.slices;
        let is_backward = |id| slices.category(id).is_operator() && forward(trace, id).is_some();
        let backward = || Innermost::of(slices, slices.ids(), is_backward);
        Self { trace, backward: (!trace.flows.is_empty()).then(backward) }
    }

    /// The slice from which a forward-to-backward flow comes to this operator, else to the innermost operator
    /// around it that has such a flow; `None` without one.
    fn of_operator(&self, id: SliceId) -> Option<SliceId> {
        forward(self.trace, self.backward.as_ref()?.at(id)?)
    }
}

/// The slice from which a forward-to-backward flow comes to this slice; `None` without one.
fn forward(trace: &Trace, id: SliceId) -> Option<SliceId> {
    let mut flows = trace.flows_to(id).filter(|flow| flow.kind == FlowKind::ForwardBackward);
    flows.next().map(|flow| flow.from)
}

/// The innermost frames, `depth` at most, of the stack in an operator's arguments, as one text without frames
/// of our hooks; empty without a stack.
fn argument(event: &RawEvent<'_, '_>, hooks: HookFrames, depth: usize) -> Vec<u8> {
    let names: [&[u8]; 2] = [b"Call stack", b"callstack"];
    let text = shapes::argument(event, &names).map(RawValue::text).unwrap_or_default();
    let frames = text.split(|&byte| matches!(byte, b';' | b'\n')).map(<[u8]>::trim_ascii);
    joined(hooks.without(frames.filter(|frame| !frame.is_empty())).take(depth))
}

/// The frames as one text with [`CALLED_BY`] between them; the first address of an object in each frame is
/// left out.
fn joined<'a>(frames: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = Vec::new();
    for frame in frames {
        if !text.is_empty() {
            text.extend_from_slice(CALLED_BY.as_bytes());
        }
        address::around(frame).iter().for_each(|part| text.extend_from_slice(part));
    }
    text
}

/// Makes stacks from the Python functions around slices, and remembers them by innermost function.
struct Frames<'a> {
    trace: &'a Trace,
    depth: usize,
    hooks: HookFrames,
    functions: PythonFunctions<'a>,
    stacks: FxHashMap<SliceId, StrId>,
}

impl<'a> Frames<'a> {
    fn of(trace: &'a Trace, depth: usize) -> Self {
        let (hooks, functions) = (HookFrames::of(trace), PythonFunctions::of(trace));
        Self { trace, depth, hooks, functions, stacks: FxHashMap::default() }
    }

    /// The id in `texts` of a slice's stack, which is added if it is new; `None` if no Python function is
    /// known around the slice.
    fn stack(&mut self, id: SliceId, texts: &mut Interner) -> Option<StrId> {
        let innermost = self.functions.innermost(id)?;
        let Self { trace, depth, hooks, functions, stacks } = self;
        let compose = || {
            let frames = functions.outwards(innermost).map(|id| trace.strings.bytes(trace.slices.name[id]));
            texts.intern(&joined(hooks.without(frames).take(*depth)))
        };
        Some(*stacks.entry(innermost).or_insert_with(compose))
    }
}
