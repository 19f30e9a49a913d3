//! Events by kind and stage: how many there are, and for how long at least one of them ran.
//!
//! Time is counted once within a stage, of all steps together, whatever threads or streams it is on.

use rustc_hash::FxHashMap;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::time::{covered, length, union};
use crate::analysis::{Table, TableRow, Value};
use crate::base::time::{Ns, Span};
use crate::compat::paddle::forest::Forest;
use crate::model::Category;

use super::Ground;
use super::place::{self, PARTS, Places};

/// The kinds that count, on the host and then on devices.
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
/// How many of them are on the host.
const HOST: usize = 7;
/// Where kernels are among them.
const KERNEL: usize = 7;

/// Calls, and the time in which at least one ran, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    calls: u64,
    time: Ns,
}

/// Events by kind and stage.
pub(super) struct Events {
    cells: [[Cell; PARTS]; KINDS.len()],
    /// For each step and stage the time in which a kernel ran, ns.
    pub kernel: Vec<[Ns; PARTS]>,
    /// The same outside of all steps.
    pub stray: Ns,
    /// True when there is device work in a step.
    pub has_device: bool,
}

/// The kind's place in [`KINDS`]. Ranges that the user's Python named are the user's; those of the framework do not count.
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
    pub(super) fn of(forest: &Forest<'_>, places: &Places) -> Self {
        let slices = &forest.trace.slices;
        let mut ranges: FxHashMap<(u32, usize, usize), Vec<Span>> = FxHashMap::default();
        for (id, node) in (0..).zip(&forest.nodes) {
            let (step, part) = places.of[id as usize];
            let own = std::iter::once(node.slice).chain(forest.calls(id).iter().copied());
            for slice in own.chain(forest.direct_work(id)) {
                let category = slices.category(slice);
                // A step counts as an event where it is not the step that others lie in.
                let is_step = category == Category::ProfileStep && (step as usize) < places.steps.len();
                if let Some(kind) = kind(category).filter(|_| !is_step) {
                    ranges.entry((step, part, kind)).or_default().push(forest.range(slice));
                }
            }
        }
        let mut events = Self {
            cells: Default::default(),
            stray: 0,
            kernel: vec![[0; PARTS]; places.steps.len()],
            has_device: ranges.keys().any(|&(_, _, kind)| kind >= HOST),
        };
        // Of all steps together.
        let mut all: [[Vec<Span>; PARTS]; KINDS.len()] = Default::default();
        for ((step, part, kind), ranges) in ranges {
            events.cells[kind][part].calls += ranges.len() as u64;
            let ranges = union(ranges);
            if kind == KERNEL {
                match events.kernel.get_mut(step as usize) {
                    Some(times) => times[part] = length(&ranges),
                    None => events.stray = length(&ranges),
                }
            }
            all[kind][part].extend(ranges);
        }
        for (cells, all) in events.cells.iter_mut().zip(&mut all) {
            cells.iter_mut().zip(all).for_each(|(cell, all)| cell.time = covered(std::mem::take(all)));
        }
        events
    }

    /// Kernels' time in each stage, all steps together, ns.
    pub(super) fn kernels(&self) -> [Ns; PARTS] {
        self.cells[KERNEL].map(|cell| cell.time)
    }

    /// The kinds that occur: name, whether on the host, and a cell a stage.
    fn seen(&self) -> impl Iterator<Item = (&'static str, bool, &[Cell; PARTS])> {
        let rows = (0..).zip(&KINDS).zip(&self.cells);
        let rows = rows.filter(|(_, cells)| cells.iter().any(|cell| cell.calls > 0));
        rows.map(|((at, kind), cells)| (kind.name(), at < HOST, cells))
    }
}

/// A row a kind, in it a row a stage.
pub(super) fn summary(ground: &Ground<'_>) -> Option<Table> {
    let rows: Vec<TableRow> = ground
        .events
        .seen()
        .map(|(name, is_host, cells)| {
            let time = cells.iter().fold(0, |sum: Ns, cell| sum.saturating_add(cell.time));
            let line = |name: &str, cell: Cell| {
                TableRow::new(vec![
                    Value::text(name),
                    Value::text(if is_host { "CPU" } else { "GPU" }),
                    Value::Count(cell.calls),
                    Value::Duration(cell.time),
                    Value::share(cell.time, time),
                ])
            };
            let calls = cells.iter().map(|cell| cell.calls).sum();
            let mut row = line(name, Cell { calls, time });
            let parts = (0..).zip(cells).filter(|(_, cell)| cell.calls > 0);
            row.children = parts.map(|(part, &cell)| line(place::name(part), cell)).collect();
            row
        })
        .collect();
    (!rows.is_empty()).then(|| Table {
        view: "overview",
        title: "Event Summary",
        columns: vec![
            Column::new("name", "Event type", ColumnKind::Text, "The kind of event; in it the stage of training"),
            Column::new("where", "Where", ColumnKind::Text, "On the host (CPU) or on devices (GPU)"),
            Column::new("calls", "Calls", ColumnKind::Count, "How many events"),
            Column::new("time", "Time", ColumnKind::Duration, "Time in which at least one of them ran, stage by stage"),
            Column::new("ratio", "Ratio", ColumnKind::Ratio, "That time of the kind's time in all stages"),
        ],
        rows,
        notes: vec![
            "What lies in no step counts as Other, as in VisualDL; ranges that the framework itself named (UserDefined) do not count.".into(),
        ], ..Table::default() })
}

/// Time of each kind in each stage.
pub(super) fn matrix(ground: &Ground<'_>) -> Option<Table> {
    use ColumnKind::Duration;
    let rows: Vec<TableRow> = ground
        .events
        .seen()
        .map(|(name, _, cells)| {
            let all = cells.iter().fold(0, |sum: Ns, cell| sum.saturating_add(cell.time));
            let times = std::iter::once(all).chain(cells.iter().map(|cell| cell.time));
            TableRow::new(std::iter::once(Value::text(name)).chain(times.map(Value::Duration)).collect())
        })
        .collect();
    (!rows.is_empty()).then(|| Table {
        view: "overview",
        title: "Event Time Breakdown",
        columns: vec![
            Column::new("name", "Event type", ColumnKind::Text, "The kind of event"),
            Column::new("step", "ProfileStep", Duration, "Its time in all stages, added up"),
            Column::new("dataloader", "Dataloader", Duration, "Its time while data was loaded"),
            Column::new("forward", "Forward", Duration, "Its time in the forward pass"),
            Column::new("backward", "Backward", Duration, "Its time in the backward pass"),
            Column::new("optimization", "Optimization", Duration, "Its time in the optimizer"),
            Column::new("other", "Other", Duration, "Its time in steps outside of these stages"),
        ],
        rows,
        notes: Vec::new(),
        ..Table::default()
    })
}
