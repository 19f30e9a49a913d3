//! Draws the lower part of the screen: the tabs, and the pane that is shown.

use crate::app::input::bindings::{self, Keys};
use crate::app::pane::details::{DetailLine, Tone};
use crate::app::pane::table_pane::{Half, ScopeChoice, TablePane};
use crate::app::view::geometry::{Area, Geometry};
use crate::app::{Pane, Region, State, command};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::VIEWS;

use super::paint::Painter;
use super::theme::Token;
use super::{chart, table};

/// The most columns of the labels in the Details pane.
const LABELS: u16 = 18;
/// The fewest columns for a value that is cut while its note stays whole.
const VALUE: usize = 12;
/// The most columns that the name of the lanes that summaries cover, such as a device, takes in the tab line.
const GROUP: usize = 24;

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    let hidden = if geometry.pane.height == 0 { 0 } else { draw_pane(state, geometry.pane, painter) };
    draw_tabs(state, hidden, geometry, painter);
}

/// Draws the pane that is shown; returns how many columns of its table had no room, 0 if it has no table.
fn draw_pane(state: &State, area: Area, painter: &mut Painter<'_>) -> usize {
    match (state.panes.shown(), state.table()) {
        (Pane::Table(_), Some(pane)) => return draw_summary(state, pane, area, painter),
        (Pane::Table(_), None) => {
            let Area { x, y, width, .. } = area;
            let work = state.pending_work().unwrap_or_default();
            painter.str(x + 1, y, width, work, painter.theme.text(Token::Dim));
        }
        (Pane::Details, _) => draw_details(state, area, painter),
    }
    0
}

/// Draws a summary's table, a chart of it, or two of these beside each other. Returns how many columns of the
/// table had no room.
fn draw_summary(state: &State, pane: &TablePane, area: Area, painter: &mut Painter<'_>) -> usize {
    let is_focused = state.panes.region() == Region::Pane;
    let (left, right) = pane.halves(area.width);
    let mut draw = |half: Half<'_>, area: Area| match half {
        Half::Table => table::draw(pane, state.looks.unit(), is_focused, area, painter),
        Half::Chart(chart) => {
            chart::draw(state, pane, chart, area, painter);
            0
        }
    };
    let Some(right) = right else { return draw(left, area) };
    let width = area.width / 2;
    let hidden = draw(left, Area { width, ..area });
    let x = area.x + width + 1;
    hidden + draw(right, Area { x, width: area.width - width - 1, ..area })
}

/// Draws the tab line: the names of panes and, at the right end, facts on the pane shown. `hidden` is how
/// many columns of its table had no room.
fn draw_tabs(state: &State, hidden: usize, geometry: &Geometry, painter: &mut Painter<'_>) {
    let area = geometry.tabs;
    if area.height == 0 {
        return;
    }
    let frame = painter.theme.text(Token::Dim);
    for x in area.x..area.x + area.width {
        painter.glyph(x, area.y, '─', frame);
    }
    let panes: Vec<Pane> = Pane::all().collect();
    let texts: Vec<String> = panes.iter().map(|&pane| tab(pane, &state.keys)).collect();
    let active = panes.iter().position(|&pane| pane == state.panes.shown()).unwrap_or_default();
    // Beside the active tab with its arrows.
    let most = usize::from(area.width).saturating_sub(texts[active].len() + 5);
    let position = position(state, hidden, geometry, painter.theme.utf8, most);
    let room = usize::from(area.width).saturating_sub(position.width() + 3);
    // Tabs are drawn from the first one on, or from the first one that leaves room for the active tab.
    let width = |from: usize| texts[from..=active].iter().map(|text| text.len() + 1).sum::<usize>();
    let first = (0..=active).find(|&from| width(from) <= room).unwrap_or(active);
    let mut x = area.x + 1;
    // Arrows mark that there are more panes than there is room for.
    if first > 0 {
        painter.glyph(area.x, area.y, '‹', frame);
    }
    for (&pane, text) in panes.iter().zip(&texts).skip(first) {
        if usize::from(x) + text.len() > room {
            painter.glyph(x.saturating_sub(1), area.y, '›', frame);
            break;
        }
        let style = match (pane == state.panes.shown(), state.panes.region()) {
            (true, Region::Pane) => painter.theme.chosen(),
            (true, Region::Timeline) => painter.theme.text(Token::Title),
            (false, _) => frame,
        };
        x = painter.str(x, area.y, area.width.saturating_sub(x), text, style) + 1;
    }
    let width = saturate::<u16>(position.width());
    if !position.is_empty() && x + width < area.width {
        painter.text(area.width - width - 1, area.y, width, &position, frame);
    }
}

