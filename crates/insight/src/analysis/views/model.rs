//! The summary of training phases: host and device time of data loading, forward, backward, optimizer and the
//! remainder, summed over steps.
//!
//! `steps` lists the single steps, `phase` finds the phases. Must not know how phases are found.

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{GroupId, GroupKind, Trace, WorkerId};

use super::outside;
use crate::analysis::part::owner::{Launched, Owners};
use crate::analysis::part::phase::{PHASES, Phases, worker};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, Piece};
use crate::analysis::table::ColumnKind::{Count, Duration, Ratio, Text};
use crate::analysis::table::chart::{Chart, ChartKind, Segment, Tint};
use crate::analysis::table::tally::{SPREAD, Tally};
use crate::analysis::table::{Column, Table, TableRow, Value};

/// The host and device time of one row of the table, such as a phase.
#[derive(Default)]
struct Sums {
    /// Host time within the part per step, or per validation pass.
    per_step: Tally,
    /// Summed time within the part of the device work that the row's phase, steps or passes launched, ns.
    device: Ns,
}

/// Builds the table of training phases, with rows also for whole steps, the remaining time and validation. No
/// rows if the part has no step.
pub fn phases(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    if part.steps().next().is_none() {
        return table(Vec::new(), Vec::new(), false);
    }
    let phases = Phases::of(trace, scope);
    let launches = Launches::of(&part);
    let group_worker = |group: GroupId| trace.groups[group].worker;
    // Work of a step before the part may run in the part: that step has device time and no host time.
    let whole_steps: Vec<_> = part.steps_at_any_time().map(|step| (step, step.span)).collect();
    let inside: Vec<_> = whole_steps.iter().map(|&(step, span)| (step, part.clip(span))).collect();
    let hosts = phases.amounts(&inside, |_, time| time);
    let devices = phases.amounts(&whole_steps, |group, time| launches.until(group_worker(group), time));
    let (mut whole, mut other) = (Sums::default(), Sums::default());
    let mut all: [Sums; 4] = Default::default();
    for ((step, inside), times) in inside.into_iter().zip(hosts.into_iter().zip(devices)) {
        let piece = part.piece(step.slice);
        let add = |tally: &mut Tally, dur: Ns| {
            if let Some(piece) = piece {
                tally.add(Piece { span: Span { start: 0, end: dur }, whole: dur, ..piece }, true);
            }
        };
        add(&mut whole.per_step, inside.len());
        let mut own = inside.len();
        let mut device_of_phases: Ns = 0;
        for (phase, (host, device)) in all.iter_mut().zip(times.0.into_iter().zip(times.1)) {
            if host > 0 {
                own = own.saturating_sub(host);
                add(&mut phase.per_step, host);
            }
            phase.device = phase.device.saturating_add(device);
            device_of_phases = device_of_phases.saturating_add(device);
        }
        add(&mut other.per_step, own);
        let until = |time: Ns| launches.until(step.worker, time);
        let device = until(step.span.end).saturating_sub(until(step.span.start));
        whole.device = whole.device.saturating_add(device);
        other.device = other.device.saturating_add(device.saturating_sub(device_of_phases).max(0));
    }
    let (time, device) = (whole.per_step.total, whole.device);
    let mut rows = vec![row("Step", whole, time, device)];
    let charts = charts(&all, &other);
    let named =
        PHASES.iter().zip(all).filter(|(_, sums)| sums.per_step.longest().is_some() || sums.device > 0);
    rows.extend(named.map(|((_, title), sums)| row(title, sums, time, device)));
    rows.push(row("Other", other, time, device));
    let validation = validation(&part, &launches, device > 0);
    let has_validation = validation.is_some();
    rows.extend(validation);
    let mut notes = vec![
        "Time of a step counts for the first of data loading, forward, backward and optimizer that a \
         thread of the process runs then. Other is the remaining time."
            .to_owned(),
        "Device time is that of work within the summarized part; it counts for the phase that launched the \
         work, even if the phase ran before that part."
            .to_owned(),
    ];
    if has_validation {
        notes.push(format!(
            "{VALIDATION} is in no step: the row counts passes, and has no share of the steps."
        ));
    }
    notes.extend(phases.note());
    table(rows, notes, device > 0).with_charts(charts)
}

/// The title of the row of validation passes.
const VALIDATION: &str = "Validation";

/// The row of the validation passes in the part; `None` without any.
fn validation(part: &Part<'_>, launches: &Launches, has_device: bool) -> Option<TableRow> {
    let mut sums = Sums::default();
    for pass in outside::validations(part.trace(), part.scope()) {
        let Some(piece) = part.piece(pass.slice) else { continue };
        sums.per_step.add(piece, true);
        let until = |time: Ns| launches.until(pass.worker, time);
        let device = until(pass.span.end).saturating_sub(until(pass.span.start));
        sums.device = sums.device.saturating_add(device);
    }
    sums.per_step.longest()?;
    // Without a whole, the row has no shares.
    let device = sums.device;
    let mut row = row(VALIDATION, sums, 0, 0);
    if has_device {
        row.cells[DEVICE] = Value::Duration(device);
    }
    Some(row)
}

