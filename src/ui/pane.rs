//! The lower part: tabs, and the pane that is shown.

use crate::app::details::{DetailLine, Tone};
use crate::app::geometry::{Area, Geometry};
use crate::app::{Pane, Region, State, command};
use crate::base::text::SafeText;

use super::paint::Painter;
use super::table;
use super::theme::Token;

/// Columns of the labels in the Details pane.
const LABELS: u16 = 18;

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    draw_tabs(state, geometry, painter);
    if geometry.pane.height == 0 {
        return;
    }
    match state.pane {
        Pane::Details => draw_details(state, geometry.pane, painter),
        Pane::Overview => table::draw(&state.session.overview, state.pane_line, geometry.pane, painter),
        Pane::Quality => table::draw(&state.session.quality, state.pane_line, geometry.pane, painter),
    }
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
    let mut x = area.x + 1;
    for pane in Pane::ALL {
        let key = command::key_of(&format!("pane.{}", pane.title().to_lowercase()));
        let text = format!(" {key} {} ", pane.title());
        let is_active = pane == state.pane;
        let style = match (is_active, state.region) {
            (true, Region::Pane) => painter.theme.chosen(),
            (true, Region::Timeline) => painter.theme.text(Token::Title),
            (false, _) => frame,
        };
        x = painter.words(x, area.y, area.width.saturating_sub(x), &text, style) + 1;
    }
    let lines = state.details.lines.len();
    if state.pane == Pane::Details && lines > geometry.pane.height as usize {
        let place = format!(" line {} of {lines} ", state.pane_line + 1);
        let width = place.len() as u16;
        if x + width < area.width {
            painter.words(area.width - width - 1, area.y, width, &place, frame);
        }
    }
}

fn draw_details(state: &State, area: Area, painter: &mut Painter<'_>) {
    let lines = &state.details.lines;
    if lines.is_empty() {
        let (next, help) = (command::key_of("event.next"), command::key_of("app.help"));
        let text = format!("nothing is selected; {next} selects the next event, {help} lists every key");
        painter.words(area.x + 1, area.y, area.width, &text, painter.theme.text(Token::Dim));
        return;
    }
    let is_focused = state.region == Region::Pane;
    let focus = state.pane_line.min(lines.len() - 1);
    // The line with the focus is shown whole, and stays in sight with as much before it as fits.
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
        let pieces = rows_of(line, is_here, area);
        let height = (pieces.len().max(1) as u16).min(bottom - y);
        draw_detail(line, &pieces, is_here, Area { y, height, ..area }, painter);
        y += height;
    }
}

/// Where a line's value begins.
fn indent(line: &DetailLine, area: Area) -> u16 {
    match line.tone {
        Tone::Title | Tone::Heading => 1,
        Tone::Link => 3 + LABELS.min(area.width / 3),
        Tone::Plain | Tone::Warning => 1 + LABELS.min(area.width / 3),
    }
}

/// A line's value in the rows it takes: one, cut in the middle; two for a title; all of it for the line with the focus.
fn rows_of(line: &DetailLine, is_focused: bool, area: Area) -> Vec<SafeText<'_>> {
    let room = area.width.saturating_sub(indent(line, area)).max(1) as usize;
    let most = match line.tone {
        _ if is_focused => usize::from(area.height.max(1)),
        Tone::Title => 2,
        _ => 1,
    };
    // One more than is shown tells whether something is missing; a value may be far longer than the screen.
    let mut pieces: Vec<SafeText<'_>> = line.value.wrap(room).take(most + 1).collect();
    if pieces.len() > most {
        // Whole rows first; the last one says that something is missing.
        let shown: usize = pieces.iter().take(most - 1).map(|piece| piece.as_str().len()).sum();
        let rest = SafeText::new(&line.value.as_str()[shown..]).elide_middle(room).into_owned();
        pieces.truncate(most - 1);
        pieces.push(rest);
    }
    pieces
}

fn draw_detail(
    line: &DetailLine,
    pieces: &[SafeText<'_>],
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
    for (y, piece) in (area.y..area.y + area.height).zip(pieces) {
        painter.text(x, y, room, piece, style);
    }
    if is_focused {
        painter.style(area, theme.chosen());
    }
}