/// A tab's text: the key that shows the pane, if there is one, and the pane's name.
fn tab(pane: Pane, keys: &Keys) -> String {
    match command::of_pane(pane).key_labels(keys, false).first() {
        Some(key) => format!(" {key} {} ", pane.title()),
        None => format!(" {} ", pane.title()),
    }
}

/// The facts at the end of the tab line, such as the focused row; for a summary usually as many, by
/// importance, as fit `most` columns.
fn position(state: &State, hidden: usize, geometry: &Geometry, utf8: bool, most: usize) -> SafeText<'static> {
    let Some(pane) = state.table() else {
        let lines = state.selected.details().lines.len();
        let is_long = lines > geometry.pane.height as usize;
        let text =
            if is_long { format!(" line {} of {lines} ", state.selected.line() + 1) } else { String::new() };
        return SafeText::from(text);
    };
    let grouping = match (state.panes.shown(), pane.grouping) {
        (Pane::Table(view), Some(at)) if !VIEWS[view].starts_grouped => {
            VIEWS[view].groupings.get(at).map(|grouping| grouping.title)
        }
        _ => None,
    };
    let more = (hidden > 0).then(|| {
        let next = state.keys.label_in(bindings::NEXT_COLUMNS, utf8);
        let keys = match state.panes.region() {
            Region::Pane => next,
            Region::Timeline => format!("{} {next}", state.keys.label_in(bindings::FOCUS_PANE, utf8)),
        };
        format!("{}: {keys}", fmt::counted(hidden as u64, "more column"))
    });
    let lanes = state.summaries.group_choice().title(&state.session.trace);
    let time = state.summaries.scope_choice();
    let time = (time != ScopeChoice::Whole).then(|| time.title().to_owned());
    let row = format!("row {} of {}", (pane.line + 1).min(pane.rows.len()), pane.rows.len());
    // Each with its importance.
    let facts = [
        (6, state.pending_work().map(str::to_owned)),
        (3, grouping.map(str::to_owned)),
        (0, more),
        (5, lanes.map(|title| title.elide_middle(GROUP).to_string())),
        // Without their unit the numbers of the pane say nothing.
        (7, state.looks.unit().map(|unit| format!("times in {}", unit.symbol()))),
        (4, time),
        (1, Some(row).filter(|_| pane.flame_shown().is_none())),
        (2, (!pane.rows.choice.filter.is_empty()).then(|| "filtered".to_owned())),
    ];
    let text = |least: u8| {
        let shown = facts.iter().filter(|fact| fact.0 >= least).filter_map(|fact| fact.1.as_deref());
        SafeText::from(format!(" {} ", shown.collect::<Vec<_>>().join(", ")))
    };
    (0..=6).map(text).find(|text| text.width() <= most).unwrap_or_default()
}

