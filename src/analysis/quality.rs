//! What was lost, repaired or odd, as a table.

use crate::base::text::SafeText;
use crate::model::Trace;

use super::table::{Column, ColumnKind, Table, TableRow, Value};

/// Every kind of damage and note with its count, first example and place.
pub fn quality(trace: &Trace) -> Table {
    let text = |text: &str| Value::Text(SafeText::new(text).into_owned());
    let entries = trace.quality.entries().map(|(warning, entry)| TableRow {
        cells: vec![
            text(if warning.is_damage() { "damage" } else { "note" }),
            text(warning.title()),
            Value::Count(entry.count),
            text(&entry.first),
            entry.offset.map_or(Value::Empty, Value::Count),
            text(warning.code()),
        ],
        children: Vec::new(),
    });
    let mut notes = Vec::new();
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
        columns: vec![
            Column::new("kind", "Kind", ColumnKind::Text),
            Column::new("what", "What", ColumnKind::Text),
            Column::new("count", "Count", ColumnKind::Count),
            Column::new("first", "First example", ColumnKind::Text),
            Column::new("offset", "At byte", ColumnKind::Count),
            Column::new("code", "Code", ColumnKind::Text),
        ],
        rows: entries.collect(),
        notes,
    }
}
