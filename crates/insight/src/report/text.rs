//! Tables as text for people: aligned columns that fit a width, bars beside the rows, notes below.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use proftui_base::fmt::{self, TimeUnit};
use proftui_base::saturate::saturate;
use proftui_base::shorten::Shortened;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;

use super::bars::Bars;

/// Width of a full bar, in characters.
const BAR: usize = 8;
/// Number of blanks between two columns, and before the bars.
const GAP: usize = 2;
/// Extra columns are left out to give text columns this width, in characters.
const ROOMY: usize = 40;
/// The last columns are left out to give text columns this width, in characters.
const READABLE: usize = 24;
/// Least width to which text columns are narrowed, in characters.
const LEAST_WIDTH: usize = 12;
/// Number of columns down to which [`fit`] leaves out the last columns.
const FEWEST_COLUMNS: usize = 4;
/// Width to which sentences and notes are wrapped without a width limit, in characters.
const NOTES: usize = 100;

/// Formats a cell's value for people; `-` for an empty value.
pub fn value(value: &Value) -> SafeText<'static> {
    match value {
        Value::Text(text) => text.clone(),
        Value::Count(n) => SafeText::from(fmt::count(*n)),
        Value::Amount(n) => SafeText::from(fmt::amount(*n)),
        Value::Duration(ns) => SafeText::from(fmt::duration(*ns)),
        Value::Bytes(n) => SafeText::from(fmt::bytes(*n)),
        Value::Ratio(share) => SafeText::from(format!("{:.1}%", share * 100.0)),
        Value::Factor(times) => SafeText::from(format!("{times:.2}×")),
        Value::Rate(rate) => SafeText::from(fmt::rate(*rate)),
        Value::Empty => SafeText::from("-".to_owned()),
    }
}

/// Draws a share (0 to 1) as a bar of at most [`BAR`] block characters, in steps of an eighth of a character.
fn bar(share: f64) -> String {
    let eighths = saturate::<usize>((share.clamp(0.0, 1.0) * (BAR * 8) as f64).round());
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
    /// The share (0 to 1) that the bar at the line's end shows if bars fit; `None` for a line without a bar.
    bar: Option<f64>,
}

/// Appends the lines of rows and of their child rows, indented from `indent` on by 2 blanks more each level.
fn lines(rows: &[TableRow], indent: usize, bars: Option<Bars>, look: Look, out: &mut Vec<Line>) {
    for row in rows {
        out.push(Line {
            indent,
            cells: row.cells.iter().map(|cell| value_in(cell, look.unit)).collect(),
            bar: bars.and_then(|bars| bars.share(row)),
        });
        lines(&row.children, indent + 2, bars, look, out);
    }
}

/// How a table is laid out as text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Width that the lines should fit, in characters; `None` does not limit the rows.
    pub width: Option<usize>,
    /// The unit of the times in cells; `None` chooses a unit for each time by its size.
    pub unit: Option<TimeUnit>,
    /// Most characters of a cell in a text column, at least `LEAST_WIDTH`; replaces the limit `width`.
    pub name_width: Option<usize>,
    /// Index of the column by which rows are sorted, which is never left out; `None` for the table's own
    /// order.
    pub order: Option<usize>,
}

/// Formats a cell's value for people. Times are in `unit`, without the unit's name; `None` chooses a unit for
/// each time and names it.
pub fn value_in(value: &Value, unit: Option<TimeUnit>) -> SafeText<'static> {
    match (value, unit) {
        (Value::Duration(ns), Some(unit)) => SafeText::from(fmt::duration_in(*ns, unit)),
        _ => self::value(value),
    }
}

/// Formats a duration in `unit`, without the unit's name; `None` chooses units by its size and names them.
pub fn duration(ns: Ns, unit: Option<TimeUnit>) -> String {
    unit.map_or_else(|| fmt::duration(ns), |unit| fmt::duration_in(ns, unit))
}

