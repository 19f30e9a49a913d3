//! Draws the chart chosen for a summary in the pane's area, with the focused row marked.
//!
//! Files of their own draw bars and curves. The cost grows with the cells and the rows on the screen, not with the size of the
//! table.

mod bar;
mod curve;

use std::collections::BTreeMap;

use crate::analysis::chart::{ChartKind, Segment, Stack, Tint};
use crate::analysis::{Chart, TableRow};
use crate::app::geometry::Area;
use crate::app::table_pane::TablePane;
use crate::app::{Region, State};
use crate::base::fmt;
use crate::base::text::SafeText;
use crate::base::time::{Ns, sum};
use crate::report::text;

use super::paint::Painter;
use super::table;
use super::theme::Token;
use bar::Part;

/// Charts of fewer lines than this have no title.
const TITLED: u16 = 8;
/// The fewest columns of a bar: labels are cut to leave this many, if the area has them.
const BAR: u16 = 16;

/// One bar with the texts to its left and right.
struct Line {
    label: SafeText<'static>,
    parts: Vec<Part>,
    /// The value at the right of the bar.
    value: String,
    is_here: bool,
}

/// Draws the chart, scrolled so that the focused row is visible.
pub(super) fn draw(state: &State, pane: &TablePane, chart: &Chart, area: Area, painter: &mut Painter<'_>) {
    if area.width < 2 || area.height == 0 {
        return;
    }
    let mut left = Area { x: area.x + 1, width: area.width - 2, ..area };
    // Rows in an order other than the chart's own: the title says that the bars show something else.
    let other = pane.order.map(|(at, _)| at).filter(|&at| chart.order.is_some_and(|own| own != at));
    let other = other.and_then(|at| pane.table.columns.get(at));
    if area.height >= TITLED || other.is_some() && area.height > 1 {
        let mut title = chart.title.to_owned();
        if let Some(column) = other {
            title += &format!(", rows sorted by {}", column.title);
        }
        if let Some(top) = pane.top() {
            title += &format!(" · first {top} of {}", fmt::count(pane.table.rows.len() as u64));
        }
        let title = SafeText::from(title);
        let title = title.elide_end(usize::from(left.width));
        painter.text(left.x, left.y, left.width, &title, painter.theme.text(Token::Title));
        left = below(left, 1);
    }
    let is_focused = state.region == Region::Pane;
    match &chart.kind {
        ChartKind::Shares { share, amount, all } => {
            shares(pane, is_focused, (*share, *amount, *all), left, painter);
        }
        ChartKind::Columns { parts, longest } => columns(pane, is_focused, parts, *longest, left, painter),
        ChartKind::Segments { by_name, longest } => {
            segments(pane, is_focused, by_name, *longest, left, painter);
        }
        ChartKind::Stacks(stacks) => draw_stacks(stacks, pane, is_focused, left, painter),
        ChartKind::Whole(segments) => whole(segments, pane.line, left, painter),
        ChartKind::Curves(curves) => curve::draw(state, pane, curves, left, painter),
    }
}

/// The part of an area below its first `lines` lines.
fn below(area: Area, lines: u16) -> Area {
    let lines = lines.min(area.height);
    Area { y: area.y + lines, height: area.height - lines, ..area }
}

/// The text of a row's first cell, indented by the row's depth in the table.
fn label(pane: &TablePane, line: usize, row: &TableRow) -> SafeText<'static> {
    let name = row.cells.first().map(text::value).unwrap_or_default();
    let indent = "  ".repeat(pane.lines[line].len().saturating_sub(1));
    if indent.is_empty() { name } else { SafeText::from(indent + name.as_str()) }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// The range of the `count` lines that is visible in an area of `height` lines, such that the line `focus` is visible.
fn in_sight(focus: usize, count: usize, height: u16) -> std::ops::Range<usize> {
    let height = usize::from(height);
    let top = (focus + 1).saturating_sub(height).min(count);
    top..(top + height).min(count)
}

