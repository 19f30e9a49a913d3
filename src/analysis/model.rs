//! The stages of training: loading of data, forward, backward, optimizer, and the rest of each step.
//!
//! Sums over steps; `steps` has each by itself, `stage` knows what is which. Must not know how stages are found.

use crate::base::time::{Ns, Span};
use crate::model::{GroupKind, SliceId, Step, Trace};

use super::chart::{Chart, ChartKind, Segment, Tint};
use super::scope::Scope;
use super::stage::{STAGES, Stages, worker};
use super::table::ColumnKind::{Count, Duration, Ratio, Text};
use super::table::{Column, Table, TableRow, Value};
use super::tally::{SPREAD, Tally};
use super::time::length;

/// One stage over all steps.
#[derive(Default)]
struct Stage {
    /// Its time in each step that has it.
    per_step: Tally,
    device: Ns,
}

/// A row for the steps, one for each stage, one for what is in none.
pub fn stages(trace: &Trace, scope: &Scope) -> Table {
    let is_inside = |step: &&Step| scope.has_time(step.span.start) && scope.has_worker(trace, step.worker);
    let steps: Vec<&Step> = trace.steps.iter().filter(is_inside).collect();
    if steps.is_empty() {
        return table(
            Vec::new(),
            vec!["The trace marks no steps here; steps divide training into stages.".into()],
        );
    }
    let stages = Stages::of(trace, scope);
    let launches = launches(trace, scope);
    let (mut whole, mut rest) = (Stage::default(), Stage::default());
    let mut all: [Stage; 4] = Default::default();
    for step in steps {
        whole.per_step.add(step.slice, step.span.len(), true);
        let mut own = step.span.len();
        let mut device_of_stages: Ns = 0;
        for (stage, spans) in all.iter_mut().zip(stages.in_step(step)) {
            if spans.is_empty() {
                continue;
            }
            own = own.saturating_sub(length(&spans));
            stage.per_step.add(step.slice, length(&spans), true);
            let device = launched(&launches, step.worker, &spans);
            stage.device = stage.device.saturating_add(device);
            device_of_stages = device_of_stages.saturating_add(device);
        }
        rest.per_step.add(step.slice, own, true);
        let device = launched(&launches, step.worker, &[step.span]);
        whole.device = whole.device.saturating_add(device);
        rest.device = rest.device.saturating_add(device.saturating_sub(device_of_stages).max(0));
    }
    let (time, device) = (whole.per_step.total, whole.device);
    let mut rows = vec![row("Step", whole, time, device)];
    let charts = charts(&all, &rest);
    let named = STAGES.iter().zip(all).filter(|(_, stage)| stage.per_step.count() > 0);
    rows.extend(named.map(|((_, title), stage)| row(title, stage, time, device)));
    rows.push(row("Other", rest, time, device));
    let mut notes = vec![
        "A stage's time in a step is the time in which at least one thread of its process is in it, within the step; Other is the rest of the step.".to_owned(),
        "Device: the work launched in that time, whenever it ran.".to_owned(),
    ];
    notes.extend(stages.note());
    table(rows, notes).with_charts(charts)
}

/// The stages as parts of all steps, on the host and by the device work launched.
fn charts(all: &[Stage; 4], rest: &Stage) -> [Option<Chart>; 2] {
    let chart = |title, time: fn(&Stage) -> Ns| {
        let stages =
            STAGES.iter().zip(all).map(|((stage, name), times)| (*name, time(times), Tint::Category(*stage)));
        let parts = stages.chain([("Other", time(rest), Tint::Remainder)]);
        let segments: Vec<Segment> = parts.map(|(name, time, tint)| Segment::new(name, time, tint)).collect();
        segments.iter().any(|segment| segment.time > 0).then_some(Chart {
            title,
            order: None,
            kind: ChartKind::Whole(segments),
        })
    };
    [
        chart("All steps by stage", |stage| stage.per_step.total),
        chart("Device work by the stage that launched it", |stage| stage.device),
    ]
}

/// When each piece of device work was launched, by which worker, and how long it ran; in order of the launches.
fn launches(trace: &Trace, scope: &Scope) -> Vec<(Ns, u16, Ns)> {
    let slices = &trace.slices;
    let of_link = |&(launch, work): &(SliceId, SliceId)| {
        let lane = trace.lane_of(launch);
        let is_host = trace.groups[trace.lanes[lane as usize].group as usize].kind == GroupKind::Process;
        (is_host && scope.has_lane(lane))
            .then(|| (slices.start[launch as usize], worker(trace, lane), slices.dur[work as usize]))
    };
    let mut out: Vec<_> = trace.links.within(0..slices.len() as SliceId).iter().filter_map(of_link).collect();
    out.sort_unstable();
    out
}

/// The time of the work launched in `spans`.
fn launched(launches: &[(Ns, u16, Ns)], worker: u16, spans: &[Span]) -> Ns {
    let of_span = |span: &Span| {
        let from = launches.partition_point(|launch| launch.0 < span.start);
        let inside = launches[from..].iter().take_while(|launch| launch.0 < span.end);
        inside.filter(|launch| launch.1 == worker).fold(0, |sum: Ns, launch| sum.saturating_add(launch.2))
    };
    spans.iter().map(of_span).fold(0, Ns::saturating_add)
}

fn row(title: &str, mut stage: Stage, time: Ns, device: Ns) -> TableRow {
    let has_device = device > 0;
    let first = [
        Value::text(title),
        Value::Count(stage.per_step.count()),
        Value::Duration(stage.per_step.total),
        Value::share(stage.per_step.total, time),
        if has_device { Value::Duration(stage.device) } else { Value::Empty },
        Value::share(stage.device, device),
    ];
    let longest = stage.per_step.longest();
    TableRow {
        cells: first.into_iter().chain(stage.per_step.spread()).collect(),
        children: Vec::new(),
        longest,
    }
}

fn table(rows: Vec<TableRow>, notes: Vec<String>) -> Table {
    let first = [
        Column::new("stage", "Stage", Text, "The stage; the step is the whole of which the others are parts"),
        Column::new("steps", "Steps", Count, "Steps that have it"),
        Column::new("total", "Host", Duration, "Its time in all steps"),
        Column::new("share", "Share", Ratio, "Of the time of all steps"),
        Column::new("device", "Device", Duration, "Time of the device work launched in it"),
        Column::new("device_share", "Device", Ratio, "Of the device work launched in all steps"),
    ];
    let mut columns: Vec<Column> = first.into_iter().chain(SPREAD).collect();
    if let Some(last) = columns.last_mut() {
        last.about = "The longest of a step; Enter goes to that step";
    }
    Table { view: "model", title: "Stages of training", columns, rows, notes, ..Table::default() }
}
