//! Draws the chart chosen for a summary in the pane's area, with the focused row marked.
//!
//! Files of their own draw bars, curves and flames. The cost grows with the cells and the rows on the screen,
//! not with the size of the table.

mod bar;
mod curve;
mod flame;

use std::collections::BTreeMap;

use crate::app::pane::table_pane::TablePane;
use crate::app::view::geometry::Area;
use crate::app::{Region, State};
use proftui_base::fmt::{self, TimeUnit};
use proftui_base::saturate::saturate;
use proftui_base::shorten::Shortened;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, sum};
use proftui_insight::analysis::table::chart::{ChartKind, Segment, Stack, Tint};
use proftui_insight::analysis::{Chart, TableRow, Value};
use proftui_insight::report::text;

use super::paint::Painter;
use super::table;
use super::theme::Token;
use bar::Part;

/// The fewest lines of the pane for which a chart alone in it usually has a title.
const TITLED: u16 = 8;
/// The fewest columns that the labels leave for a bar and the blank before it, if the values leave so many.
const BAR: u16 = 16;

/// One bar of a chart, with the texts to its left and right.
struct Line {
    /// The text before the name, such as a number or the indentation; may be empty.
    mark: String,
    /// The name at the left of the bar, in full.
    name: SafeText<'static>,
    /// The index of the pane's line whose row the bar shows; none for a bar that is no row of the table.
    row: Option<usize>,
    parts: Vec<Part>,
    /// The text at the right of the bar, such as a duration or a share.
    value: String,
    is_here: bool,
}

/// The pane and the chart whose bars are drawn, and how.
#[derive(Clone, Copy)]
struct Sheet<'a> {
    pane: &'a TablePane,
    chart: &'a Chart,
    /// The unit in which all times are shown; none to show each in the unit that suits it.
    unit: Option<TimeUnit>,
    /// True if the pane has the focus.
    is_focused: bool,
}

/// Draws a chart of the pane's table into `area`.
pub(super) fn draw(state: &State, pane: &TablePane, chart: &Chart, area: Area, painter: &mut Painter<'_>) {
    if area.width < 2 || area.height == 0 {
        return;
    }
    let mut left = Area { x: area.x + 1, width: area.width - 2, ..area };
    let is_alone = pane.halves(state.geometry().pane.width).1.is_none();
    let least = if is_alone { TITLED } else { 3 };
    if let Some((title, count)) = title(pane, chart, area.height >= least).filter(|_| area.height > 1) {
        let room = usize::from(left.width).saturating_sub(count.chars().count());
        let title = SafeText::from(format!("{}{count}", SafeText::new(&title).elide_end(room).as_str()));
        painter.text(left.x, left.y, left.width, &title, painter.theme.text(Token::Title));
        left = below(left, 1);
    }
    let sheet =
        Sheet { pane, chart, unit: state.looks.unit(), is_focused: state.panes.region() == Region::Pane };
    match &chart.kind {
        ChartKind::Shares { share, amount, all } => shares(sheet, (*share, *amount, *all), left, painter),
        ChartKind::Columns { parts, longest } => columns(sheet, parts, *longest, left, painter),
        ChartKind::Segments { by_name, longest } => segments(sheet, by_name, *longest, left, painter),
        ChartKind::Stacks(stacks) => draw_stacks(sheet, stacks, left, painter),
        ChartKind::Whole(segments) => whole(sheet, segments, left, painter),
        ChartKind::Curves(curves) => curve::draw(state, pane, curves, left, painter),
        ChartKind::Flame(flame) => flame::draw(state, pane, flame, left, painter),
    }
}

/// The chart's title, and a text after it on how many rows are shown, which may be empty. None to draw no
/// title.
fn title(pane: &TablePane, chart: &Chart, is_wanted: bool) -> Option<(String, String)> {
    // A flame has a heading of its own.
    if matches!(chart.kind, ChartKind::Flame(_)) {
        return None;
    }
    let other = pane.rows.order.map(|(at, _)| at).filter(|&at| chart.order.is_some_and(|own| own != at));
    let other = other.and_then(|at| pane.table.columns.get(at));
    if !is_wanted && other.is_none() {
        return None;
    }
    let mut title = chart.title.to_owned();
    if let Some(column) = other {
        title += &format!(", rows sorted by {}", column.title);
    }
    let (rows, all) = (pane.rows.top_shown(), pane.table.rows.len());
    let counted = fmt::counted(all as u64, "row");
    let count = match pane.top(chart) {
        Some(top) => format!(" · first {top} of {counted}"),
        None if rows < all && chart.has_rows() => format!(" · {} of {counted}", fmt::count(rows as u64)),
        None => String::new(),
    };
    Some((title, count))
}

