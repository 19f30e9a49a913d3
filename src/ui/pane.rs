//! Draws the lower part of the screen: the tabs, and the pane that is shown.

use crate::app::details::{DetailLine, Tone};
use crate::app::geometry::{Area, Geometry};
use crate::app::table_pane::{ScopeChoice, TablePane};
use crate::app::{Pane, Region, State, bindings, command};
use crate::base::text::SafeText;

use super::chart;
use super::paint::Painter;
use super::table;
use super::theme::Token;

/// The width of the labels in the Details pane, in columns.
const LABELS: u16 = 18;
/// The fewest columns of a pane in which a table and its chart are drawn side by side.
const BOTH: u16 = 160;

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    draw_tabs(state, geometry, painter);
    if geometry.pane.height == 0 {
        return;
    }
    match state.pane {
        Pane::Details => draw_details(state, geometry.pane, painter),
        Pane::Table(_) => {
            if let Some(pane) = state.table() {
                draw_summary(state, pane, geometry.pane, painter);
            } else {
                let Area { x, y, width, .. } = geometry.pane;
                painter.str(x + 1, y, width, "computing the summary", painter.theme.text(Token::Dim));
            }
        }
    }
}

/// Draws a summary's table if no chart is chosen; otherwise the chart, beside the table if the area is wide enough.
fn draw_summary(state: &State, pane: &TablePane, area: Area, painter: &mut Painter<'_>) {
    let is_focused = state.region == Region::Pane;
    let Some(chart) = pane.chart() else { return table::draw(pane, is_focused, area, painter) };
    if area.width < BOTH {
        return chart::draw(state, pane, chart, area, painter);
    }
    let left = area.width / 2;
    let right = Area { x: area.x + left + 1, width: area.width - left - 1, ..area };
    table::draw(pane, is_focused, Area { width: left, ..area }, painter);
    chart::draw(state, pane, chart, right, painter);
}

fn draw_tabs(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    let area = geometry.tabs;
    if area.height == 0 {
        return;
    }
    let frame = painter.theme.text(Token::Dim);
    for x in area.x..area.x + area.width {
        painter.glyph(x, area.y, '─', frame);
    }
    let (position, panes) = (position(state, geometry), Pane::all().collect::<Vec<_>>());
    let texts: Vec<String> = panes.iter().map(|&pane| tab(pane)).collect();
    let room = usize::from(area.width).saturating_sub(position.len() + 3);
    let active = panes.iter().position(|&pane| pane == state.pane).unwrap_or_default();
    // Tabs are drawn from the first one on, or from the first one that leaves room for the active tab.
    let width = |from: usize| texts[from..=active].iter().map(|text| text.len() + 1).sum::<usize>();
    let first = (0..=active).find(|&from| width(from) <= room).unwrap_or(active);
    let mut x = area.x + 1;
    for (&pane, text) in panes.iter().zip(&texts).skip(first) {
        if usize::from(x) + text.len() > room {
            break;
        }
        let style = match (pane == state.pane, state.region) {
            (true, Region::Pane) => painter.theme.chosen(),
            (true, Region::Timeline) => painter.theme.text(Token::Title),
            (false, _) => frame,
        };
        x = painter.str(x, area.y, area.width.saturating_sub(x), text, style) + 1;
    }
    let width = position.len() as u16;
    if !position.is_empty() && x + width < area.width {
        painter.str(area.width - width - 1, area.y, width, &position, frame);
    }
}

/// A tab's text: the key that shows the pane, if there is one, and the pane's name.
fn tab(pane: Pane) -> String {
    match command::of_pane(pane).key_labels(false).first() {
        Some(key) => format!(" {key} {} ", pane.title()),
        None => format!(" {} ", pane.title()),
    }
}

/// The text at the end of the tab line: the position of the focus in the pane and, for a summary, its scope unless that is the
/// whole trace, whether it is being made, and whether it is filtered.
fn position(state: &State, geometry: &Geometry) -> String {
    let Some(pane) = state.table() else {
        let lines = state.details.lines.len();
        let is_long = lines > geometry.pane.height as usize;
        return if is_long { format!(" line {} of {lines} ", state.pane_line + 1) } else { String::new() };
    };
    let mut facts = vec![format!("row {} of {}", (pane.line + 1).min(pane.lines.len()), pane.lines.len())];
    if state.scope_choice != ScopeChoice::Whole {
        facts.insert(0, state.scope_choice.title().to_owned());
    }
    if state.is_summary_pending() {
        facts.insert(0, "computing the summary".into());
    }
    if !pane.filter.is_empty() {
        facts.push("filtered".into());
    }
    format!(" {} ", facts.join(", "))
}

fn draw_details(state: &State, area: Area, painter: &mut Painter<'_>) {
    let lines = &state.details.lines;
    if lines.is_empty() {
        let (next, help) = (bindings::NEXT_EVENT.label(), bindings::HELP.label());
        let text = format!("nothing is selected; {next} selects the next event, {help} lists all keys");
        painter.str(area.x + 1, area.y, area.width, &text, painter.theme.text(Token::Dim));
        return;
    }
    let is_focused = state.region == Region::Pane;
    let focus = state.pane_line.min(lines.len() - 1);
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
        let height = (parts.len().max(1) as u16).min(bottom - y);
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

/// Splits the value of a line of the details into screen lines: one line, cut in the middle; up to two for a title; for the
/// focused line as many as the area has.
fn rows_of(line: &DetailLine, is_focused: bool, area: Area) -> Vec<SafeText<'_>> {
    let room = area.width.saturating_sub(indent(line, area)).max(1) as usize;
    let most = match line.tone {
        _ if is_focused => usize::from(area.height.max(1)),
        Tone::Title => 2,
        _ => 1,
    };
    // One part more than is shown, to see whether the value is cut; a value may be far longer than the screen.
    let mut parts: Vec<SafeText<'_>> = line.value.wrap(room).take(most + 1).collect();
    if parts.len() > most {
        // All lines but the last are complete; the last one is cut in the middle.
        let shown: usize = parts.iter().take(most - 1).map(|part| part.as_str().len()).sum();
        let cut = SafeText::new(&line.value.as_str()[shown..]).elide_middle(room).into_owned();
        parts.truncate(most - 1);
        parts.push(cut);
    }
    parts
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
