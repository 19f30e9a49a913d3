//! Draws the findings: each with its mark, key, title, saving, share, time and location; below the focused
//! one what helps; then what was not judged, and the time by cause.
//!
//! Must not know how a finding is made.

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::views::verdict::{self, Weight};
use proftui_insight::analysis::{TableRow, Value};
use proftui_insight::report::text;

use crate::app::pane::clicks::Click;
use crate::app::pane::findings::{self, INDENT, Line, is_finding};
use crate::app::pane::table_pane::TablePane;
use crate::app::view::geometry::Area;
use crate::app::{Region, State};

use super::paint::Painter;
use super::theme::Token;

/// The most columns of a title, and the fewest for which columns behind it give way.
const TITLE: (u16, u16) = (44, 24);
/// The fewest columns of a location.
const WHERE: u16 = 12;
/// The fewest columns of the names behind a location.
const NAMES: usize = 16;

/// The columns of numbers and times: heading of findings, heading of causes, width with the blanks before.
const NUMBERS: [(&str, &str, u16); 3] = [("Saves", "Time", 10), ("Share", "Share", 6), ("When", "Gaps", 13)];
/// The blanks before a column of texts.
const GAP: u16 = 2;

/// The columns that there is room for: of the title, of the first so many of [`NUMBERS`], and of locations.
struct Widths {
    title: u16,
    numbers: usize,
    location: Option<u16>,
}

impl Widths {
    fn of(width: u16) -> Self {
        let left = |numbers: usize| {
            let behind: u16 = NUMBERS[..numbers].iter().map(|number| number.2).sum();
            width.saturating_sub(INDENT + behind)
        };
        let numbers = (0..=NUMBERS.len()).rev().find(|&numbers| left(numbers) >= TITLE.1).unwrap_or_default();
        let title = left(numbers).min(TITLE.0);
        let rest = left(numbers).saturating_sub(title + GAP);
        Self { title, numbers, location: (numbers == NUMBERS.len() && rest >= WHERE).then_some(rest) }
    }
}

/// Draws the findings, scrolled to the focused line.
pub(super) fn draw(state: &State, pane: &TablePane, area: Area, painter: &mut Painter<'_>) {
    let is_focused = state.panes.region() == Region::Pane;
    let widths = Widths::of(area.width);
    let lines = findings::lines_within(pane, area.width, area.height);
    let is_here = |line: &Line| match line {
        Line::Row(row) => *row == pane.line,
        Line::Note(note) => pane.rows.len() + note == pane.line,
        _ => false,
    };
    let here = lines.iter().position(is_here).unwrap_or_default();
    // The texts below the focused row are on the screen with it.
    let below = lines[here..].iter().skip(1).take_while(|line| matches!(line, Line::Text(..))).count();
    let height = usize::from(area.height);
    let top = (here + below + 1).saturating_sub(height).min(here);
    for (y, (at, line)) in (area.y..area.y + area.height).zip(lines.iter().enumerate().skip(top)) {
        let line_area = Area { y, height: 1, ..area };
        match line {
            Line::Heading(is_findings) => heading(*is_findings, &widths, line_area, painter),
            Line::Row(row) => {
                draw_row(state, pane, *row, &widths, line_area, painter);
                state.clicks.note(line_area, Click::Line(*row));
            }
            Line::Text(text, is_advice) => {
                let style =
                    if *is_advice { painter.theme.text(Token::Link) } else { painter.theme.text(Token::Dim) };
                let x = if *is_advice {
                    painter.glyph(area.x + INDENT - 1, y, '→', style);
                    area.x + INDENT + 1
                } else {
                    area.x + INDENT + 1
                };
                let room = (area.x + area.width).saturating_sub(x + 1);
                let text = SafeText::new(text);
                painter.text(x, y, room, &text.elide_end(usize::from(room)), style);
            }
            Line::Location(row, child) => {
                let child = pane.row(*row).and_then(|row| row.children.get(*child));
                if let Some(child) = child {
                    draw_location(state, pane, child, &widths, line_area, painter);
                }
            }
            Line::Unjudged => unjudged(pane, line_area, painter),
            Line::Note(note) => {
                let Some(note) = pane.table.notes.get(*note) else { continue };
                let room = area.width.saturating_sub(4);
                let text = SafeText::new(note);
                painter.text(
                    area.x + 3,
                    y,
                    room,
                    &text.elide_end(usize::from(room)),
                    painter.theme.text(Token::Dim),
                );
            }
            Line::Blank => {}
        }
        if at == here && is_focused {
            painter.style(line_area, painter.theme.chosen());
        }
    }
}

fn heading(is_findings: bool, widths: &Widths, area: Area, painter: &mut Painter<'_>) {
    let style = painter.theme.text(Token::Title);
    let mut x = area.x + INDENT;
    let title = if is_findings { "Finding" } else { "By cause" };
    painter.str(x, area.y, widths.title, title, style);
    x += widths.title;
    for (of_findings, of_causes, width) in &NUMBERS[..widths.numbers] {
        let text = if is_findings { *of_findings } else { *of_causes };
        let is_left = is_findings && text == "When";
        let indent = if is_left { GAP } else { width - saturate::<u16>(text.len()) };
        painter.str(x + indent, area.y, *width, text, style);
        x += width;
    }
    if let Some(width) = widths.location.filter(|_| is_findings) {
        painter.str(x + GAP, area.y, width, "Where", style);
    }
}

