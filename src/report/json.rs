//! Tables as JSON: raw integers (ns, bytes) and ratios, never formatted numbers. The fields are a contract.

use serde_json::{Value as Json, json};

use crate::analysis::{Scope, Table, TableRow, Value};
use crate::model::Trace;

/// A table as a JSON value; `scope` is made by [`scope`] or [`scopes`].
pub fn render(table: &Table, scope: &Json) -> Json {
    let columns: Vec<Json> = table
        .columns
        .iter()
        .map(|column| json!({"id": column.id, "title": column.title, "type": column.kind.name(), "about": column.about}))
        .collect();
    json!({
        "view": table.view,
        "scope": scope,
        "unit": "ns",
        "columns": columns,
        "rows": rows(&table.rows),
        "notes": table.notes,
    })
}

/// The scope of a table: start and end (ns), whether it is the whole trace, and its lanes if not all.
pub fn scope(scope: &Scope, trace: &Trace) -> Json {
    let span = scope.extent(trace);
    let mut out = json!({"start": span.start, "end": span.end, "whole": scope.is_all()});
    if let Some(lanes) = &scope.lanes {
        out["lanes"] = json!(lanes);
    }
    out
}

/// The scopes of a table that compares ranks or traces: one for each, with its title as `part`.
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

/// Rows with their cells and children.
fn rows(rows: &[TableRow]) -> Json {
    let row = |row: &TableRow| {
        let cells: Vec<Json> = row.cells.iter().map(value).collect();
        json!({"cells": cells, "children": self::rows(&row.children)})
    };
    Json::Array(rows.iter().map(row).collect())
}

/// A cell; `null` for an empty value.
fn value(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text.as_str()),
        Value::Count(n) | Value::Amount(n) => json!(n),
        Value::Duration(n) | Value::Bytes(n) => json!(n),
        Value::Ratio(n) | Value::Factor(n) => json!(n),
        Value::Empty => Json::Null,
    }
}
