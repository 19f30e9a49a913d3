//! The summary of all events by name: calls, total and self time of the slices of the host and of devices,
//! whoever recorded them. The profiler's own span, and ranges that it repeats on streams, are left out.
//!
//! It needs no operators, kernels or steps, so it has rows for every trace with slices. Must not know what
//! names mean.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneId, SliceFlags, SliceId, Trace};

use crate::analysis::part::nesting::Repeats;
use crate::analysis::part::own_time::own_times;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, Piece, covered};
use crate::analysis::table::ColumnKind::{Count, Duration, Ratio, Text};
use crate::analysis::table::tally::{SPREAD, Tally};
use crate::analysis::table::{Column, Table, TableRow, Value};

/// Name of the view for `--view`.
pub const VIEW: &str = "names";

/// The sums over the slices of one name, in the part or on one lane of it.
#[derive(Default)]
struct Sums {
    /// The number and the times of the slices, for the cells of a row.
    tally: Tally,
    /// Summed self time of the slices within the part, ns.
    own: Ns,
    /// The categories of the slices: bit n is set if a slice has the category with number n.
    categories: u32,
}

impl Sums {
    fn add(&mut self, piece: Piece, is_outer: bool, own: Ns, category: Category) {
        self.tally.add(piece, is_outer);
        self.own = self.own.saturating_add(own.max(0));
        self.categories |= 1 << (category as u32);
    }

    fn merge(&mut self, other: Self) {
        self.tally.merge(other.tally);
        self.own = self.own.saturating_add(other.own);
        self.categories |= other.categories;
    }

    fn categories(&self) -> String {
        let has = |category: &&Category| self.categories & (1 << (**category as u32)) != 0;
        Category::ALL.iter().filter(has).map(|category| category.name()).collect::<Vec<_>>().join(", ")
    }
}

/// Builds the table of [`names`] without the rows for lanes below each name. `_count` is ignored.
pub fn brief(trace: &Trace, scope: &Scope, _count: usize) -> Table {
    let mut table = names(trace, scope);
    // In a trace of many ranks these rows take most of the table's memory.
    table.rows.iter_mut().for_each(|row| row.children.clear());
    table
}

/// Builds the table of slices by name, the largest self time first.
pub fn names(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let slices = &trace.slices;
    let is_counted = |id: SliceId| !slices.flags[id].has(SliceFlags::PROFILER);
    let found = gather(&part, is_counted);
    let covered = covered::by_kind(&part, |id| is_counted(id).then(|| slices.name[id]));
    let all = found.values().flatten().fold(0, |sum: Ns, (_, sums)| sum.saturating_add(sums.own));
    let whole = part.run_of_workers();
    let mut rows: Vec<(Ns, TableRow)> = Vec::with_capacity(found.len());
    for (name, lanes) in found {
        let (mut merged, mut below) = (Sums::default(), Vec::new());
        let has_lanes = lanes.len() > 1;
        for (lane, mut sums) in lanes {
            if has_lanes {
                below.push((sums.own, row(lane_title(trace, lane), &mut sums, None, all, whole)));
            }
            merged.merge(sums);
        }
        let covered = covered.get(&name).copied().unwrap_or_default();
        let name = Value::Text(trace.string_or(name, "(unnamed)").into_owned());
        let mut of_name = row(name, &mut merged, Some(covered), all, whole);
        of_name.children = sorted(below);
        rows.push((merged.own, of_name));
    }
    let table = table(sorted(rows));
    let chart = table.share_chart("Self time by name", "own_share", "own");
    table.with_charts([chart])
}

