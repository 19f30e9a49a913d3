//! The summary of data quality: what was lost, repaired or odd in the files, as counted while they were loaded.

use crate::model::{Trace, Warning};

use super::table::{Column, ColumnKind, Table, TableRow, Value};

/// Builds the table: a row per kind of damage or note, with its count, first example, and offset in the file.
pub fn quality(trace: &Trace) -> Table {
    let entries = trace.quality.entries().map(|(warning, entry)| {
        TableRow::new(vec![
            Value::text(if warning.is_damage() { "damage" } else { "note" }),
            Value::text(warning.title()),
            Value::Count(entry.count),
            Value::text(&entry.first),
            entry.offset.map_or(Value::Empty, Value::Count),
            Value::text(warning.code()),
        ])
    });
    let mut notes = Vec::new();
    // The reason why GPU data is missing, with advice, is too long for a column.
    let of_gpu = trace.quality.entries().find(|(warning, _)| *warning == Warning::NoGpu);
    notes.extend(of_gpu.map(|(_, entry)| format!("GPU: {}", entry.first)));
    if trace.quality.dropped > 0 {
        notes.push(format!("{} events could not be used.", trace.quality.dropped));
    }
    let (work, launches) = (trace.links.orphan_work, trace.links.idle_calls);
    if work > 0 {
        notes.push(format!(
            "{work} pieces of device work have no launch in the trace (launched before it began)."
        ));
    }
    if launches > 0 {
        notes.push(format!("{launches} runtime calls with a correlation number have no device work in the trace (most calls start none)."));
    }
    if trace.quality.entries().next().is_none() {
        notes.push("Nothing was lost, repaired or odd.".into());
    }
    Table {
        view: "quality",
        title: "What was lost, repaired or odd",
        columns: vec![
            Column::new("kind", "Kind", ColumnKind::Text, "Damage lost or changed something; a note did not"),
            Column::new("what", "What", ColumnKind::Text, "What it was"),
            Column::new("count", "Count", ColumnKind::Count, "How often"),
            Column::new("first", "First example", ColumnKind::Text, "The first of them, in short"),
            Column::new(
                "offset",
                "At byte",
                ColumnKind::Count,
                "Where in the text of the file the first one stands, in bytes from its start",
            ),
            Column::new("code", "Code", ColumnKind::Text, "Its name in info's JSON"),
        ],
        rows: entries.collect(),
        notes,
        ..Table::default()
    }
}
