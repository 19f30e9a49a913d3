//! Draws the last line of the screen: the message or, if there is none, the keys and labels of the commands
//! that apply, at most [`MOST`]. A message that does not fit covers lines above it, too.

use crate::app::State;
use crate::app::command::{self, Hint};
use crate::app::input::prefix::Prefix;
use crate::app::view::geometry::Area;
use crate::app::wires::message::Message;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::paint::Painter;
use super::theme::Token;

/// The most hints.
const MOST: usize = 7;
/// How many of the last hints are never left out.
const LAST: usize = 2;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    if let Some(message) = &state.message {
        // A prompt stands directly above: the message keeps to its line.
        let height = if state.dialog.is_open() { 0 } else { usize::from(painter.area().height) };
        return draw_message(&message.lines(usize::from(area.width), height), area, painter);
    }
    if let Some(prefix) = state.dialog.pending() {
        let message = menu(state, prefix, painter.theme.utf8);
        let lines = message.lines(usize::from(area.width), usize::from(painter.area().height));
        return draw_message(&lines, area, painter);
    }
    let (bold, dim) = (painter.theme.text(Token::Title), painter.theme.text(Token::Dim));
    // Neighbouring commands with one label are one group: "a d pan".
    let mut hints: Vec<_> = command::all().filter(|command| command.is_hinted(state)).collect();
    // Hints that are to come first, such as those for the selected event.
    hints.sort_by_key(|command| !matches!(command.hint_in(state), Hint::First(_)));
    let mut groups: Vec<(String, &str)> = hints
        .chunk_by(|a, b| a.hint_in(state) == b.hint_in(state))
        .map(|group| {
            let keys = group.iter().filter_map(|command| command.keys_in(&state.keys).first());
            let keys: Vec<String> = keys.map(|key| key.label(painter.theme.utf8)).collect();
            (keys.join(" "), group[0].hint_in(state).label().unwrap_or_default())
        })
        .collect();
    // The hints for help and quitting are always drawn, at the end.
    let last = groups.len().saturating_sub(LAST);
    groups.drain((MOST - LAST).min(last)..last);
    let last = groups.len().saturating_sub(LAST);
    let width = |(keys, label): &(String, &str)| saturate::<u16>(keys.chars().count() + label.len() + 3);
    let kept: u16 = groups[last..].iter().map(width).sum();
    let mut room = area.width.saturating_sub(kept);
    let mut x = area.x;
    for (i, group) in groups.iter().enumerate() {
        if i < last {
            if width(group) > room {
                continue;
            }
            room -= width(group);
        }
        x = painter.str(x, area.y, area.width, &group.0, bold);
        x = painter.str(x + 1, area.y, area.width, group.1, dim) + 2;
    }
}

/// The keys that can follow the one pressed last, with what they do.
fn menu(state: &State, prefix: Prefix, utf8: bool) -> Message {
    let entries = command::menu(state, prefix, utf8).into_iter().enumerate();
    entries.fold(Message::new(format!("{}: ", prefix.title())), |message, (at, (key, label))| {
        let (dot, blank) = (if at == 0 { "" } else { " · " }, if key.is_empty() { "" } else { " " });
        message.and(format!("{dot}{key}{blank}{label}"))
    })
}

/// Draws the lines of a message, the last one in `area` and the others above it.
fn draw_message(lines: &[SafeText<'_>], area: Area, painter: &mut Painter<'_>) {
    let style = painter.theme.text(Token::Title);
    let top = (area.y + 1).saturating_sub(saturate::<u16>(lines.len()));
    painter.clear(Area { y: top, height: area.y - top, ..area });
    for (y, line) in (top..).zip(lines) {
        painter.text(area.x, y, area.width, line, style);
    }
}
