//! The summary of a serving engine's steps: a row per kind and batch size with latencies, tokens, device time
//! by class of kernels, and the idle time between steps.
//!
//! Only whole steps count, with all of their work: latencies and tokens are those of whole steps. Must not
//! know how steps are recognised.

mod work;

use std::collections::BTreeMap;

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{Category, KernelClass, Serving, ServingKind, Step, Trace};

use self::work::{StepWork, work};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, Piece};
use crate::analysis::table::ColumnKind::{Count, Duration, Text};
use crate::analysis::table::chart::Tint;
use crate::analysis::table::tally::Tally;
use crate::analysis::table::{Column, Table, TableRow, Value};

/// What the steps of a row have in common: kind, batch size, and the resolution of their images or videos, if
/// they make any.
type Key = (ServingKind, u64, Option<(u32, u32)>);

/// The steps of one row of the table, added up.
#[derive(Default)]
struct Steps {
    tally: Tally,
    requests: u64,
    /// The batch sizes of the steps, with padding where the engine states it, added up.
    batches: u64,
    /// The tokens and the time (ns) of the steps that state tokens, added up; `None` if no step states any.
    tokens: Option<(u64, Ns)>,
    work: Vec<StepWork>,
}

impl Steps {
    fn add(&mut self, step: &Step, serving: Serving, work: StepWork) {
        self.tally.add(Piece { id: step.slice, span: step.span, begins: true, whole: step.span.len() }, true);
        self.requests = self.requests.saturating_add(serving.requests);
        self.batches = self.batches.saturating_add(serving.batch());
        if let Some(tokens) = serving.tokens {
            let (all, time) = self.tokens.unwrap_or_default();
            self.tokens = Some((all.saturating_add(tokens), time.saturating_add(step.span.len())));
        }
        self.work.push(work);
    }

    fn row(mut self, key: Key, has_device: bool) -> TableRow {
        let (kind, batch, resolution) = key;
        let shown = Serving { kind, requests: batch, padded: None, tokens: None, resolution };
        let [average, shortest, p50, p99, longest] = self.tally.spread();
        let padding = self.batches.saturating_sub(self.requests);
        let rate = |(tokens, time): (u64, Ns)| {
            (time > 0).then(|| saturate::<u64>((tokens as f64 * 1e9 / time as f64).round()))
        };
        let class = |at: usize| sum(self.work.iter().map(|work| work.classes[at]));
        let classes = [0, 1, 2, 3, 4, 5].map(class);
        let bubbles: Vec<Ns> = self.work.iter().filter_map(|work| work.bubble).collect();
        let time = |time: Ns| if has_device { Value::Duration(time) } else { Value::Empty };
        let count = |number: Option<u64>| number.map_or(Value::Empty, Value::Count);
        let host = [
            Value::text(&shown.to_string()),
            Value::text(kind.name()),
            Value::Count(batch),
            Value::Count(self.tally.count()),
            Value::Duration(self.tally.total),
            average,
            shortest,
            p50,
            p99,
            longest,
            Value::Count(self.requests),
            Value::Count(padding),
            count(self.tokens.map(|(tokens, _)| tokens)),
            count(self.tokens.and_then(rate)),
        ];
        let device = [time(sum(classes))].into_iter().chain(classes.map(time));
        let bubble = if bubbles.is_empty() { Value::Empty } else { Value::Duration(sum(bubbles)) };
        let cells = host.into_iter().chain(device).chain([bubble]).collect();
        TableRow { cells, children: Vec::new(), longest: self.tally.longest() }
    }
}

/// Builds the table of the steps of serving engines by kind, batch size and resolution. Steps that the part
/// cuts are left out.
pub fn serving(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let served: Vec<(&Step, Serving)> = part.steps().filter_map(|step| Some((step, step.serving?))).collect();
    let of_all = served.len();
    let (steps, servings): (Vec<&Step>, Vec<Serving>) =
        served.into_iter().filter(|(step, _)| part.clip(step.span) == step.span).unzip();
    let work = work(&part, &steps);
    let mut rows: BTreeMap<Key, Steps> = BTreeMap::new();
    for ((step, serving), work) in steps.iter().zip(servings).zip(&work.of_steps) {
        let key = (serving.kind, serving.batch(), serving.resolution);
        rows.entry(key).or_default().add(step, serving, *work);
    }
    let rows: Vec<TableRow> = rows.into_iter().map(|(key, steps)| steps.row(key, work.has_device)).collect();
    let mut notes = Vec::new();
    if !rows.is_empty() {
        notes.push(LATENCY.to_owned());
        if work.has_device {
            notes.push(DEVICE.to_owned());
            notes.push(BUBBLE.to_owned());
        }
        if work.elsewhere > 0 {
            notes.push(format!(
                "In no row: {} of device work that other threads of the process launched while a step ran.",
                fmt::duration(work.elsewhere)
            ));
        }
    }
    if of_all > steps.len() {
        let cut = fmt::counted((of_all - steps.len()) as u64, "step");
        notes.push(format!("Left out: {cut} that the summarized part cuts."));
    }
    let table = Table {
        view: "serving",
        title: "Steps of serving engines by kind, batch size and resolution",
        columns: columns(work.has_device),
        rows,
        notes,
        ..Table::default()
    };
    let chart = table.column_chart(
        "Device time of the steps by class of work",
        &CLASSES.map(|(id, _, _, tint)| (id, tint)),
    );
    table.with_charts([chart])
}

