//! Paddle's device view: utilization of the host's processors and of each device.

use crate::analysis::part::time::covered;
use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use proftui_base::intern::StrId;
use proftui_base::time::Span;
use proftui_trace::model::{Category, Trace};

use super::context::Context;
use super::overview;
use super::tally::Tally;

/// The ratio (1 for 100 %) in the entry `key` of the trace's header; empty if the header has no finite number
/// there.
pub(in crate::compat) fn header_share(trace: &Trace, key: &str) -> Value {
    let entry = trace.meta.header.iter().find(|(name, _)| name == key);
    let share: Option<f64> = entry.and_then(|(_, value)| value.parse().ok());
    share.filter(|share| share.is_finite()).map_or(Value::Empty, Value::Ratio)
}

/// A note on how exact Paddle's processor utilizations are; None unless the trace states one of at most 0 %
/// or at least 99.995 %.
pub fn note(trace: &Trace) -> Option<String> {
    let is_extreme =
        |value: &Value| matches!(value, Value::Ratio(share) if *share <= 0.0 || *share >= 0.999_95);
    let keys = ["Process Cpu Utilization", "System Cpu Utilization"];
    keys.iter().any(|key| is_extreme(&header_share(trace, key))).then(|| {
        "The utilization of processors is printed as the profile states it. Paddle reads counters of \
         processor time that advance by 10 ms, so after a short recording it may be 0 or 100 %."
            .to_owned()
    })
}

/// Builds Paddle's device table: the utilization of the processors by the process and by the whole machine,
/// and of the devices.
pub(super) fn table(context: &Context<'_>) -> Table {
    let trace = context.forest.trace;
    let row = |name: String, value: Value| TableRow::new(vec![Value::text(&name), value]);
    let mut rows = vec![
        row("CPU(Process)".into(), header_share(trace, "Process Cpu Utilization")),
        row("CPU(System)".into(), header_share(trace, "System Cpu Utilization")),
    ];
    let mut kernels: Tally<StrId, Vec<Span>> = Tally::default();
    for (device, category, span) in overview::device_work(&context.forest) {
        let of_device = kernels.of(device);
        if category == Category::Kernel {
            of_device.push(span);
        }
    }
    for (device, spans) in kernels.into_items() {
        let name = trace.strings.text(device);
        let name = format!("GPU{}", name.as_str().trim_start_matches("GPU "));
        rows.push(row(name, Value::share(covered(spans), context.total)));
    }
    let mut notes: Vec<String> = [
        "CPU(Process): processor time of the process per second of elapsed time, up to 100% per core.",
        "CPU(System): share of the machine's processor time used by all processes together.",
        "GPU: time in which at least one kernel that was launched within a host event ran on the device, in \
         steps or not, as a share of the time in which at least one step ran.",
    ]
    .map(String::from)
    .into();
    if context.total == 0 {
        notes.push(
            "There are no steps (ProfileStep) with time, so GPU utilization, a share of the steps' time, is \
             not available (-)."
                .into(),
        );
    }
    Table {
        view: "device",
        title: "Device Summary",
        columns: vec![
            Column::new(
                "device",
                "Device",
                ColumnKind::Text,
                "Device; CPU(Process) and CPU(System) stand for the host's processors",
            ),
            Column::new(
                "utilization",
                "Utilization (%)",
                ColumnKind::Ratio,
                "GPU: time in which a kernel launched within a host event ran, as a share of the time in \
                 which a step ran; CPU: the utilization that the profile states",
            ),
        ],
        rows,
        notes,
        ..Table::default()
    }
}
