//! The lower part: tabs, and the pane that is shown.

use crate::app::details::{DetailLine, Tone};
use crate::app::geometry::{Area, Geometry};
use crate::app::{Pane, Region, State, command};

use super::paint::Painter;
use super::table;
use super::theme::Token;

/// Columns of the labels in the Details pane.
const LABELS: u16 = 18;

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    draw_tabs(state, geometry.tabs, painter);
    if geometry.pane.height == 0 {
        return;
    }
    match state.pane {
        Pane::Details => draw_details(state, geometry.pane, painter),
        Pane::Overview => table::draw(&state.session.overview, state.pane_line, geometry.pane, painter),
        Pane::Quality => table::draw(&state.session.quality, state.pane_line, geometry.pane, painter),
    }
}

fn draw_tabs(state: &State, area: Area, painter: &mut Painter<'_>) {
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
}

fn draw_details(state: &State, area: Area, painter: &mut Painter<'_>) {
    let lines = &state.details.lines;
    if lines.is_empty() {
        let next = command::key_of("event.next");
        let text = format!("nothing is selected; {next} selects the next event, ? lists every key");
        painter.words(area.x + 1, area.y, area.width, &text, painter.theme.text(Token::Dim));
        return;
    }
    let height = area.height as usize;
    let is_focused = state.region == Region::Pane;
    // The line with the focus stays in sight; without focus the pane shows its top.
    let top = state.pane_line.saturating_sub(height.saturating_sub(1)).min(lines.len().saturating_sub(1));
    for (y, (number, line)) in (area.y..area.y + area.height).zip(lines.iter().enumerate().skip(top)) {
        draw_detail(line, is_focused && number == state.pane_line, Area { y, height: 1, ..area }, painter);
    }
    let below = lines.len().saturating_sub(top + height);
    if below > 0 {
        let more = format!(" {below} more below ");
        let width = more.chars().count() as u16;
        let x = (area.x + area.width).saturating_sub(width);
        painter.words(x, area.y + area.height - 1, width, &more, painter.theme.text(Token::Dim));
    }
}

fn draw_detail(line: &DetailLine, is_focused: bool, area: Area, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let style = match line.tone {
        Tone::Title | Tone::Heading => theme.text(Token::Title),
        Tone::Plain => theme.text(Token::Text),
        Tone::Link => theme.text(Token::Link),
        Tone::Warning => theme.text(Token::Warn),
    };
    let mut x = area.x + 1;
    if !matches!(line.tone, Tone::Title | Tone::Heading) {
        let labels = LABELS.min(area.width / 3);
        let dim = theme.text(Token::Dim);
        painter.text(x, area.y, labels, &line.label.elide_end(labels.saturating_sub(1) as usize), dim);
        x += labels;
    }
    if line.tone == Tone::Link {
        painter.glyph(x, area.y, '→', style);
        x += 2;
    }
    let room = area.width.saturating_sub(x);
    let shown = line.value.elide_middle(room as usize);
    painter.text(x, area.y, room, &shown, style);
    if is_focused {
        painter.style(area, theme.chosen());
    }
}
