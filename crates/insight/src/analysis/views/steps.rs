//! The summary of single steps: a row per step with its time by phase, and the busy and idle time of its
//! devices.
//!
//! Must not know how phases are found.

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{Category, Step, Trace, WorkerId};

use crate::analysis::part::Part;
use crate::analysis::part::phase::Phases;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::{intersection, union};
use crate::analysis::part::work::{WorkKind, devices};
use crate::analysis::table::ColumnKind::{Count, Duration, Text};
use crate::analysis::table::chart::{Chart, Tint};
use crate::analysis::table::{Column, Table, TableRow, Value};

/// When the devices of one worker worked within the part, in total and by kind of kernel.
#[derive(Default)]
struct Devices {
    /// Times in which at least one piece of device work ran.
    busy: Lengths,
    /// Times in which at least one kernel ran that does not communicate.
    computation: Lengths,
    /// Times in which at least one communicating kernel ran.
    communication: Lengths,
    /// Times in which a computing and a communicating kernel ran at the same time.
    both: Lengths,
}

impl Devices {
    /// Collects the times of device work in the part, by worker.
    fn all(part: &Part<'_>) -> FxHashMap<WorkerId, Self> {
        let mut found: FxHashMap<WorkerId, [Vec<Span>; 3]> = FxHashMap::default();
        for device in devices(part) {
            let of = |kind| device.spans(|work| work.kind == Some(kind));
            let [busy, computation, communication] = found.entry(device.worker).or_default();
            busy.extend(device.spans(|_| true));
            computation.extend(of(WorkKind::Computation));
            communication.extend(of(WorkKind::Communication));
        }
        let lengths = |(worker, spans): (WorkerId, [Vec<Span>; 3])| {
            let [busy, computation, communication] = spans.map(union);
            let both = Lengths::of(intersection(&computation, &communication));
            let [busy, computation, communication] = [busy, computation, communication].map(Lengths::of);
            (worker, Self { busy, computation, communication, both })
        };
        found.into_iter().map(lengths).collect()
    }

    /// The device times within a step, ns: busy, idle, computing without communicating, both at once,
    /// communicating without computing, and busy with neither.
    fn times(&self, step: Span) -> [Ns; 6] {
        let both = self.both.within(step);
        let busy = self.busy.within(step);
        let computes = self.computation.within(step).saturating_sub(both);
        let communicates = self.communication.within(step).saturating_sub(both);
        let idle = step.len().saturating_sub(busy);
        [busy, idle, computes, both, communicates, busy.saturating_sub(sum([computes, both, communicates]))]
    }
}

/// The times of a step within a part of a trace, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepTimes<'a> {
    pub(crate) step: &'a Step,
    /// What of the step lies in the part.
    pub(crate) inside: Span,
    /// The time in data loading, the forward pass, the backward pass and the optimizer.
    pub(crate) phases: [Ns; 4],
    /// What the devices of the step's worker did, as the columns from `device_busy` on; `None` without
    /// devices.
    pub(crate) device: Option<[Ns; 6]>,
}

impl StepTimes<'_> {
    /// The time in no known phase, ns.
    pub(crate) fn other(&self) -> Ns {
        self.inside.len().saturating_sub(sum(self.phases))
    }
}

/// Measures the steps of a part, worker by worker in order of time.
pub(crate) fn times<'a>(part: &Part<'a>) -> Vec<StepTimes<'a>> {
    measured(part, &Phases::of(part.trace(), part.scope()))
}

