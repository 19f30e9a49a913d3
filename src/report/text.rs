//! Tables as text for people: aligned columns that fit a width, bars for ratios, notes below.

use std::fmt::Write;

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use crate::base::fmt::{self, TimeUnit};
use crate::base::text::SafeText;

/// Characters of a bar.
const BAR: usize = 8;
/// How many blanks separate two columns.
const GAP: usize = 2;
/// To how many characters texts are cut before extra columns are left out.
const ROOMY: usize = 40;
/// To how many characters texts are cut before the last columns are left out.
const READABLE: usize = 24;
/// To how many characters texts are cut at most.
const LEAST: usize = 12;
/// How many columns are always shown.
const FEWEST: usize = 4;
/// Width of the notes if the table's is not limited.
const NOTES: usize = 100;

/// A value as people read it: with its unit or a prefix, `-` for an empty value.
pub fn value(value: &Value) -> SafeText<'static> {
    match value {
        Value::Text(text) => text.clone(),
        Value::Count(n) => SafeText::from(fmt::count(*n)),
        Value::Amount(n) => SafeText::from(fmt::amount(*n)),
        Value::Duration(ns) => SafeText::from(fmt::duration(*ns)),
        Value::Bytes(n) => SafeText::from(fmt::bytes(*n)),
        Value::Ratio(share) => SafeText::from(format!("{:.1}%", share * 100.0)),
        Value::Factor(times) => SafeText::from(format!("{times:.2}×")),
        Value::Empty => SafeText::from("-".to_owned()),
    }
}

/// The name of a unit in the title.
fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Milli => "ms",
        TimeUnit::Micro => "µs",
        TimeUnit::Nano => "ns",
    }
}

/// A share (0 to 1) as a bar of block characters, in steps of an eighth of a character.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        out.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    out
}

/// A line of the table.
struct Line {
    /// Blanks before the first cell, 2 per level of children.
    indent: usize,
    cells: Vec<SafeText<'static>>,
    /// The share that the bar shows, if there is one.
    bar: Option<f64>,
}

/// Appends the lines of rows and their children; `bar` is the column that bars show.
fn lines(rows: &[TableRow], indent: usize, bar: Option<usize>, look: Look, out: &mut Vec<Line>) {
    for row in rows {
        let share = bar.and_then(|at| match row.cells[at] {
            Value::Ratio(share) => Some(share),
            _ => None,
        });
        out.push(Line {
            indent,
            cells: row.cells.iter().map(|cell| value_in(cell, look.unit)).collect(),
            bar: share,
        });
        lines(&row.children, indent + 2, bar, look, out);
    }
}

/// Options of the layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Most characters of a line; None for no limit.
    pub width: Option<usize>,
    /// The unit of all times; None chooses one for each.
    pub unit: Option<TimeUnit>,
    /// Most characters of a text; with it `width` has no effect.
    pub name_width: Option<usize>,
}

/// A value as people read it, times in `unit` if it is given.
fn value_in(value: &Value, unit: Option<TimeUnit>) -> SafeText<'static> {
    match (value, unit) {
        (Value::Duration(ns), Some(unit)) => SafeText::from(fmt::duration_in(*ns, unit)),
        _ => self::value(value),
    }
}

/// Prints a table.
pub fn render(table: &Table, look: Look) -> String {
    let width = look.width.filter(|_| look.name_width.is_none());
    let mut rows = Vec::new();
    let bar_at = table.columns.iter().position(|column| column.kind == ColumnKind::Ratio);
    lines(&table.rows, 0, bar_at, look, &mut rows);
    let mut widths: Vec<usize> = table.columns.iter().map(|column| column.title.chars().count()).collect();
    for row in &rows {
        for (i, (cell, width)) in row.cells.iter().zip(&mut widths).enumerate() {
            let indent = if i == 0 { row.indent } else { 0 };
            *width = (*width).max(cell.width() + indent);
        }
    }
    for (column, widest) in table.columns.iter().zip(&mut widths) {
        if let (ColumnKind::Text, Some(most)) = (column.kind, look.name_width) {
            *widest = (*widest).min(most.max(LEAST));
        }
    }
    let bars = if bar_at.is_some() { GAP + BAR } else { 0 };
    let shown = fit(&mut widths, table, width.map(|width| width.saturating_sub(bars)));
    let mut out = match look.unit {
        Some(unit) => format!("{} (times in {})\n", table.title, unit_name(unit)),
        None => format!("{}\n", table.title),
    };
    let mut is_cut = false;
    let mut line = String::new();
    for &i in &shown {
        let column = &table.columns[i];
        pad(&mut line, &column.title, column.title.chars().count(), widths[i], column.kind);
    }
    out.push_str(line.trim_end());
    out.push('\n');
    for row in &rows {
        line.clear();
        for &i in &shown {
            let indent = if i == 0 { row.indent } else { 0 };
            let room = widths[i].saturating_sub(indent);
            is_cut |= row.cells[i].width() > room;
            let cell = row.cells[i].elide_middle(room);
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
        let titles: Vec<&str> = hidden.map(|(_, column)| column.title.as_ref()).collect();
        let _ = writeln!(out, "(no room for: {})", titles.join(", "));
    }
    if is_cut {
        out.push_str("(--max-name-width 500 prints names whole)\n");
    }
    for note in &table.notes {
        let width = width.unwrap_or(NOTES).max(20);
        for (i, line) in SafeText::new(note).wrap_at_spaces(width - 2).enumerate() {
            out.push_str(if i == 0 { "* " } else { "  " });
            out.push_str(line.as_str());
            out.push('\n');
        }
    }
    out
}

/// Chooses the columns that fit into `limit` characters, and returns their indices: extra columns are left out first, then
/// the last ones; then the widths of texts are reduced.
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
    // Names stay readable at the expense of the last columns.
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

/// Appends a text padded to a column's width; `shown` is its own width.
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
