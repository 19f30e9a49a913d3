//! The rows of the tables of operators: of operators, of their inner parts and calls, and of device work.
//!
//! Must not know how the sums were made.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::analysis::table::tally::Tally;
use crate::analysis::table::{TableRow, Value};
use crate::analysis::views::operator::columns::Whole;
use crate::analysis::views::operator::own::Own;
use crate::analysis::views::operator::sums::{Inner, Sums};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::Trace;

/// What a row of a table of operators is made from: its title, its sums and its child rows.
pub(super) struct Row {
    /// The row's first cell.
    pub title: Value,
    pub sums: Sums,
    pub children: Vec<TableRow>,
}

impl Row {
    /// The row titled `title` of the operators of `sums`, with child rows for their inner parts, calls and
    /// device work.
    pub(super) fn with_parts(trace: &Trace, title: Value, mut sums: Sums, whole: &Whole) -> Self {
        let mut children = inner_rows(trace, std::mem::take(&mut sums.inner_parts), whole);
        children.extend(inner_rows(trace, std::mem::take(&mut sums.calls), whole));
        children.extend(work_rows(trace, std::mem::take(&mut sums.work), whole));
        Self { title, sums, children }
    }

    /// Makes the table's row; its shares are relative to `whole`, which also decides on its columns.
    pub(super) fn build(self, whole: &Whole) -> TableRow {
        let Self { title, mut sums, children } = self;
        let longest = sums.host.longest();
        let device = |ns: Ns| if whole.has_device { Value::Duration(ns) } else { Value::Empty };
        let ratio = |host: Ns, device: Ns| host as f64 / device as f64;
        let first = [title, Value::Count(sums.host.count())];
        let totals = [
            device(sums.device_own),
            Value::share(sums.device_own, whole.device_own),
            Value::Duration(sums.host.total),
            device(sums.device),
            if sums.device > 0 { Value::Factor(ratio(sums.host.total, sums.device)) } else { Value::Empty },
        ];
        let cells = first.into_iter().chain(own_cells(sums.own, whole)).chain(totals);
        let cells = cells.chain(whole.in_graphs(&sums)).chain(whole.flops(&sums));
        let cells = cells.chain(sums.host.spread()).collect();
        TableRow { cells, children, longest }
    }
}

/// The cells of own time, of its share, and of its parts in calls and in waiting calls.
fn own_cells(own: Own, whole: &Whole) -> [Value; 4] {
    let calls = |ns: Ns| if whole.has_calls { Value::Duration(ns) } else { Value::Empty };
    [Value::Duration(own.time), Value::share(own.time, whole.own), calls(own.calls), calls(own.waiting)]
}

/// Makes a row for each name of an operator's inner parts or calls, waiting calls first.
fn inner_rows(trace: &Trace, inner: FxHashMap<StrId, Inner>, whole: &Whole) -> Vec<TableRow> {
    let mut inner: Vec<(StrId, Inner)> = inner.into_iter().collect();
    inner.sort_by(|(a, one), (b, other)| {
        let order = |inner: &Inner| (Reverse(inner.waits), Reverse(inner.tally.total));
        let by_name = || trace.strings.bytes(*a).cmp(trace.strings.bytes(*b));
        order(one).cmp(&order(other)).then_with(by_name)
    });
    let row = |(name, Inner { mut tally, own, .. }): (StrId, Inner)| {
        let longest = tally.longest();
        let first =
            [Value::Text(trace.string_or(name, "(unnamed)").into_owned()), Value::Count(tally.count())];
        let cells = first.into_iter().chain(own_cells(own, whole)).chain([const { Value::Empty }; 2]);
        let cells = cells
            .chain([Value::Duration(tally.total), Value::Empty, Value::Empty])
            .chain(whole.in_graphs(&Sums::default()))
            .chain(whole.flops(&Sums::default()));
        TableRow { cells: cells.chain(tally.spread()).collect(), children: Vec::new(), longest }
    };
    inner.into_iter().map(row).collect()
}

/// Makes a row for each name of device work, the largest summed time first.
pub(super) fn work_rows(trace: &Trace, work: FxHashMap<StrId, Tally>, whole: &Whole) -> Vec<TableRow> {
    let mut work: Vec<(StrId, Tally)> = work.into_iter().collect();
    work.sort_by(|(a, one), (b, other)| {
        let by_name = || trace.strings.bytes(*a).cmp(trace.strings.bytes(*b));
        other.total.cmp(&one.total).then_with(by_name)
    });
    let row = |(name, mut tally): (StrId, Tally)| {
        let longest = tally.longest();
        let first =
            [Value::Text(trace.string_or(name, "(unnamed)").into_owned()), Value::Count(tally.count())];
        let device = [Value::Duration(tally.total), Value::share(tally.total, whole.device_own)];
        let cells = first.into_iter().chain([const { Value::Empty }; 4]).chain(device);
        let cells = cells.chain([const { Value::Empty }; 3]).chain(whole.in_graphs(&Sums::default()));
        let cells = cells.chain(whole.flops(&Sums::default()));
        TableRow { cells: cells.chain(tally.spread()).collect(), children: Vec::new(), longest }
    };
    work.into_iter().map(row).collect()
}
