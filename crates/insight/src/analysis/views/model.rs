//! The summary of training phases: host and device time of data loading, forward, backward, optimizer and the
//! remainder, summed over steps.
//!
//! `steps` lists the single steps, `phase` finds the phases. Must not know how phases are found.

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{GroupKind, SliceId, Step, Trace, WorkerId};

use super::outside;
use crate::analysis::part::owner::Owners;
use crate::analysis::part::phase::{PHASES, Phases, worker};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::{union, within};
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
    /// Summed time of the device work that the row's phase, steps or passes launched in the part, ns.
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
    let launches = Launches::of(trace, scope);
    // Times in the part are summed up; the spread is of whole steps.
    let wholes: Vec<_> = part.steps().map(|step| (step, step.span)).collect();
    let inside: Vec<_> = wholes.iter().map(|&(step, span)| (step, part.clip(span))).collect();
    let [hosts, of_wholes] = [&inside, &wholes].map(|steps| phases.amounts(steps, |_, time| time));
    let (mut whole, mut other) = (Sums::default(), Sums::default());
    let mut all: [Sums; 4] = Default::default();
    for ((step, inside), (host, of_whole)) in inside.into_iter().zip(hosts.into_iter().zip(of_wholes)) {
        let piece = part.piece(step.slice);
        let add = |tally: &mut Tally, dur: Ns, whole: Ns| {
            if let Some(piece) = piece {
                tally.add(Piece { span: Span { start: 0, end: dur }, whole, ..piece }, true);
            }
        };
        let left =
            |time: Ns, phases: &[Ns]| phases.iter().fold(time, |left, &time| left.saturating_sub(time));
        add(&mut whole.per_step, inside.len(), step.span.len());
        add(&mut other.per_step, left(inside.len(), &host), left(step.span.len(), &of_whole));
        for (phase, (host, whole)) in all.iter_mut().zip(host.into_iter().zip(of_whole)) {
            if host > 0 {
                add(&mut phase.per_step, host, whole);
            }
        }
    }
    let (mut earlier, mut unknown): (Ns, Ns) = (0, 0);
    for &worker in part.workers() {
        let steps: Vec<&Step> = part.steps().filter(|step| step.worker == worker).collect();
        let of_phases = phases.of_steps(&steps).map(|spans| within(&spans, part.span()));
        for (sums, spans) in all.iter_mut().chain([&mut other]).zip(&of_phases) {
            let device = launches.within(worker, spans);
            sums.device = sums.device.saturating_add(device);
            whole.device = whole.device.saturating_add(device);
        }
        let others = launches.others(worker, &union(of_phases.concat()));
        earlier = earlier.saturating_add(others.launched);
        unknown = unknown.saturating_add(others.unknown);
    }
    let (time, device) = (whole.per_step.total, whole.device);
    let has_device = device > 0 || earlier > 0 || unknown > 0;
    let of_steps = has_device.then_some(device);
    let mut rows = vec![row("Step", whole, time, of_steps)];
    let charts = charts(&all, &other);
    let named =
        PHASES.iter().zip(all).filter(|(_, sums)| sums.per_step.longest().is_some() || sums.device > 0);
    rows.extend(named.map(|((_, title), sums)| row(title, sums, time, of_steps)));
    rows.push(row("Other", other, time, of_steps));
    rows.extend((earlier > 0).then(|| without_host(EARLIER, earlier)));
    rows.extend((unknown > 0).then(|| without_host(UNKNOWN, unknown)));
    let validation = validation(&part, &launches, has_device);
    let has_validation = validation.is_some();
    rows.extend(validation);
    let mut notes = vec![
        "Time of a step counts for the first of data loading, forward, backward and optimizer that a \
         thread of the process runs then. Other is the remaining time."
            .to_owned(),
        "Device time is the whole time of the work that the phase launched in the summarized part, even if \
         the work runs later."
            .to_owned(),
    ];
    if earlier > 0 {
        notes.push(format!(
            "{EARLIER} is what ran during these steps but was launched outside of them: before the \
             summarized part, or between steps."
        ));
    }
    if unknown > 0 {
        notes.push(format!("{UNKNOWN} is what ran during these steps without a launch in the trace."));
    }
    if has_validation {
        notes.push(format!(
            "{VALIDATION} is in no step: the row counts passes, and has no share of the steps."
        ));
    }
    notes.extend(phases.note());
    table(rows, notes, has_device).with_charts(charts)
}

/// The title of the row of validation passes.
const VALIDATION: &str = "Validation";
/// The title of the row of device work that runs in the steps, but that they did not launch.
const EARLIER: &str = "Launched earlier";
/// The title of the row of device work that runs in the steps, and whose launch is not in the trace.
const UNKNOWN: &str = "Launch not known";

/// A row with only device time, ns; it has no shares.
fn without_host(title: &str, device: Ns) -> TableRow {
    let mut row = row(title, Sums { device, ..Sums::default() }, 0, Some(0));
    row.cells[1..DEVICE].fill(Value::Empty);
    row
}

