//! The summary of operators by name: total and own host time, and the time of the launched device work.
//!
//! `operator/sums.rs` makes the sums, `operator/own.rs` finds own times, `operator/inner.rs` makes the chart
//! of operators by what is inside them. Must not know how a table is shown.

mod columns;
pub mod grouped;
mod inner;
mod no_operator;
mod own;
mod rows;
mod sums;

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_trace::model::{SliceId, Trace};

use crate::analysis::part::Part;
pub(crate) use crate::analysis::part::owner::NO_OPERATOR;
use crate::analysis::part::owner::{GRAPH_NOTE, Owners};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::chart::Chart;
use crate::analysis::table::{Table, TableRow, Value};
use columns::Whole;
use no_operator::NoOperator;
pub(crate) use own::{Own, OwnTimes, Role};
use rows::Row;
use sums::{Key, Sums, gather};

/// Name of the view for `--view`.
pub const VIEW: &str = "operator";

/// Builds the table of operators by name, with their inner parts, calls and device work in rows below.
pub fn operators(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let owners = Owners::of(&part);
    let own = OwnTimes::of(&part);
    let name = |id: SliceId| (trace.slices.name[id], StrId::EMPTY);
    let in_graph = |record: u32| (trace.graph_names.records[record as usize].operator, StrId::EMPTY);
    let found = gather(&owners, &own, name, in_graph, |_| 0);
    let no_operator = NoOperator::of(&owners);
    let whole = Whole::of(&found, no_operator.total());
    let row = |((name, _), sums): (Key, Sums)| {
        (sums.weight(), Row::with_parts(trace, title(trace, name), sums, &whole).build(&whole))
    };
    let rows = sorted(trace, found).into_iter().map(row).collect();
    let table = table("Operators by name", &whole, no_operator.insert(trace, &whole, rows));
    let charts = charts(&part, &own, &table);
    table.with_charts(charts)
}

/// Makes the charts of a table of operators; `None` for a chart without time.
fn charts(part: &Part<'_>, own: &OwnTimes<'_>, table: &Table) -> [Option<Chart>; 3] {
    [
        table.share_chart("Device time by operator", "device_share", "device_own"),
        table.share_chart("Own time by operator", "own_share", "own"),
        inner::chart(part, own, table),
    ]
}

/// The title of the row of operators with this name.
fn title(trace: &Trace, name: StrId) -> Value {
    Value::Text(trace.string_or(name, "(unnamed)").into_owned())
}

/// Sorts the operators of `found` by [`Sums::weight`], the largest first.
fn sorted(trace: &Trace, found: FxHashMap<Key, Sums>) -> Vec<(Key, Sums)> {
    let mut found: Vec<(Key, Sums)> = found.into_iter().collect();
    found.sort_by(|(a, one), (b, other)| {
        let key = |sums: &Sums| (sums.weight(), sums.own.time);
        let by_name = || trace.strings.bytes(a.0).cmp(trace.strings.bytes(b.0)).then(a.1.cmp(&b.1));
        key(other).cmp(&key(one)).then_with(by_name)
    });
    found
}

/// Builds a table of operators from its rows, with the columns of `whole`.
fn table(title: &'static str, whole: &Whole, rows: Vec<TableRow>) -> Table {
    let columns = whole.columns();
    if rows.is_empty() {
        return Table { view: VIEW, title, columns, ..Table::default() };
    }
    let mut notes = vec![
        "Own is the host time in an operator and in no operator inside it: its inner parts, runtime calls \
         and waits are its own. A call nested in a call of the same row does not add to Total: its time is \
         part of the outer call."
            .to_owned(),
    ];
    let order = match (whole.has_device, whole.has_calls) {
        (true, _) => Some("the larger of two times: Own without Waiting, and Device"),
        (false, true) => Some("Own without Waiting"),
        (false, false) => None,
    };
    notes.extend(order.map(|order| format!("Unless sorted by a column, operators are in order of {order}.")));
    if whole.has_device {
        notes.push(
            "Device time counts for the operator that launched the work, even if the work ran after the \
             operator: in Device for the innermost operator around the launch or in the graph, in Device \
             total for every operator around the launch. Shares are of all device work. The row (no \
             operator) is the other work, with a row below for each reason: graph launches; other launches \
             outside of all operators; work launched before the first recorded call; work whose launch is \
             not known."
                .to_owned(),
        );
    }
    notes.extend((whole.graphs > 0).then(|| GRAPH_NOTE.to_owned()));
    if whole.has_flops {
        notes.push(
            "FLOPs are computed from input shapes by torch's formulas for aten's conv2d, mm, addmm, bmm, \
             baddbmm, add and mul. FLOPs of nested operators are not added."
                .to_owned(),
        );
    }
    Table { view: VIEW, title, columns, rows, notes, ..Table::default() }
}
