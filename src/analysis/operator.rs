//! The summary of operators by name: total and self host time, and the time of the launched device work.
//!
//! An operator nested in one of the same name counts as a call but adds no time. Device work counts for every operator
//! around its launch, once per name, and as own work for the innermost.

pub mod grouped;

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{LaneId, SliceId, Trace};

use super::chart::Chart;
use super::inner;
use super::own_time::own_times;
use super::owner::{NO_OPERATOR, Owner, Owners, Reason};
use super::part::Part;
use super::scope::Scope;
use super::table::{Column, ColumnKind, Table, TableRow, Value};
use super::tally::{SPREAD, Tally};

/// The operators of one row.
#[derive(Default)]
struct Sums {
    /// Calls and host time.
    host: Tally,
    /// Summed host time without that of the slices inside the operators, ns.
    own: Ns,
    /// Summed time of all device work launched within the operators, ns.
    device: Ns,
    /// Summed time of the device work whose innermost operator is one of these, ns.
    device_own: Ns,
    /// Floating point operations; 0 if unknown.
    flops: u64,
    /// The work of `device_own` by name.
    work: FxHashMap<StrId, Tally>,
}

/// Name of the view for `--view`.
pub const VIEW: &str = "operator";

/// The key of a row: the operators' name, and the id of what else tells them apart (0 if nothing does, see `grouped`).
type Key = (StrId, u32);

/// Builds the table of operators by name, with the device work that they launched as child rows, and a row of the device work
/// that no operator launched. Rows are sorted by own device time, in a trace without device work by own host time, largest first.
pub fn operators(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let owners = Owners::of(&part);
    let own = own_times(&part);
    let name = |id: SliceId| (trace.slices.name[id as usize], 0);
    let found = gather(&owners, &own, name, |_| 0);
    let no_operator = NoOperator::of(&owners);
    let whole = Whole::of(&found, &no_operator);
    let rows = sorted(trace, &whole, found);
    let rows = rows.into_iter().map(|((name, _), mut sums)| {
        let children = work_rows(trace, std::mem::take(&mut sums.work), &whole);
        let name = Value::Text(trace.string_or(name, "(unnamed)").into_owned());
        row(name, sums, &whole, children)
    });
    let table = whole.table("Operators by name", no_operator.insert(trace, &whole, rows.collect()));
    let charts = charts(&part, &table);
    table.with_charts(charts)
}

/// Makes the charts: shares of device time, shares of own host time, operators by the operators they call.
fn charts(part: &Part<'_>, table: &Table) -> [Option<Chart>; 3] {
    [
        table.share_chart("Device time by operator", "device_share", "device_own"),
        table.share_chart("Self time by operator", "own_share", "own"),
        inner::chart(part, table),
    ]
}

/// Sums up the operators in the part by `key`; `own` is the self time of each slice (ns), `flops` gives an operator's operations.
fn gather(
    owners: &Owners<'_>,
    own: &[Ns],
    key: impl Fn(SliceId) -> Key + Sync,
    flops: impl Fn(SliceId) -> u64 + Sync,
) -> FxHashMap<Key, Sums> {
    let part = owners.part();
    let slices = &part.trace().slices;
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<Key, Sums> = FxHashMap::default();
        for piece in part.pieces(lane).filter(|piece| slices.category(piece.id).is_operator()) {
            let own_key = key(piece.id);
            let is_same = |around| {
                slices.name[around as usize] == own_key.0
                    && slices.category(around).is_operator()
                    && key(around) == own_key
            };
            let sums = found.entry(own_key).or_default();
            sums.host.add(piece, !slices.ancestors(piece.id).any(is_same));
            sums.own = sums.own.saturating_add(own[piece.id as usize].max(0));
            sums.flops = sums.flops.saturating_add(if piece.begins { flops(piece.id) } else { 0 });
        }
        found
    };
    let per_lane = (0..part.trace().lanes.len() as LaneId).into_par_iter().map(of_lane);
    let mut found = per_lane.reduce(FxHashMap::default, |mut all: FxHashMap<Key, Sums>, one| {
        for (key, sums) in one {
            let known = all.entry(key).or_default();
            known.host.merge(sums.host);
            known.own = known.own.saturating_add(sums.own);
            known.flops = known.flops.saturating_add(sums.flops);
        }
        all
    });
    add_device_work(owners, key, &mut found);
    found
}

