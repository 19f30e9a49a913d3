//! Tables as Markdown, for a pull request or a wiki page.

use crate::analysis::{ColumnKind, Table, TableRow};

use super::text::value;

/// Renders a table with its title as a heading and its notes as a list below; of a table without rows only the heading and the
/// notes.
pub fn render(table: &Table) -> String {
    let mut out = format!("### {}\n\n", table.title);
    if table.rows.is_empty() && !table.notes.is_empty() {
        notes(table, &mut out);
        return out;
    }
    let titles: Vec<String> = table.columns.iter().map(|column| escape(&column.title)).collect();
    out.push_str(&format!("| {} |\n|", titles.join(" | ")));
    for column in &table.columns {
        out.push_str(if column.kind == ColumnKind::Text { " --- |" } else { " ---: |" });
    }
    out.push('\n');
    rows(&table.rows, 0, &mut out);
    if !table.notes.is_empty() {
        out.push('\n');
    }
    notes(table, &mut out);
    out
}

/// Appends the table's notes as a list.
fn notes(table: &Table, out: &mut String) {
    for note in &table.notes {
        out.push_str(&format!("- {}\n", escape(note)));
    }
}

/// Appends a line for each of the rows, indented by `depth` levels, and for their children.
fn rows(rows: &[TableRow], depth: usize, out: &mut String) {
    for row in rows {
        let cells: Vec<String> = row.cells.iter().map(|cell| escape(value(cell).as_str())).collect();
        out.push_str(&format!("| {}{} |\n", "&nbsp;&nbsp;".repeat(depth), cells.join(" | ")));
        self::rows(&row.children, depth + 1, out);
    }
}

/// Escapes by a backslash the characters that would end a cell or begin markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        if matches!(ch, '|' | '\\' | '<' | '>' | '*' | '_' | '`' | '[' | ']') {
            out.push('\\');
        }
        out.push(ch);
    }
    out
}
