//! What is around a call of a runtime or driver on its thread: the operator or range that makes it, and the
//! line of Python.
//!
//! A thread's functions and its calls are on two lanes, so the functions around a call are found by time.
//! Must not know sums.

use rustc_hash::FxHashMap;

use crate::analysis::part::threads::Threads;
use crate::analysis::vocabulary::script_line::Frame;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneId, SliceId, Trace};

use crate::analysis::arguments::call_stacks::StackLines;

/// A Python function or a line of a file from which calls are made, by the number of its text in a table of
/// strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Line {
    /// A Python function on the timeline, whose name is the line: a number in `Trace::strings`.
    Function(StrId),
    /// A line of an operator's call stack: its number in [`StackLines`].
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

/// Finds the operator or range around each call on a lane of a thread, and the [`Line`] from which the call
/// is made. Fast for calls in order of start.
pub(super) struct Around<'a> {
    trace: &'a Trace,
    /// The lines of operators' call stacks; empty if they were not read.
    stacks: &'a StackLines,
    /// The slices of the thread's separate Python lane, by start; empty if there is no such lane.
    functions: Vec<SliceId>,
    /// How many of `functions` began no later than `last`.
    begun: usize,
    /// The time that was last given to [`find`](Self::find), ns; `Ns::MIN` before the first.
    last: Ns,
    /// The innermost slice of `functions` that contains the time `last`; `None` if there is none.
    found: Option<SliceId>,
    /// The answers of [`inside`](Self::inside) for the slices met so far.
    inside: FxHashMap<SliceId, Inside>,
    /// The [`Frame`] of each name of a Python function met so far.
    frames: FxHashMap<StrId, Frame>,
}

/// The innermost operator, range and lines of Python among a slice and the slices around it; `None` where
/// there is none.
#[derive(Clone, Copy, Default)]
struct Inside {
    operator: Option<StrId>,
    range: Option<StrId>,
    /// The name of the innermost Python function of the user's program.
    user: Option<StrId>,
    /// The name of the innermost Python function of a library.
    library: Option<StrId>,
    /// The line of the innermost operator whose call stack has one: the line's number in [`StackLines`].
    stack: Option<StrId>,
}

impl<'a> Around<'a> {
    /// Prepares the search around the calls on `lane`; `stacks` are the lines of operators' call stacks,
    /// empty if they were not read.
    pub(super) fn of(trace: &'a Trace, threads: &Threads, stacks: &'a StackLines, lane: LaneId) -> Self {
        let python = threads.python(trace, lane).filter(|&other| other != lane);
        let mut functions: Vec<SliceId> = python.flat_map(|lane| trace.lanes[lane].slices).collect();
        // Slices are numbered row by row, and the rows of outer ones come first.
        functions.sort_by_key(|&id| trace.slices.start[id]);
        let (inside, frames) = (FxHashMap::default(), FxHashMap::default());
        Self { trace, stacks, functions, begun: 0, last: Ns::MIN, found: None, inside, frames }
    }

    /// Sets `found` to the innermost slice of `functions` that contains `time`, or to `None`.
    fn find(&mut self, time: Ns) {
        let slices = &self.trace.slices;
        if time < self.last {
            (self.begun, self.found) = (0, None);
        }
        self.last = time;
        let begins_later = |&&id: &&SliceId| slices.start[id] > time;
        let new = self.functions[self.begun..].iter().take_while(|id| !begins_later(id)).count();
        if new > 0 {
            self.begun += new;
            self.found = Some(self.functions[self.begun - 1]);
        }
        // What has ended stays so at later times.
        while let Some(id) = self.found.filter(|&id| slices.end(id) <= time) {
            self.found = slices.parent(id);
        }
    }

    /// The [`Inside`] of a slice, an empty one for `None`. Remembers the answers for the slice and those
    /// around it.
    fn inside(&mut self, id: Option<SliceId>) -> Inside {
        let Some(id) = id else { return Inside::default() };
        let slices = &self.trace.slices;
        let mut new = Vec::new();
        let mut inside = Inside::default();
        for id in std::iter::once(id).chain(slices.ancestors(id)) {
            if let Some(&known) = self.inside.get(&id) {
                inside = known;
                break;
            }
            new.push(id);
        }
        for id in new.into_iter().rev() {
            let (name, category) = (slices.name[id], slices.category(id));
            if category.is_operator() {
                inside.operator = Some(name);
            }
            if is_range(category) {
                inside.range = Some(name);
            }
            if category == Category::PythonFunction {
                let text = || Frame::of(self.trace.strings.bytes(name));
                match *self.frames.entry(name).or_insert_with(text) {
                    Frame::User => inside.user = Some(name),
                    Frame::Library => inside.library = Some(name),
                    Frame::Other => {}
                }
            }
            inside.stack = self.stacks.of(id).or(inside.stack);
            self.inside.insert(id, inside);
        }
        inside
    }

    /// The name of the innermost operator around a call, else of the innermost range, on the call's own lane
    /// first; `None` without either.
    pub(super) fn maker(&mut self, call: SliceId) -> Option<StrId> {
        self.find(self.trace.slices.start[call]);
        let own = self.inside(self.trace.slices.parent(call));
        let python = self.inside(self.found);
        own.operator.or(python.operator).or(own.range).or(python.range)
    }

    /// The [`Line`] from which a call is made, preferably of the user's program; `None` if no line is known.
    /// [`maker`](Self::maker) must have been asked for the same call just before.
    pub(super) fn line(&mut self, call: SliceId) -> Option<Line> {
        let python = self.inside(self.found);
        let of_stack = self.inside(self.trace.slices.parent(call)).stack;
        python.user.or(python.library).map(Line::Function).or_else(|| of_stack.map(Line::Stack))
    }
}

/// True for categories that count as ranges around a call, such as named ranges, communication and phases of
/// a step.
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
            | Category::GarbageCollection
            | Category::Compile
            | Category::Checkpoint
            | Category::Import
    )
}