/// Two stacked bars by phase: of host time, and of the device work that each phase launched; `None` for a bar
/// without time.
fn charts(all: &[Sums; 4], other: &Sums) -> [Option<Chart>; 2] {
    let chart = |title, time: fn(&Sums) -> Ns| {
        let phases =
            PHASES.iter().zip(all).map(|((phase, name), sums)| (*name, time(sums), Tint::Category(*phase)));
        let parts = phases.chain([("Other", time(other), Tint::Remainder)]);
        let segments: Vec<Segment> = parts.map(|(name, time, tint)| Segment::new(name, time, tint)).collect();
        segments.iter().any(|segment| segment.time > 0).then_some(Chart {
            title,
            order: None,
            kind: ChartKind::Whole(segments),
        })
    };
    [
        chart("Host time of all steps by phase", |sums| sums.per_step.total),
        chart("Device time of all steps by the phase that launched the work", |sums| sums.device),
    ]
}

/// For each worker, the starts (ns) of launches, ascending, each with the summed time (ns) within the part of
/// the device work launched up to then.
struct Launches(FxHashMap<WorkerId, Vec<(Ns, Ns)>>);

impl Launches {
    fn of(part: &Part<'_>) -> Self {
        let trace = part.trace();
        let of_work = |work: Launched| {
            let launch = work.launch?;
            let lane = trace.lane_of(launch);
            let is_host = trace.groups[trace.lanes[lane].group].kind == GroupKind::Process;
            is_host.then(|| (trace.slices.start[launch], worker(trace, lane), work.time()))
        };
        let mut all: Vec<_> = Owners::of(part).work().filter_map(of_work).collect();
        all.sort_unstable();
        let mut found: FxHashMap<WorkerId, Vec<(Ns, Ns)>> = FxHashMap::default();
        for (start, worker, time) in all {
            let of_worker = found.entry(worker).or_default();
            let before = of_worker.last().map_or(0, |(_, sum)| *sum);
            of_worker.push((start, before.saturating_add(time)));
        }
        Self(found)
    }

    /// The time within the part of the device work that a worker launched before `time` (ns), ns.
    fn until(&self, worker: WorkerId, time: Ns) -> Ns {
        let of_worker = self.0.get(&worker).map_or(&[][..], Vec::as_slice);
        let begun = of_worker.partition_point(|(start, _)| *start < time);
        begun.checked_sub(1).map_or(0, |last| of_worker[last].1)
    }
}

/// The index of the device time in a row's cells.
const DEVICE: usize = 4;

/// Makes the row titled `title`; its shares are relative to `time` and `device`, the host and device time of
/// all steps, ns; both are 0 for a row without shares.
fn row(title: &str, mut sums: Sums, time: Ns, device: Ns) -> TableRow {
    let has_device = device > 0;
    let first = [
        Value::text(title),
        Value::Count(sums.per_step.count()),
        Value::Duration(sums.per_step.total),
        Value::share(sums.per_step.total, time),
        if has_device { Value::Duration(sums.device) } else { Value::Empty },
        Value::share(sums.device, device),
    ];
    let longest = sums.per_step.longest();
    TableRow {
        cells: first.into_iter().chain(sums.per_step.spread()).collect(),
        children: Vec::new(),
        longest,
    }
}

/// Builds the table of training phases from its rows and notes.
fn table(rows: Vec<TableRow>, notes: Vec<String>, has_device: bool) -> Table {
    let device = if has_device { Column::new } else { Column::extra };
    let first = [
        Column::new(
            "stage",
            "Phase",
            Text,
            "Training phase; the row Step stands for whole steps, Other for their time in no phase, \
             Validation for validation passes, which are in no step",
        ),
        Column::new(
            "steps",
            "Steps",
            Count,
            "Number of steps (of passes, in the row Validation) that begin in the summarized part and have \
             the phase there",
        ),
        Column::new("total", "Host", Duration, "Summed host time of the phase"),
        Column::new("share", "Host %", Ratio, "Share of the host time of all steps"),
        device("device", "Device", Duration, "Summed device time of the work that the phase launched"),
        device(
            "device_share",
            "Device %",
            Ratio,
            "Share of the device time of the work launched in all steps",
        ),
    ];
    let mut columns: Vec<Column> = first.into_iter().chain(SPREAD).collect();
    let spread = [
        "Average host time of the phase per step counted in Steps",
        "Shortest host time of the phase in one step counted in Steps",
        "Median host time of the phase per step counted in Steps (nearest rank)",
        "99th percentile of the host time of the phase per step counted in Steps (nearest rank)",
        "Longest host time of the phase in one step counted in Steps (in the explorer, Enter goes to this \
         step)",
    ];
    let from = columns.len() - spread.len();
    for (column, about) in columns[from..].iter_mut().zip(spread) {
        column.about = about;
    }
    Table { view: "model", title: "Training phases", columns, rows, notes, ..Table::default() }
}