fn draw_details(state: &State, area: Area, painter: &mut Painter<'_>) {
    let lines = &state.selected.details().lines;
    if lines.is_empty() {
        let (next, help) = (state.keys.label(bindings::NEXT_EVENT), state.keys.label(bindings::HELP));
        let text =
            format!("nothing is selected; on a row of events, {next} selects the next; {help} lists keys");
        let text = SafeText::new(&text);
        let lines = text.wrap_at_spaces(usize::from(area.width.saturating_sub(2)));
        for (y, line) in (area.y..area.y + area.height).zip(lines) {
            painter.text(area.x + 1, y, area.width, &line, painter.theme.text(Token::Dim));
        }
        return;
    }
    let is_focused = state.panes.region() == Region::Pane;
    let focus = state.selected.line().min(lines.len() - 1);
    // The focused line is shown in full; above it are as many lines as fit.
    let rows = |number: usize| rows_of(&lines[number], is_focused && number == focus, area).len().max(1);
    let mut top = focus;
    let mut room = (area.height as usize).saturating_sub(rows(focus));
    while top > 0 && rows(top - 1) <= room {
        top -= 1;
        room -= rows(top);
    }
    let bottom = area.y + area.height;
    let mut y = area.y;
    for (number, line) in lines.iter().enumerate().skip(top) {
        if y >= bottom {
            break;
        }
        let is_here = is_focused && number == focus;
        let parts = rows_of(line, is_here, area);
        let height = saturate::<u16>(parts.len().max(1)).min(bottom - y);
        draw_detail(line, &parts, is_here, Area { y, height, ..area }, painter);
        y += height;
    }
}

/// The column, from the area's left, at which a line's value begins.
fn indent(line: &DetailLine, area: Area) -> u16 {
    match line.tone {
        Tone::Title | Tone::Heading => 1,
        Tone::Link => 3 + LABELS.min(area.width / 3),
        Tone::Plain | Tone::Warning => 1 + LABELS.min(area.width / 3),
    }
}

/// Splits a line of the details, its value and its note, into lines of the screen, and cuts what does not
/// fit. A line gets as many as the area has if `is_focused`, else one, a title two.
fn rows_of(line: &DetailLine, is_focused: bool, area: Area) -> Vec<SafeText<'static>> {
    let room = area.width.saturating_sub(indent(line, area)).max(1) as usize;
    let most = match line.tone {
        _ if is_focused => usize::from(area.height.max(1)),
        Tone::Title => 2,
        _ => 1,
    };
    let text = line.text();
    // One part more than is shown, to see whether the value is cut; a value may be far longer than the
    // screen.
    let mut parts: Vec<SafeText<'_>> = text.wrap(room).take(most + 1).collect();
    if parts.len() > most {
        // All lines but the last are complete; the last one is cut in the middle.
        let shown: usize = parts.iter().take(most - 1).map(|part| part.as_str().len()).sum();
        let for_value = room.saturating_sub(line.note.width());
        let cut = match line.value.as_str().get(shown..) {
            Some(value) if for_value >= VALUE => {
                SafeText::from(format!("{}{}", SafeText::new(value).elide_middle(for_value), line.note))
            }
            _ => SafeText::new(&text.as_str()[shown..]).elide_middle(room).into_owned(),
        };
        parts.truncate(most - 1);
        parts.push(cut);
    }
    parts.into_iter().map(SafeText::into_owned).collect()
}

fn draw_detail(
    line: &DetailLine,
    parts: &[SafeText<'_>],
    is_focused: bool,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let theme = painter.theme;
    let style = match line.tone {
        Tone::Title | Tone::Heading => theme.text(Token::Title),
        Tone::Plain => theme.text(Token::Text),
        Tone::Link => theme.text(Token::Link),
        Tone::Warning => theme.text(Token::Warn),
    };
    let x = area.x + indent(line, area);
    if !matches!(line.tone, Tone::Title | Tone::Heading) {
        let labels = LABELS.min(area.width / 3);
        let dim = theme.text(Token::Dim);
        painter.text(
            area.x + 1,
            area.y,
            labels,
            &line.label.elide_end(labels.saturating_sub(1) as usize),
            dim,
        );
    }
    if line.tone == Tone::Link {
        painter.glyph(x - 2, area.y, '→', style);
    }
    let room = area.width.saturating_sub(x);
    for (y, part) in (area.y..area.y + area.height).zip(parts) {
        painter.text(x, y, room, part, style);
    }
    if is_focused {
        painter.style(area, theme.chosen());
    }
}
