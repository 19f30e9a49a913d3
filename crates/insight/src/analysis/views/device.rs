//! The summary of devices: busy and idle time of each device, and the processor utilization that the producer
//! recorded. Where the arguments of kernels were read, also occupancy and SM efficiency.

mod occupancy;

use proftui_base::fmt;
use proftui_trace::model::Trace;

use crate::analysis::arguments::launch_config::LaunchConfigs;
use crate::analysis::part::Part;
use crate::analysis::part::device_time::DeviceTime;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{self, Device, WorkKind};
use crate::analysis::table::ColumnKind::{Count, Duration, Ratio, Text};
use crate::analysis::table::tally::longer;
use crate::analysis::table::{Column, Table, TableRow, Value};

use occupancy::Figures;

/// Name of the view for `--view`.
pub const VIEW: &str = "device";
/// The index at which [`with_occupancy`] inserts its columns.
const AT: usize = 2;

/// The ends of the header keys of Paddle's processor utilization, each with the title of its row.
const HOST: [(&str, &str); 2] =
    [("Process Cpu Utilization", "CPU (process)"), ("System Cpu Utilization", "CPU (system)")];

/// Builds the table of device utilization: a row per device, after rows of processor utilization if it is
/// recorded and the scope has all lanes.
pub fn devices(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let hosts = HOST.iter().filter(|_| scope.lanes.is_none());
    let mut rows: Vec<TableRow> = hosts.filter_map(|(key, title)| host(trace, key, title)).collect();
    let has_host = !rows.is_empty();
    let devices = work::in_run(&part);
    let has_device = !devices.is_empty();
    rows.extend(devices.iter().map(|device| row(&part, device)));
    let note = "Util % and Busy count the time in which at least one kernel, copy or memset runs on any \
        summarized stream of the device; Kernel time counts kernels only. Idle is the rest of the run.";
    let of_host = "The rows CPU are as the profiler recorded them, for all of one recording. 100 % of CPU \
        (process) is one core, so several busy cores are more; 100 % of CPU (system) is all cores.";
    let notes = [(note, has_device), (of_host, has_host)];
    let notes =
        notes.into_iter().filter(|(_, is_shown)| *is_shown).map(|(note, _)| note.to_owned()).collect();
    Table {
        view: VIEW,
        title: "Device utilization",
        columns: vec![
            Column::new(
                "device",
                "Device",
                Text,
                "Name of the device; the rows CPU (process) and CPU (system) are the processor utilization \
                 that the profiler recorded",
            ),
            Column::new(
                "utilization",
                "Util %",
                Ratio,
                "Share of the run in which at least one kernel, copy or memset runs on the device; for CPU \
                 rows the recorded processor utilization",
            ),
            Column::new(
                "busy",
                "Kernel time",
                Duration,
                "Time of the run in which at least one kernel runs on the device",
            ),
            Column::new(
                "busy_all",
                "Busy",
                Duration,
                "Time of the run in which at least one kernel, copy or memset runs on the device",
            ),
            Column::new(
                "idle",
                "Idle",
                Duration,
                "Time of the run in which no kernel, copy or memset runs on the device",
            ),
            Column::new("streams", "Streams", Count, "Number of streams with device work in the run"),
            Column::new("kernels", "Kernels", Count, "Number of kernels that begin on the device in the run"),
            Column::extra(
                "copies",
                "Copies",
                Count,
                "Number of copies and memsets that begin on the device in the run",
            ),
        ],
        rows,
        notes,
        ..Table::default()
    }
}

