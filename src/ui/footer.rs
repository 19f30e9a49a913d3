//! The last line: a message, or the commands that apply now, from the table.

use crate::app::geometry::Area;
use crate::app::{State, command};

use super::paint::Painter;
use super::theme::Token;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    if let Some(message) = &state.message {
        let style = painter.theme.text(Token::Title);
        painter.text(area.x, area.y, area.width, &message.elide_end(area.width as usize), style);
        return;
    }
    let (bold, dim) = (painter.theme.text(Token::Title), painter.theme.text(Token::Dim));
    // Neighbouring commands that share a word share a place: "a d pan".
    let hints: Vec<_> = command::all().filter(|c| c.hint.is_some() && c.when.holds(state)).collect();
    let mut x = area.x;
    for group in hints.chunk_by(|a, b| a.hint == b.hint) {
        let keys: Vec<String> = group
            .iter()
            .filter_map(|c| c.keys.first())
            .map(|key| command::label(key, painter.theme.utf8))
            .collect();
        let (keys, word) = (keys.join(" "), group[0].hint.unwrap_or_default());
        let width = (keys.chars().count() + word.len() + 1) as u16;
        if x + width > area.x + area.width {
            // The way to help always has its place.
            continue;
        }
        x = painter.words(x, area.y, area.width, &keys, bold);
        x = painter.words(x + 1, area.y, area.width, word, dim) + 2;
    }
}
