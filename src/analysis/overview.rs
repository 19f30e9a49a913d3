//! The overview: number and time of events by category.
//!
//! A slice inside another of its own category adds nothing to the time, so time is never counted twice within a lane.

use rayon::prelude::*;

use crate::base::time::Ns;
use crate::model::{Category, LaneId, SliceId, Trace};

use super::scope::Scope;
use super::table::{Column, ColumnKind, Table, TableRow, Value};
use super::tally::longer;

/// The events of one category.
#[derive(Clone, Copy, Default)]
struct Total {
    count: u64,
    /// Summed time of the events that are inside no other event of the category, ns.
    time: Ns,
    /// Length (ns) and slice of the longest event.
    longest: Option<(Ns, SliceId)>,
}

/// Builds the table: a row per category, the largest time first.
pub fn overview(trace: &Trace, scope: &Scope) -> Table {
    let per_lane = (0..trace.lanes.len() as LaneId).into_par_iter().map(|lane| {
        let mut totals = [Total::default(); Category::ALL.len()];
        if trace.lanes[lane as usize].kind.repeats() {
            return totals;
        }
        for id in scope.slices(trace, lane) {
            let category = trace.slices.category(id);
            let dur = trace.slices.dur[id as usize];
            let total = &mut totals[category as usize];
            total.count += 1;
            total.longest = longer(total.longest, Some((dur, id)));
            if !trace.slices.ancestors(id).any(|around| trace.slices.category(around) == category) {
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
                sum.longest = longer(sum.longest, part.longest);
            }
            all
        },
    );
    let mut found: Vec<(Category, Total)> = Category::ALL.iter().copied().zip(totals).collect();
    found.retain(|(_, total)| total.count > 0);
    found.sort_by_key(|(category, total)| (std::cmp::Reverse(total.time), *category));
    let whole = scope.len(trace).saturating_mul(scope.workers(trace) as i64);
    let rows = found.into_iter().map(|(category, total)| TableRow {
        cells: vec![
            Value::text(category.name()),
            Value::Count(total.count),
            Value::Duration(total.time),
            Value::share(total.time, whole),
            Value::Duration(total.time / i64::try_from(total.count).unwrap_or(i64::MAX)),
            Value::Duration(total.longest.map_or(0, |(dur, _)| dur)),
        ],
        children: Vec::new(),
        longest: total.longest.map(|(_, id)| id),
    });
    Table {
        view: "overview",
        title: "Event count and time by category",
        columns: vec![
            Column::new(
                "category",
                "Category",
                ColumnKind::Text,
                "Category of the events, such as Operator, Kernel or CudaRuntime",
            ),
            Column::new("count", "Count", ColumnKind::Count, "Number of events of the category"),
            Column::new(
                "time",
                "Time",
                ColumnKind::Duration,
                "Duration of the events, summed over threads and streams",
            ),
            Column::new(
                "share",
                "Of trace",
                ColumnKind::Ratio,
                "Time as a share of the summarized time range multiplied by the number of processes",
            ),
            Column::new("average", "Average", ColumnKind::Duration, "Average time per event"),
            Column::new("longest", "Longest", ColumnKind::Duration, "Duration of the longest event"),
        ],
        rows: rows.collect(),
        notes: vec![
            "Time is summed over threads and streams, so the time of parallel work may exceed the length \
             of the trace. Nested events of one category count once. Host ranges that the profiler repeats \
             on streams count once."
                .into(),
        ],
        ..Table::default()
    }
}
