//! The stages of training: loading of data, forward, backward, optimizer, and the rest of each step.
//!
//! A stage is what its producer marked. Where nothing is marked, forward and backward are derived from the autograd engine's
//! ranges: backward is their time in a step, forward the operators of the step's own thread before the first of them that
//! lie in no other stage. What is derived says so.

use crate::base::time::{Ns, Span};
use crate::model::{Category, GroupKind, LaneId, LaneKind, SliceId, Step, Trace};

use super::scope::Scope;
use super::table::ColumnKind::{Count, Duration, Ratio, Text};
use super::table::{Column, Table, TableRow, Value};
use super::tally::{SPREAD, Tally};
use super::time::{intersection, length, union};

/// The stages in the order of a step.
const STAGES: [(Category, &str); 4] = [
    (Category::Dataloader, "Data loading"),
    (Category::Forward, "Forward"),
    (Category::Backward, "Backward"),
    (Category::Optimization, "Optimizer"),
];
/// How the autograd engine names the ranges of the backward pass.
const ENGINE: &[u8] = b"autograd::engine::evaluate_function";

/// One stage over all steps.
#[derive(Default)]
struct Stage {
    /// Its time in each step that has it.
    per_step: Tally,
    device: Ns,
}

/// What was marked, by stage: each slice that starts one.
struct Marks {
    slices: [Vec<SliceId>; 4],
    /// The longest of each, ns: none that begins earlier than this before an instant reaches it.
    longest: [Ns; 4],
    is_derived: bool,
}

/// A row for the steps, one for each stage, one for what is in none.
pub fn stages(trace: &Trace, scope: &Scope) -> Table {
    let steps: Vec<&Step> = trace.steps.iter().filter(|step| scope.has_time(step.span.start)).collect();
    if steps.is_empty() {
        return table(
            Vec::new(),
            vec!["The trace marks no steps here; steps divide training into stages.".into()],
        );
    }
    let marks = marks(trace);
    let launches = launches(trace);
    let (mut whole, mut rest) = (Stage::default(), Stage::default());
    let mut all: [Stage; 4] = Default::default();
    for step in steps {
        whole.per_step.add(step.slice, step.span.len(), true);
        let mut covered = Vec::new();
        let mut device_of_stages: Ns = 0;
        for (stage, mut spans) in all.iter_mut().zip(spans(trace, &marks, step)) {
            // A stage inside another (loading of data called from the forward pass) counts for the first.
            let before = union(covered.clone());
            spans = without(&spans, &before);
            covered.extend(spans.iter().copied());
            if spans.is_empty() {
                continue;
            }
            stage.per_step.add(step.slice, length(&spans), true);
            let device = launched(&launches, step.worker, &spans);
            stage.device = stage.device.saturating_add(device);
            device_of_stages = device_of_stages.saturating_add(device);
        }
        let own = step.span.len().saturating_sub(length(&union(covered)));
        rest.per_step.add(step.slice, own, true);
        let device = launched(&launches, step.worker, &[step.span]);
        whole.device = whole.device.saturating_add(device);
        rest.device = rest.device.saturating_add(device.saturating_sub(device_of_stages).max(0));
    }
    let (time, device) = (whole.per_step.total, whole.device);
    let mut rows = vec![row("Step", whole, time, device)];
    let named = STAGES.iter().zip(all).filter(|(_, stage)| stage.per_step.count() > 0);
    rows.extend(named.map(|((_, title), stage)| row(title, stage, time, device)));
    rows.push(row("Other", rest, time, device));
    let mut notes = vec![
        "A stage's time in a step is the time in which at least one thread of its process is in it, within the step; Other is the rest of the step.".to_owned(),
        "Device: the work launched in that time, whenever it ran.".to_owned(),
    ];
    if marks.is_derived {
        notes.push("Forward and Backward are derived: backward is the autograd engine's time, forward the operators of the step's thread before it.".into());
    }
    table(rows, notes)
}