/// Adds the device work in the part to the sums of the operators around its launch, also of those that ended before the part.
fn add_device_work(owners: &Owners<'_>, key: impl Fn(SliceId) -> Key, found: &mut FxHashMap<Key, Sums>) {
    let slices = &owners.part().trace().slices;
    let mut seen: Vec<Key> = Vec::new();
    for work in owners.work() {
        let Some(launch) = work.launch else { continue };
        let dur = work.time();
        seen.clear();
        let around = std::iter::once(launch).chain(slices.ancestors(launch));
        for operator in around.filter(|&id| slices.category(id).is_operator()) {
            let key = key(operator);
            if seen.contains(&key) {
                continue;
            }
            let sums = found.entry(key).or_default();
            sums.device = sums.device.saturating_add(dur);
            if seen.is_empty() {
                sums.device_own = sums.device_own.saturating_add(dur);
                let name = slices.name[work.piece.id as usize];
                sums.work.entry(name).or_default().add(work.piece, work.is_outer);
            }
            seen.push(key);
        }
    }
}

/// The device work that no operator launched, by reason and name.
#[derive(Default)]
struct NoOperator(BTreeMap<Reason, FxHashMap<StrId, Tally>>);

impl NoOperator {
    fn of(owners: &Owners<'_>) -> Self {
        let mut found = Self::default();
        for work in owners.work() {
            let Owner::None(reason) = owners.owner(work.piece.id, work.launch) else { continue };
            let of_reason = found.0.entry(reason).or_default();
            let name = owners.part().trace().slices.name[work.piece.id as usize];
            of_reason.entry(name).or_default().add(work.piece, work.is_outer);
        }
        found
    }

    /// The summed time of the work for a reason, ns.
    fn time(work: &FxHashMap<StrId, Tally>) -> Ns {
        work.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total))
    }

    /// The summed time of all the work, ns.
    fn total(&self) -> Ns {
        self.0.values().map(Self::time).fold(0, Ns::saturating_add)
    }

    /// Inserts the row of this work, if there is any, among rows sorted by own device time.
    fn insert(self, trace: &Trace, whole: &Whole, mut rows: Vec<TableRow>) -> Vec<TableRow> {
        if self.0.is_empty() {
            return rows;
        }
        let total = self.total();
        let device_row = |title: &str, time: Ns, children: Vec<TableRow>| {
            let sums = Sums { device_own: time, device: time, ..Sums::default() };
            let mut row = row(Value::text(title), sums, whole, children);
            // There are no calls of an operator, and so no host time.
            for id in ["calls", "own", "own_share", "total"] {
                if let Some(at) = columns(whole).iter().position(|column| column.id == id) {
                    row.cells[at] = Value::Empty;
                }
            }
            row
        };
        let of_reason = |(reason, work): (Reason, FxHashMap<StrId, Tally>)| {
            device_row(reason.title(), Self::time(&work), work_rows(trace, work, whole))
        };
        let children = self.0.into_iter().map(of_reason).collect();
        let device = |row: &TableRow| row.cells[DEVICE_OWN].duration_or_zero();
        let at = rows.iter().position(|row| device(row) < total).unwrap_or(rows.len());
        rows.insert(at, device_row(NO_OPERATOR, total, children));
        rows
    }
}

/// Sums over all operators and all device work, the reference of the shares, and flags for the table's columns.
struct Whole {
    /// Summed own host time of all operators, ns.
    own: Ns,
    /// Summed time of all device work, whether or not an operator launched it, ns.
    device_own: Ns,
    /// True if there is device work.
    has_device: bool,
    /// True if the table has columns of floating point operations.
    has_flops: bool,
}

impl Whole {
    fn of(found: &FxHashMap<Key, Sums>, no_operator: &NoOperator) -> Self {
        let sum = |of: fn(&Sums) -> Ns| found.values().fold(0, |all: Ns, sums| all.saturating_add(of(sums)));
        Self {
            own: sum(|sums| sums.own),
            device_own: sum(|sums| sums.device_own).saturating_add(no_operator.total()),
            has_device: no_operator.total() > 0 || found.values().any(|sums| sums.device > 0),
            has_flops: false,
        }
    }

    /// The cells of floating point operations and of operations per second; none if the table has no such columns.
    fn flops(&self, sums: &Sums) -> Vec<Value> {
        if !self.has_flops {
            return Vec::new();
        }
        let time = if sums.device > 0 { sums.device } else { sums.host.total };
        let known = |n: u64| if n > 0 { Value::Amount(n) } else { Value::Empty };
        let rate = u128::from(sums.flops) * 1_000_000_000 / u128::from(time.max(1).unsigned_abs());
        let rate = if time > 0 { u64::try_from(rate).unwrap_or(u64::MAX) } else { 0 };
        vec![known(sums.flops), known(rate)]
    }

