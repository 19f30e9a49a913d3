//! The summaries of kernels, of copies and memsets, and of named ranges: each by name, device work with the operators that
//! launched it.

pub mod by_launch_config;

use rustc_hash::FxHashMap;

use crate::base::fmt;
use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, SliceId, Trace};

use super::by_name::{self, TOTAL};
use super::chart::{Chart, ChartKind, Segment, Tint};
use super::scope::Scope;
use super::table::{Column, ColumnKind, Table, TableRow, Value};
use super::tally::Tally;
use super::tensor_cores::uses_tensor_cores;

/// Name of the kernels' view for `--view`.
pub const VIEW: &str = "kernel";

const OWNER_NOTE: &str = "The rows below each kernel or copy are the operators that launched the work: the innermost \
     operator around each launch call. Work launched before the trace began has no operator.";

/// Builds the table of kernels by name, with the operators that launched them as child rows.
pub fn kernels(trace: &Trace, scope: &Scope) -> Table {
    let what = |category| category == Category::Kernel;
    let named = device_rows(trace, scope, what);
    let tensor_cores = tensor_cores_chart(trace, &named);
    let mut columns = by_name::columns("Kernel", "Share of the time of all kernels, summed over streams");
    let about = "yes if VisualDL lists the kernel's name among those that use tensor cores (up to the Ampere \
         architecture)";
    columns.push(Column::extra("tensor_cores", "Tensor cores", ColumnKind::Text, about));
    let rows = named.into_iter().map(|(name, mut row)| {
        let answer = if uses_tensor_cores(trace, name) { "yes" } else { "no" };
        row.cells.push(Value::text(answer));
        row.children.iter_mut().for_each(|owner| owner.cells.push(Value::Empty));
        row
    });
    let rows: Vec<TableRow> = rows.collect();
    let notes = notes(&rows, "kernels");
    let table = Table { view: "kernel", title: "Kernels by name", columns, rows, notes, ..Table::default() };
    let shares = table.share_chart("Time of all kernels by name", "share", "total");
    table.with_charts([shares, tensor_cores])
}

/// Makes a stacked bar of the time of kernels that use tensor cores and of those that do not; None without kernels.
fn tensor_cores_chart(trace: &Trace, named: &[(StrId, TableRow)]) -> Option<Chart> {
    let [mut with, mut without]: [(u64, Ns); 2] = [(0, 0); 2];
    for (name, row) in named {
        let sums = if uses_tensor_cores(trace, *name) { &mut with } else { &mut without };
        *sums = (sums.0 + 1, sums.1.saturating_add(row.cells[TOTAL].duration_or_zero()));
    }
    let segment = |label: &str, (names, time): (u64, Ns), tint| {
        Segment::new(&format!("{label} ({} names)", fmt::count(names)), time, tint)
    };
    (!named.is_empty()).then(|| Chart {
        title: "Kernel time on tensor cores, by VisualDL's list of kernel names",
        order: None,
        kind: ChartKind::Whole(vec![
            segment("tensor cores", with, Tint::Category(Category::Kernel)),
            segment("without tensor cores", without, Tint::Remainder),
        ]),
    })
}

/// Builds the table of copies and memsets by name, with the operators that launched them as child rows.
pub fn copies(trace: &Trace, scope: &Scope) -> Table {
    let what = |category| matches!(category, Category::Memcpy | Category::Memset);
    let rows: Vec<TableRow> = device_rows(trace, scope, what).into_iter().map(|(_, row)| row).collect();
    let table = Table {
        view: "memcpy",
        title: "Copies and memsets by name",
        columns: by_name::columns(
            "Copy or memset",
            "Share of the time of all copies and memsets, summed over streams",
        ),
        notes: notes(&rows, "copies and memsets"),
        rows,
        ..Table::default()
    };
    let shares = table.share_chart("Time of all copies and memsets by name", "share", "total");
    table.with_charts([shares])
}

/// Builds the table of ranges that the script or a library names (NVTX, `record_function` and the like).
pub fn user_ranges(trace: &Trace, scope: &Scope) -> Table {
    let what = |category| matches!(category, Category::UserDefined | Category::PythonUserDefined);
    let rows = by_name::rows(trace, by_name::tallies(trace, scope, what), Some(scope.len(trace)));
    let table = Table {
        view: "userdefined",
        title: "User-defined ranges by name (NVTX, record_function)",
        columns: by_name::columns(
            "Range",
            "Share of the summarized time range; the times of several threads add up",
        ),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        notes: Vec::new(),
        ..Table::default()
    };
    let shares = table.share_chart("Time of user-defined ranges by name", "share", "total");
    table.with_charts([shares])
}

/// The note under a table of device work; `what` names the work.
fn notes(rows: &[TableRow], what: &str) -> Vec<String> {
    vec![if rows.is_empty() {
        format!("There are no {what} in this part of the trace.")
    } else {
        OWNER_NOTE.into()
    }]
}

/// Makes the rows, by name, of device work in the categories for which `what` is true, with the operators that launched it
/// as child rows.
fn device_rows(trace: &Trace, scope: &Scope, what: fn(Category) -> bool) -> Vec<(StrId, TableRow)> {
    let mut owners = owners(trace, scope, what);
    let tallies = by_name::tallies(trace, scope, what);
    let all = tallies.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total));
    let with_owners = |(name, mut row): (StrId, TableRow)| {
        let tallies = owners.remove(&name).unwrap_or_default();
        // Shares of the same whole as the row's own.
        row.children = by_name::rows(trace, tallies, Some(all)).into_iter().map(|(_, row)| row).collect();
        (name, row)
    };
    by_name::rows(trace, tallies, Some(all)).into_iter().map(with_owners).collect()
}

/// For each name of device work, sums it up by the name of the innermost operator around its launch.
fn owners(
    trace: &Trace,
    scope: &Scope,
    what: fn(Category) -> bool,
) -> FxHashMap<StrId, FxHashMap<StrId, Tally>> {
    let slices = &trace.slices;
    let mut out: FxHashMap<StrId, FxHashMap<StrId, Tally>> = FxHashMap::default();
    for &(launch, work) in trace.links.within(0..slices.len() as SliceId) {
        let is_inside = scope.has_time(slices.start[work as usize])
            && (scope.lanes.is_none() || scope.has_lane(trace.lane_of(work)));
        if !is_inside || !what(slices.category(work)) {
            continue;
        }
        if let Some(operator) = trace.operator_of(launch) {
            let of_name = out.entry(slices.name[work as usize]).or_default();
            let tally = of_name.entry(slices.name[operator as usize]).or_default();
            tally.add(work, slices.dur[work as usize], true);
        }
    }
    out
}