/// Draws bars one below the other, with their labels (cut if necessary) at the left and their values at the right. `has_labels`
/// is true if the parts within a bar are labelled, too.
fn draw_lines(lines: &[Line], has_labels: bool, area: Area, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let widest = |of: fn(&Line) -> usize| lines.iter().map(of).max().unwrap_or_default() as u16;
    let values = widest(|line| line.value.chars().count());
    let room = area.width.saturating_sub(values + 2);
    let labels = widest(|line| line.label.width()).min(area.width * 2 / 5).min(room.saturating_sub(BAR));
    let bar = room.saturating_sub(labels + 1);
    for (y, line) in (area.y..area.y + area.height).zip(lines) {
        let style = if line.is_here { theme.chosen() } else { theme.text(Token::Text) };
        if line.is_here {
            painter.style(Area { y, height: 1, width: labels, ..area }, style);
        }
        painter.text(area.x, y, labels, &line.label.elide_middle(usize::from(labels)), style);
        let x = area.x + labels + 1;
        bar::draw(&line.parts, has_labels, Area { x, y, width: bar, height: 1 }, painter);
        let blank = values - line.value.chars().count() as u16;
        painter.str(x + bar + 1 + blank, y, values, &line.value, style);
    }
}

/// Draws the table's notes below the `used` lines of bars.
fn draw_notes(pane: &TablePane, used: usize, area: Area, painter: &mut Painter<'_>) {
    let left = below(area, used as u16);
    let left = Area { x: left.x - 1, ..left };
    table::notes(pane, 0, left, left.y + left.height, painter);
}

/// Draws one bar per row for the row's share, and one for all other rows together. If there is room, a bar above them shows all
/// these shares side by side.
fn shares(
    pane: &TablePane,
    is_focused: bool,
    (share, amount, all): (usize, usize, f64),
    area: Area,
    painter: &mut Painter<'_>,
) {
    let top = pane.top_lines();
    let is_row = |line: &usize| pane.lines[*line].len() == 1;
    let of_line = |line: usize| pane.row(line).map_or(0.0, |row| row.cells[share].ratio_or_zero());
    let rows: Vec<usize> = (0..top).filter(is_row).collect();
    let own: f64 = rows.iter().map(|&line| of_line(line)).sum();
    let others = pane.table.rows.len().saturating_sub(rows.len());
    let remainder = if others > 0 { (all - own).max(0.0) } else { 0.0 };
    let most = (0..top).map(of_line).fold(remainder, f64::max).max(f64::MIN_POSITIVE);
    let number = |line: usize| rows.partition_point(|&row| row <= line);
    let tint = |line: usize| Tint::Nth(number(line) - 1);
    let name = |line: usize| pane.row(line).map_or(SafeText::default(), |row| label(pane, line, row));
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
            let here =
                here.map_or(String::new(), |row| format!(": {}", label(pane, pane.line, row).as_str()));
            let label = format!("{} others ({}){here}", rows.len() + 1, fmt::count(others as u64));
            let parts = vec![Part {
                number: 0,
                name: SafeText::default(),
                size: remainder / most,
                tint: Tint::Remainder,
            }];
            return Line { label: SafeText::from(label), parts, value: percent(remainder), is_here };
        }
        let row = pane.row(line);
        let share = of_line(line);
        let took = row.map_or(String::new(), |row| text::value(&row.cells[amount]).to_string());
        let label = if is_row(&line) {
            SafeText::from(format!("{} {}", number(line), name(line).as_str()))
        } else {
            name(line)
        };
        let parts = vec![Part { number: 0, name: SafeText::default(), size: share / most, tint: tint(line) }];
        Line { label, parts, value: format!("{took}  {:>6}", percent(share)), is_here }
    };
    let lines: Vec<Line> = shown.map(line).collect();
    draw_lines(&lines, false, area, painter);
    draw_notes(pane, lines.len(), area, painter);
}

