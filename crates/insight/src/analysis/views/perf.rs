//! The summary of training speed: length of steps, data loading within them, steps per second.
//!
//! The numbers are exact; the different ones of Paddle's benchmark timer are made in `compat`. Must not know
//! devices.

use proftui_base::fmt;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{SliceId, Step, Trace};

use crate::analysis::part::loading::Loading;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, time};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Makes the row of a measure from its value (ns) in each step, with the step's slice. `whole` is the summed
/// time of the steps, ns.
fn row(title: &str, values: &[(Ns, SliceId)], whole: Ns, rate: Option<String>) -> TableRow {
    let longest = values.iter().max_by_key(|(value, _)| *value);
    let shortest = values.iter().map(|(value, _)| *value).min();
    let total = sum(values.iter().map(|(value, _)| *value));
    let count = i64::try_from(values.len()).unwrap_or(i64::MAX).max(1);
    TableRow {
        cells: vec![
            Value::text(title),
            Value::Count(values.len() as u64),
            Value::Duration(total),
            Value::share(total, whole),
            Value::Duration(total / count),
            longest.map_or(Value::Empty, |(value, _)| Value::Duration(*value)),
            shortest.map_or(Value::Empty, Value::Duration),
            rate.map_or(Value::Empty, |rate| Value::text(&rate)),
        ],
        children: Vec::new(),
        longest: longest.map(|(_, id)| *id),
    }
}

/// Builds the table of training speed: length and rate of each worker's whole steps, and the data loading in
/// them.
pub fn perf(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let times = Loading::of(trace, scope);
    let mut left_out = 0;
    let mut rows = Vec::new();
    for (name, of_worker) in trace.meta.workers.iter().zip(part.steps_by_worker()) {
        let (steps, cut): (Vec<&Step>, Vec<&Step>) =
            of_worker.into_iter().partition(|step| part.clip(step.span) == step.span);
        left_out += cut.len();
        if steps.is_empty() {
            continue;
        }
        let lengths: Vec<_> = steps.iter().map(|step| (step.span.len(), step.slice)).collect();
        let slices = steps.iter().map(|step| step.slice);
        let loading: Vec<_> = times.in_steps(trace, &steps).into_iter().zip(slices).collect();
        let whole = sum(lengths.iter().map(|(length, _)| *length));
        // Requests overlap: what is done per second is not the reciprocal of their latency.
        let covered = time::covered(steps.iter().map(|step| step.span).collect());
        let rate = (covered > 0).then(|| format!("{:.3} steps/s", steps.len() as f64 * 1e9 / covered as f64));
        let title = |measure: &str| match trace.meta.workers.len() {
            1 => measure.to_owned(),
            _ => format!("{name} · {measure}"),
        };
        rows.push(row(&title("step"), &lengths, whole, rate));
        if loading.iter().any(|(time, _)| *time > 0) {
            rows.push(row(&title("loading data"), &loading, whole, None));
        }
    }
    let mut notes = Vec::new();
    if !rows.is_empty() {
        let note = "All steps count equally. Paddle's Perf Summary differs: it adds up batch_cost from \
            the tenth step on but divides by the number of steps after the tenth, counts reader_cost from \
            the eleventh on, and misses some minima. There, batch_cost is the time from one step() to the \
            next, reader_cost the time in the DataLoader.";
        notes.push(note.to_owned());
    }
    if left_out > 0 {
        notes.push(format!(
            "Left out: {} that the summarized part cuts.",
            fmt::counted(left_out as u64, "step")
        ));
    }
    Table {
        view: "perf",
        title: "Speed: step time, data loading time, steps per second",
        columns: vec![
            Column::new(
                "measure",
                "Measure",
                ColumnKind::Text,
                "step: duration of the steps; loading data: time of data loading that begins in a step, on \
                 its thread, within it",
            ),
            Column::new(
                "steps",
                "Steps",
                ColumnKind::Count,
                "Number of the row's steps, which lie whole in the summarized part",
            ),
            Column::new(
                "time",
                "Time",
                ColumnKind::Duration,
                "Time of the measure, summed over the row's steps",
            ),
            Column::new(
                "share",
                "Of steps",
                ColumnKind::Ratio,
                "Time of the measure as a share of the summed duration of the row's steps",
            ),
            Column::new("average", "Average", ColumnKind::Duration, "Average of the measure per step"),
            Column::new(
                "longest",
                "Longest",
                ColumnKind::Duration,
                "Largest value of the measure in one of the row's steps",
            ),
            Column::new(
                "shortest",
                "Shortest",
                ColumnKind::Duration,
                "Smallest value of the measure in one of the row's steps",
            ),
            Column::new(
                "rate",
                "Rate",
                ColumnKind::Text,
                "Steps per second: number of steps divided by the time in which any of them ran",
            ),
        ],
        rows,
        notes,
        ..Table::default()
    }
}
