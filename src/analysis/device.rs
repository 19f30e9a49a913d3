//! The summary of devices: busy and idle time of each device, and the processor utilization that the producer recorded.

use crate::base::time::{Ns, Span};
use crate::model::{Category, GroupKind, LaneId, LaneKind, Trace};

use super::scope::Scope;
use super::table::ColumnKind::{Count, Duration, Ratio, Text};
use super::table::{Column, Table, TableRow, Value};
use super::tally::longer;
use super::time::{length, union};

/// The header keys under which Paddle records processor utilization, each with the title of its row.
const HOST: [(&str, &str); 2] =
    [("Process Cpu Utilization", "CPU (process)"), ("System Cpu Utilization", "CPU (system)")];

/// Builds the table: a row per device with its busy and idle time, streams, kernels and copies.
pub fn devices(trace: &Trace, scope: &Scope) -> Table {
    let whole = scope.len(trace);
    let hosts = HOST.iter().filter(|_| scope.lanes.is_none());
    let mut rows: Vec<TableRow> = hosts.filter_map(|(key, title)| host(trace, key, title)).collect();
    for group in trace.groups.iter().filter(|group| group.kind == GroupKind::Device) {
        let lanes = group.lanes.clone().filter(|&lane| trace.lanes[lane as usize].kind == LaneKind::Stream);
        let mut work = Work::default();
        lanes.for_each(|lane| work.add(trace, scope, lane));
        if work.streams > 0 {
            rows.push(work.row(&trace.group_title(group), whole));
        }
    }
    let note = if trace.groups.iter().any(|group| group.kind == GroupKind::Device) {
        "Util % and Kernel time count the time in which at least one kernel runs on any stream of the \
         device; Busy also counts copies and memsets."
    } else {
        "The trace has no device work (kernels, copies, memsets)."
    };
    Table {
        view: "device",
        title: "Device utilization",
        columns: vec![
            Column::new(
                "device",
                "Device",
                Text,
                "Name of the device; the rows CPU (process) and CPU (system) are the processor utilization that the \
                 profiler recorded",
            ),
            Column::new(
                "utilization",
                "Util %",
                Ratio,
                "Share of the summarized time range in which at least one kernel runs; for CPU rows the \
                 recorded processor utilization",
            ),
            Column::new(
                "busy",
                "Kernel time",
                Duration,
                "Time in which at least one kernel runs on the device",
            ),
            Column::new(
                "busy_all",
                "Busy",
                Duration,
                "Time in which at least one kernel, copy or memset runs on the device",
            ),
            Column::new(
                "idle",
                "Idle",
                Duration,
                "Time of the summarized range in which no kernel, copy or memset runs on the device",
            ),
            Column::new("streams", "Streams", Count, "Number of streams with device work"),
            Column::new("kernels", "Kernels", Count, "Number of kernels that ran on the device"),
            Column::extra("copies", "Copies", Count, "Number of copies and memsets that ran on the device"),
        ],
        rows,
        notes: vec![note.into()],
        ..Table::default()
    }
}

/// The device work of one device.
#[derive(Default)]
struct Work {
    kernels: Vec<Span>,
    /// Copies and memsets.
    others: Vec<Span>,
    /// How many streams have work.
    streams: u64,
    /// The length (ns) and slice of the longest kernel, copy or memset.
    longest: Option<(Ns, u32)>,
}

impl Work {
    /// Adds the work of one stream (a lane) in `scope`.
    fn add(&mut self, trace: &Trace, scope: &Scope, lane: LaneId) {
        let before = self.kernels.len() + self.others.len();
        for id in scope.slices(trace, lane) {
            let span = trace.slices.span(id);
            match trace.slices.category(id) {
                Category::Kernel => self.kernels.push(span),
                Category::Memcpy | Category::Memset => self.others.push(span),
                _ => continue,
            }
            self.longest = longer(self.longest, Some((span.len(), id)));
        }
        self.streams += u64::from(self.kernels.len() + self.others.len() > before);
    }

    /// Makes the device's row; `whole` is the length of the scope, ns.
    fn row(self, title: &str, whole: Ns) -> TableRow {
        let (kernels, copies) = (self.kernels.len() as u64, self.others.len() as u64);
        let busy = union(self.kernels);
        let all = length(&union(busy.iter().copied().chain(self.others).collect()));
        let busy = length(&busy);
        TableRow {
            cells: vec![
                Value::text(title),
                Value::share(busy, whole),
                Value::Duration(busy),
                Value::Duration(all),
                Value::Duration(whole.saturating_sub(all).max(0)),
                Value::Count(self.streams),
                Value::Count(kernels),
                Value::Count(copies),
            ],
            children: Vec::new(),
            longest: self.longest.map(|(_, id)| id),
        }
    }
}

/// Makes a row of processor utilization from the header entry `key`; None if the header lacks it.
fn host(trace: &Trace, key: &str, title: &str) -> Option<TableRow> {
    let (_, text) = trace.meta.header.iter().find(|(name, _)| name.ends_with(key))?;
    let share: f64 = text.trim_matches('"').parse().ok()?;
    let mut cells = vec![Value::text(title), Value::Ratio(share)];
    cells.resize(8, Value::Empty);
    Some(TableRow::new(cells))
}
