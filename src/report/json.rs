//! A table as JSON: raw integers (ns, bytes) and ratios, never formatted text. The fields are a contract.

use serde_json::{Value as Json, json};

use crate::analysis::{Scope, Table, TableRow, Value};
use crate::model::Trace;

/// The table as one JSON value.
pub fn render(table: &Table, scope: &Scope, trace: &Trace) -> Json {
    let columns: Vec<Json> = table
        .columns
        .iter()
        .map(|column| json!({"id": column.id, "title": column.title, "type": column.kind.name(), "about": column.about}))
        .collect();
    json!({
        "view": table.view,
        "scope": self::scope(scope, trace),
        "unit": "ns",
        "columns": columns,
        "rows": rows(&table.rows),
        "notes": table.notes,
    })
}

fn scope(scope: &Scope, trace: &Trace) -> Json {
    let span = scope.span.unwrap_or(trace.main_span);
    let mut out = json!({"start": span.start, "end": span.end, "whole": scope.is_all()});
    if let Some(lanes) = &scope.lanes {
        out["lanes"] = json!(lanes);
    }
    out
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
        Value::Ratio(share) => json!(share),
        Value::Empty => Json::Null,
    }
}
