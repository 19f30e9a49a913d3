//! The summary of data quality: the counts of lost, repaired and unusual events that import made; and the
//! note on device work that is not counted.

use proftui_base::fmt;
use proftui_trace::model::{Category, LaneKind, SliceId, Trace, Warning};

use crate::analysis::part::scope::Scope;
use crate::analysis::table::{Column, ColumnKind, Table, TableRow, Value};

/// Builds the table of data quality: a row per kind of damage or note that occurred, with its count and first
/// example.
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
        notes.push(format!(
            "Events and damaged stretches left out, since they could not be used: {}.",
            trace.quality.dropped
        ));
    }
    if let Some(marks) = trace.marks_title() {
        notes.push(format!("Not counted in the length of the trace: {marks}."));
    }
    let (work, launches) = (trace.links.orphan_work, trace.links.idle_calls);
    if work > 0 {
        notes.push(format!(
            "Kernels, copies and memsets without a launch in the trace: {work}. The row (no operator) of \
             --view operator lists those whose operator is not known."
        ));
    }
    if launches > 0 {
        notes.push(format!(
            "Correlation ids of runtime or driver calls without device work (normal for many): {launches}."
        ));
    }
    Table {
        view: "quality",
        title: "Data quality: lost, repaired and unusual data",
        columns: vec![
            Column::new(
                "kind",
                "Kind",
                ColumnKind::Text,
                "damage: faulty, repaired or lost data; note: lesser faults, and anything else",
            ),
            Column::new("what", "What", ColumnKind::Text, "Description of the damage or note"),
            Column::new("count", "Count", ColumnKind::Count, "Number of occurrences"),
            Column::new(
                "first",
                "First example",
                ColumnKind::Text,
                "An example or explanation of the damage or note",
            ),
            Column::new(
                "offset",
                "At byte",
                ColumnKind::Count,
                "Byte offset of the first example in its file, after decompression",
            ),
            Column::new(
                "code",
                "Code",
                ColumnKind::Text,
                "Code of the damage or note in the JSON output of proftui info",
            ),
        ],
        rows: entries.collect(),
        notes,
        ..Table::default()
    }
}

/// The note on device work in the scope that cannot be as it is recorded; `None` without such work.
pub(crate) fn impossible(trace: &Trace, scope: &Scope) -> Option<String> {
    if trace.quality.count(Warning::Impossible) == 0 {
        return None;
    }
    let lanes =
        trace.lanes.iter_with_ids().filter(|(id, lane)| lane.kind == LaneKind::Stream && scope.has_lane(*id));
    let is_such = |id: &SliceId| {
        trace.slices.category(*id) == Category::Impossible && scope.has_time(trace.slices.start[*id])
    };
    let count = lanes.flat_map(|(_, lane)| lane.slices).filter(is_such).count();
    let them = if count == 1 { "it is" } else { "they are" };
    (count > 0).then(|| {
        format!(
            "{} of device work cannot be as recorded: {them} of category Impossible, and in no sum of device \
             work. proftui info says why.",
            fmt::counted(count as u64, "piece")
        )
    })
}