/// Draws one stacked bar per row, with a part for each of some columns of the table. A bar of `most` ns fills the whole width.
fn columns(
    pane: &TablePane,
    is_focused: bool,
    parts: &[(usize, Tint)],
    most: Option<Ns>,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let of_row = |row: &TableRow| -> Vec<Segment> {
        let segment = |&(at, tint): &(usize, Tint)| {
            Segment::new(&pane.table.columns[at].title, row.cells[at].duration_or_zero(), tint)
        };
        parts.iter().map(segment).collect()
    };
    divided(pane, is_focused, most, &of_row, area, painter);
}

/// Draws one stacked bar per row, with a part for each of the row's segments in `of`.
fn segments(
    pane: &TablePane,
    is_focused: bool,
    of: &BTreeMap<String, Vec<Segment>>,
    most: Ns,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let of_row = |row: &TableRow| -> Vec<Segment> {
        let name = row.cells.first().map(text::value).unwrap_or_default();
        of.get(name.as_str()).cloned().unwrap_or_default()
    };
    divided(pane, is_focused, Some(most), &of_row, area, painter);
}

/// Draws one stacked bar per row of the table.
fn divided(
    pane: &TablePane,
    is_focused: bool,
    most: Option<Ns>,
    of_row: &dyn Fn(&TableRow) -> Vec<Segment>,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let stack = |line: usize| {
        let row = pane.row(line)?;
        Some(Stack { name: label(pane, line, row), segments: of_row(row) })
    };
    draw_bars(pane, is_focused, most, (pane.top_lines(), &stack), area, painter);
}

/// Draws stacked bars that are no rows of the table.
fn draw_stacks(stacks: &[Stack], pane: &TablePane, is_focused: bool, area: Area, painter: &mut Painter<'_>) {
    let most = stacks.iter().map(Stack::time).max();
    let stack = |line: usize| stacks.get(line).cloned();
    draw_bars(pane, is_focused, most, (stacks.len(), &stack), area, painter);
}

/// Draws `count` stacked bars and, above them if there is room, a legend for the parts of the focused one. A bar of `most` ns fills
/// the whole width; where that is None, each bar does.
fn draw_bars(
    pane: &TablePane,
    is_focused: bool,
    most: Option<Ns>,
    (count, stack): (usize, &dyn Fn(usize) -> Option<Stack>),
    area: Area,
    painter: &mut Painter<'_>,
) {
    let focus = pane.line.min(count.saturating_sub(1));
    let mut area = area;
    if let Some(stack) = stack(focus).filter(|_| area.height > 2) {
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
        let stack = stack(line)?;
        let all = stack.time();
        Some(Line {
            parts: parts(&stack.segments, most.unwrap_or(all)),
            value: fmt::duration(all),
            is_here: is_focused && line == focus,
            label: stack.name,
        })
    };
    let lines: Vec<Line> = in_sight(focus, count, area.height).filter_map(line).collect();
    draw_lines(&lines, true, area, painter);
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

/// Draws one stacked bar of all segments, and below it one bar per segment, scrolled so that the segment `focus` is visible.
fn whole(segments: &[Segment], focus: usize, area: Area, painter: &mut Painter<'_>) {
    let all = sum(segments.iter().map(|segment| segment.time)).max(1);
    let all_parts = parts(segments, all);
    bar::draw(&all_parts, true, area, painter);
    let line = |(part, segment): (Part, &Segment)| Line {
        label: SafeText::from(format!("{} {}", part.number, part.name.as_str())),
        value: format!("{}  {:>6}", fmt::duration(segment.time), percent(part.size)),
        parts: vec![part],
        is_here: false,
    };
    let area = below(area, 1);
    let shown = in_sight(focus.min(segments.len().saturating_sub(1)), segments.len(), area.height);
    let lines = all_parts.into_iter().zip(segments).skip(shown.start).take(shown.len()).map(line);
    draw_lines(&lines.collect::<Vec<Line>>(), false, area, painter);
}