/// The row of the validation passes in the part; `None` without any.
fn validation(part: &Part<'_>, launches: &Launches, has_device: bool) -> Option<TableRow> {
    let mut sums = Sums::default();
    for pass in outside::validations(part.trace(), part.scope()) {
        let Some(piece) = part.piece(pass.slice) else { continue };
        sums.per_step.add(piece, true);
        let device = launches.within(pass.worker, &[part.clip(pass.span)]);
        sums.device = sums.device.saturating_add(device);
    }
    sums.per_step.longest()?;
    // Without a whole, the row has no shares.
    Some(row(VALIDATION, sums, 0, has_device.then_some(0)))
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

/// The device work of each worker, whatever its time, by its launch.
#[derive(Default)]
struct Launches(FxHashMap<WorkerId, OfWorker>);

/// The device work of one worker.
#[derive(Default)]
struct OfWorker {
    /// The starts (ns) of launches in processes, ascending, each with the summed length (ns) of the device
    /// work launched up to then.
    sums: Vec<(Ns, Ns)>,
    /// The work, with the start of its launch (ns); `None` if no call of a process is known to launch it.
    work: Vec<(Span, Option<Ns>)>,
}

impl Launches {
    /// The work of all time on the lanes of the scope.
    fn of(trace: &Trace, scope: &Scope) -> Self {
        let always = Scope { span: None, lanes: scope.lanes.clone() };
        let part = Part::new(trace, &always);
        let mut found: FxHashMap<WorkerId, OfWorker> = FxHashMap::default();
        for work in Owners::of(&part).work().filter(|work| work.is_outer) {
            let is_host = |&launch: &SliceId| {
                trace.groups[trace.lanes[trace.lane_of(launch)].group].kind == GroupKind::Process
            };
            let launch = work.launch.filter(is_host);
            let worker = worker(trace, trace.lane_of(launch.unwrap_or(work.piece.id)));
            let start = launch.map(|launch| trace.slices.start[launch]);
            found.entry(worker).or_default().work.push((work.piece.span, start));
        }
        for of_worker in found.values_mut() {
            let launched = |&(span, launch): &(Span, Option<Ns>)| launch.map(|start| (start, span.len()));
            of_worker.sums = of_worker.work.iter().filter_map(launched).collect();
            of_worker.sums.sort_unstable();
            let mut sum: Ns = 0;
            for (_, time) in &mut of_worker.sums {
                sum = sum.saturating_add(*time);
                *time = sum;
            }
        }
        Self(found)
    }

    /// The summed length of the device work that a worker launched within `spans`, ns.
    fn within(&self, worker: WorkerId, spans: &[Span]) -> Ns {
        let sums = self.0.get(&worker).map_or(&[][..], |of_worker| of_worker.sums.as_slice());
        let until = |time: Ns| {
            let begun = sums.partition_point(|(start, _)| *start < time);
            begun.checked_sub(1).map_or(0, |last| sums[last].1)
        };
        spans.iter().map(|span| until(span.end).saturating_sub(until(span.start))).fold(0, Ns::saturating_add)
    }

    /// The time within `spans` of a worker's device work that was not launched within them. The spans must be
    /// sorted and disjoint.
    fn others(&self, worker: WorkerId, spans: &[Span]) -> Others {
        let lengths = Lengths::of(spans.to_vec());
        let is_inside = |time: Ns| {
            spans.get(spans.partition_point(|span| span.end <= time)).is_some_and(|span| span.start <= time)
        };
        let mut others = Others::default();
        for &(span, launch) in self.0.get(&worker).map_or(&[][..], |of_worker| of_worker.work.as_slice()) {
            let time = || lengths.within(span);
            match launch {
                Some(launch) if is_inside(launch) => {}
                Some(_) => others.launched = others.launched.saturating_add(time()),
                None => others.unknown = others.unknown.saturating_add(time()),
            }
        }
        others
    }
}

/// Time of device work that was not launched in some spans, ns.
#[derive(Default)]
struct Others {
    /// Of work whose launch is elsewhere.
    launched: Ns,
    /// Of work whose launch is not in the trace.
    unknown: Ns,
}

/// The index of the device time in a row's cells.
const DEVICE: usize = 4;

/// Makes the row titled `title`; its shares are relative to `time` and `device`, the host and device time of
/// all steps, ns; both are 0 for a row without shares.
fn row(title: &str, mut sums: Sums, time: Ns, device: Option<Ns>) -> TableRow {
    let first = [
        Value::text(title),
        Value::Count(sums.per_step.count()),
        Value::Duration(sums.per_step.total),
        Value::share(sums.per_step.total, time),
        device.map_or(Value::Empty, |_| Value::Duration(sums.device)),
        Value::share(sums.device, device.unwrap_or_default()),
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
             Launched earlier and Launch not known for device work in their time that they did not launch, \
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
        "Average host time of the phase per whole step counted in Steps",
        "Shortest host time of the phase in one whole step counted in Steps",
        "Median host time of the phase per whole step counted in Steps (nearest rank)",
        "99th percentile of the host time of the phase per whole step counted in Steps (nearest rank)",
        "Longest host time of the phase in one whole step counted in Steps (in the explorer, Enter goes to \
         this step)",
    ];
    let from = columns.len() - spread.len();
    for (column, about) in columns[from..].iter_mut().zip(spread) {
        column.about = about;
    }
    Table { view: "model", title: "Training phases", columns, rows, notes, ..Table::default() }
}