/// Sums up slices of the part by name and lane; the lanes of each name ascend.
fn gather(
    part: &Part<'_>,
    is_counted: impl Fn(SliceId) -> bool + Sync,
) -> FxHashMap<StrId, Vec<(LaneId, Sums)>> {
    let trace = part.trace();
    let slices = &trace.slices;
    let repeats = Repeats::of(part, |_, id| Some(slices.name[id]));
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<StrId, Sums> = FxHashMap::default();
        if trace.lanes[lane].kind.repeats() {
            return found;
        }
        let (own, first) = (own_times(part, lane), trace.lanes[lane].slices.start);
        for piece in part.pieces(lane).filter(|piece| is_counted(piece.id)) {
            let (id, name) = (piece.id, slices.name[piece.id]);
            let is_outer = !repeats.has(lane, id);
            let sums = found.entry(name).or_default();
            sums.add(piece, is_outer, own[(id - first) as usize], slices.category(id));
        }
        found
    };
    let per_lane: Vec<_> = part.par_lanes().map(of_lane).collect();
    let mut out: FxHashMap<StrId, Vec<(LaneId, Sums)>> = FxHashMap::default();
    for (&lane, found) in part.lanes().iter().zip(per_lane) {
        for (name, sums) in found {
            out.entry(name).or_default().push((lane, sums));
        }
    }
    out
}

/// The lane's title, after the title of its group if the trace has several groups.
fn lane_title(trace: &Trace, lane: LaneId) -> Value {
    let lane = &trace.lanes[lane];
    let title = trace.lane_title(lane);
    match trace.groups.as_slice() {
        [] | [_] => Value::text(&title),
        _ => Value::text(&format!("{} · {title}", trace.group_title(&trace.groups[lane.group]))),
    }
}

/// Sorts rows by self time (ns), which is given with each row, the largest first.
fn sorted(mut rows: Vec<(Ns, TableRow)>) -> Vec<TableRow> {
    rows.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| other.cells[0].order(&one.cells[0])));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Makes the row of a name or, without `covered`, of a lane. Shares are of the self time `all` and of the
/// summarized time `whole`, both ns.
fn row(title: Value, sums: &mut Sums, covered: Option<Ns>, all: Ns, whole: Ns) -> TableRow {
    let first = [
        title,
        Value::Count(sums.tally.count()),
        Value::Duration(sums.own),
        Value::share(sums.own, all),
        Value::Duration(sums.tally.total),
        covered.map_or(Value::Empty, |covered| Value::share(covered, whole)),
        covered.map_or(Value::Empty, Value::Duration),
    ];
    let longest = sums.tally.longest();
    let last = Value::text(&sums.categories());
    let cells = first.into_iter().chain(sums.tally.spread()).chain([last]).collect();
    TableRow { cells, children: Vec::new(), longest }
}

fn table(rows: Vec<TableRow>) -> Table {
    let first = [
        Column::new(
            "name",
            "Name",
            Text,
            "Name of the events; the rows below a name, if any, are the lanes of the timeline on which they \
             ran",
        ),
        Column::new(
            "calls",
            "Calls",
            Count,
            "Number of events with this name that begin in the summarized part",
        ),
        Column::new(
            "own",
            "Self",
            Duration,
            "Self time: time of the events without that of the events inside them on the same lane of the \
             timeline",
        ),
        Column::new("own_share", "Self %", Ratio, "Share of the self time of all events"),
        Column::new(
            "total",
            "Total",
            Duration,
            "Summed time of the events within the summarized part; an event nested in one of the same name \
             is not added again",
        ),
        Column::extra(
            "share",
            "Of time",
            Ratio,
            "Covered as a share of the summarized time of all ranks or traces",
        ),
        Column::extra(
            "covered",
            "Covered",
            Duration,
            "Time in which at least one event of the name ran, added up over ranks or traces; in each, \
             parallel events count once",
        ),
    ];
    let kinds = Column::extra(
        "categories",
        "Categories",
        Text,
        "Categories of the events, as the view overview has them",
    );
    let notes = vec![
        "All events with a duration. Times are summed over threads and streams; Covered counts parallel \
         events of a rank or trace once. Ranges that the profiler repeats on streams, and its own span, \
         are left out."
            .into(),
    ];
    Table {
        view: VIEW,
        title: "All events by name",
        columns: first.into_iter().chain(SPREAD).chain([kinds]).collect(),
        notes: if rows.is_empty() { Vec::new() } else { notes },
        rows,
        ..Table::default()
    }
}
