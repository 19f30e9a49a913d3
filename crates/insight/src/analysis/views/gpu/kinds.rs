//! Device time by the set of kinds of work that run at the same time (HTA's kernel type breakdown).
//!
//! Must not know kernels by name.

use crate::analysis::part::time::{sweep, union};
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::Trace;

use super::notes;
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{Device, WorkKind, in_run};
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// The number of sets of kinds of device work, the empty set included.
pub const SETS: usize = 1 << WorkKind::ALL.len();

/// Calls `visit` for each interval of a device's busy time with the set of running kinds ([`WorkKind::bit`])
/// and the length, ns.
pub fn intervals(device: &Device, visit: impl FnMut(u8, Ns)) {
    let of = |kind| union(device.spans(|work| work.kind == Some(kind)));
    sweep(&WorkKind::ALL.map(of), visit);
}

/// The name of a set of kinds (the bits of [`WorkKind::bit`]), such as `computation with communication`;
/// empty for the empty set.
pub(crate) fn set_name(set: u8) -> String {
    let names = WorkKind::ALL.into_iter().filter(|kind| set & kind.bit() != 0).map(WorkKind::name);
    names.collect::<Vec<_>>().join(" with ")
}

/// Builds the table of device time by the kinds of work that ran at the same time, the longest time first.
pub fn table(trace: &Trace, scope: &Scope) -> Table {
    let devices = in_run(&Part::new(trace, scope));
    let mut sums = vec![[0 as Ns; SETS]; devices.len()];
    for (device, sums) in devices.iter().zip(&mut sums) {
        intervals(device, |set, dur| {
            let time = &mut sums[usize::from(set)];
            *time = time.saturating_add(dur);
        });
    }
    let whole = sum(sums.iter().flatten().copied());
    let mut rows: Vec<(Ns, TableRow)> = Vec::new();
    for set in 1..SETS {
        let total = sum(sums.iter().map(|sums| sums[set]));
        if total == 0 {
            continue;
        }
        let row = |title: String, time: Ns, whole: Ns| {
            TableRow::new(vec![Value::text(&title), Value::Duration(time), Value::share(time, whole)])
        };
        let mut line = row(set_name(saturate::<u8>(set)), total, whole);
        if devices.len() > 1 {
            let each = devices.iter().zip(&sums).filter(|(_, sums)| sums[set] > 0);
            line.children.extend(each.map(|(device, sums)| {
                row(trace.group_title(&trace.groups[device.group]), sums[set], sum(*sums))
            }));
        }
        rows.push((total, line));
    }
    rows.sort_by_key(|(total, _)| std::cmp::Reverse(*total));
    let rows: Vec<TableRow> = rows.into_iter().map(|(_, row)| row).collect();
    Table {
        view: "kinds",
        title: "Device time by kinds of work that ran at the same time",
        columns: vec![
            Column::new(
                "kinds",
                "Kinds",
                ColumnKind::Text,
                "Kinds of work that ran at the same time, such as computation with communication; the rows \
                 below are the devices",
            ),
            Column::new(
                "time",
                "Time",
                ColumnKind::Duration,
                "Time in which exactly these kinds of work ran on a device, added up over devices",
            ),
            Column::new(
                "share",
                "Of busy",
                ColumnKind::Ratio,
                "Share of the busy time of all devices, in rows below of the device (any kernel, copy or \
                 memset ran)",
            ),
        ],
        notes: notes(
            &rows,
            "HTA's get_gpu_kernel_breakdown differs: that function rounds times to whole microseconds, \
             and usually cuts off the last step and drops work without a launch.",
        ),
        rows,
        ..Table::default()
    }
}
