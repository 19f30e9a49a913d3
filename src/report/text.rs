//! Tables as text for people: aligned columns that fit a width, bars for ratios, notes below.

use std::fmt::Write;

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use crate::base::fmt::{self, TimeUnit};
use crate::base::text::SafeText;

/// Width of a bar for a share of 1, in characters.
const BAR: usize = 8;
/// Number of blanks between two columns.
const GAP: usize = 2;
/// If the table is too wide even with text columns of this many characters, extra columns are left out.
const ROOMY: usize = 40;
/// If the table is too wide even with text columns of this many characters, the last columns are left out.
const READABLE: usize = 24;
/// Minimum width of a text column, in characters.
const LEAST: usize = 12;
/// Minimum number of columns that remain when the last columns are left out.
const FEWEST: usize = 4;
/// Width of the notes, in characters, for a table without a width limit.
const NOTES: usize = 100;

/// Formats a cell's value for people: with its unit or a decimal prefix; `-` for an empty value.
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

/// The symbol of a time unit, as the title of a table shows it.
fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Milli => "ms",
        TimeUnit::Micro => "µs",
        TimeUnit::Nano => "ns",
    }
}

/// Draws a share (0 to 1) as a bar of at most [`BAR`] block characters, in steps of an eighth of a character.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        out.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    out
}

/// A printed line: one row of the table, formatted.
struct Line {
    /// Number of blanks before the first cell: 2 per level of nesting.
    indent: usize,
    cells: Vec<SafeText<'static>>,
    /// The share (0 to 1) that the bar at the line's end shows; `None` for a line without a bar.
    bar: Option<f64>,
}

/// Appends the lines of rows and their children, indented by `indent` blanks. `bar` is the index of the column whose ratios are
/// shown as bars, too.
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

/// How a table is laid out as text: its width, the width of its names, and the unit of its times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Most characters of a line; `None` for no limit.
    pub width: Option<usize>,
    /// The unit of all times; `None` chooses a unit for each time by its size.
    pub unit: Option<TimeUnit>,
    /// Most characters of a cell in a text column, at least `LEAST`; `width` then has no effect.
    pub name_width: Option<usize>,
}

/// Formats a cell's value for people; times in `unit` if it is given, without the unit's name.
fn value_in(value: &Value, unit: Option<TimeUnit>) -> SafeText<'static> {
    match (value, unit) {
        (Value::Duration(ns), Some(unit)) => SafeText::from(fmt::duration_in(*ns, unit)),
        _ => self::value(value),
    }
}

/// Renders a table as text: its title, the columns' titles, the rows, which columns had no room, and its notes.
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
        out.push_str("(no rows)\n");
    }
    if shown.len() < table.columns.len() {
        let hidden = table.columns.iter().enumerate().filter(|(i, _)| !shown.contains(i));
        let titles: Vec<&str> = hidden.map(|(_, column)| column.title.as_ref()).collect();
        let _ = writeln!(out, "(columns left out to fit the width: {})", titles.join(", "));
    }
    if is_cut {
        out.push_str("(names are shortened: --max-name-width 500 prints up to 500 characters)\n");
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

/// Chooses the columns that fit into `limit` characters (`None`: all), and returns their indices: extra columns are left out first,
/// then the last ones; then the `widths` of text columns are reduced.
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

/// Appends a cell padded to its column's `width` and the gap after it: text to the left, numbers to the right. `shown` is the
/// width of `text`, all in characters.
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
