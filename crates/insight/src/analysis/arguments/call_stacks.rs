//! The lines from which operators were called, by the call stacks in their arguments: older versions of
//! Kineto have these instead of Python functions on the timeline.
//!
//! Must not know what the lines are for.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::arguments::shapes::argument;
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::vocabulary::script_line::{Frame, line};
use proftui_base::intern::{Interner, StrId};
use proftui_base::text::SafeText;
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{Category, Origin, SliceId, Trace};

/// How many operators are read first, to see whether the trace has lines in call stacks at all.
const FIRST: usize = 1000;

/// The lines of code from which operators were called, read from the call stacks in the operators' arguments.
#[derive(Debug, Default)]
pub struct StackLines {
    /// Each distinct line, such as `train.py(54): step`.
    texts: Interner,
    /// By operator, the id in `texts` of the line from which it was called.
    operators: FxHashMap<SliceId, StrId>,
}

impl StackLines {
    /// Reads the lines of operators around the calls of a runtime or driver in `scope`, if the trace has call
    /// stacks instead of Python functions. If the first 1,000 operators have none, reads no more.
    ///
    /// # Errors
    /// When a file has changed or cannot be read.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope) -> Result<Self, VisitError> {
        let mut read = Self::default();
        let wanted = operators(trace, scope);
        let (first, then) = wanted.split_at(wanted.len().min(FIRST));
        read.add(trace, texts, first)?;
        if !read.operators.is_empty() {
            read.add(trace, texts, then)?;
        }
        Ok(read)
    }

    fn add(&mut self, trace: &Trace, texts: &Texts, operators: &[SliceId]) -> Result<(), VisitError> {
        let origins: Vec<Origin> = operators.iter().map(|&id| trace.slices.origin[id]).collect();
        texts.visit(&origins, |at, event| {
            if let Some(line) = line_of(event) {
                let line = self.texts.intern(&line);
                self.operators.insert(operators[at], line);
            }
        })?;
        Ok(())
    }

    /// The id of the line of code from which an operator was called; `None` if it is not known.
    pub(crate) fn of(&self, operator: SliceId) -> Option<StrId> {
        self.operators.get(&operator).copied()
    }

    /// The text of the line with this id, safe to show.
    pub(crate) fn text(&self, line: StrId) -> SafeText<'_> {
        self.texts.text(line)
    }
}

/// The operators around calls of a runtime or driver in `scope` whose call stacks are to be read, sorted by
/// origin; none if the trace has Python functions.
fn operators(trace: &Trace, scope: &Scope) -> Vec<SliceId> {
    let slices = &trace.slices;
    if slices.category.contains(&(Category::PythonFunction as u8)) {
        return Vec::new();
    }
    let part = Part::new(trace, scope);
    let pieces = part.lanes().iter().flat_map(|&lane| part.pieces(lane));
    let calls = pieces.map(|piece| piece.id).filter(|&id| slices.category(id).is_runtime());
    let is_wanted = |&id: &SliceId| slices.category(id).is_operator() && slices.origin[id] != Origin::NONE;
    let (mut wanted, mut seen) = (Vec::new(), FxHashSet::default());
    for call in calls {
        // What is around a slice that was met before was met with it.
        let new = slices.ancestors(call).take_while(|&around| seen.insert(around));
        wanted.extend(new.filter(is_wanted));
    }
    wanted.sort_unstable_by_key(|&id| (slices.origin[id], id));
    wanted
}

/// The line of code to show for an operator, from the call stack in its event's arguments; `None` if there is
/// none.
fn line_of(event: &RawEvent<'_, '_>) -> Option<Vec<u8>> {
    let text = argument(event, &[b"Call stack", b"callstack"]).map(RawValue::text)?;
    let frames = text.split(|byte| matches!(byte, b';' | b'\n')).map(<[u8]>::trim_ascii);
    line(frames, Frame::of).map(<[u8]>::to_vec)
}