/// The part of an area below its first `lines` lines.
fn below(area: Area, lines: u16) -> Area {
    let lines = lines.min(area.height);
    Area { y: area.y + lines, height: area.height - lines, ..area }
}

/// The text of a row's first cell.
fn name(row: &TableRow) -> SafeText<'static> {
    row.cells.first().map(text::value).unwrap_or_default()
}

/// The text of a row's first cell as the table shows it: the short name of a kernel.
fn shown_name(pane: &TablePane, row: &TableRow) -> SafeText<'static> {
    let name = name(row);
    pane.shown(0, &name).clone()
}

/// The blanks before the name of a line's row: two for each level of nesting.
fn indent(pane: &TablePane, line: usize) -> String {
    "  ".repeat(pane.rows.depth(line))
}

/// The name of a line, cut to at most `room` columns, usually so that the names of rows stay distinct.
fn short_name(pane: &TablePane, line: &Line, room: usize) -> SafeText<'static> {
    match line.row {
        Some(row) if line.name.width() > room => pane.shortened(row, 0, room).of(&line.name).into_owned(),
        _ => line.name.elide_middle(room).into_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// The range of the `count` lines that an area of `height` lines shows, scrolled so that the line `focus` is
/// in it.
fn in_sight(focus: usize, count: usize, height: u16) -> std::ops::Range<usize> {
    let height = usize::from(height);
    let top = (focus + 1).saturating_sub(height).min(count);
    top..(top + height).min(count)
}

/// Draws bars one below the other, each with its name at the left, as `short` cuts it, and its value at the
/// right.
fn draw_lines(
    lines: &[Line],
    short: &dyn Fn(&Line, usize) -> SafeText<'static>,
    has_labels: bool,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let theme = painter.theme;
    let widest = |of: fn(&Line) -> usize| saturate::<u16>(lines.iter().map(of).max().unwrap_or_default());
    let values = widest(|line| line.value.chars().count());
    let room = area.width.saturating_sub(values + 2);
    // The names of rows all have the same room, whatever is before them: names are kept apart within one
    // width.
    let marks = widest(|line| line.mark.len());
    let names = widest(|line| line.name.width());
    let labels = (marks + names).min(area.width * 2 / 5).min(room.saturating_sub(BAR));
    let bar = room.saturating_sub(labels + 1);
    for (y, line) in (area.y..area.y + area.height).zip(lines) {
        let style = if line.is_here { theme.chosen() } else { theme.text(Token::Text) };
        if line.is_here {
            painter.style(Area { y, height: 1, width: labels, ..area }, style);
        }
        let room =
            labels.saturating_sub(if line.row.is_some() { marks } else { saturate::<u16>(line.mark.len()) });
        let name = short(line, usize::from(room));
        let after = painter.str(area.x, y, labels, &line.mark, style);
        painter.text(after, y, (area.x + labels).saturating_sub(after), &name, style);
        let x = area.x + labels + 1;
        bar::draw(&line.parts, has_labels, Area { x, y, width: bar, height: 1 }, painter);
        let blank = values - saturate::<u16>(line.value.chars().count());
        painter.str(x + bar + 1 + blank, y, values, &line.value, style);
    }
}

/// Draws the table's notes ([`table::notes`]) below the first `used` lines of `area`.
fn draw_notes(pane: &TablePane, used: usize, area: Area, painter: &mut Painter<'_>) {
    let left = below(area, saturate::<u16>(used));
    let left = Area { x: left.x - 1, ..left };
    table::notes(pane, 0, left, left.y + left.height, painter);
}

/// Draws, if there is room, a stacked bar of the shares of the first rows and the rest; below it bars of
/// those in sight. The tuple has the indices of the columns of shares and amounts, and the sum of all shares.
fn shares(
    sheet: Sheet<'_>,
    (share, amount, all): (usize, usize, f64),
    area: Area,
    painter: &mut Painter<'_>,
) {
    let Sheet { pane, unit, is_focused, .. } = sheet;
    let top = pane.top_lines(sheet.chart);
    let is_row = |line: &usize| pane.rows.depth(*line) == 0;
    let of_line = |line: usize| pane.row(line).map_or(0.0, |row| row.cells[share].ratio_or_zero());
    let rows: Vec<usize> = (0..top).filter(is_row).collect();
    let own: f64 = rows.iter().map(|&line| of_line(line)).sum();
    let others = pane.table.rows.len().saturating_sub(rows.len());
    let remainder = if others > 0 { (all - own).max(0.0) } else { 0.0 };
    let most = (0..top).map(of_line).fold(remainder, f64::max).max(f64::MIN_POSITIVE);
    let number = |line: usize| rows.partition_point(|&row| row <= line);
    let tint = |line: usize| Tint::Nth(number(line) - 1);
    let name = |line: usize| pane.row(line).map_or(SafeText::default(), |row| shown_name(pane, row));
    let mut area = area;
    if area.height > 2 {
        // Shares of a time may add up to more than 1, since rows may overlap.
        let scale = all.max(1.0);
        let part = |&line: &usize| Part {
            number: number(line),
            name: name(line),
            size: of_line(line) / scale,
            tint: tint(line),
        };
        let others = Part {
            number: rows.len() + 1,
            name: SafeText::from("others".to_owned()),
            size: remainder / scale,
            tint: Tint::Remainder,
        };
        let parts: Vec<Part> = rows.iter().map(part).chain([others]).collect();
        bar::draw(&parts, true, area, painter);
        area = below(area, 1);
    }
    let focus = pane.line.min(top);
    let shown = in_sight(focus, top + usize::from(others > 0), area.height);
    let line = |line: usize| {
        let is_here = is_focused && line == focus;
        if line == top {
            // The focused row may be any of the others.
            let here = pane.row(pane.line).filter(|_| is_here && pane.line >= top);
            let here = here.map_or(String::new(), |row| format!(": {}", shown_name(pane, row).as_str()));
            let what = if others == 1 { "other" } else { "others" };
            let others = format!("{what} ({}){here}", fmt::count(others as u64));
            let parts = vec![Part {
                number: 0,
                name: SafeText::default(),
                size: remainder / most,
                tint: Tint::Remainder,
            }];
            let (mark, name) = (format!("{} ", rows.len() + 1), SafeText::from(others));
            return Line { mark, name, row: None, parts, value: percent(remainder), is_here };
        }
        let took =
            pane.row(line).map_or(String::new(), |row| text::value_in(&row.cells[amount], unit).to_string());
        let mark = if is_row(&line) { format!("{} ", number(line)) } else { indent(pane, line) };
        // Rows below a top-level row need not have a share.
        let has_share = is_row(&line) || pane.row(line).is_some_and(|row| row.cells[share] != Value::Empty);
        let (parts, value) = if has_share {
            let part =
                Part { number: 0, name: SafeText::default(), size: of_line(line) / most, tint: tint(line) };
            (vec![part], format!("{took}  {:>6}", percent(of_line(line))))
        } else {
            (Vec::new(), took)
        };
        Line { mark, name: name(line), row: Some(line), parts, value, is_here }
    };
    let lines: Vec<Line> = shown.map(line).collect();
    draw_lines(&lines, &|line, room| short_name(pane, line, room), false, area, painter);
    draw_notes(pane, lines.len(), area, painter);
}

/// Draws rows as stacked bars, with a part for each column in `parts`. A bar of `most` ns fills the whole
/// width; without `most`, every bar of more than 0 ns does.
fn columns(
    sheet: Sheet<'_>,
    parts: &[(usize, Tint)],
    most: Option<Ns>,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let titles = &sheet.pane.table.columns;
    let of_row = |row: &TableRow| -> Vec<Segment> {
        let segment = |&(at, tint): &(usize, Tint)| {
            Segment::new(&titles[at].title, row.cells[at].duration_or_zero(), tint)
        };
        if parts.iter().all(|&(at, _)| row.cells[at] == Value::Empty) {
            return Vec::new();
        }
        parts.iter().map(segment).collect()
    };
    divided(sheet, most, &of_row, area, painter);
}

/// Draws rows as stacked bars of the segments that `of` has for the text of their first cell. A bar of `most`
/// ns fills the whole width.
fn segments(
    sheet: Sheet<'_>,
    of: &BTreeMap<String, Vec<Segment>>,
    most: Ns,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let of_row = |row: &TableRow| -> Vec<Segment> { of.get(name(row).as_str()).cloned().unwrap_or_default() };
    divided(sheet, Some(most), &of_row, area, painter);
}

/// Draws rows as stacked bars of the segments that `of_row` makes of them. A bar of `most` ns fills the whole
/// width; without `most`, every bar of more than 0 ns does.
fn divided(
    sheet: Sheet<'_>,
    most: Option<Ns>,
    of_row: &dyn Fn(&TableRow) -> Vec<Segment>,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let pane = sheet.pane;
    let stack = |line: usize| {
        let row = pane.row(line)?;
        Some((Some(line), Stack { name: shown_name(pane, row), segments: of_row(row) }))
    };
    draw_bars(sheet, most, (pane.top_lines(sheet.chart), &stack), area, painter);
}

/// Draws stacked bars that are no rows of the table; the longest fills the whole width.
fn draw_stacks(sheet: Sheet<'_>, stacks: &[Stack], area: Area, painter: &mut Painter<'_>) {
    let most = stacks.iter().map(Stack::time).max();
    let stack = |line: usize| Some((None, stacks.get(line).cloned()?));
    draw_bars(sheet, most, (stacks.len(), &stack), area, painter);
}

/// A stacked bar, with the index of the pane's line that shows its row; `None` for a bar that is no row of
/// the table.
type OfRow = (Option<usize>, Stack);

/// Draws the stacked bars that `stack` returns by index, scrolled to the focused one. A bar of `most` ns
/// fills the whole width; without `most`, every bar of more than 0 ns does.
fn draw_bars(
    sheet: Sheet<'_>,
    most: Option<Ns>,
    (count, stack): (usize, &dyn Fn(usize) -> Option<OfRow>),
    area: Area,
    painter: &mut Painter<'_>,
) {
    let Sheet { pane, unit, is_focused, .. } = sheet;
    let focus = pane.line.min(count.saturating_sub(1));
    let mut area = area;
    let is_divided = sheet.chart.is_divided();
    if let Some((_, stack)) = stack(focus).filter(|_| is_divided && area.height > 2) {
        let all = stack.time().max(1);
        let with_words =
            |(part, segment): (Part, &Segment)| (part, percent(segment.time as f64 / all as f64));
        let legend: Vec<_> =
            parts(&stack.segments, all).into_iter().zip(&stack.segments).map(with_words).collect();
        let height = (area.height / 4).clamp(1, 3);
        let lines = bar::legend(&stack.name, &legend, Area { height, ..area }, painter);
        area = below(area, lines);
    }
    let line = |line: usize| {
        let (row, stack) = stack(line)?;
        let all = stack.time();
        Some(Line {
            mark: row.map_or_else(String::new, |line| indent(pane, line)),
            row,
            parts: parts(&stack.segments, most.unwrap_or(all)),
            value: if stack.segments.is_empty() { "-".to_owned() } else { text::duration(all, unit) },
            is_here: is_focused && line == focus,
            name: stack.name,
        })
    };
    let lines: Vec<Line> = in_sight(focus, count, area.height).filter_map(line).collect();
    draw_lines(&lines, &|line, room| short_name(pane, line, room), is_divided, area, painter);
    draw_notes(pane, lines.len(), area, painter);
}

fn parts(segments: &[Segment], most: Ns) -> Vec<Part> {
    let part = |(n, segment): (usize, &Segment)| Part {
        number: n + 1,
        name: segment.name.clone(),
        size: segment.time as f64 / most.max(1) as f64,
        tint: segment.tint,
    };
    segments.iter().enumerate().map(part).collect()
}

/// Draws one stacked bar of all segments and, below it, bars of single segments, as many as there is room
/// for.
fn whole(sheet: Sheet<'_>, segments: &[Segment], area: Area, painter: &mut Painter<'_>) {
    let focus = sheet.pane.line;
    let all = sum(segments.iter().map(|segment| segment.time)).max(1);
    let all_parts = parts(segments, all);
    bar::draw(&all_parts, true, area, painter);
    let line = |(part, segment): (Part, &Segment)| Line {
        mark: format!("{} ", part.number),
        name: part.name.clone(),
        row: None,
        value: format!("{}  {:>6}", text::duration(segment.time, sheet.unit), percent(part.size)),
        parts: vec![part],
        is_here: false,
    };
    let area = below(area, 1);
    let shown = in_sight(focus.min(segments.len().saturating_sub(1)), segments.len(), area.height);
    let lines = all_parts.into_iter().zip(segments).skip(shown.start).take(shown.len()).map(line);
    let short = |line: &Line, room| {
        let names = segments.iter().map(|segment| &segment.name);
        Shortened::new(names, room).of(&line.name).into_owned()
    };
    draw_lines(&lines.collect::<Vec<Line>>(), &short, false, area, painter);
}
