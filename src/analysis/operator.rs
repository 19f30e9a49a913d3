//! Operators by name: time on the host, alone and with what they call, and the time of the device work that they launched.
//!
//! An operator inside another of its own name is counted as a call, its time once. Device work belongs to every operator
//! around its launch, once for each name, and to the innermost as its own.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{LaneId, NONE, SliceId, Trace};

use super::chart::Chart;
use super::inner;
use super::scope::Scope;
use super::table::{Column, ColumnKind, Table, TableRow, Value};
use super::tally::{SPREAD, Tally};

/// One operator.
#[derive(Default)]
struct Sums {
    host: Tally,
    own: Ns,
    device: Ns,
    device_own: Ns,
    /// The device work by its name.
    work: FxHashMap<StrId, Tally>,
}

/// Time of each slice without its children, ns; children beyond its end count up to it.
fn own_times(trace: &Trace) -> Vec<Ns> {
    let slices = &trace.slices;
    let mut own = slices.dur.clone();
    for id in 0..slices.len() {
        let parent = slices.parent[id];
        if parent != NONE {
            let inside = slices.end(id as SliceId).min(slices.end(parent)).saturating_sub(slices.start[id]);
            own[parent as usize] = own[parent as usize].saturating_sub(inside.max(0));
        }
    }
    own
}

/// Operators by name, the largest time of their own on host or device first; below each the device work it launched.
pub fn operators(trace: &Trace, scope: &Scope) -> Table {
    let own = own_times(trace);
    let slices = &trace.slices;
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<StrId, Sums> = FxHashMap::default();
        for id in scope.slices(trace, lane).filter(|&id| slices.category(id).is_operator()) {
            let name = slices.name[id as usize];
            let is_same =
                |around| slices.name[around as usize] == name && slices.category(around).is_operator();
            let sums = found.entry(name).or_default();
            sums.host.add(id, slices.dur[id as usize], !slices.ancestors(id).any(is_same));
            sums.own = sums.own.saturating_add(own[id as usize].max(0));
        }
        found
    };
    let per_lane = (0..trace.lanes.len() as LaneId).into_par_iter().map(of_lane);
    let mut found = per_lane.reduce(FxHashMap::default, |mut all: FxHashMap<StrId, Sums>, one| {
        for (name, sums) in one {
            let known = all.entry(name).or_default();
            known.host.merge(sums.host);
            known.own = known.own.saturating_add(sums.own);
        }
        all
    });
    add_device_work(trace, scope, &mut found);
    let table = table(trace, found);
    let charts = [
        Chart::shares(&table, "Device work by operator", "device_share", "device_own"),
        Chart::shares(&table, "Own time by operator", "own_share", "own"),
        inner::chart(trace, scope, &table),
    ];
    table.with_charts(charts)
}

fn add_device_work(trace: &Trace, scope: &Scope, found: &mut FxHashMap<StrId, Sums>) {
    let slices = &trace.slices;
    let mut seen: Vec<StrId> = Vec::new();
    for &(launch, work) in trace.links.within(0..slices.len() as SliceId) {
        if scope.lanes.is_some() && !scope.has_lane(trace.lane_of(launch)) {
            continue;
        }
        let dur = slices.dur[work as usize];
        seen.clear();
        let around = std::iter::once(launch).chain(slices.ancestors(launch));
        for operator in around.filter(|&id| slices.category(id).is_operator()) {
            let name = slices.name[operator as usize];
            if seen.contains(&name) || !scope.has_time(slices.start[operator as usize]) {
                continue;
            }
            let Some(sums) = found.get_mut(&name) else { continue };
            sums.device = sums.device.saturating_add(dur);
            if seen.is_empty() {
                sums.device_own = sums.device_own.saturating_add(dur);
                sums.work.entry(slices.name[work as usize]).or_default().add(work, dur, true);
            }
            seen.push(name);
        }
    }
}

