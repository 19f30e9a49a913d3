//! The idle time of devices and streams by cause, as the ledger has it.
//!
//! Must not know how time is charged.

use proftui_base::time::Span;
use proftui_trace::model::Trace;

use crate::analysis::ledger::{Cause, DeviceLedger, DeviceSums, Ledger};
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::table::chart::Tint;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Builds the table of idle time by cause, with rows for devices and, if a device has several, its streams.
pub(crate) fn table(trace: &Trace, scope: &Scope) -> Table {
    let ledger = Ledger::of(trace);
    let streams = ledger.of_streams(trace);
    rows(trace, &ledger, scope, &streams)
}

/// Builds the table of idle time by cause for devices, without rows for streams.
pub(crate) fn of_devices(trace: &Trace, scope: &Scope) -> Table {
    rows(trace, &Ledger::of(trace), scope, &[])
}

fn rows(trace: &Trace, ledger: &Ledger, scope: &Scope, streams: &[(usize, DeviceLedger)]) -> Table {
    let part = Part::new(trace, scope);
    let mut rows = Vec::new();
    let mut wanted = ledger.in_scope(trace, scope).peekable();
    for (at, device) in ledger.devices.iter().enumerate() {
        if wanted.next_if(|wanted| std::ptr::eq(*wanted, device)).is_none() {
            continue;
        }
        let title = trace.group_title(&trace.groups[device.group]);
        add(&mut rows, trace, device, part.span(), &title);
        let from = streams.partition_point(|(of, _)| *of < at);
        let of_device = &streams[from..streams.partition_point(|(of, _)| *of <= at)];
        if of_device.len() > 1 {
            let streams = of_device.iter().map(|(_, stream)| stream);
            for stream in streams.filter(|stream| scope.has_lane(stream.lanes[0])) {
                let lane = trace.lane_title(&trace.lanes[stream.lanes[0]]);
                add(&mut rows, trace, stream, part.span(), &format!("{title} · {lane}"));
            }
        }
    }
    of(rows, !streams.is_empty())
}

/// Adds a row for each cause of the idle time of a device or stream within `span`, the cause with the most
/// time first.
fn add(rows: &mut Vec<TableRow>, trace: &Trace, device: &DeviceLedger, span: Span, title: &str) {
    let sums: DeviceSums = device.sums(span);
    let mut causes: Vec<Cause> = Cause::ALL.iter().copied().filter(|&cause| sums.of(cause).ns > 0).collect();
    causes.sort_by_key(|&cause| (std::cmp::Reverse(sums.of(cause).ns), cause));
    for cause in causes {
        let sum = sums.of(cause);
        let sides = device.idle.gap_at(sum.longest_at).and_then(|gap| device.sides(trace, gap));
        rows.push(TableRow {
            cells: vec![
                Value::text(title),
                Value::text(cause.title()),
                Value::Duration(sum.ns),
                Value::share(sum.ns, sums.idle),
                Value::share(sum.ns, sums.span),
                Value::Count(u64::from(sum.gaps)),
                Value::Duration(sum.longest),
                Value::text(cause.meaning()),
                Value::text(cause.id()),
            ],
            children: Vec::new(),
            longest: sides.and_then(|sides| sides.after.or(sides.before)),
        });
    }
}

fn of(rows: Vec<TableRow>, has_streams: bool) -> Table {
    let exact = "Each nanosecond without work has one cause; the times of a device add up to its idle time.";
    let streams = "A stream without work is idle, even while other streams have work.";
    let notes = match (rows.is_empty(), has_streams) {
        (true, _) => Vec::new(),
        (false, true) => vec![format!("{exact} {streams}")],
        (false, false) => vec![exact.to_owned()],
    };
    let table = Table {
        view: "idle",
        title: "Idle time of devices or streams by cause",
        columns: vec![
            Column::new(
                "device",
                "Device",
                ColumnKind::Text,
                "Device, or device and stream, that the row is about",
            ),
            Column::new("cause_title", "Cause", ColumnKind::Text, "Why there was no work"),
            Column::new(
                "time",
                "Time",
                ColumnKind::Duration,
                "Idle time of the cause in the summarized part",
            ),
            Column::new(
                "idle_share",
                "Idle %",
                ColumnKind::Ratio,
                "Share of the idle time of the device or stream",
            ),
            Column::new(
                "part_share",
                "Part %",
                ColumnKind::Ratio,
                "Share of the recorded time of the summarized part",
            ),
            Column::new("gaps", "Gaps", ColumnKind::Count, "Number of gaps that have time of the cause"),
            Column::new("longest", "Longest", ColumnKind::Duration, "Longest unbroken time of the cause"),
            Column::extra("meaning", "Meaning", ColumnKind::Text, "When time is charged to the cause"),
            Column::extra("cause", "Code", ColumnKind::Text, "Name of the cause in JSON and options"),
        ],
        rows,
        notes,
        ..Table::default()
    };
    let chart = table.column_chart("Idle time by cause", &[("time", Tint::Idle)]);
    table.with_charts([chart])
}