/// Renders a table as text for people, laid out by `look`.
pub fn render(table: &Table, look: Look) -> String {
    let width = look.width.filter(|_| look.name_width.is_none());
    if table.rows.is_empty() && !table.notes.is_empty() {
        return without_rows(table, width);
    }
    let mut rows = Vec::new();
    let bars = Bars::of(table, look.order);
    lines(&table.rows, 0, bars, look, &mut rows);
    let mut widths: Vec<usize> = table.columns.iter().map(|column| column.title.chars().count()).collect();
    for row in &rows {
        for (i, (cell, width)) in row.cells.iter().zip(&mut widths).enumerate() {
            let indent = if i == 0 { row.indent } else { 0 };
            *width = (*width).max(cell.width() + indent);
        }
    }
    for (column, widest) in table.columns.iter().zip(&mut widths) {
        if let (ColumnKind::Text, Some(most)) = (column.kind, look.name_width) {
            *widest = (*widest).min(most.max(LEAST_WIDTH));
        }
    }
    let (shown, widths, bars) = fit(widths, table, look.order, width, bars);
    let mut out = match look.unit {
        Some(unit) => format!("{} (times in {})\n", table.title, unit.symbol()),
        None => format!("{}\n", table.title),
    };
    for line in SafeText::new(&table.headline).wrap_at_spaces(width.unwrap_or(NOTES).max(20)) {
        let _ = writeln!(out, "{}", line.as_str());
    }
    let mut is_cut = false;
    let names = apart(&rows, &shown, &widths);
    let mut line = String::new();
    for &i in &shown {
        let column = &table.columns[i];
        pad(&mut line, &column.title, column.title.chars().count(), widths[i], column.kind);
    }
    if let Some(bars) = bars.filter(|bars| bars.need_name(table, &shown)) {
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(line.chars().count())).max(BAR);
        line.push_str(SafeText::new(&table.columns[bars.column].title).elide_end(room).as_str());
    }
    out.push_str(line.trim_end());
    out.push('\n');
    for row in &rows {
        line.clear();
        for &i in &shown {
            let indent = if i == 0 { row.indent } else { 0 };
            let room = widths[i].saturating_sub(indent);
            is_cut |= row.cells[i].width() > room;
            let cell = names[&(i, indent)].of(&row.cells[i]);
            let text = format!("{:indent$}{}", "", cell.as_str());
            pad(&mut line, &text, indent + cell.width(), widths[i], table.columns[i].kind);
        }
        if let Some(share) = row.bar.filter(|_| bars.is_some()) {
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
        let left_out = SafeText::from(format!("(columns left out to fit the width: {})", titles.join(", ")));
        for line in left_out.wrap_at_spaces(width.unwrap_or(NOTES).max(20)) {
            let _ = writeln!(out, "{}", line.as_str());
        }
    }
    if is_cut {
        out.push_str("(texts are shortened: --format markdown prints them whole)\n");
    }
    notes(table, width, &mut out);
    out
}

/// The texts of the `shown` columns, shortened to `widths`, by column (index) and indentation (blanks).
/// Different texts of a column and indentation stay different where possible.
fn apart(rows: &[Line], shown: &[usize], widths: &[usize]) -> FxHashMap<(usize, usize), Shortened> {
    let mut texts: FxHashMap<(usize, usize), Vec<&SafeText<'static>>> = FxHashMap::default();
    for row in rows {
        for &i in shown {
            texts.entry((i, if i == 0 { row.indent } else { 0 })).or_default().push(&row.cells[i]);
        }
    }
    let shorten = |((column, indent), texts): ((usize, usize), Vec<&SafeText<'static>>)| {
        ((column, indent), Shortened::new(texts, widths[column].saturating_sub(indent)))
    };
    texts.into_iter().map(shorten).collect()
}

/// Renders a table without rows: its title and its notes.
fn without_rows(table: &Table, width: Option<usize>) -> String {
    let mut out = format!("{}\n", table.title);
    notes(table, width, &mut out);
    out
}

/// Appends the table's notes as a list, wrapped at `width` characters (at least 20), by default [`NOTES`].
fn notes(table: &Table, width: Option<usize>, out: &mut String) {
    let width = width.unwrap_or(NOTES).max(20);
    for note in &table.notes {
        for (i, line) in SafeText::new(note).wrap_at_spaces(width - 2).enumerate() {
            out.push_str(if i == 0 { "* " } else { "  " });
            out.push_str(line.as_str());
            out.push('\n');
        }
    }
}

