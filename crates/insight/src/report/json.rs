//! Tables as JSON, with raw numbers (times in ns, memory in bytes, shares as 0 to 1), never formatted ones.
//! The fields are a contract: their names and meanings do not change.

use serde_json::{Value as Json, json};

use crate::analysis::{Scope, Table, TableRow, Value};
use proftui_trace::model::Trace;

/// Renders a table as a JSON object; `scope` is the result of [`scope`] or [`scopes`], or `null` where no
/// scope is stated.
pub fn render(table: &Table, scope: &Json) -> Json {
    let columns: Vec<Json> = table
        .columns
        .iter()
        .map(|of| json!({"id": of.id, "title": of.title, "type": of.kind.name(), "about": of.about}))
        .collect();
    let mut out = json!({
        "view": table.view,
        "scope": scope,
        "unit": "ns",
        "columns": columns,
        "rows": rows(&table.rows),
        "notes": table.notes,
    });
    if !table.headline.is_empty() {
        out["headline"] = json!(table.headline);
    }
    out
}

/// The JSON object for the scope of a table, such as its start and end (ns) and its lanes.
pub fn scope(scope: &Scope, trace: &Trace) -> Json {
    let span = scope.extent(trace);
    let mut out = json!({"start": span.start, "end": span.end, "whole": scope.is_all()});
    if let Some(lanes) = &scope.lanes {
        out["lanes"] = json!(lanes.iter().map(|lane| lane.get()).collect::<Vec<_>>());
    }
    if !trace.graph_names.is_empty() {
        out["graph_names"] = graph_names(trace);
    }
    out
}

/// How many pieces of device work inside graphs have a name, by level, as a JSON object.
pub fn graph_names(trace: &Trace) -> Json {
    let counts = trace.graph_names.counts().into_iter();
    Json::Object(counts.map(|(level, count)| (level.name().to_owned(), json!(count))).collect())
}

/// The JSON array of the scopes of a table that compares ranks or traces. Each object of a scope gets its
/// title as `part`.
pub fn scopes<'a>(parts: impl Iterator<Item = (&'a str, &'a Json)>) -> Json {
    let titled = |(title, scope): (&str, &Json)| {
        let mut out = json!({ "part": title });
        if let (Some(out), Some(scope)) = (out.as_object_mut(), scope.as_object()) {
            out.extend(scope.clone());
        }
        out
    };
    Json::Array(parts.map(titled).collect())
}

/// The JSON array of rows: objects with `cells` and `children`.
fn rows(rows: &[TableRow]) -> Json {
    let row = |row: &TableRow| {
        let cells: Vec<Json> = row.cells.iter().map(value).collect();
        json!({"cells": cells, "children": self::rows(&row.children)})
    };
    Json::Array(rows.iter().map(row).collect())
}

/// The JSON of a cell's value; `null` for an empty value.
fn value(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text.as_str()),
        Value::Count(n) | Value::Amount(n) => json!(n),
        Value::Duration(n) | Value::Bytes(n) => json!(n),
        Value::Ratio(n) | Value::Factor(n) | Value::Rate(n) => json!(n),
        Value::Empty => Json::Null,
    }
}
