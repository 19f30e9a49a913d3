//! The columns of the tables of operators, and the sums that their shares are of.
//!
//! Must not know rows.

use rustc_hash::FxHashMap;

use crate::analysis::table::ColumnKind::{Amount, Count, Duration, Factor, Ratio, Text};
use crate::analysis::table::tally::SPREAD;
use crate::analysis::table::{Column, Value};
use crate::analysis::views::operator::sums::{Key, Sums};
use proftui_base::time::Ns;

/// What the rows of a table of operators have in common: the sums that their shares are of, and which columns
/// there are.
pub(super) struct Whole {
    /// Summed own host time of all operators, ns.
    pub own: Ns,
    /// Summed time of all device work, whether or not an operator launched it, ns.
    pub device_own: Ns,
    /// True if any device work takes time in the part.
    pub has_device: bool,
    /// Summed time of device work of known operators inside graphs, ns. If it is 0, the table has no column
    /// for it.
    pub graphs: Ns,
    /// True if an operator makes a call of a runtime or driver in the part.
    pub has_calls: bool,
    /// True if the table has columns of floating point operations.
    pub has_flops: bool,
}

impl Whole {
    /// Sums up the operators `found` and adds `without`, the time (ns) of device work without an operator.
    /// `has_flops` is false.
    pub(super) fn of(found: &FxHashMap<Key, Sums>, without: Ns) -> Self {
        let sum = |of: fn(&Sums) -> Ns| found.values().fold(0, |all: Ns, sums| all.saturating_add(of(sums)));
        Self {
            own: sum(|sums| sums.own.time),
            device_own: sum(|sums| sums.device_own).saturating_add(without),
            has_device: without > 0 || found.values().any(|sums| sums.device > 0),
            graphs: sum(|sums| sums.in_graphs),
            has_calls: found.values().any(|sums| !sums.calls.is_empty()),
            has_flops: false,
        }
    }

    /// The cells of floating point operations and of their rate, if the table has such columns.
    pub(super) fn flops(&self, sums: &Sums) -> Vec<Value> {
        if !self.has_flops {
            return Vec::new();
        }
        let time = if sums.device > 0 { sums.device } else { sums.host.total };
        let known = |n: u64| if n > 0 { Value::Amount(n) } else { Value::Empty };
        let rate = u128::from(sums.flops) * 1_000_000_000 / u128::from(time.max(1).unsigned_abs());
        let rate = if time > 0 { u64::try_from(rate).unwrap_or(u64::MAX) } else { 0 };
        vec![known(sums.flops), known(rate)]
    }

    /// The cell of the device time inside graphs, empty if it is 0; `None` if the table has no such column.
    pub(super) fn in_graphs(&self, sums: &Sums) -> Option<Value> {
        let value = if sums.in_graphs > 0 { Value::Duration(sums.in_graphs) } else { Value::Empty };
        (self.graphs > 0).then_some(value)
    }

    /// All columns of a table of operators.
    pub(super) fn columns(&self) -> Vec<Column> {
        let flops = flops().into_iter().filter(|_| self.has_flops);
        let graphs = (self.graphs > 0).then(in_graphs);
        let host = host(self.has_calls);
        host.into_iter()
            .chain(totals(self.has_device))
            .chain(graphs)
            .chain(flops)
            .chain(self.spread())
            .collect()
    }

    /// The columns of the durations of operators' calls, average to longest. All are extra columns in a table
    /// with both runtime calls and device time.
    fn spread(&self) -> [Column; 5] {
        let is_full = self.has_calls && self.has_device;
        SPREAD.map(|column| Column { is_extra: column.is_extra || is_full, ..column })
    }
}

/// The columns of name, calls, and own host time with its share and parts. The column of waiting calls is an
/// extra column unless `has_calls`.
fn host(has_calls: bool) -> [Column; 6] {
    let waiting = if has_calls { Column::new } else { Column::extra };
    [
        Column::new(
            "name",
            "Operator",
            Text,
            "Name of the operator; below, or below its shapes or stacks, are its inner parts, the runtime \
             calls that it makes (waiting ones first), and its device work",
        ),
        Column::new(
            "calls",
            "Calls",
            Count,
            "Number of calls of the operator that begin in the summarized part",
        ),
        Column::new(
            "own",
            "Own",
            Duration,
            "Host time in the operator and in no operator inside it: its inner parts, runtime calls and \
             waits are its own",
        ),
        Column::new("own_share", "Own %", Ratio, "Share of the own time of all operators"),
        Column::extra(
            "own_runtime",
            "In calls",
            Duration,
            "Part of Own in calls of the runtime or driver, waiting ones included",
        ),
        waiting(
            "own_waiting",
            "Waiting",
            Duration,
            "Part of Own in calls that usually wait for the device: synchronizations, waiting copies",
        ),
    ]
}

/// The columns of own device time and its share, of total host and device time, and of the ratio of these
/// totals. The first two are extra columns unless `has_device`.
fn totals(has_device: bool) -> [Column; 5] {
    let device = if has_device { Column::new } else { Column::extra };
    [
        device(
            "device_own",
            "Device",
            Duration,
            "Device time of the work that counts for the operator, without nested operators",
        ),
        device(
            "device_share",
            "Device %",
            Ratio,
            "Share of the time of all device work, whether or not an operator launched it",
        ),
        Column::new("total", "Total", Duration, "Host time of the operator with the operators inside it"),
        Column::extra(
            "device_total",
            "Device total",
            Duration,
            "Device time of the work that counts for the operator or was launched inside it",
        ),
        Column::extra("host_per_device", "Host:device", Factor, "Total divided by Device total"),
    ]
}

fn in_graphs() -> Column {
    Column::new(
        "device_in_graphs",
        "In graphs",
        Duration,
        "Part of Device in graphs whose operators are known: from a trace of the graph's capture, or from \
         the recorder",
    )
}

/// The columns of floating point operations and of operations per second.
fn flops() -> [Column; 2] {
    [
        Column::new(
            "flops",
            "FLOPs",
            Amount,
            "Floating point operations of the operator's calls, as far as known from their inputs",
        ),
        Column::new(
            "flops_rate",
            "FLOP/s",
            Amount,
            "FLOPs per second of device time (Device total), or without any, of host time (Total)",
        ),
    ]
}
