//! Tables as comma-separated values (RFC 4180): raw numbers, and a first column with the depth of nested rows.

use crate::analysis::{Table, TableRow, Value};

/// Prints a table with a line of column ids; child rows follow their parents, with their depth in the first column.
pub fn render(table: &Table) -> String {
    let heading = table.columns.iter().map(|column| column.id.as_ref());
    let mut out = std::iter::once("depth").chain(heading).collect::<Vec<_>>().join(",");
    out.push_str("\r\n");
    rows(&table.rows, 0, &mut out);
    out
}

/// Appends rows and their children.
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

/// A value as a field, quoted if necessary; empty for an empty value.
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
