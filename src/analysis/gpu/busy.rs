//! The time that each device spent computing, on other work, and idle (HTA's temporal breakdown).
//!
//! Must not know the launching calls.

use crate::analysis::time::{length, union};
use crate::base::time::Ns;
use crate::model::{Category, Trace};

use super::super::chart::Tint;
use super::super::scope::Scope;
use super::super::table::{Column, ColumnKind, Table, TableRow, Value};
use super::work::{Device, WorkKind, devices, notes};

/// A device's time, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    /// The time from the start of the first work to the end of the last.
    pub span: Ns,
    /// The part of `span` in which nothing ran.
    pub idle: Ns,
    /// The part of `span` in which at least one computing kernel ran.
    pub compute: Ns,
    /// The part of `span` in which only other work ran: `span - compute - idle`.
    pub non_compute: Ns,
}

/// Measures a device's time; time in which several pieces of work run counts once.
pub fn busy(device: &Device) -> Busy {
    let all = union(device.spans(|_| true));
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Busy::default() };
    let span = last.end.saturating_sub(first.start);
    let idle = span.saturating_sub(length(&all));
    let compute = length(&union(device.spans(|work| work.kind == Some(WorkKind::Computation))));
    Busy { span, idle, compute, non_compute: span.saturating_sub(compute).saturating_sub(idle) }
}

/// Builds the table: busy and idle time, a row per device.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let rows = devices(trace, scope).into_iter().map(|device| {
        let time = busy(&device);
        let longest = device.work.iter().max_by_key(|work| work.dur()).map(|work| work.id);
        TableRow {
            cells: vec![
                Value::text(&trace.group_title(&trace.groups[device.group as usize])),
                Value::Count(device.work.len() as u64),
                Value::Duration(time.span),
                Value::Duration(time.idle),
                Value::share(time.idle, time.span),
                Value::Duration(time.compute),
                Value::share(time.compute, time.span),
                Value::Duration(time.non_compute),
                Value::share(time.non_compute, time.span),
            ],
            children: Vec::new(),
            longest,
        }
    });
    let rows: Vec<TableRow> = rows.collect();
    let table = Table {
        view: "busy",
        title: "Device time by activity: computation, other work, idle",
        columns: vec![
            Column::new("device", "Device", ColumnKind::Text, "Name of the device"),
            Column::new(
                "work",
                "Work",
                ColumnKind::Count,
                "Number of kernels, copies and memsets on the device",
            ),
            Column::new(
                "span",
                "Span",
                ColumnKind::Duration,
                "Time from the start of the device's first work to the end of its last",
            ),
            Column::new(
                "idle",
                "Idle",
                ColumnKind::Duration,
                "Part of the span in which no kernel, copy or memset ran",
            ),
            Column::new(
                "idle_share",
                "Idle %",
                ColumnKind::Ratio,
                "Share of the span in which no kernel, copy or memset ran",
            ),
            Column::new(
                "compute",
                "Compute",
                ColumnKind::Duration,
                "Part of the span in which at least one computation kernel ran",
            ),
            Column::new(
                "compute_share",
                "Compute %",
                ColumnKind::Ratio,
                "Share of the span in which at least one computation kernel ran",
            ),
            Column::new(
                "other",
                "Other",
                ColumnKind::Duration,
                "Part of the span in which only communication kernels, copies or memsets ran",
            ),
            Column::new(
                "other_share",
                "Other %",
                ColumnKind::Ratio,
                "Share of the span in which only communication kernels, copies or memsets ran",
            ),
        ],
        notes: notes(
            &rows,
            "Work that runs in parallel on several streams counts once. HTA's get_temporal_breakdown differs: \
             that function cuts off the last step, drops work without a launch, counts waits of streams as work \
             and joins the devices of a process.",
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
