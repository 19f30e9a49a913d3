//! Counts and times of events by kind and phase.
//!
//! A time is the time in which at least one event of the kind ran in the phase, over all steps, threads and
//! streams. Must not know the tables.

use rustc_hash::FxHashMap;

use crate::analysis::part::time::{covered, length, union};
use crate::compat::paddle::forest::Forest;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::Category;

use super::step_phase::{PHASES_AND_OTHER, StepPhases};

/// The kinds of events that are counted: first those of the host, then those of devices.
const KINDS: [Category; 10] = [
    Category::Operator,
    Category::CudaRuntime,
    Category::UserDefined,
    Category::OperatorInner,
    Category::Communication,
    Category::PythonOp,
    Category::ProfileStep,
    Category::Kernel,
    Category::Memcpy,
    Category::Memset,
];
/// Number of kinds in [`KINDS`] that are of the host; they come first.
const HOST: usize = 7;
/// Index of kernels in [`KINDS`].
const KERNEL: usize = 7;

/// Number and time of the events of one kind in one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub calls: u64,
    /// Time in which the events ran, ns.
    pub time: Ns,
}

/// The counts and times of a trace's events by kind and phase.
pub(super) struct Events {
    /// Counts and times by kind (index in [`KINDS`]) and phase.
    cells: [[Cell; PHASES_AND_OTHER]; KINDS.len()],
    /// The time in which at least one kernel ran, ns, by the step and the phase in which the kernels were
    /// launched.
    pub kernel: Vec<[Ns; PHASES_AND_OTHER]>,
    /// The time in which at least one kernel that host events in no step launched ran, ns.
    pub stray: Ns,
    /// True if at least one host event launched device work.
    pub has_device: bool,
}

/// The index in [`KINDS`] under which events of a category count; None if they do not count.
fn kind(category: Category) -> Option<usize> {
    let category = match category {
        Category::PythonUserDefined => Category::UserDefined,
        Category::CudaDriver => Category::CudaRuntime,
        Category::UserDefined => return None,
        other => other,
    };
    KINDS.iter().position(|&kind| kind == category)
}

impl Events {
    /// Counts host events, and the device work that they launched, and finds the times in which any of them
    /// ran, by kind and phase.
    pub(super) fn of(forest: &Forest<'_>, step_phases: &StepPhases) -> Self {
        let slices = &forest.trace.slices;
        let mut spans: FxHashMap<(u32, usize, usize), Vec<Span>> = FxHashMap::default();
        for (id, node) in (0..).zip(&forest.nodes) {
            let (step, phase) = step_phases.of_node[id as usize];
            let own = std::iter::once(node.slice).chain(forest.calls(id).iter().copied());
            for slice in own.chain(forest.direct_work(id)) {
                let category = slices.category(slice);
                // A step counts as an event only if it is none of the steps that events are assigned to.
                let is_step = category == Category::ProfileStep && (step as usize) < step_phases.steps.len();
                if let Some(kind) = kind(category).filter(|_| !is_step) {
                    spans.entry((step, phase, kind)).or_default().push(forest.span(slice));
                }
            }
        }
        let mut events = Self {
            cells: Default::default(),
            stray: 0,
            kernel: vec![[0; PHASES_AND_OTHER]; step_phases.steps.len()],
            has_device: spans.keys().any(|&(_, _, kind)| kind >= HOST),
        };
        // All steps together.
        let mut all: [[Vec<Span>; PHASES_AND_OTHER]; KINDS.len()] = Default::default();
        for ((step, phase, kind), spans) in spans {
            events.cells[kind][phase].calls += spans.len() as u64;
            let spans = union(spans);
            if kind == KERNEL {
                match events.kernel.get_mut(step as usize) {
                    Some(times) => times[phase] = length(&spans),
                    None => events.stray = length(&spans),
                }
            }
            all[kind][phase].extend(spans);
        }
        for (cells, all) in events.cells.iter_mut().zip(&mut all) {
            cells.iter_mut().zip(all).for_each(|(cell, all)| cell.time = covered(std::mem::take(all)));
        }
        events
    }

    /// For each phase, the time in which at least one kernel launched in the phase ran, over all steps, ns.
    /// The last entry is for kernels that host events in no phase launched.
    pub(super) fn kernels(&self) -> [Ns; PHASES_AND_OTHER] {
        self.cells[KERNEL].map(|cell| cell.time)
    }

    /// The kinds that occur, as (name, true for a kind of the host, cells by phase).
    pub(super) fn seen(&self) -> impl Iterator<Item = (&'static str, bool, &[Cell; PHASES_AND_OTHER])> {
        let rows = (0..).zip(&KINDS).zip(&self.cells);
        let rows = rows.filter(|(_, cells)| cells.iter().any(|cell| cell.calls > 0));
        rows.map(|((at, kind), cells)| (kind.name(), at < HOST, cells))
    }
}
