//! A table as JSON: raw integers (ns, bytes) and ratios, never formatted text. The fields are a contract.

use serde_json::{Value as Json, json};

use crate::analysis::{Scope, Table, TableRow, Value};
use crate::model::Trace;

/// The table as one JSON value; `scope` as [`scope`] or [`scopes`] gives it.
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

/// What part of a trace a table is of.
pub fn scope(scope: &Scope, trace: &Trace) -> Json {
    let span = scope.extent(trace);
    let mut out = json!({"start": span.start, "end": span.end, "whole": scope.is_all()});
    if let Some(lanes) = &scope.lanes {
        out["lanes"] = json!(lanes);
    }
    out
}

/// What parts of traces stand side by side in a table: one scope each, with the title of the part.
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

fn rows(rows: &[TableRow]) -> Json {
    let row = |row: &TableRow| {
        let cells: Vec<Json> = row.cells.iter().map(value).collect();
        json!({"cells": cells, "children": self::rows(&row.children)})
    };
    Json::Array(rows.iter().map(row).collect())
}

fn value(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text.as_str()),
        Value::Count(n) | Value::Amount(n) => json!(n),
        Value::Duration(n) | Value::Bytes(n) => json!(n),
        Value::Ratio(n) | Value::Factor(n) => json!(n),
        Value::Empty => Json::Null,
    }
}
