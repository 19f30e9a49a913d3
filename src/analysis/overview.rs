//! Totals by category.
//!
//! A slice inside another of its own category adds nothing to the time, so time is never counted twice within a lane.

use rayon::prelude::*;

use crate::base::text::SafeText;
use crate::base::time::Ns;
use crate::model::{Category, Trace};

use super::table::{Column, ColumnKind, Table, TableRow, Value};

#[derive(Clone, Copy, Default)]
struct Total {
    count: u64,
    time: Ns,
    longest: Ns,
}

/// Count, time, average and longest of each category, the largest time first.
pub fn overview(trace: &Trace) -> Table {
    let per_lane = trace.lanes.par_iter().map(|lane| {
        let mut totals = [Total::default(); Category::ALL.len()];
        for id in lane.slices.clone() {
            let category = trace.slices.category(id);
            let dur = trace.slices.dur[id as usize];
            let total = &mut totals[category as usize];
            total.count += 1;
            total.longest = total.longest.max(dur);
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
                sum.longest = sum.longest.max(part.longest);
            }
            all
        },
    );
    let mut found: Vec<(Category, Total)> = Category::ALL.iter().copied().zip(totals).collect();
    found.retain(|(_, total)| total.count > 0);
    found.sort_by_key(|(category, total)| (std::cmp::Reverse(total.time), *category));
    let workers = trace.meta.workers.len().max(1) as i64;
    let whole = trace.main_span.len().saturating_mul(workers);
    let rows = found.into_iter().map(|(category, total)| TableRow {
        cells: vec![
            Value::Text(SafeText::new(category.name()).into_owned()),
            Value::Count(total.count),
            Value::Duration(total.time),
            if whole > 0 { Value::Ratio(total.time as f64 / whole as f64) } else { Value::Empty },
            Value::Duration(total.time / i64::try_from(total.count).unwrap_or(i64::MAX)),
            Value::Duration(total.longest),
        ],
        children: Vec::new(),
    });
    Table {
        view: "overview",
        columns: vec![
            Column::new("category", "Category", ColumnKind::Text),
            Column::new("count", "Count", ColumnKind::Count),
            Column::new("time", "Time", ColumnKind::Duration),
            Column::new("share", "Of trace", ColumnKind::Ratio),
            Column::new("average", "Average", ColumnKind::Duration),
            Column::new("longest", "Longest", ColumnKind::Duration),
        ],
        rows: rows.collect(),
        notes: vec![
            "Time adds up lanes, so parallel work may exceed the trace's length (times the number of processes); nested slices of one category count once."
                .into(),
        ],
    }
}
