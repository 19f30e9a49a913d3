//! How busy the processors and devices were.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::time::covered;
use crate::analysis::{Table, TableRow, Value};
use crate::base::intern::StrId;
use crate::base::time::Span;
use crate::model::{Category, Trace};

use super::tally::Tally;
use super::{Ground, overview};

/// A share that the header tells.
pub(in crate::compat) fn told(trace: &Trace, key: &str) -> Value {
    let entry = trace.meta.header.iter().find(|(name, _)| name == key);
    let share: Option<f64> = entry.and_then(|(_, value)| value.parse().ok());
    share.filter(|share| share.is_finite()).map_or(Value::Empty, Value::Ratio)
}

/// One row for the process, one for the machine, one for each device.
pub(super) fn table(ground: &Ground<'_>) -> Table {
    let trace = ground.forest.trace;
    let row = |name: String, value: Value| TableRow::new(vec![Value::text(&name), value]);
    let mut rows = vec![
        row("CPU(Process)".into(), told(trace, "Process Cpu Utilization")),
        row("CPU(System)".into(), told(trace, "System Cpu Utilization")),
    ];
    let mut kernels: Tally<StrId, Vec<Span>> = Tally::default();
    for (device, category, range) in overview::device_work(&ground.forest) {
        let of_device = kernels.of(device);
        if category == Category::Kernel {
            of_device.push(range);
        }
    }
    for (device, ranges) in kernels.into_items() {
        let name = trace.strings.text(device);
        let name = format!("GPU{}", name.as_str().trim_start_matches("GPU "));
        rows.push(row(name, Value::share(covered(ranges), ground.total)));
    }
    let mut notes: Vec<String> = [
        "CPU(Process): processor time of the process for each second that passed; up to 100% for each core.",
        "CPU(System): the part of the machine's processor time that any process took.",
        "GPU: the part of the steps' time in which at least one kernel ran on the device; kernels that outlast the steps count.",
    ]
    .map(String::from)
    .into();
    if ground.total == 0 {
        notes.push("No step was recorded (ProfileStep), so nothing can be put in relation to the steps' time: - stands for it.".into());
    }
    Table {
        view: "device",
        title: "Device Summary",
        columns: vec![
            Column::new("device", "Device", ColumnKind::Text, "What was busy"),
            Column::new("utilization", "Utilization (%)", ColumnKind::Ratio, "For how much of the time"),
        ],
        rows,
        notes,
        ..Table::default()
    }
}