    /// Builds the table of these rows.
    fn table(&self, title: &'static str, rows: Vec<TableRow>) -> Table {
        let mut notes = Vec::new();
        if rows.is_empty() {
            return Table { view: VIEW, title, columns: columns(self), ..Table::default() };
        }
        notes.push(
            "A call nested in a call of the same operator does not add to Total: its time is part of the \
             outer call."
                .into(),
        );
        if self.has_device {
            notes.push(
                "Device time counts for the operator that launched the work, even if the work ran later: \
                 in Device for the innermost operator around the launch, in Device total for every \
                 operator around the launch. Shares are of all device work. The row (no operator) is the work \
                 that no operator launched, with a row below for each reason: graph launches; other launches \
                 outside of all operators; work launched before the first recorded call; work whose launch is not \
                 in the trace."
                    .into(),
            );
        }
        if self.has_flops {
            notes.push(
                "FLOPs are computed from input shapes by torch's formulas for aten's conv2d, mm, addmm, \
                 bmm, baddbmm, add and mul. FLOPs of nested operators are not added."
                    .into(),
            );
        }
        Table { view: VIEW, title, columns: columns(self), rows, notes, ..Table::default() }
    }
}

/// Sorts by own device time (0 for all in a trace without device work), then own host time, largest first, then by name.
fn sorted(trace: &Trace, whole: &Whole, found: FxHashMap<Key, Sums>) -> Vec<(Key, Sums)> {
    let mut found: Vec<(Key, Sums)> = found.into_iter().collect();
    found.sort_by(|(a, one), (b, other)| {
        let key = |sums: &Sums| (if whole.has_device { sums.device_own } else { 0 }, sums.own);
        let by_name = || trace.strings.bytes(a.0).cmp(trace.strings.bytes(b.0)).then(a.1.cmp(&b.1));
        key(other).cmp(&key(one)).then_with(by_name)
    });
    found
}

/// Index of the own device time in [`columns`].
const DEVICE_OWN: usize = 5;

/// Makes the row of operators with equal keys.
fn row(name: Value, mut sums: Sums, whole: &Whole, children: Vec<TableRow>) -> TableRow {
    let longest = sums.host.longest();
    let device = |ns: Ns| if whole.has_device { Value::Duration(ns) } else { Value::Empty };
    let first = [
        name,
        Value::Count(sums.host.count()),
        Value::Duration(sums.own),
        Value::share(sums.own, whole.own),
        Value::Duration(sums.host.total),
        device(sums.device_own),
        Value::share(sums.device_own, whole.device_own),
        device(sums.device),
    ];
    let cells = first.into_iter().chain(whole.flops(&sums)).chain(sums.host.spread()).collect();
    TableRow { cells, children, longest }
}

/// Makes the rows of an operator's own device work by name, the longest time first.
fn work_rows(trace: &Trace, work: FxHashMap<StrId, Tally>, whole: &Whole) -> Vec<TableRow> {
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
            Value::share(tally.total, whole.device_own),
            Value::Empty,
        ];
        let cells = first.into_iter().chain(whole.flops(&Sums::default())).chain(tally.spread()).collect();
        TableRow { cells, children: Vec::new(), longest }
    };
    work.into_iter().map(row).collect()
}

fn columns(whole: &Whole) -> Vec<Column> {
    use ColumnKind::{Amount, Count, Duration, Ratio, Text};
    let device = if whole.has_device { Column::new } else { Column::extra };
    let first = [
        Column::new(
            "name",
            "Operator",
            Text,
            "Name of the operator; the rows below are the device work that the operator launched",
        ),
        Column::new(
            "calls",
            "Calls",
            Count,
            "Number of calls of the operator that begin in the summarized part",
        ),
        Column::new(
            "own",
            "Self",
            Duration,
            "Host self time: time of the operator without nested operators and runtime calls",
        ),
        Column::new("own_share", "Self %", Ratio, "Share of the self time of all operators"),
        Column::new(
            "total",
            "Total",
            Duration,
            "Host time of the operator with nested operators and runtime calls",
        ),
        device(
            "device_own",
            "Device",
            Duration,
            "Device time of the work that the operator launched, without nested operators",
        ),
        device(
            "device_share",
            "Device %",
            Ratio,
            "Share of the time of all device work, whether or not an operator launched it",
        ),
        Column::extra(
            "device_total",
            "Device total",
            Duration,
            "Device time of the work that the operator and its nested operators launched",
        ),
    ];
    let flops = [
        Column::new(
            "flops",
            "FLOPs",
            Amount,
            "Floating point operations of the operator's calls, computed from the input shapes",
        ),
        Column::new(
            "flops_rate",
            "FLOP/s",
            Amount,
            "FLOPs per second of device time (Device total), or of host time if no device work was launched",
        ),
    ];
    let flops = flops.into_iter().filter(|_| whole.has_flops);
    first.into_iter().chain(flops).chain(SPREAD).collect()
}
