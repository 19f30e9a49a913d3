//! Tables as comma-separated values (RFC 4180): raw numbers, and a first column `depth` with the nesting depth of each row, from 0.

use crate::analysis::{Table, TableRow, Value};

/// Renders a table: a line of column ids, then its rows; child rows follow their parents, with their depth in the first column.
pub fn render(table: &Table) -> String {
    let heading = table.columns.iter().map(|column| column.id.as_ref());
    let mut out = std::iter::once("depth").chain(heading).collect::<Vec<_>>().join(",");
    out.push_str("\r\n");
    rows(&table.rows, 0, &mut out);
    out
}

/// Appends a line for each of the rows, which have nesting depth `depth`, and for their children.
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

/// Formats a cell's value as a field, quoted if necessary; an empty value as an empty field.
fn field(value: &Value) -> String {
    match value {
        Value::Text(text) if text.as_str().contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", text.as_str().replace('"', "\"\""))
        }
        Value::Text(text) => text.to_string(),
        Value::Count(n) | Value::Amount(n) => n.to_string(),
        Value::Duration(n) | Value::Bytes(n) => n.to_string(),
        Value::Ratio(n) | Value::Factor(n) | Value::Rate(n) => n.to_string(),
        Value::Empty => String::new(),
    }
}