/// Builds the table of [`devices`] with columns of SM efficiency and occupancy, computed from `configs`.
pub(crate) fn with_occupancy(trace: &Trace, scope: &Scope, configs: &LaunchConfigs) -> Table {
    let part = Part::new(trace, scope);
    let mut table = devices(trace, scope);
    let of_device = |device: &Device| Figures::of(device, part.len(device.worker), configs);
    let figures: Vec<Figures> = work::in_run(&part).iter().map(of_device).collect();
    // The rows of devices come last.
    let hosts = table.rows.len().saturating_sub(figures.len());
    for (at, row) in table.rows.iter_mut().enumerate() {
        let figures = at.checked_sub(hosts).and_then(|at| figures.get(at)).copied().unwrap_or_default();
        let cells = [figures.sm_efficiency, figures.occupancy];
        row.cells.splice(AT..AT, cells.map(|share| share.map_or(Value::Empty, Value::Ratio)));
    }
    let has_any = figures.iter().any(|of| of.sm_efficiency.or(of.occupancy).is_some());
    let column = if has_any { Column::new } else { Column::extra };
    table.columns.splice(
        AT..AT,
        [
            column(
                "sm_efficiency",
                "SM %",
                Ratio,
                "Share of the multiprocessors (SM) with work, on average; from the kernels' blocks per SM, \
                 which count as 1 at most, and as 0 while no kernel runs",
            ),
            column(
                "occupancy",
                "Occupancy",
                Ratio,
                "Achieved occupancy of the kernels as estimated by the profiler, weighted by their time",
            ),
        ],
    );
    table.notes.extend(note(&figures));
    table
}

/// The note on the SM efficiency and occupancy of all devices; `None` without kernels.
fn note(figures: &[Figures]) -> Option<String> {
    let sum = |of: fn(&Figures) -> u64| figures.iter().map(of).sum::<u64>();
    let (kernels, blocks) = (sum(|of| of.kernels), sum(|of| of.without_blocks));
    let occupancy = sum(|of| of.without_occupancy);
    match (kernels, blocks, occupancy) {
        (0, ..) => None,
        (_, 0, 0) => Some(
            "SM % and Occupancy are estimates from the launch configurations of the kernels; copies and \
             memsets have none."
                .to_owned(),
        ),
        _ if blocks == kernels && occupancy == kernels => Some(
            "The kernels state neither blocks per SM nor occupancy in their arguments, so SM % and Occupancy \
             are empty. torch.profiler, paddle.profiler and proftui capture record them on NVIDIA GPUs."
                .to_owned(),
        ),
        _ => Some(format!(
            "Kernels without blocks per SM, which count as 0 in SM %: {} of {kernels}; without an occupancy, \
             left out of Occupancy: {}.",
            fmt::count(blocks),
            fmt::count(occupancy),
            kernels = fmt::count(kernels),
        )),
    }
}

fn row(part: &Part<'_>, device: &Device) -> TableRow {
    let trace = part.trace();
    let time = DeviceTime::of(device, part.run(device.worker));
    let count = |is_copy: bool| {
        let begun = device.work.iter().filter(|work| work.begins);
        begun.filter(|work| (work.kind == Some(WorkKind::Memory)) == is_copy).count() as u64
    };
    let streams = device.streams().iter().filter(|(_, work)| !work.is_empty()).count();
    let longest = device.work.iter().map(|work| Some((work.dur(), work.id))).fold(None, longer);
    TableRow {
        cells: vec![
            Value::text(&trace.group_title(&trace.groups[device.group])),
            Value::share(time.busy, time.part),
            Value::Duration(time.kernels),
            Value::Duration(time.busy),
            Value::Duration(time.idle()),
            Value::Count(streams as u64),
            Value::Count(count(false)),
            Value::Count(count(true)),
        ],
        children: Vec::new(),
        longest: longest.map(|(_, id)| id),
    }
}

/// Makes the row of processor utilization from the header entry whose name ends in `key`; `None` if there is
/// no such number.
fn host(trace: &Trace, key: &str, title: &str) -> Option<TableRow> {
    let (_, text) = trace.meta.header.iter().find(|(name, _)| name.ends_with(key))?;
    let share: f64 = text.trim_matches('"').parse().ok()?;
    let mut cells = vec![Value::text(title), Value::Ratio(share)];
    cells.resize(8, Value::Empty);
    Some(TableRow::new(cells))
}
