//! The time that each device spent computing, on other work, and idle (HTA's temporal breakdown, over a part
//! of a trace).
//!
//! Must not know the launching calls.

use proftui_trace::model::{Category, Trace};

use super::notes;
use crate::analysis::part::Part;
use crate::analysis::part::device_time::DeviceTime;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::in_run;
use crate::analysis::table::chart::Tint;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Builds the table of busy and idle time, a row per device.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let rows = in_run(&part).into_iter().map(|device| {
        let time = DeviceTime::of(&device, part.run(device.worker));
        let longest = device.work.iter().max_by_key(|work| work.dur()).map(|work| work.id);
        TableRow {
            cells: vec![
                Value::text(&trace.group_title(&trace.groups[device.group])),
                Value::Count(device.work.iter().filter(|work| work.begins).count() as u64),
                Value::Duration(time.part),
                Value::Duration(time.idle()),
                Value::share(time.idle(), time.part),
                Value::Duration(time.between),
                Value::Duration(time.edges),
                Value::Duration(time.compute),
                Value::share(time.compute, time.part),
                Value::Duration(time.other()),
                Value::share(time.other(), time.part),
                Value::Duration(time.span),
            ],
            children: Vec::new(),
            longest,
        }
    });
    let rows: Vec<TableRow> = rows.collect();
    let table = Table {
        view: "busy",
        title: "Time of each device by activity: computation, other work, idle",
        columns: columns(),
        notes: notes(
            &rows,
            "Time with work on several streams counts once. HTA's get_temporal_breakdown differs: that \
             function measures from the first work to the last (Span), usually cuts off the last step, drops \
             work without a launch, counts waits of streams as work and joins the devices of a process.",
        ),
        rows,
        ..Table::default()
    };
    let parts = [
        ("compute", Tint::Category(Category::Kernel)),
        ("other", Tint::Category(Category::Memcpy)),
        ("idle", Tint::Idle),
    ];
    let chart = table.column_chart("Time of each device by activity", &parts);
    table.with_charts([chart])
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("device", "Device", ColumnKind::Text, "Name of the device"),
        Column::new(
            "work",
            "Work",
            ColumnKind::Count,
            "Number of kernels, copies and memsets that begin on the device in the run",
        ),
        Column::new(
            "part",
            "Part",
            ColumnKind::Duration,
            "The run: time of the summarized part that shares are of",
        ),
        Column::new(
            "idle",
            "Idle",
            ColumnKind::Duration,
            "Time in which no kernel, copy or memset ran: Between and Edges",
        ),
        Column::new(
            "idle_share",
            "Idle %",
            ColumnKind::Ratio,
            "Share of the run in which no kernel, copy or memset ran",
        ),
        Column::new(
            "between",
            "Between",
            ColumnKind::Duration,
            "Idle time between the first and the last work in each time of the run",
        ),
        Column::new(
            "edges",
            "Edges",
            ColumnKind::Duration,
            "Time before the first work and after the last in each time of the run; all of one without work",
        ),
        Column::new(
            "compute",
            "Compute",
            ColumnKind::Duration,
            "Time in which at least one computation kernel ran",
        ),
        Column::new(
            "compute_share",
            "Compute %",
            ColumnKind::Ratio,
            "Share of the run in which at least one computation kernel ran",
        ),
        Column::new(
            "other",
            "Other",
            ColumnKind::Duration,
            "Time in which only communication kernels, copies or memsets ran",
        ),
        Column::new(
            "other_share",
            "Other %",
            ColumnKind::Ratio,
            "Share of the run in which only communication kernels, copies or memsets ran",
        ),
        Column::extra(
            "span",
            "Span",
            ColumnKind::Duration,
            "Time from the first work to the end of the last in each time of the run, added up",
        ),
    ]
}