fn draw_row(
    state: &State,
    pane: &TablePane,
    line: usize,
    widths: &Widths,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let Some(row) = pane.row(line) else { return };
    let is_finding = is_finding(pane, line);
    let text = painter.theme.text(if is_finding { Token::Text } else { Token::Dim });
    let dim = painter.theme.text(Token::Dim);
    if let Some(number) = pane.finding(line) {
        let (mark, token) = mark(verdict::weight_of(row));
        painter.glyph(area.x + 1, area.y, mark, painter.theme.text(token));
        if number <= 9 {
            let key = Area { x: area.x + 3, width: 2, ..area };
            painter.str(key.x, area.y, 2, &format!("!{number}"), painter.theme.link());
        }
    }
    let mut x = area.x + INDENT;
    let cell = |id: &str| pane.table.column(id).and_then(|at| row.cells.get(at)).unwrap_or(&Value::Empty);
    let title = text::value(cell("name"));
    painter.text(x, area.y, widths.title, &title.elide_middle(usize::from(widths.title)), text);
    x += widths.title;
    let unit = state.looks.unit();
    let last = if is_finding { "when" } else { "gaps" };
    for (id, (.., width)) in ["time", "share", last].into_iter().zip(&NUMBERS[..widths.numbers]) {
        let value = match cell(id) {
            Value::Ratio(share) => SafeText::from(percent(*share)),
            Value::Empty => SafeText::new("–"),
            value => text::value_in(value, unit),
        };
        let value = value.elide_end(usize::from(width - 1));
        let indent = if id == "when" { GAP } else { width - saturate::<u16>(value.width()) };
        painter.text(x + indent, area.y, width - indent, &value, if id == "time" { text } else { dim });
        x += width;
    }
    if let (Some(width), true) = (widths.location, pane.finding(line).is_some()) {
        let text = SafeText::from(location(state, pane, row, usize::from(width)));
        painter.text(x + GAP, area.y, width, &text.elide_end(usize::from(width)), dim);
    }
}

/// Draws a location of a finding: when, and for how long.
fn draw_location(
    state: &State,
    pane: &TablePane,
    location: &TableRow,
    widths: &Widths,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let dim = painter.theme.text(Token::Dim);
    let cell =
        |id: &str| pane.table.column(id).and_then(|at| location.cells.get(at)).unwrap_or(&Value::Empty);
    let room = widths.title.saturating_sub(2);
    painter.text(area.x + INDENT + 2, area.y, room, &text::value(cell("name")), dim);
    if widths.numbers > 0 {
        let time = text::value_in(cell("time"), state.looks.unit());
        let x = area.x + INDENT + widths.title + NUMBERS[0].2 - saturate::<u16>(time.width());
        painter.text(x, area.y, NUMBERS[0].2, &time, dim);
    }
}

/// The mark and colour of how much a finding matters.
pub(super) fn mark(weight: Weight) -> (char, Token) {
    match weight {
        Weight::Critical => ('●', Token::Damage),
        Weight::Warning => ('▲', Token::Warn),
        Weight::Note => ('○', Token::Dim),
    }
}

/// A share in percent, whole from 1 % on.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() >= 1.0 || percent == 0.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// Where a finding shows, in about so many columns: when it does for longest and, where there is room, for
/// how long, and the names that explain it.
fn location(state: &State, pane: &TablePane, row: &TableRow, room: usize) -> String {
    let trace = &state.session.trace;
    let longest = pane.location_of(row, trace).map(|location| {
        let after = location.span.start.saturating_sub(trace.main_span.start);
        let at = format!("at {}", fmt::duration(after));
        let whole = format!("{at}, for {}", fmt::duration(location.span.len()));
        if whole.chars().count() <= room { whole } else { at }
    });
    let seen = pane.table.column("seen").and_then(|at| match row.cells.get(at) {
        Some(Value::Text(text)) => Some(text.to_string()),
        _ => None,
    });
    let parts: Vec<String> = [longest, seen].into_iter().flatten().collect();
    let whole = parts.join(": ");
    // A beginning of names that says nothing is left out.
    let names = room.saturating_sub(parts[0..1.min(parts.len())].concat().chars().count() + 2);
    if parts.len() > 1 && names < NAMES && whole.chars().count() > room { parts[0].clone() } else { whole }
}

/// Names what was not judged, in one line.
fn unjudged(pane: &TablePane, area: Area, painter: &mut Painter<'_>) {
    let subjects: Vec<&str> = pane.table.unjudged.iter().map(|(subject, _)| subject.as_str()).collect();
    let dim = painter.theme.text(Token::Dim);
    painter.str(area.x + 1, area.y, 1, "?", dim);
    let room = area.width.saturating_sub(4);
    let text = SafeText::from(format!("not judged: {}", subjects.join(", ")));
    painter.text(area.x + 3, area.y, room, &text.elide_end(usize::from(room)), dim);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_never_narrowed_before_other_columns() {
        for width in 0..300 {
            let widths = Widths::of(width);
            assert!(widths.title <= TITLE.0);
            if widths.numbers > 0 {
                assert!(widths.title >= TITLE.1, "{width}");
            }
            if widths.location.is_some() {
                assert_eq!((widths.title, widths.numbers), (TITLE.0, NUMBERS.len()), "{width}");
            }
        }
        assert_eq!((Widths::of(80).title, Widths::of(80).numbers), (44, 3));
        assert!(Widths::of(100).location.is_some_and(|width| width >= WHERE));
    }

    #[test]
    fn shares_are_whole_percents() {
        assert_eq!([0.638, 0.004, 0.0].map(percent), ["64 %", "0.4 %", "0 %"]);
    }
}
