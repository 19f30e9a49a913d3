//! The roofline as a table: what operators of one name and shapes compute and move, how fast, and how much of
//! the device's peak that is.
//!
//! Must not know how operations are counted.

use proftui_trace::model::Trace;

use crate::analysis::arguments::Arguments;
use crate::analysis::arguments::efficiency::roofline::{Point, points};
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::devices;
use crate::analysis::table::ColumnKind::{Amount, Bytes, Count, Duration, Factor, Rate, Ratio, Text};
use crate::analysis::table::{Column, Table, TableRow, Value};
use proftui_base::saturate::saturate;

/// The name of this view, in `--view` and in JSON.
pub const VIEW: &str = "roofline";

/// Builds the table without what was read of operators: it has no rows.
pub fn empty(_: &Trace, _: &Scope) -> Table {
    table(Vec::new(), Vec::new())
}

/// Builds the table from what was read of operators.
pub(crate) fn of(trace: &Trace, scope: &Scope, read: &Arguments) -> Table {
    let Some(operators) = read.operators.as_deref() else { return empty(trace, scope) };
    let part = Part::new(trace, scope);
    match points(trace, &devices(&part), operators) {
        Err(_) => empty(trace, scope),
        Ok(points) => {
            let unknown = points.iter().any(|point| point.least.is_none());
            let mut notes = vec![
                "Operations and bytes are counted from the inputs: each tensor is read or written once. Of \
                 peak is the least time by achievable rates and bandwidth, as a share of the kernels' time."
                    .to_owned(),
            ];
            notes.extend(unknown.then(|| {
                "Where the peaks of the device or the rate of a kernel are not known, Of peak is empty; \
                 --peaks FILE gives peaks."
                    .to_owned()
            }));
            table(points.iter().map(|point| row(trace, point)).collect(), notes)
        }
    }
}

fn row(trace: &Trace, point: &Point) -> TableRow {
    let seconds = point.time as f64 / 1e9;
    let rate = |amount: u64| amount as f64 / seconds.max(1e-9);
    let flops = if point.flops > 0 { Value::Amount(point.flops) } else { Value::Empty };
    let per_second =
        if point.flops > 0 { Value::Amount(saturate::<u64>(rate(point.flops))) } else { Value::Empty };
    let intensity = point.flops as f64 / point.bytes.max(1) as f64;
    let bytes = i64::try_from(point.bytes).map_or(Value::Empty, Value::Bytes);
    TableRow {
        cells: vec![
            Value::Text(trace.string_or(point.name, "(unnamed)").into_owned()),
            Value::text(&point.shapes),
            Value::text(point.element.title()),
            Value::Count(point.calls),
            Value::Duration(point.time),
            point.least.map_or(Value::Empty, |least| Value::Ratio(least / point.time.max(1) as f64)),
            per_second,
            Value::rate(point.bytes, point.time),
            flops,
            bytes,
            if point.flops > 0 { Value::Factor(intensity) } else { Value::Empty },
        ],
        children: Vec::new(),
        longest: Some(point.longest),
    }
}

fn table(rows: Vec<TableRow>, notes: Vec<String>) -> Table {
    let table = Table {
        view: VIEW,
        title: "Roofline: operations, bytes and speed of operators by shapes",
        columns: vec![
            Column::new("name", "Operator", Text, "Name of the operator"),
            Column::new("shapes", "Shapes", Text, "Shapes of its inputs"),
            Column::extra("type", "Type", Text, "Type of the elements of its first factor or summand"),
            Column::new("calls", "Calls", Count, "Number of operators whose kernels lie in the part"),
            Column::new("time", "Kernels", Duration, "Time of the compute kernels of these operators"),
            Column::new(
                "of_peak",
                "Of peak",
                Ratio,
                "Least time by the device's achievable rates and bandwidth, as a share of the kernels' time",
            ),
            Column::new("flops_rate", "FLOP/s", Amount, "Operations per second of the kernels' time"),
            Column::new("bytes_rate", "GB/s", Rate, "Bytes per second of the kernels' time, GB/s"),
            Column::extra("flops", "FLOP", Amount, "Floating point operations, counted from the shapes"),
            Column::extra("bytes", "Bytes", Bytes, "Bytes that have to be read and written at least"),
            Column::extra("intensity", "FLOP/B", Factor, "Operations for each byte"),
        ],
        rows,
        notes,
        ..Table::default()
    };
    let chart = table.share_chart("Share of the peak by operator", "of_peak", "time");
    table.with_charts([chart])
}
