//! What is around a call of a runtime or driver on its thread: the operator or range that makes it, and the line of Python.
//!
//! A thread's functions and its calls are on two lanes, so the functions around a call are found by time. Must not know sums.

use rustc_hash::FxHashMap;

use crate::analysis::script_line::{self, Frame};
use crate::analysis::threads::Threads;
use crate::base::intern::StrId;
use crate::base::text::SafeText;
use crate::base::time::Ns;
use crate::model::{Category, LaneId, SliceId, Trace};

use super::stacks::StackLines;

/// A line of Python, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Line {
    /// Of a function on the timeline, in `Trace::strings`.
    Function(StrId),
    /// Of an operator's call stack, in [`StackLines`].
    Stack(StrId),
}

impl Line {
    /// The text of the line, such as `train.py(54): step`.
    pub(super) fn text<'a>(self, trace: &'a Trace, stacks: &'a StackLines) -> SafeText<'a> {
        match self {
            Self::Function(name) => trace.strings.text(name),
            Self::Stack(line) => stacks.text(line),
        }
    }
}

/// The slices of a thread's Python lane that contain a time, for times that mostly ascend.
pub(super) struct Around<'a> {
    trace: &'a Trace,
    /// The lines of operators' call stacks.
    stacks: &'a StackLines,
    /// The slices of the Python lane of the same thread by start, outer ones first.
    functions: Vec<SliceId>,
    /// How many of them began no later than the time asked for last.
    begun: usize,
    /// The time asked for last, ns.
    last: Ns,
    /// The slices that contain that time, the innermost first.
    found: Vec<SliceId>,
    /// What the functions met so far are.
    frames: FxHashMap<StrId, Frame>,
}

impl<'a> Around<'a> {
    /// What is around the slices of this lane.
    pub(super) fn of(trace: &'a Trace, threads: &Threads, stacks: &'a StackLines, lane: LaneId) -> Self {
        let python = threads.python(trace, lane).filter(|&other| other != lane);
        let mut functions: Vec<SliceId> =
            python.flat_map(|lane| trace.lanes[lane as usize].slices.clone()).collect();
        // Slices are numbered row by row, and the rows of outer ones come first.
        functions.sort_by_key(|&id| trace.slices.start[id as usize]);
        let (found, frames) = (Vec::new(), FxHashMap::default());
        Self { trace, stacks, functions, begun: 0, last: Ns::MIN, found, frames }
    }

    /// Finds the slices of the Python lane that contain `time`: of those that began last, the first that has not ended, and all around it.
    fn find(&mut self, time: Ns) {
        let slices = &self.trace.slices;
        if time < self.last {
            self.begun = 0;
        }
        self.last = time;
        let begins_later = |&&id: &&SliceId| slices.start[id as usize] > time;
        self.begun += self.functions[self.begun..].iter().take_while(|id| !begins_later(id)).count();
        self.found.clear();
        if let Some(&last) = self.functions[..self.begun].last() {
            let around = std::iter::once(last).chain(slices.ancestors(last));
            self.found.extend(around.skip_while(|&id| slices.end(id) <= time));
        }
    }

    /// The name of the innermost operator around a call, else of the innermost range; `None` without either. A step is no range here:
    /// calls outside of all else would have a row per step.
    pub(super) fn maker(&mut self, call: SliceId) -> Option<StrId> {
        let slices = &self.trace.slices;
        self.find(slices.start[call as usize]);
        let python = || self.found.iter().copied();
        let first = |is_wanted: fn(Category) -> bool| {
            slices.ancestors(call).chain(python()).find(|&id| is_wanted(slices.category(id)))
        };
        first(Category::is_operator).or_else(|| first(is_range)).map(|id| slices.name[id as usize])
    }

    /// The innermost line of the user's program around a call, else of a library; `None` where none was recorded. For the call that
    /// [`maker`](Self::maker) was asked for last.
    pub(super) fn line(&mut self, call: SliceId) -> Option<Line> {
        let Self { trace, stacks, found, frames, .. } = self;
        let slices = &trace.slices;
        let functions = found.iter().filter(|&&id| slices.category(id) == Category::PythonFunction);
        let names = functions.map(|&id| slices.name[id as usize]);
        let what = |name| *frames.entry(name).or_insert_with(|| Frame::of(trace.strings.bytes(name)));
        let of_stack = || slices.ancestors(call).find_map(|id| stacks.of(id)).map(Line::Stack);
        script_line::line(names, what).map(Line::Function).or_else(of_stack)
    }
}

/// True for ranges that a program or a library names, and for phases of a step.
fn is_range(category: Category) -> bool {
    matches!(
        category,
        Category::UserDefined
            | Category::PythonUserDefined
            | Category::Communication
            | Category::Dataloader
            | Category::Forward
            | Category::Backward
            | Category::Optimization
    )
}
