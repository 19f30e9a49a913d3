//! Draws the answer below the title: what limits the run, with the keys that go to its findings.
//!
//! Must not know how the answer is made.

use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_insight::analysis::views::verdict;

use crate::app::State;
use crate::app::pane::answer;
use crate::app::pane::clicks::Click;
use crate::app::view::geometry::Area;

use super::findings;
use super::paint::Painter;
use super::theme::{Detail, Token};

/// The columns before the text, for the mark.
const INDENT: u16 = 2;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    let Some(pane) = state.answer().filter(|_| area.height > 0) else { return };
    let (mark, token) = verdict::weight(&pane.table).map_or(('✓', Token::Gain), findings::mark);
    painter.glyph(area.x, area.y, mark, painter.theme.text(token));
    let text = SafeText::from(answer::text(pane));
    let width = area.width.saturating_sub(INDENT);
    let lines = text.wrap_within(usize::from(width), usize::from(area.height));
    // Over a slow link the first line is enough.
    let shown = if painter.theme.detail == Detail::Full { lines.len() } else { 1 };
    for (y, line) in (area.y..).zip(lines.iter().take(shown)) {
        let style = painter.theme.text(if y == area.y { Token::Text } else { Token::Dim });
        painter.text(area.x + INDENT, y, width, line, style);
        draw_links(state, line, Area { x: area.x + INDENT, y, width, height: 1 }, painter);
    }
}

/// Gives the keys in a drawn line the colour of links, and has clicks on them go to their findings.
fn draw_links(state: &State, line: &SafeText<'_>, area: Area, painter: &mut Painter<'_>) {
    let text = line.as_str();
    let is_key = |at: usize| {
        let rest = &text.as_bytes()[at..];
        let is_start = at == 0 || text.as_bytes()[at - 1] == b' ';
        is_start && rest.len() > 1 && rest[0] == b'!' && rest[1].is_ascii_digit()
    };
    for (at, _) in text.char_indices().filter(|&(at, _)| is_key(at)) {
        let before = SafeText::new(&text[..at]).width();
        let x = area.x + saturate::<u16>(before);
        let key = Area { x, width: 2, ..area };
        painter.style(key, painter.theme.link());
        state.clicks.note(key, Click::Finding(usize::from(text.as_bytes()[at + 1] - b'0')));
    }
}
