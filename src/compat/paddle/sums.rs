//! Calls and times of events that share a name: sums, largest, smallest, and their order.
//!
//! Must not know where the events come from.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{TableRow, Value};
use crate::base::time::Ns;

/// What rows are sorted by, as Paddle names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// Host time in all.
    #[default]
    CpuTotal,
    /// Host time for each call.
    CpuAvg,
    /// The longest call.
    CpuMax,
    /// The shortest call, shortest first.
    CpuMin,
    /// Device time in all.
    GpuTotal,
    /// Device time for each call.
    GpuAvg,
    /// Most device time of a call.
    GpuMax,
    /// Least device time of a call, least first.
    GpuMin,
}

impl SortKey {
    /// Every key by its name.
    pub const ALL: &[(&str, Self)] = &[
        ("CPUTotal", Self::CpuTotal),
        ("CPUAvg", Self::CpuAvg),
        ("CPUMax", Self::CpuMax),
        ("CPUMin", Self::CpuMin),
        ("GPUTotal", Self::GpuTotal),
        ("GPUAvg", Self::GpuAvg),
        ("GPUMax", Self::GpuMax),
        ("GPUMin", Self::GpuMin),
    ];

    /// The key of this name, in letters of either case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, key)| key)
    }
}

/// Times of several calls, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::compat) struct Spread {
    pub total: Ns,
    pub max: Ns,
    /// None when nothing was added.
    pub min: Option<Ns>,
}

impl Spread {
    pub(in crate::compat) fn add(&mut self, time: Ns) {
        self.total = self.total.saturating_add(time);
        self.max = self.max.max(time);
        self.min = Some(self.min.map_or(time, |min| min.min(time)));
    }

    fn average(&self, calls: u64) -> f64 {
        self.total as f64 / calls as f64
    }
}

/// Calls, and what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::compat) struct Sums {
    pub calls: u64,
    pub cpu: Spread,
    /// Kernels only.
    pub kernel: Spread,
    /// Kernels, copies and memsets.
    pub device: Spread,
}

/// How two rows stand to each other by `key`: what is printed first is less.
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

/// `part` of `whole`; 0 where there is no whole.
pub(in crate::compat) fn part(part: Ns, whole: Ns) -> Value {
    Value::Ratio(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}

/// Total, average, largest, smallest and ratio, as five cells.
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

/// Five cells of which only the total and the ratio are known.
pub(in crate::compat) fn two(total: Ns, ratio: Value) -> [Value; 5] {
    [Value::Duration(total), Value::Empty, Value::Empty, Value::Empty, ratio]
}

/// Five cells of nothing.
pub(in crate::compat) const NOTHING: [Value; 5] =
    [Value::Empty, Value::Empty, Value::Empty, Value::Empty, Value::Empty];

/// A row of a name, calls and cells.
pub(in crate::compat) fn row(name: Value, calls: Value, cells: impl IntoIterator<Item = Value>) -> TableRow {
    TableRow::new([name, calls].into_iter().chain(cells).collect())
}

/// The columns of a name, its calls, its host times and its device times.
pub(in crate::compat) fn columns() -> Vec<Column> {
    use ColumnKind::{Count, Duration, Ratio, Text};
    vec![
        Column::new("name", "Name", Text, "The events' name"),
        Column::new("calls", "Calls", Count, "How many there are"),
        Column::new("cpu_total", "CPU total", Duration, "Host time of all of them, what is nested included"),
        Column::new("cpu_avg", "CPU avg", Duration, "Host time for each, cut to whole ns"),
        Column::new("cpu_max", "CPU max", Duration, "The longest"),
        Column::new("cpu_min", "CPU min", Duration, "The shortest"),
        Column::new("cpu_ratio", "CPU ratio", Ratio, "Host time of the whole that the table is about"),
        Column::new("gpu_total", "GPU total", Duration, "Device time of all work launched inside, summed"),
        Column::new("gpu_avg", "GPU avg", Duration, "Device time for each, cut to whole ns"),
        Column::new("gpu_max", "GPU max", Duration, "Most device time of one"),
        Column::new("gpu_min", "GPU min", Duration, "Least device time of one"),
        Column::new("gpu_ratio", "GPU ratio", Ratio, "Device time of the whole that the table is about"),
    ]
}
