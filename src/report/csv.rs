//! A table as comma-separated values (RFC 4180): raw numbers, a column for the depth of nested rows.

use crate::analysis::{Table, TableRow, Value};

/// The table with a heading line; nested rows follow theirs, with their depth in the first column.
pub fn render(table: &Table) -> String {
    let heading = table.columns.iter().map(|column| column.id.as_ref());
    let mut out = std::iter::once("depth").chain(heading).collect::<Vec<_>>().join(",");
    out.push_str("\r\n");
    rows(&table.rows, 0, &mut out);
    out
}

fn rows(rows: &[TableRow], depth: usize, out: &mut String) {
    for row in rows {
        out.push_str(&depth.to_string());
        for cell in &row.cells {
            out.push(',');
            out.push_str(&field(cell));
        }
        out.push_str("\r\n");
        self::rows(&row.children, depth + 1, out);
    }
}

fn field(value: &Value) -> String {
    match value {
        Value::Text(text) if text.as_str().contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", text.as_str().replace('"', "\"\""))
        }
        Value::Text(text) => text.to_string(),
        Value::Count(n) | Value::Amount(n) => n.to_string(),
        Value::Duration(n) | Value::Bytes(n) => n.to_string(),
        Value::Ratio(n) | Value::Factor(n) => n.to_string(),
        Value::Empty => String::new(),
    }
}
