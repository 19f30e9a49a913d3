//! How much of the communication of each device is hidden behind computation.
//!
//! Must not know streams.

use proftui_trace::model::{Category, Trace};

use super::notes;
use crate::analysis::part::Part;
use crate::analysis::part::device_time::overlap;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{WorkKind, in_run};
use crate::analysis::table::chart::Tint;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Builds the table of the overlap of communication and computation: a row per device that has communication
/// kernels in the part.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let rows = in_run(&Part::new(trace, scope)).into_iter().filter_map(|device| {
        let mut spans = device.work.iter().filter(|work| work.kind == Some(WorkKind::Communication));
        let longest = spans.clone().max_by_key(|work| work.dur()).map(|work| work.id);
        spans.next()?;
        let time = overlap(&device);
        Some(TableRow {
            cells: vec![
                Value::text(&trace.group_title(&trace.groups[device.group])),
                Value::Duration(time.communication),
                Value::Duration(time.shared),
                Value::Duration(time.exposed()),
                Value::share(time.shared, time.communication),
            ],
            children: Vec::new(),
            longest,
        })
    });
    let rows: Vec<TableRow> = rows.collect();
    let table = Table {
        view: "distributed",
        title: "Overlap of communication and computation",
        columns: vec![
            Column::new("device", "Device", ColumnKind::Text, "Name of the device"),
            Column::new(
                "communication",
                "Communication",
                ColumnKind::Duration,
                "Time in which at least one communication kernel ran on the device",
            ),
            Column::new(
                "hidden",
                "Hidden",
                ColumnKind::Duration,
                "Part of the communication time in which a computation kernel ran too",
            ),
            Column::new(
                "exposed",
                "Exposed",
                ColumnKind::Duration,
                "Part of the communication time in which no computation kernel ran",
            ),
            Column::new(
                "hidden_share",
                "Hidden %",
                ColumnKind::Ratio,
                "Share of the communication time in which a computation kernel ran too",
            ),
        ],
        notes: notes(
            &rows,
            "Kernels count as communication by their names, such as ones with nccl or all_reduce in them. \
             HTA's get_comm_comp_overlap counts only kernels named nccl*Kernel*.",
        ),
        rows,
        ..Table::default()
    };
    let parts = [
        ("hidden", Tint::Category(Category::UserDefined)),
        ("exposed", Tint::Category(Category::Communication)),
    ];
    let chart = table.column_chart("Communication time of each device", &parts);
    table.with_charts([chart])
}