const LATENCY: &str = "A step lasts as long as its mark on the host, a profiler's or the engine's \
    annotation; batch sizes include padding where the engine states it. Tokens/s: tokens per second of the \
    time of the steps whose tokens are known; the time is added up over processes.";
const DEVICE: &str = "Device time is that of the work launched in the steps: by calls that begin in a step \
    on its thread, whenever the work runs; added up over streams. Kernels divide into classes by their \
    names.";
const BUBBLE: &str = "Bubble: recorded time in which no device of the process was at work, from the last \
    work of the steps before to the first work of the row's steps. Work not recorded, or on \
    lanes left out, looks idle.";

/// The columns of the classes of kernels, in the order of [`KernelClass::ALL`]: id, heading, meaning, colour.
const CLASSES: [(&str, &str, &str, Tint); KernelClass::ALL.len()] = [
    ("matrix", "Matrix", "Device time of matrix products and convolutions", Tint::Category(Category::Kernel)),
    ("attention", "Attention", "Device time of attention", Tint::Category(Category::Operator)),
    (
        "elementwise",
        "Elementwise",
        "Device time of normalisation, activations and the like",
        Tint::Category(Category::UserDefined),
    ),
    (
        "communication",
        "Communication",
        "Device time of kernels that communicate between devices",
        Tint::Category(Category::Communication),
    ),
    (
        "copies",
        "Copies",
        "Device time of copies, memsets, and kernels known to copy or rearrange values",
        Tint::Category(Category::Memcpy),
    ),
    ("other_kernels", "Other", "Device time of kernels of no other class", Tint::Remainder),
];

fn columns(has_device: bool) -> Vec<Column> {
    let device = if has_device { Column::new } else { Column::extra };
    let of_steps = [
        Column::new(
            "step",
            "Step",
            Text,
            "Kind and batch size of the steps, for images or videos with the resolution; in the explorer, \
             Enter goes to the longest step",
        ),
        Column::extra("kind", "Kind", Text, "Kind of the steps: prefill, decode, mixed, diffusion, other"),
        Column::extra("batch", "Batch", Count, "Batch size, with padding where the engine states it"),
        Column::new("steps", "Steps", Count, "Number of steps"),
        Column::extra("time", "Time", Duration, "Time of the steps, added up"),
        Column::extra("average", "Average", Duration, "Average duration of the steps"),
        Column::extra("min", "Shortest", Duration, "Duration of the shortest step"),
        Column::new("p50", "p50", Duration, "Median duration of the steps (nearest rank)"),
        Column::new("p99", "p99", Duration, "99th percentile of the steps' durations (nearest rank)"),
        Column::new("max", "Longest", Duration, "Duration of the longest step"),
        Column::extra("requests", "Requests", Count, "Requests in the steps, added up over the steps"),
        Column::extra(
            "padding",
            "Padding",
            Count,
            "Entries of the batches that the engine states as padding, added up over the steps",
        ),
        Column::new("tokens", "Tokens", Count, "Tokens that the steps compute, as far as known"),
        Column::new(
            "tokens_rate",
            "Tokens/s",
            Count,
            "Tokens per second of the time of the steps whose tokens are known",
        ),
        device(
            "device",
            "Device",
            Duration,
            "Time of the device work launched in the steps on their threads, added up over streams",
        ),
    ];
    let classes = CLASSES.map(|(id, title, about, _)| Column::extra(id, title, Duration, about));
    let bubble = device(
        "bubble",
        "Bubble",
        Duration,
        "Recorded time without device work from the last work of the steps before to the first work of \
         these steps",
    );
    of_steps.into_iter().chain(classes).chain([bubble]).collect()
}
