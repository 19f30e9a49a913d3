//! The time that each device spent computing, on other work, and idle (HTA's temporal breakdown).
//!
//! Must not know who launched what.

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
        title: "Device time: computing, other work, idle",
        columns: vec![
            Column::new("device", "Device", ColumnKind::Text, "The device"),
            Column::new("work", "Work", ColumnKind::Count, "Kernels, copies and memsets"),
            Column::new(
                "span",
                "Span",
                ColumnKind::Duration,
                "From the start of its first work to the end of its last",
            ),
            Column::new("idle", "Idle", ColumnKind::Duration, "Of that, nothing ran"),
            Column::new("idle_share", "Idle %", ColumnKind::Ratio, "Idle time of the span"),
            Column::new("compute", "Computing", ColumnKind::Duration, "At least one computing kernel ran"),
            Column::new("compute_share", "Computing %", ColumnKind::Ratio, "Computing time of the span"),
            Column::new("other", "Other", ColumnKind::Duration, "Only communication, copies or memsets ran"),
            Column::new("other_share", "Other %", ColumnKind::Ratio, "Other time of the span"),
        ],
        notes: notes(
            &rows,
            "Parallel work counts once. HTA's get_temporal_breakdown cuts off the last step, drops work without a launch, \
             counts waits of streams as work and joins the devices of a process; this table does none of that.",
        ),
        rows,
        ..Table::default()
    };
    let parts = [
        ("compute", Tint::Category(Category::Kernel)),
        ("other", Tint::Category(Category::Memcpy)),
        ("idle", Tint::Idle),
    ];
    let chart = table.column_chart("What each device did", &parts);
    table.with_charts([chart])
}