/// The slices that mark stages, in order of their starts.
fn marks(trace: &Trace) -> Marks {
    let slices = &trace.slices;
    let mut found: [Vec<SliceId>; 4] = Default::default();
    let hosts = trace.lanes.iter().filter(|lane| matches!(lane.kind, LaneKind::Thread | LaneKind::Python));
    let has_marks = slices
        .category
        .iter()
        .any(|&category| matches!(Category::from_u8(category), Category::Forward | Category::Backward));
    for id in hosts.flat_map(|lane| lane.slices.clone()) {
        let category = slices.category(id);
        if let Some(at) = STAGES.iter().position(|(stage, _)| *stage == category) {
            found[at].push(id);
        } else if !has_marks && trace.strings.bytes(slices.name[id as usize]).starts_with(ENGINE) {
            found[2].push(id);
        }
    }
    found.iter_mut().for_each(|ids| ids.sort_by_key(|&id| slices.start[id as usize]));
    let is_derived = !has_marks && !found[2].is_empty();
    let longest =
        |ids: &Vec<SliceId>| ids.iter().map(|&id| slices.dur[id as usize]).max().unwrap_or_default();
    Marks { longest: found.each_ref().map(longest), slices: found, is_derived }
}

fn worker(trace: &Trace, lane: LaneId) -> u16 {
    trace.groups[trace.lanes[lane as usize].group as usize].worker
}

/// The time of each stage within a step, as stretches that do not overlap.
fn spans(trace: &Trace, marks: &Marks, step: &Step) -> [Vec<Span>; 4] {
    let slices = &trace.slices;
    let inside = |at: usize| {
        let (ids, earliest) = (&marks.slices[at], step.span.start.saturating_sub(marks.longest[at]));
        let from = ids.partition_point(|&id| slices.start[id as usize] < earliest);
        let to = ids.partition_point(|&id| slices.start[id as usize] < step.span.end);
        // A stage may have begun before the step: those reach into it.
        let reaching = ids[from..to].iter().filter(|&&id| slices.end(id) > step.span.start);
        let own = reaching.filter(|&&id| worker(trace, trace.lane_of(id)) == step.worker);
        intersection(&union(own.map(|&id| slices.span(id)).collect()), &[step.span])
    };
    let mut found = [0, 1, 2, 3].map(inside);
    if marks.is_derived
        && let Some(first) = found[2].first()
    {
        let until = first.start;
        let lane = trace.lane_of(step.slice);
        let ids = trace.lanes[lane as usize].slices.clone();
        let is_forward = |&id: &SliceId| {
            let start = slices.start[id as usize];
            step.span.start <= start && start < until && slices.category(id).is_operator()
        };
        found[1] = union(ids.filter(is_forward).map(|id| slices.span(id)).collect());
    }
    found
}

/// What is in `spans` and not in `other`; both in order and without overlaps.
fn without(spans: &[Span], other: &[Span]) -> Vec<Span> {
    let mut out = Vec::new();
    for span in spans {
        let mut start = span.start;
        for hole in other.iter().filter(|hole| hole.overlaps(*span)) {
            out.extend((hole.start > start).then_some(Span { start, end: hole.start }));
            start = start.max(hole.end);
        }
        out.extend((start < span.end).then_some(Span { start, end: span.end }));
    }
    out
}

/// When each piece of device work was launched, by which worker, and how long it ran; in order of the launches.
fn launches(trace: &Trace) -> Vec<(Ns, u16, Ns)> {
    let slices = &trace.slices;
    let of_link = |&(launch, work): &(SliceId, SliceId)| {
        let lane = trace.lane_of(launch);
        let is_host = trace.groups[trace.lanes[lane as usize].group as usize].kind == GroupKind::Process;
        is_host.then(|| (slices.start[launch as usize], worker(trace, lane), slices.dur[work as usize]))
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
    Table { view: "model", title: "Stages of training", columns, rows, notes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_keeps_both_sides() {
        let spans =
            |list: &[(Ns, Ns)]| list.iter().map(|&(start, end)| Span { start, end }).collect::<Vec<_>>();
        let left = without(&spans(&[(0, 10), (20, 30)]), &spans(&[(2, 4), (8, 22), (30, 40)]));
        assert_eq!(left, spans(&[(0, 2), (4, 8), (22, 30)]));
    }
}