fn measured<'a>(part: &Part<'a>, phases: &Phases<'_>) -> Vec<StepTimes<'a>> {
    let mut steps: Vec<&Step> = part.steps().collect();
    steps.sort_by_key(|step| step.worker);
    let inside: Vec<(&Step, Span)> = steps.into_iter().map(|step| (step, part.clip(step.span))).collect();
    let times = phases.amounts(&inside, |_, time| time);
    let devices = Devices::all(part);
    let of_step = |((step, inside), phases): ((&'a Step, Span), [Ns; 4])| {
        let device = devices.get(&step.worker).map(|devices| devices.times(inside));
        StepTimes { step, inside, phases, device }
    };
    inside.into_iter().zip(times).map(of_step).collect()
}

/// Builds the table of the steps in the part that `scope` selects, one row per step.
pub fn steps(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let phases = Phases::of(trace, scope);
    let measured = measured(&part, &phases);
    let has_served = measured.iter().any(|of| of.step.serving.is_some());
    let has_devices = measured.iter().any(|of| of.device.is_some());
    let row = |of: &StepTimes<'_>| {
        let step = of.step;
        let own = std::iter::once(of.inside.len()).chain(of.phases).chain([of.other()]).map(Value::Duration);
        let device = of.device.map_or([const { Value::Empty }; 6], |times| times.map(Value::Duration));
        let first = [Value::text(&title(trace, step)), Value::Count(step.number)];
        let served = step.serving.map_or(Value::Empty, |serving| Value::text(&serving.to_string()));
        let last = has_served.then_some(served);
        let cells = first.into_iter().chain(own).chain(device).chain(last).collect();
        TableRow { cells, children: Vec::new(), longest: Some(step.slice) }
    };
    let rows: Vec<TableRow> = measured.iter().map(row).collect();
    let mut notes = Vec::new();
    if !rows.is_empty() {
        let note = "The time of a phase is host time in which a thread of the process is known to run it, \
            and no thread a phase to its left. The phases and Other add up to the time of the step, and so \
            do the busy and idle time of the devices: parallel work counts once. A step that the \
            summarized part cuts has its time within the part.";
        notes.push(note.to_owned());
        notes.extend(phases.note());
    }
    let table = Table {
        view: "steps",
        title: "Steps: time of each step by phase",
        columns: columns(has_devices).into_iter().chain(has_served.then_some(SERVED)).collect(),
        rows,
        notes,
        ..Table::default()
    };
    let charts = charts(&table);
    table.with_charts(charts)
}

/// The title of a step: `step 3`, or `rank 0 · step 3` if the trace has several workers.
fn title(trace: &Trace, step: &Step) -> String {
    match trace.meta.workers.get(step.worker) {
        Some(worker) if trace.meta.workers.len() > 1 => format!("{worker} · step {}", step.number),
        _ => format!("step {}", step.number),
    }
}

fn charts(table: &Table) -> [Option<Chart>; 2] {
    let phases = [
        ("dataloader", Tint::Category(Category::Dataloader)),
        ("forward", Tint::Category(Category::Forward)),
        ("backward", Tint::Category(Category::Backward)),
        ("optimization", Tint::Category(Category::Optimization)),
        ("other", Tint::Remainder),
    ];
    let device = [
        ("computation", Tint::Category(Category::Kernel)),
        ("overlap", Tint::Category(Category::UserDefined)),
        ("communication", Tint::Category(Category::Communication)),
        ("device_other", Tint::Category(Category::Memcpy)),
        ("device_idle", Tint::Idle),
    ];
    [
        table.column_chart("Time of each step by phase", &phases),
        table.column_chart("Time of each step by what its devices do", &device),
    ]
}

/// The column of what each step of a serving engine serves.
const SERVED: Column = Column::extra(
    "served",
    "Served",
    Text,
    "What the step serves, as the serving engine states it: kind, requests and, after a /, the batch size \
     with padding; of images or videos also the resolution",
);

fn columns(has_device: bool) -> Vec<Column> {
    let device = if has_device { Column::new } else { Column::extra };
    vec![
        Column::new("step", "Step", Text, "Step with its number (in the explorer, Enter goes to its start)"),
        Column::extra("number", "Number", Count, "Step number"),
        Column::new("time", "Time", Duration, "Time of the step within the summarized part"),
        Column::new("dataloader", "Data loading", Duration, "Time of the step known to be in data loading"),
        Column::new(
            "forward",
            "Forward",
            Duration,
            "Time of the step known to be in the forward pass, without data loading",
        ),
        Column::new(
            "backward",
            "Backward",
            Duration,
            "Time of the step known to be in the backward pass, without data loading and forward",
        ),
        Column::new(
            "optimization",
            "Optimizer",
            Duration,
            "Time of the step known to be in the optimizer, without data loading, forward and backward",
        ),
        Column::new("other", "Other", Duration, "Time of the step in no known phase"),
        device(
            "device_busy",
            "Device busy",
            Duration,
            "Time of the step in which at least one device of the process ran work of the summarized part",
        ),
        device(
            "device_idle",
            "Device idle",
            Duration,
            "Time of the step in which no device of the process ran work of the summarized part",
        ),
        Column::extra(
            "computation",
            "Computation",
            Duration,
            "Part of the device busy time in which computation kernels and no communication kernels ran",
        ),
        Column::extra(
            "overlap",
            "Overlap",
            Duration,
            "Part of the device busy time in which computation and communication kernels ran at once",
        ),
        Column::extra(
            "communication",
            "Communication",
            Duration,
            "Part of the device busy time in which communication kernels and no computation kernels ran",
        ),
        Column::extra(
            "device_other",
            "Copies",
            Duration,
            "Part of the device busy time in which only copies or memsets ran",
        ),
    ]
}
