//! A table for people: aligned columns that fit a width, bars for ratios, notes below.

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use crate::base::fmt;
use crate::base::text::SafeText;

/// Cells of a bar.
const BAR: usize = 8;
/// Columns of blanks between two columns.
const GAP: usize = 2;

/// A value as people read it.
pub fn value(value: &Value) -> SafeText<'static> {
    match value {
        Value::Text(text) => text.clone(),
        Value::Count(n) => SafeText::from(fmt::count(*n)),
        Value::Duration(ns) => SafeText::from(fmt::duration(*ns)),
        Value::Bytes(n) => SafeText::from(fmt::bytes(*n)),
        Value::Ratio(share) => SafeText::from(format!("{:.1}%", share * 100.0)),
        Value::Empty => SafeText::from("-".to_owned()),
    }
}

/// A share as a bar of eighths.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        out.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    out
}

struct Line {
    indent: usize,
    cells: Vec<SafeText<'static>>,
    bar: Option<f64>,
}

fn lines(rows: &[TableRow], indent: usize, bar: Option<usize>, out: &mut Vec<Line>) {
    for row in rows {
        let share = bar.and_then(|at| match row.cells[at] {
            Value::Ratio(share) => Some(share),
            _ => None,
        });
        out.push(Line { indent, cells: row.cells.iter().map(value).collect(), bar: share });
        lines(&row.children, indent + 2, bar, out);
    }
}

/// The table, at most `width` columns wide where that is possible; `None` for as wide as it is.
pub fn render(table: &Table, width: Option<usize>) -> String {
    let mut rows = Vec::new();
    let bar_at = table.columns.iter().position(|column| column.kind == ColumnKind::Ratio);
    lines(&table.rows, 0, bar_at, &mut rows);
    let mut widths: Vec<usize> = table.columns.iter().map(|column| column.title.chars().count()).collect();
    for row in &rows {
        for (i, (cell, width)) in row.cells.iter().zip(&mut widths).enumerate() {
            let indent = if i == 0 { row.indent } else { 0 };
            *width = (*width).max(cell.width() + indent);
        }
    }
    let bars = if bar_at.is_some() { GAP + BAR } else { 0 };
    fit(&mut widths, table, width.map(|width| width.saturating_sub(bars)));
    let mut out = format!("{}\n", table.title);
    let mut line = String::new();
    for (column, &width) in table.columns.iter().zip(&widths) {
        pad(&mut line, column.title, column.title.chars().count(), width, column.kind);
    }
    out.push_str(line.trim_end());
    out.push('\n');
    for row in &rows {
        line.clear();
        for (i, ((cell, column), &width)) in row.cells.iter().zip(&table.columns).zip(&widths).enumerate() {
            let indent = if i == 0 { row.indent } else { 0 };
            let shown = cell.elide_middle(width.saturating_sub(indent));
            let text = format!("{:indent$}{}", "", shown.as_str());
            pad(&mut line, &text, indent + shown.width(), width, column.kind);
        }
        if let Some(share) = row.bar {
            line.push_str(&bar(share));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if rows.is_empty() {
        out.push_str("(nothing)\n");
    }
    for note in &table.notes {
        let width = width.unwrap_or(100).max(20);
        for (i, piece) in SafeText::new(note).wrap(width - 2).into_iter().enumerate() {
            out.push_str(if i == 0 { "* " } else { "  " });
            out.push_str(piece.as_str());
            out.push('\n');
        }
    }
    out
}

/// Makes text columns narrower, the widest first, until all fit.
fn fit(widths: &mut [usize], table: &Table, limit: Option<usize>) {
    const LEAST: usize = 12;
    let Some(limit) = limit else { return };
    loop {
        let total: usize = widths.iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP);
        if total <= limit {
            return;
        }
        let texts = table.columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Text);
        let Some((widest, _)) = texts.max_by_key(|(i, _)| widths[*i]) else { return };
        if widths[widest] <= LEAST {
            return;
        }
        widths[widest] = widths[widest].saturating_sub(total - limit).max(LEAST);
    }
}

fn pad(line: &mut String, text: &str, shown: usize, width: usize, kind: ColumnKind) {
    let blanks = " ".repeat(width.saturating_sub(shown));
    if kind == ColumnKind::Text {
        line.push_str(text);
        line.push_str(&blanks);
    } else {
        line.push_str(&blanks);
        line.push_str(text);
    }
    line.push_str(&" ".repeat(GAP));
}