fn table(trace: &Trace, found: FxHashMap<StrId, Sums>) -> Table {
    let has_device = found.values().any(|sums| sums.device > 0);
    let mut found: Vec<(StrId, Sums)> = found.into_iter().collect();
    found.sort_by(|(a, one), (b, other)| {
        let key = |sums: &Sums| (if has_device { sums.device_own } else { 0 }, sums.own);
        let by_name = || trace.strings.bytes(*a).cmp(trace.strings.bytes(*b));
        key(other).cmp(&key(one)).then_with(by_name)
    });
    let sum = |of: fn(&Sums) -> Ns| found.iter().fold(0, |all: Ns, (_, sums)| all.saturating_add(of(sums)));
    let (own, device_own) = (sum(|sums| sums.own), sum(|sums| sums.device_own));
    let rows = found.into_iter().map(|(name, mut sums)| {
        let longest = sums.host.longest();
        let device = |ns: Ns| if has_device { Value::Duration(ns) } else { Value::Empty };
        let first = [
            Value::Text(trace.string_or(name, "(unnamed)").into_owned()),
            Value::Count(sums.host.count()),
            Value::Duration(sums.own),
            Value::share(sums.own, own),
            Value::Duration(sums.host.total),
            device(sums.device_own),
            Value::share(sums.device_own, device_own),
            device(sums.device),
        ];
        let cells = first.into_iter().chain(sums.host.spread()).collect();
        TableRow { cells, children: work_rows(trace, sums.work, device_own), longest }
    });
    let mut notes = vec![
        "Total counts nested calls of one name once, so a total is never more than the time that passed on its threads.".into(),
    ];
    if has_device {
        notes.push("Device: the work launched from inside the operator, wherever it ran and however late; a kernel counts for every operator around its launch, as its own for the innermost.".into());
    }
    Table {
        view: "operator",
        title: "Operators by name",
        columns: columns(has_device),
        rows: rows.collect(),
        notes,
        ..Table::default()
    }
}

/// The device work of an operator by name.
fn work_rows(trace: &Trace, work: FxHashMap<StrId, Tally>, device_own: Ns) -> Vec<TableRow> {
    let mut work: Vec<(StrId, Tally)> = work.into_iter().collect();
    work.sort_by(|(a, one), (b, other)| {
        let by_name = || trace.strings.bytes(*a).cmp(trace.strings.bytes(*b));
        other.total.cmp(&one.total).then_with(by_name)
    });
    let row = |(name, mut tally): (StrId, Tally)| {
        let longest = tally.longest();
        let first = [
            Value::Text(trace.string_or(name, "(unnamed)").into_owned()),
            Value::Count(tally.count()),
            Value::Empty,
            Value::Empty,
            Value::Empty,
            Value::Duration(tally.total),
            Value::share(tally.total, device_own),
            Value::Empty,
        ];
        TableRow { cells: first.into_iter().chain(tally.spread()).collect(), children: Vec::new(), longest }
    };
    work.into_iter().map(row).collect()
}

fn columns(has_device: bool) -> Vec<Column> {
    use ColumnKind::{Count, Duration, Ratio, Text};
    let device = if has_device { Column::new } else { Column::extra };
    let first = [
        Column::new("name", "Operator", Text, "The operator; below it the device work that it launched"),
        Column::new("calls", "Calls", Count, "How many events"),
        Column::new(
            "own",
            "Own",
            Duration,
            "Host time without what lies inside: other operators, runtime calls",
        ),
        Column::new("own_share", "Own", Ratio, "Of the own time of all operators"),
        Column::new(
            "total",
            "Total",
            Duration,
            "Host time with what lies inside; calls inside a call of the same name count once",
        ),
        device("device_own", "Device", Duration, "Time of the device work that the operator itself launched"),
        device("device_share", "Device", Ratio, "Of the device work of all operators"),
        Column::extra(
            "device_total",
            "Device total",
            Duration,
            "Time of all device work launched from inside, by operators inside too",
        ),
    ];
    first.into_iter().chain(SPREAD).collect()
}
