//! Each step by itself: its time by stage, and what devices did meanwhile. A distribution tells more than a mean.
//!
//! Must not know how stages are found.

use rustc_hash::FxHashMap;

use crate::base::time::{Ns, Span, sum};
use crate::model::{Category, Step, Trace};

use super::chart::{Chart, Tint};
use super::gpu::work::{WorkKind, devices};
use super::scope::Scope;
use super::stage::Stages;
use super::table::ColumnKind::{Count, Duration, Text};
use super::table::{Column, Table, TableRow, Value};
use super::time::{length, shared, union, within};

/// What the devices of one worker did, whichever of them: stretches that do not overlap.
#[derive(Default)]
struct Devices {
    busy: Vec<Span>,
    computation: Vec<Span>,
    communication: Vec<Span>,
}

impl Devices {
    /// Those of every worker that has any. Work that began before the part looked at counts in the steps that it reaches.
    fn all(trace: &Trace, scope: &Scope) -> FxHashMap<u16, Self> {
        let anytime = Scope { span: None, lanes: scope.lanes.clone() };
        let mut found: FxHashMap<u16, Self> = FxHashMap::default();
        for device in devices(trace, &anytime) {
            let of = |kind| device.spans(|work| work.kind == Some(kind));
            let known = found.entry(device.worker).or_default();
            known.busy.extend(device.spans(|_| true));
            known.computation.extend(of(WorkKind::Computation));
            known.communication.extend(of(WorkKind::Communication));
        }
        for known in found.values_mut() {
            for spans in [&mut known.busy, &mut known.computation, &mut known.communication] {
                *spans = union(std::mem::take(spans));
            }
        }
        found
    }

    /// In a step: busy and idle; of the busy time, computing alone, computing and communicating at once, communicating
    /// alone, and the rest.
    fn times(&self, step: Span) -> [Ns; 6] {
        let inside = |spans: &[Span]| within(spans, step);
        let (computation, communication) = (inside(&self.computation), inside(&self.communication));
        let busy = length(&inside(&self.busy));
        let both = shared(&computation, &communication);
        let computes = length(&computation).saturating_sub(both);
        let communicates = length(&communication).saturating_sub(both);
        let idle = step.len().saturating_sub(busy);
        [busy, idle, computes, both, communicates, busy.saturating_sub(sum([computes, both, communicates]))]
    }
}

/// A row a step, in the order of time, worker by worker.
pub fn steps(trace: &Trace, scope: &Scope) -> Table {
    let is_inside = |step: &&Step| scope.has_time(step.span.start) && scope.has_worker(trace, step.worker);
    let mut steps: Vec<&Step> = trace.steps.iter().filter(is_inside).collect();
    steps.sort_by_key(|step| step.worker);
    let stages = Stages::of(trace, scope);
    let devices = Devices::all(trace, scope);
    let row = |step: &Step| {
        let stages = stages.in_step(step).map(|spans| length(&spans));
        let other = step.span.len().saturating_sub(sum(stages));
        let own = std::iter::once(step.span.len()).chain(stages).chain([other]).map(Value::Duration);
        let device = match devices.get(&step.worker) {
            Some(devices) => devices.times(step.span).map(Value::Duration),
            None => [const { Value::Empty }; 6],
        };
        let first = [Value::text(&title(trace, step)), Value::Count(step.number)];
        let cells = first.into_iter().chain(own).chain(device).collect();
        TableRow { cells, children: Vec::new(), longest: Some(step.slice) }
    };
    let rows: Vec<TableRow> = steps.into_iter().map(row).collect();
    let mut notes = vec![if rows.is_empty() {
        "The trace marks no steps here.".to_owned()
    } else {
        "Stages are times of the host in which at least one thread of its process is in them; they and Other add up to the step. So do busy and idle time of the step's devices: parallel work counts once.".to_owned()
    }];
    notes.extend(stages.note().filter(|_| !rows.is_empty()));
    let table = Table {
        view: "steps",
        title: "Steps: each step's time by stage",
        columns: columns(!devices.is_empty()),
        rows,
        notes,
        ..Table::default()
    };
    let charts = charts(&table);
    table.with_charts(charts)
}

/// The step's number; with its process where there are several.
fn title(trace: &Trace, step: &Step) -> String {
    match trace.meta.workers.get(usize::from(step.worker)) {
        Some(worker) if trace.meta.workers.len() > 1 => format!("{worker} · step {}", step.number),
        _ => format!("step {}", step.number),
    }
}

fn charts(table: &Table) -> [Option<Chart>; 2] {
    let stages = [
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
        Chart::columns(table, "Each step by stage", &stages),
        Chart::columns(table, "What devices did in each step", &device),
    ]
}

fn columns(has_device: bool) -> Vec<Column> {
    let device = if has_device { Column::new } else { Column::extra };
    vec![
        Column::new("step", "Step", Text, "The step; Enter goes there"),
        Column::extra("number", "Number", Count, "Its number as the producer counts"),
        Column::new("time", "Time", Duration, "How long it took"),
        Column::new("dataloader", "Data loading", Duration, "Time in it in which data was loaded"),
        Column::new("forward", "Forward", Duration, "Time in it in the forward pass, data not being loaded"),
        Column::new(
            "backward",
            "Backward",
            Duration,
            "Time in it in the backward pass and in no stage before",
        ),
        Column::new(
            "optimization",
            "Optimizer",
            Duration,
            "Time in it in the optimizer and in no stage before",
        ),
        Column::new("other", "Other", Duration, "The rest of the step"),
        device(
            "device_busy",
            "Device busy",
            Duration,
            "Time in it in which some device of its process worked",
        ),
        device("device_idle", "Device idle", Duration, "Time in it in which none did"),
        Column::extra(
            "computation",
            "Computing",
            Duration,
            "Of the busy time, kernels computed and none communicated",
        ),
        Column::extra(
            "overlap",
            "Overlap",
            Duration,
            "Of the busy time, kernels computed while others communicated",
        ),
        Column::extra(
            "communication",
            "Communicating",
            Duration,
            "Of the busy time, kernels communicated and none computed",
        ),
        Column::extra("device_other", "Copies", Duration, "Of the busy time, only copies or fills ran"),
    ]
}
