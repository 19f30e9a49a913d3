//! The overview: number and time of events by category.
//!
//! A slice inside another of its own category adds nothing to the time, so time is never counted twice within
//! a lane. The profiler's own span is left out.

use rayon::prelude::*;

use proftui_base::time::Ns;
use proftui_trace::model::repeating::{self, Repeating};
use proftui_trace::model::{Category, SliceFlags, SliceId, Trace};

use crate::analysis::part::nesting::Repeats;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, covered};
use crate::analysis::table::chart::{Chart, ChartKind, Segment, Tint};
use crate::analysis::table::tally::longer;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// The note on how the times are to be read.
const TIMES: &str = "Time is summed over threads and streams, so the time of parallel work may exceed the \
    length of the trace; Covered counts parallel work of a rank or trace once. The time of nested events of \
    one category counts once. Ranges that the profiler repeats on streams, and its own span, are left out.";
/// The note of a part without operators, whose time is best looked at by name.
const NO_OPERATORS: &str = "The summarized part has no operators: --view names (in the explorer the pane \
    Names, key e) lists the events by name, with their self time.";

/// Index of the summed time in [`columns`].
const TIME: usize = 2;
/// Index of the covered time in [`columns`].
const COVERED: usize = 3;

/// The sums over the events of one category.
#[derive(Clone, Copy, Default)]
struct Total {
    count: u64,
    /// Summed time within the part of the events that are inside no other event of the category on their
    /// lane, ns.
    time: Ns,
    /// Summed length of all events that begin in the part, ns.
    begun: Ns,
    /// Length (ns) of the longest event that begins in the part, and its slice.
    longest: Option<(Ns, SliceId)>,
    /// Longest time (ns) within the part of an event that began before it, and its slice.
    earlier: Option<(Ns, SliceId)>,
}

/// The repeating launches of workers that have no steps.
struct Repetitions(Vec<Repeating>);

/// True for all slices but the profiler's own span, which is no time of the program.
fn is_counted(trace: &Trace, id: SliceId) -> bool {
    !trace.slices.flags[id].has(SliceFlags::PROFILER)
}

/// Builds the table of events by category: a row per category, the largest summed time first.
pub fn overview(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let repeats = Repeats::of(&part, |_, id| Some(trace.slices.category[id]));
    let per_lane = part.par_lanes().map(|lane| {
        let mut totals = [Total::default(); Category::ALL.len()];
        if trace.lanes[lane].kind.repeats() {
            return totals;
        }
        for piece in part.pieces(lane).filter(|piece| is_counted(trace, piece.id)) {
            let (id, dur) = (piece.id, piece.dur());
            let category = trace.slices.category(id);
            let total = &mut totals[category as usize];
            total.count += u64::from(piece.begins);
            if piece.begins {
                total.begun = total.begun.saturating_add(piece.whole);
                total.longest = longer(total.longest, Some((piece.whole, id)));
            } else {
                total.earlier = longer(total.earlier, Some((dur, id)));
            }
            if !repeats.has(lane, id) {
                total.time = total.time.saturating_add(dur);
            }
        }
        totals
    });
    let totals = per_lane.reduce(
        || [Total::default(); Category::ALL.len()],
        |mut all, one| {
            for (sum, part) in all.iter_mut().zip(one) {
                sum.count += part.count;
                sum.time = sum.time.saturating_add(part.time);
                sum.begun = sum.begun.saturating_add(part.begun);
                sum.longest = longer(sum.longest, part.longest);
                sum.earlier = longer(sum.earlier, part.earlier);
            }
            all
        },
    );
    let mut found: Vec<(Category, Total)> = Category::ALL.iter().copied().zip(totals).collect();
    found.retain(|(_, total)| total.longest.or(total.earlier).is_some());
    found.sort_by_key(|(category, total)| (std::cmp::Reverse(total.time), *category));
    let covered = covered::by_kind(&part, |id| is_counted(trace, id).then(|| trace.slices.category(id)));
    let whole = part.run_of_workers();
    let covered = |category: Category| covered.get(&category).copied().unwrap_or_default();
    let charts = charts(&found, covered);
    let has_operators = found.iter().any(|(category, _)| category.is_operator());
    let rows = found.into_iter().map(|(category, total)| TableRow {
        cells: vec![
            Value::text(category.name()),
            Value::Count(total.count),
            Value::Duration(total.time),
            Value::Duration(covered(category)),
            Value::share(covered(category), whole),
            i64::try_from(total.count)
                .ok()
                .and_then(|count| total.begun.checked_div(count))
                .map_or(Value::Empty, Value::Duration),
            total.longest.map_or(Value::Empty, |(dur, _)| Value::Duration(dur)),
        ],
        children: Vec::new(),
        longest: total.longest.or(total.earlier).map(|(_, id)| id),
    });
    let rows: Vec<TableRow> = rows.collect();
    let mut notes = Vec::new();
    if !rows.is_empty() {
        if !has_operators {
            notes.push(NO_OPERATORS.into());
        }
        notes.push(TIMES.into());
        let Repetitions(repeating) = trace.kept.get(|| Repetitions(repeating::repeating(trace)));
        notes.extend(repeating.iter().map(|found| {
            format!(
                "Launches repeat, where no steps are marked, as steps or parts of a step do: {}. \
                 --steps-from launches takes each repetition for a step.",
                found.title(trace)
            )
        }));
    }
    Table {
        view: "overview",
        title: "Event count and time by category",
        columns: columns(),
        rows,
        notes,
        charts,
        ..Table::default()
    }
}

/// The charts of summed and of covered time by category, on the same scale; none if no event takes time.
fn charts(found: &[(Category, Total)], covered: impl Fn(Category) -> Ns) -> Vec<Chart> {
    let longest = found.iter().map(|(_, total)| total.time).max().unwrap_or_default();
    if longest <= 0 {
        return Vec::new();
    }
    let chart = |title, column, time: &dyn Fn(Category, &Total) -> Ns| {
        let bar = |(category, total): &(Category, Total)| {
            let name = category.name();
            let time = time(*category, total);
            (name.to_owned(), vec![Segment::new(name, time, Tint::Category(*category))])
        };
        let by_name = found.iter().map(bar).collect();
        Chart { title, order: Some(column), kind: ChartKind::Segments { by_name, longest } }
    };
    vec![
        chart("Summed time by category", TIME, &|_, total| total.time),
        chart("Time covered by category", COVERED, &|category, _| covered(category)),
    ]
}

fn columns() -> Vec<Column> {
    vec![
        Column::new(
            "category",
            "Category",
            ColumnKind::Text,
            "Category of the events, such as Operator, Kernel or CudaRuntime",
        ),
        Column::new(
            "count",
            "Count",
            ColumnKind::Count,
            "Number of events of the category that begin in the summarized part",
        ),
        Column::new(
            "time",
            "Time",
            ColumnKind::Duration,
            "Time of the events within the summarized part, summed over threads and streams; an event nested \
             in one of its category is not added again",
        ),
        Column::new(
            "covered",
            "Covered",
            ColumnKind::Duration,
            "Time in which at least one event of the category ran, added up over ranks or traces; in \
             each, parallel events count once",
        ),
        Column::new(
            "share",
            "Of time",
            ColumnKind::Ratio,
            "Covered as a share of the summarized time of all ranks or traces",
        ),
        Column::new(
            "average",
            "Average",
            ColumnKind::Duration,
            "Average length of the whole events counted in Count",
        ),
        Column::new(
            "longest",
            "Longest",
            ColumnKind::Duration,
            "Length of the longest whole event counted in Count",
        ),
    ]
}
