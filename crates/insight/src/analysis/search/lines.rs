//! The innermost script line around an event: by the Python functions on the timeline, or else by the call
//! stacks in the arguments of operators.
//!
//! Must not know queries.

use proftui_base::text::SafeText;
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::{LaneKind, SliceId, Trace};

use super::terms::has_functions;
use crate::analysis::arguments::call_stacks::StackLines;
use crate::analysis::part::python_functions::PythonFunctions;
use crate::analysis::part::scope::Scope;
use crate::analysis::vocabulary::script_line::{Frame, line};

/// Finds the script lines of a trace's events.
pub(super) struct Lines<'a> {
    trace: &'a Trace,
    functions: PythonFunctions<'a>,
    /// The lines of operators, of a trace without Python functions whose files were read.
    stacks: StackLines,
}

impl<'a> Lines<'a> {
    /// The lines of a trace with Python functions; none of another.
    pub(super) fn of(trace: &'a Trace) -> Self {
        Self { trace, functions: PythonFunctions::of(trace), stacks: StackLines::default() }
    }

    /// The lines of a trace; reads its files again if it has no Python functions.
    ///
    /// # Errors
    /// When a file has changed or cannot be read.
    pub(super) fn read(trace: &'a Trace, texts: &Texts) -> Result<Self, VisitError> {
        let mut lines = Self::of(trace);
        if !has_functions(trace) {
            lines.stacks = StackLines::read(trace, texts, &Scope::default())?;
        }
        Ok(lines)
    }

    /// The line around an event such as `train.py(49): main`, of device work around its launch: the innermost
    /// of the user's program, else of a library. `None` if it is not known.
    pub(super) fn of_event(&self, id: SliceId) -> Option<SafeText<'_>> {
        let trace = self.trace;
        let slices = &trace.slices;
        let is_work = slices.category(id).is_device_work();
        let at = if is_work { trace.links.launch_of(id)? } else { id };
        let frame = |id: SliceId| Frame::of(trace.strings.bytes(slices.name[id]));
        let found = if trace.lanes[trace.lane_of(at)].kind == LaneKind::Python {
            line(std::iter::once(at).chain(slices.ancestors(at)), frame)
        } else {
            self.functions.innermost(at).and_then(|inner| line(self.functions.outwards(inner), frame))
        };
        let recorded = || {
            let mut around = std::iter::once(at).chain(slices.ancestors(at));
            around.find_map(|id| self.stacks.of(id)).map(|line| self.stacks.text(line))
        };
        found.map(|id| trace.name(id)).or_else(recorded)
    }
}