/// Chooses the columns shown (indices), the widths of all columns, and the bars, if any, such that a row fits
/// into `limit` columns of the terminal where possible.
fn fit(
    widths: Vec<usize>,
    table: &Table,
    order: Option<usize>,
    limit: Option<usize>,
    bars: Option<Bars>,
) -> (Vec<usize>, Vec<usize>, Option<Bars>) {
    let all: Vec<usize> = (0..widths.len()).collect();
    let Some(limit) = limit else { return (all, widths, bars) };
    let is_kept = |at: usize| at == 0 || Some(at) == order;
    let within = |limit: usize| {
        let mut widths = widths.clone();
        let shown = fit_among(&mut widths, table, limit, all.clone(), is_kept, (1, FEWEST_COLUMNS));
        (shown, widths)
    };
    let is_main = |&&at: &&usize| !table.columns[at].is_extra;
    let (with_bars, narrow) = within(limit.saturating_sub(GAP + BAR));
    let (without, wide) = within(limit);
    if bars.is_some() && with_bars.iter().filter(is_main).count() == without.iter().filter(is_main).count() {
        return (with_bars, narrow, bars);
    }
    (without, wide, None)
}

/// Columns of a table that are shown together, with widths in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The columns shown, by their indices in the table.
    pub columns: Vec<usize>,
    /// The width of each column of the table, shown or not.
    pub widths: Vec<usize>,
}

/// Divides the columns of a table into pages of at most `limit` columns of the terminal where possible. The
/// first column and the column `keep` (an index) are on every page.
pub fn pages(widths: &[usize], table: &Table, limit: usize, keep: Option<usize>) -> Vec<Page> {
    let is_kept = |at: usize| at == 0 || Some(at) == keep;
    let mut left: Vec<usize> = (0..widths.len()).collect();
    let kept = left.iter().filter(|&&at| is_kept(at)).count();
    let mut pages: Vec<Page> = Vec::new();
    while pages.is_empty() || left.iter().any(|&at| !is_kept(at)) {
        let mut widths = widths.to_vec();
        let columns = fit_among(&mut widths, table, limit, left.clone(), is_kept, (kept + 1, kept + 1));
        left.retain(|&at| is_kept(at) || !columns.contains(&at));
        pages.push(Page { columns, widths });
    }
    pages
}

/// Chooses which of the columns `shown` to show in `limit` columns of the terminal, and narrows the `widths`
/// of text columns. Those with `is_kept` stay; `fewest` limits how many extra and last columns are left out.
fn fit_among(
    widths: &mut [usize],
    table: &Table,
    limit: usize,
    mut shown: Vec<usize>,
    is_kept: impl Fn(usize) -> bool,
    fewest: (usize, usize),
) -> Vec<usize> {
    let is_text = |i: usize| table.columns[i].kind == ColumnKind::Text;
    let total = |widths: &[usize], shown: &[usize], text_limit: usize| {
        let width = |&i: &usize| GAP + if is_text(i) { widths[i].min(text_limit) } else { widths[i] };
        shown.iter().map(width).sum::<usize>().saturating_sub(GAP)
    };
    let is_extra = |&at: &usize| table.columns[at].is_extra && !is_kept(at);
    // Where all columns are extra ones, they are left out as others are, below.
    let has_main = shown.iter().any(|&at| !table.columns[at].is_extra && !is_kept(at));
    while has_main && shown.len() > fewest.0 && total(widths, &shown, ROOMY) > limit {
        let Some(extra) = shown.iter().rposition(is_extra) else { break };
        shown.remove(extra);
    }
    // Names stay readable at the expense of the last columns.
    while shown.len() > fewest.1 && total(widths, &shown, READABLE) > limit {
        let Some(last) = shown.iter().rposition(|&at| !is_kept(at)) else { break };
        shown.remove(last);
    }
    loop {
        let excess = total(widths, &shown, usize::MAX).saturating_sub(limit);
        let widest = shown.iter().copied().filter(|&i| is_text(i)).max_by_key(|&i| widths[i]);
        match widest {
            Some(widest) if excess > 0 && widths[widest] > LEAST_WIDTH => {
                widths[widest] = widths[widest].saturating_sub(excess).max(LEAST_WIDTH);
            }
            _ => return shown,
        }
    }
}

