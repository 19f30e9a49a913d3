//! Sums over events that share a name: calls, total, longest and shortest times; and the cells, columns and
//! sort order that Paddle's tables have in common.
//!
//! Must not know where the events come from.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{TableRow, Value};
use proftui_base::time::Ns;

use super::options::SortKey;

/// Total, longest and shortest time of several calls, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::compat) struct Spread {
    pub total: Ns,
    pub max: Ns,
    /// Shortest time; None if there was no call.
    pub min: Option<Ns>,
}

impl Spread {
    /// Adds a call that took `time` ns.
    pub(in crate::compat) fn add(&mut self, time: Ns) {
        self.total = self.total.saturating_add(time);
        self.max = self.max.max(time);
        self.min = Some(self.min.map_or(time, |min| min.min(time)));
    }

    /// The average time of a call, ns: the total divided by `calls`.
    fn average(&self, calls: u64) -> f64 {
        self.total as f64 / calls as f64
    }
}

/// The number of events that a row stands for, and their host, kernel and device times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::compat) struct Sums {
    pub calls: u64,
    /// Host time of the events: total, longest and shortest, ns.
    pub cpu: Spread,
    /// Kernel time of the events: total, longest and shortest, ns.
    pub kernel: Spread,
    /// Device time of the events: total, longest and shortest, ns.
    pub device: Spread,
}

/// Compares two rows by `key`: `Less` if `a` is printed before `b`.
pub(in crate::compat) fn order(a: &Sums, b: &Sums, key: SortKey) -> std::cmp::Ordering {
    let average =
        |a: &Spread, b: &Spread, calls: (u64, u64)| b.average(calls.1).total_cmp(&a.average(calls.0));
    match key {
        SortKey::CpuTotal => b.cpu.total.cmp(&a.cpu.total),
        SortKey::CpuAvg => average(&a.cpu, &b.cpu, (a.calls, b.calls)),
        SortKey::CpuMax => b.cpu.max.cmp(&a.cpu.max),
        SortKey::CpuMin => a.cpu.min.cmp(&b.cpu.min),
        SortKey::GpuTotal => b.device.total.cmp(&a.device.total),
        SortKey::GpuAvg => average(&a.device, &b.device, (a.calls, b.calls)),
        SortKey::GpuMax => b.device.max.cmp(&a.device.max),
        SortKey::GpuMin => a.device.min.cmp(&b.device.min),
    }
}

/// The ratio of `part` to `whole`; 0 if the whole is 0.
pub(in crate::compat) fn part(part: Ns, whole: Ns) -> Value {
    Value::Ratio(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}

/// Makes the cells of a time: total, average over `calls` in whole ns, longest, shortest, and `ratio`.
pub(in crate::compat) fn five(spread: &Spread, calls: u64, ratio: Value) -> [Value; 5] {
    let average = i64::try_from(calls).ok().filter(|&calls| calls > 0).map(|calls| spread.total / calls);
    [
        Value::Duration(spread.total),
        average.map_or(Value::Empty, Value::Duration),
        Value::Duration(spread.max),
        spread.min.map_or(Value::Empty, Value::Duration),
        ratio,
    ]
}

/// Makes five cells: the total, three empty ones (average, longest, shortest), and the ratio.
pub(in crate::compat) fn two(total: Ns, ratio: Value) -> [Value; 5] {
    [Value::Duration(total), Value::Empty, Value::Empty, Value::Empty, ratio]
}

/// Five empty cells.
pub(in crate::compat) const NOTHING: [Value; 5] =
    [Value::Empty, Value::Empty, Value::Empty, Value::Empty, Value::Empty];

/// Makes a row without children: name, calls, and the further cells.
pub(in crate::compat) fn row(name: Value, calls: Value, cells: impl IntoIterator<Item = Value>) -> TableRow {
    TableRow::new([name, calls].into_iter().chain(cells).collect())
}

/// The columns that several of Paddle's tables have: name, calls, five of host time and five of device time
/// (total, average, longest, shortest, ratio).
pub(in crate::compat) fn columns() -> Vec<Column> {
    use ColumnKind::{Count, Duration, Ratio, Text};
    vec![
        Column::new("name", "Name", Text, "Name of the events"),
        Column::new("calls", "Calls", Count, "Number of events in this row"),
        Column::new(
            "cpu_total",
            "CPU total",
            Duration,
            "Summed host time of the events, nested events included",
        ),
        Column::new("cpu_avg", "CPU avg", Duration, "Average host time per event, rounded down to whole ns"),
        Column::new("cpu_max", "CPU max", Duration, "Longest host time of one event"),
        Column::new("cpu_min", "CPU min", Duration, "Shortest host time of one event"),
        Column::new(
            "cpu_ratio",
            "CPU ratio",
            Ratio,
            "Host time as a share of the steps' (Paddle: of the time in which one ran), of all rows' of the \
             thread or table, or of the parent row's",
        ),
        Column::new(
            "gpu_total",
            "GPU total",
            Duration,
            "Device time of the events, or of the device work that they launched (in the view model, \
             of kernels only)",
        ),
        Column::new(
            "gpu_avg",
            "GPU avg",
            Duration,
            "Average device time per event, rounded down to whole ns",
        ),
        Column::new(
            "gpu_max",
            "GPU max",
            Duration,
            "Largest device time of one event (in VisualDL's view model: in one step, or outside of all)",
        ),
        Column::new(
            "gpu_min",
            "GPU min",
            Duration,
            "Smallest device time of one event (in VisualDL's view model: in one step with kernels, or \
             outside of all)",
        ),
        Column::new(
            "gpu_ratio",
            "GPU ratio",
            Ratio,
            "Device time as a share of the steps', of all rows' of the thread or table, or of the parent \
             row's",
        ),
    ]
}
