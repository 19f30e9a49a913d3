//! The summary of kernels by name, with the operators that launched them.

pub(crate) mod by_launch_config;

use rustc_hash::FxHashMap;

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, Trace};

use crate::analysis::part::Part;
use crate::analysis::part::owner::{GRAPH_NOTE, Launched, Owner, Owners};
use crate::analysis::part::scope::Scope;
use crate::analysis::table::by_name::{self, TOTAL};
use crate::analysis::table::chart::{Chart, ChartKind, Segment, Tint};
use crate::analysis::table::tally::Tally;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};
use crate::analysis::vocabulary::tensor_cores::tensor_cores;

/// Name of the kernels' view for `--view`.
pub const VIEW: &str = "kernel";

const OWNER_NOTE: &str = "The rows below each kernel are the operators that launched it: the innermost \
     around each launch or in a graph. Rows without an operator name the reason.";

/// Builds the table of kernels by name, with child rows by operator.
pub fn kernels(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let owners = owners(&part);
    let has_graphs =
        owners.values().flat_map(FxHashMap::keys).any(|owner| matches!(owner, Owner::InGraph(..)));
    let named = named(&part, owners);
    let columns = by_name::columns("Kernel", "Share of the time of all kernels, summed over streams");
    let mut notes = if named.is_empty() { Vec::new() } else { vec![OWNER_NOTE.into()] };
    notes.extend(has_graphs.then(|| GRAPH_NOTE.into()));
    table(trace, "Kernels by name", columns, named, notes)
}

/// Builds a table of kernels by name from its columns and rows, and adds a column about tensor cores and the
/// charts.
fn table(
    trace: &Trace,
    title: &'static str,
    mut columns: Vec<Column>,
    named: Vec<(StrId, TableRow)>,
    notes: Vec<String>,
) -> Table {
    let chart = tensor_cores_chart(trace, &named);
    let about = "whether the kernel uses tensor cores, by its name; empty where the name does not say";
    columns.push(Column::extra("tensor_cores", "Tensor cores", ColumnKind::Text, about));
    let rows = named.into_iter().map(|(name, mut row)| {
        let answer = tensor_cores(trace, name).map(|uses| if uses { "yes" } else { "no" });
        row.cells.push(answer.map_or(Value::Empty, Value::text));
        row.children.iter_mut().for_each(|below| below.cells.push(Value::Empty));
        row
    });
    let table = Table { view: VIEW, title, columns, rows: rows.collect(), notes, ..Table::default() };
    let shares = table.share_chart("Time of all kernels by name", "share", "total");
    table.with_charts([shares, chart])
}

/// Makes a stacked bar of kernel time with and without tensor cores; `None` without kernels.
fn tensor_cores_chart(trace: &Trace, named: &[(StrId, TableRow)]) -> Option<Chart> {
    let [mut with, mut without, mut unknown]: [(u64, Ns); 3] = [(0, 0); 3];
    for (name, row) in named {
        let sums = match tensor_cores(trace, *name) {
            Some(true) => &mut with,
            Some(false) => &mut without,
            None => &mut unknown,
        };
        *sums = (sums.0 + 1, sums.1.saturating_add(row.cells[TOTAL].duration_or_zero()));
    }
    let segment = |label: &str, (names, time): (u64, Ns), tint| {
        Segment::new(&format!("{label} ({})", fmt::counted(names, "name")), time, tint)
    };
    let mut segments = vec![
        segment("tensor cores", with, Tint::Category(Category::Kernel)),
        segment("without tensor cores", without, Tint::Remainder),
    ];
    segments.extend((unknown.0 > 0).then(|| segment("not known", unknown, Tint::Idle)));
    (!named.is_empty()).then_some(Chart {
        title: "Kernel time on tensor cores, by the kernels' names",
        order: None,
        kind: ChartKind::Whole(segments),
    })
}

/// Makes the rows of the part's kernels by name, with child rows by owner.
fn named(part: &Part<'_>, mut owners: ByOwner) -> Vec<(StrId, TableRow)> {
    let trace = part.trace();
    let tallies = by_name::tallies(part, |category| category == Category::Kernel);
    let all = tallies.values().fold(0, |sum: Ns, tally| sum.saturating_add(tally.total));
    let with_owners = |(name, mut row): (StrId, TableRow)| {
        let tallies = owners.remove(&name).unwrap_or_default();
        // Shares of the same whole as the row's own.
        let rows = by_name::rows(tallies, Some(all), |owner| owner.title(trace));
        row.children = rows.into_iter().map(|(_, row)| row).collect();
        (name, row)
    };
    by_name::rows(tallies, Some(all), |name| trace.string_or(name, "(unnamed)"))
        .into_iter()
        .map(with_owners)
        .collect()
}

/// The sums over kernels by name, then by owner.
type ByOwner = FxHashMap<StrId, FxHashMap<Owner, Tally>>;

/// Sums up the kernels of [`Owners::work`] by name and owner.
fn owners(part: &Part<'_>) -> ByOwner {
    let (owners, slices) = (Owners::of(part), &part.trace().slices);
    let mut out = ByOwner::default();
    // Work that the scope has only by its launch is no row of this table.
    for work in owners.work().filter(|work| slices.category(work.piece.id) == Category::Kernel) {
        let Launched { piece, launch, is_outer } = work;
        let of_name = out.entry(slices.name[piece.id]).or_default();
        of_name.entry(owners.owner(piece.id, launch)).or_default().add(piece, is_outer);
    }
    out
}