/// Appends a cell, aligned within `width`, and the gap after it. `shown` is the width of `text`; both are in
/// columns of the terminal.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Column;
    use proptest::prelude::*;

    fn table(columns: &[(bool, bool)]) -> Table {
        let column = |&(is_text, is_extra): &(bool, bool)| Column {
            is_extra,
            ..Column::new("a", "a", if is_text { ColumnKind::Text } else { ColumnKind::Count }, "")
        };
        Table { columns: columns.iter().map(column).collect(), ..Table::default() }
    }

    /// A name of 20 characters, and numbers of 8: a share, three main columns, an extra one.
    fn shares() -> Table {
        let row = || {
            let numbers = [10, 11, 12, 13].map(|n| Value::Count(n * 100_000));
            TableRow::new(
                [Value::text("a name of characters"), Value::Ratio(0.5)].into_iter().chain(numbers).collect(),
            )
        };
        let mut table = table(&[
            (true, false),
            (false, false),
            (false, false),
            (false, false),
            (false, false),
            (false, true),
        ]);
        for (column, title) in table.columns.iter_mut().zip(["Name", "Share", "One", "Two", "Three", "Extra"])
        {
            column.title = title.into();
        }
        table.columns[1].kind = ColumnKind::Ratio;
        Table { rows: vec![row(), row()], ..table }
    }

    /// The titles above the columns and bars, and whether there are bars, at most `width` characters wide.
    fn heading(table: &Table, width: usize, order: Option<usize>) -> (String, bool) {
        let text = render(table, Look { width: Some(width), order, ..Look::default() });
        let heading = text.lines().nth(1).unwrap_or_default();
        (heading.split_whitespace().collect::<Vec<_>>().join(" "), text.contains('█'))
    }

    #[test]
    fn bars_are_left_out_after_extra_columns_and_before_others() {
        let table = shares();
        // 20, 5, and 9 characters per number, with gaps of 2: 71 with all, 60 without the extra one, 10 more
        // with bars.
        let all = "Name Share One Two Three";
        assert_eq!(heading(&table, 81, None), (format!("{all} Extra"), true));
        assert_eq!(heading(&table, 80, None), (all.to_owned(), true));
        assert_eq!(heading(&table, 70, None), (all.to_owned(), true));
        assert_eq!(heading(&table, 69, None), (all.to_owned(), false));
        assert_eq!(heading(&table, 59, None).0, "Name Share One Two");
    }

    #[test]
    fn the_column_that_orders_the_rows_is_never_left_out() {
        let table = shares();
        for order in 1..table.columns.len() {
            for width in 40..90 {
                let (heading, _) = heading(&table, width, Some(order));
                assert!(
                    heading.split(' ').any(|title| title == table.columns[order].title),
                    "{width}: {heading}"
                );
            }
        }
    }

    #[test]
    fn bars_of_a_column_without_room_are_named() {
        let mut table = shares();
        table.columns[1].is_extra = true;
        assert_eq!(heading(&table, 63, None), ("Name One Two Three Share".to_owned(), true));
    }

    proptest! {
        #[test]
        fn the_pages_of_a_table_show_every_column(
            columns in prop::collection::vec((any::<bool>(), any::<bool>(), 1_usize..60), 1..14),
            limit in 0_usize..160,
            keep in prop::option::of(0_usize..14),
        ) {
            let table = table(&columns.iter().map(|&(is_text, is_extra, _)| (is_text, is_extra)).collect::<Vec<_>>());
            let widths: Vec<usize> = columns.iter().map(|&(.., width)| width).collect();
            let keep = keep.filter(|&at| at < columns.len());
            let pages = pages(&widths, &table, limit, keep);
            for at in 0..columns.len() {
                let times = pages.iter().filter(|page| page.columns.contains(&at)).count();
                let wanted = if at == 0 || Some(at) == keep { pages.len() } else { 1 };
                prop_assert_eq!(times, wanted, "column {} in {:?}", at, pages);
            }
            for Page { columns, widths } in &pages {
                let kept = 1 + usize::from(keep.is_some_and(|at| at > 0));
                let all: usize = columns.iter().map(|&at| widths[at] + GAP).sum();
                prop_assert!(columns.is_sorted() && (columns.len() <= kept + 1 || all <= limit + GAP), "{:?}", pages);
            }
        }
    }
}
