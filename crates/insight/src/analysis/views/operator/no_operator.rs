//! The device work without an operator: its row in the table of operators, with a row below for each reason.
//!
//! Must not know how a reason is found.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::analysis::part::owner::{NO_OPERATOR, Owner, Owners, Reason};
use crate::analysis::table::tally::Tally;
use crate::analysis::table::{TableRow, Value};
use crate::analysis::views::operator::columns::Whole;
use crate::analysis::views::operator::rows::{Row, work_rows};
use crate::analysis::views::operator::sums::Sums;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::Trace;

/// The device work without an operator, summed up by the reason why it has none, and by name.
#[derive(Default)]
pub(super) struct NoOperator(BTreeMap<Reason, FxHashMap<StrId, Tally>>);

impl NoOperator {
    pub(super) fn of(owners: &Owners<'_>) -> Self {
        let mut found = Self::default();
        for work in owners.work() {
            let Owner::None(reason) = owners.owner(work.piece.id, work.launch) else { continue };
            let of_reason = found.0.entry(reason).or_default();
            let name = owners.part().trace().slices.name[work.piece.id];
            of_reason.entry(name).or_default().add(work.piece, work.is_outer);
        }
        found
    }

    /// The summed time of `work`, ns.
    fn time(work: &FxHashMap<StrId, Tally>) -> Ns {
        work.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total))
    }

    /// The summed time of all device work without an operator, ns.
    pub(super) fn total(&self) -> Ns {
        self.0.values().map(Self::time).fold(0, Ns::saturating_add)
    }

    /// Adds the row of device work without an operator, if there is any, to `rows`, which must be sorted by
    /// weight (ns), largest first.
    pub(super) fn insert(self, trace: &Trace, whole: &Whole, rows: Vec<(Ns, TableRow)>) -> Vec<TableRow> {
        let (weights, mut rows): (Vec<Ns>, Vec<TableRow>) = rows.into_iter().unzip();
        if self.0.is_empty() {
            return rows;
        }
        // There are no calls of an operator, and so no host time.
        let of_host = ["calls", "own", "own_share", "own_runtime", "own_waiting", "total", "host_per_device"];
        let columns = whole.columns();
        let device_row = |title: &str, time: Ns, children: Vec<TableRow>| {
            let sums = Sums { device_own: time, device: time, ..Sums::default() };
            let mut row = Row { title: Value::text(title), sums, children }.build(whole);
            for (column, cell) in columns.iter().zip(&mut row.cells) {
                if of_host.contains(&column.id.as_ref()) {
                    *cell = Value::Empty;
                }
            }
            row
        };
        let of_reason = |(reason, work): (Reason, FxHashMap<StrId, Tally>)| {
            device_row(reason.title(), Self::time(&work), work_rows(trace, work, whole))
        };
        let total = self.total();
        let children = self.0.into_iter().map(of_reason).collect();
        let at = weights.partition_point(|&weight| weight >= total);
        rows.insert(at, device_row(NO_OPERATOR, total, children));
        rows
    }
}
