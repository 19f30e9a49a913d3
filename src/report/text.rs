//! A table for people: aligned columns that fit a width, bars for ratios, notes below.

use std::fmt::Write;

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use crate::base::fmt;
use crate::base::text::SafeText;

/// Cells of a bar.
const BAR: usize = 8;
/// Columns of blanks between two columns.
const GAP: usize = 2;
/// Columns that a text keeps while there are extra columns, while there are many, and always.
const ROOMY: usize = 40;
const READABLE: usize = 24;
const LEAST: usize = 12;
/// Columns that are always shown.
const FEWEST: usize = 4;
/// Width of the notes where the table's is not bounded.
const NOTES: usize = 100;

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
    let shown = fit(&mut widths, table, width.map(|width| width.saturating_sub(bars)));
    let mut out = format!("{}\n", table.title);
    let mut line = String::new();
    for &i in &shown {
        let column = &table.columns[i];
        pad(&mut line, column.title, column.title.chars().count(), widths[i], column.kind);
    }
    out.push_str(line.trim_end());
    out.push('\n');
    for row in &rows {
        line.clear();
        for &i in &shown {
            let indent = if i == 0 { row.indent } else { 0 };
            let cell = row.cells[i].elide_middle(widths[i].saturating_sub(indent));
            let text = format!("{:indent$}{}", "", cell.as_str());
            pad(&mut line, &text, indent + cell.width(), widths[i], table.columns[i].kind);
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
    if shown.len() < table.columns.len() {
        let hidden = table.columns.iter().enumerate().filter(|(i, _)| !shown.contains(i));
        let titles: Vec<&str> = hidden.map(|(_, column)| column.title).collect();
        let _ = writeln!(out, "(no room for: {})", titles.join(", "));
    }
    for note in &table.notes {
        let width = width.unwrap_or(NOTES).max(20);
        for (i, piece) in SafeText::new(note).wrap_words(width - 2).enumerate() {
            out.push_str(if i == 0 { "* " } else { "  " });
            out.push_str(piece.as_str());
            out.push('\n');
        }
    }
    out
}

/// Chooses the columns for which there is room, those that are extra going first, and makes texts narrower; their places.
pub fn fit(widths: &mut [usize], table: &Table, limit: Option<usize>) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..widths.len()).collect();
    let Some(limit) = limit else { return shown };
    let is_text = |i: usize| table.columns[i].kind == ColumnKind::Text;
    let total = |widths: &[usize], shown: &[usize], text_limit: usize| {
        let width = |&i: &usize| GAP + if is_text(i) { widths[i].min(text_limit) } else { widths[i] };
        shown.iter().map(width).sum::<usize>().saturating_sub(GAP)
    };
    while total(widths, &shown, ROOMY) > limit {
        let Some(extra) = shown.iter().rposition(|&i| table.columns[i].is_extra) else { break };
        shown.remove(extra);
    }
    // A name that says nothing helps nobody: the last columns go before it.
    while shown.len() > FEWEST && total(widths, &shown, READABLE) > limit {
        shown.pop();
    }
    loop {
        let excess = total(widths, &shown, usize::MAX).saturating_sub(limit);
        let widest = shown.iter().copied().filter(|&i| is_text(i)).max_by_key(|&i| widths[i]);
        match widest {
            Some(widest) if excess > 0 && widths[widest] > LEAST => {
                widths[widest] = widths[widest].saturating_sub(excess).max(LEAST);
            }
            _ => return shown,
        }
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
