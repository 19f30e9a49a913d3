//! Tables as Markdown, for a pull request or a wiki page.

use crate::analysis::{ColumnKind, Table, TableRow};
use crate::base::fmt::TimeUnit;

use super::text::value_in;

/// Renders a table with its title as a heading and its notes as a list below; of a table without rows only the heading and the
/// notes. All times are in `unit`, which the heading then names, or each is in the unit that suits it.
pub fn render(table: &Table, unit: Option<TimeUnit>) -> String {
    let unit_note = unit.map_or_else(String::new, |unit| format!(" (times in {})", unit.symbol()));
    let mut out = format!("### {}{unit_note}\n\n", table.title);
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
    rows(&table.rows, 0, unit, &mut out);
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
fn rows(rows: &[TableRow], depth: usize, unit: Option<TimeUnit>, out: &mut String) {
    for row in rows {
        let cells: Vec<String> = row.cells.iter().map(|cell| escape(value_in(cell, unit).as_str())).collect();
        out.push_str(&format!("| {}{} |\n", "&nbsp;&nbsp;".repeat(depth), cells.join(" | ")));
        self::rows(&row.children, depth + 1, unit, out);
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
