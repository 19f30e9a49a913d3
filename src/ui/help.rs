//! Draws the help: every command of the command table with its keys.

use crate::app::command::{self, Group};
use crate::app::geometry::Area;
use crate::base::text::SafeText;

use super::paint::Painter;
use super::theme::Token;

pub(super) fn draw(top: usize, area: Area, painter: &mut Painter<'_>) {
    let inside = painter.frame(area, &SafeText::new(" help: all keys "));
    let lines = lines(painter.theme.utf8);
    let top = top.min(lines.len().saturating_sub(inside.height as usize));
    let keys_width =
        lines.iter().filter_map(|line| line.as_ref().ok()).map(|(keys, _)| keys.chars().count()).max();
    let keys_width = keys_width.unwrap_or_default() as u16 + 2;
    for (y, line) in (inside.y..inside.y + inside.height).zip(lines.iter().skip(top)) {
        match line {
            Err(heading) => {
                painter.str(inside.x + 1, y, inside.width, heading, painter.theme.text(Token::Title));
            }
            Ok((keys, title)) => {
                painter.str(inside.x + 2, y, keys_width, keys, painter.theme.text(Token::Cursor));
                let x = inside.x + 2 + keys_width;
                let room = (inside.x + inside.width).saturating_sub(x);
                painter.str(x, y, room, title, painter.theme.text(Token::Text));
            }
        }
    }
}

/// The lines of the help, by group: headings and blank lines (`Err`), commands with their keys and title (`Ok`).
fn lines(utf8: bool) -> Vec<Result<(String, &'static str), &'static str>> {
    let mut lines = Vec::new();
    for group in Group::ALL {
        if !lines.is_empty() {
            lines.push(Err(""));
        }
        lines.push(Err(group.title()));
        for command in command::all().filter(|command| command.group == group) {
            lines.push(Ok((command.key_labels(utf8).join(" "), command.title)));
        }
    }
    lines
}
