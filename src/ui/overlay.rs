//! Draws the overlay that is open: the help, a prompt with candidates, or a list to choose from.

use crate::app::State;
use crate::app::pane::overlay::{Candidate, HELP_WIDTH, List, Overlay, Prompt};
use crate::app::view::geometry::{Area, Geometry};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::help;
use super::paint::Painter;
use super::theme::Token;

/// The most candidates of a prompt on the screen at once.
const CANDIDATES: u16 = 10;

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    match state.dialog.overlay() {
        None => {}
        Some(Overlay::Help(help)) => {
            help::draw(help, &state.keys, centered(painter.area(), HELP_WIDTH, u16::MAX), painter);
        }
        Some(Overlay::List(list)) => draw_list(list, painter),
        Some(Overlay::Prompt(prompt)) => draw_prompt(prompt, geometry, painter),
    }
}

/// An area in the middle of `area`, usually of at most `width` columns and `height` lines.
fn centered(area: Area, width: u16, height: u16) -> Area {
    let width = width.min(area.width);
    let height = height.min(area.height.saturating_sub(2)).max(area.height.min(3));
    Area { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height }
}

fn draw_list(list: &List, painter: &mut Painter<'_>) {
    let whole = painter.area();
    let height = u16::try_from(list.items.len()).unwrap_or(u16::MAX).saturating_add(2);
    let area = centered(whole, whole.width.saturating_sub(4).min(120), height);
    let inside = painter.frame(area, &list.title);
    let items = list.items.iter().map(|item| (&item.title, &item.note));
    draw_items(items, list.items.len(), list.chosen, inside, painter);
}

/// Draws a prompt above the footer: an explanation, the candidates, and last the typed line with its status.
fn draw_prompt(prompt: &Prompt, geometry: &Geometry, painter: &mut Painter<'_>) {
    let whole = painter.area();
    let line = geometry.footer.y.saturating_sub(1);
    let candidates = saturate::<u16>(prompt.candidates.len()).min(CANDIDATES).min(line.saturating_sub(1));
    let top = line - candidates;
    painter.clear(Area { x: 0, y: top.saturating_sub(1), width: whole.width, height: candidates + 2 });
    let style = painter.theme.text(Token::Dim);
    for x in 0..whole.width {
        painter.glyph(x, top.saturating_sub(1), '─', style);
    }
    painter.str(1, top.saturating_sub(1), whole.width, &format!(" {} ", prompt.kind.help()), style);
    let area = Area { x: 0, y: top, width: whole.width, height: candidates };
    let items = prompt.candidates.iter().map(|Candidate { title, note, .. }| (title, note));
    draw_items(items, prompt.candidates.len(), prompt.chosen, area, painter);
    let x = painter.str(0, line, whole.width, prompt.kind.sign(), painter.theme.text(Token::Cursor));
    let typed = SafeText::new(&prompt.text);
    let x = painter.text(x, line, whole.width.saturating_sub(x), &typed, painter.theme.text(Token::Title));
    painter.glyph(x, line, '▏', painter.theme.text(Token::Cursor));
    let status = SafeText::new(&prompt.status);
    let room = usize::from(whole.width.saturating_sub(x + 3));
    let width = saturate::<u16>(status.width().min(room));
    painter.text(whole.width.saturating_sub(width + 1), line, width, &status.elide_end(room), style);
}

/// Draws items, each a title with a note at the right, scrolled so that the item `chosen`, which is marked,
/// is visible.
fn draw_items<'a>(
    items: impl Iterator<Item = (&'a SafeText<'static>, &'a SafeText<'static>)>,
    count: usize,
    chosen: usize,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let height = area.height as usize;
    let top = chosen.saturating_sub(height.saturating_sub(1)).min(count.saturating_sub(height));
    for (y, (number, (title, note))) in (area.y..area.y + area.height).zip(items.enumerate().skip(top)) {
        let is_chosen = number == chosen;
        let style = painter.theme.text(if is_chosen { Token::Title } else { Token::Text });
        let note_width = saturate::<u16>(note.width()).min(area.width * 2 / 3);
        let room = area.width.saturating_sub(note_width + 4);
        painter.text(area.x + 1, y, room, &title.elide_middle(room as usize), style);
        let x = (area.x + area.width).saturating_sub(note_width + 1);
        painter.text(x, y, note_width, &note.elide_end(note_width as usize), painter.theme.text(Token::Dim));
        if is_chosen {
            painter.style(Area { y, height: 1, ..area }, painter.theme.chosen());
        }
    }
}
