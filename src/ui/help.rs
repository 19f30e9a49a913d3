//! Draws the help: what has the focus, and the commands that have the typed words, with their keys.

use crate::app::command::{self, Command, HelpLine};
use crate::app::input::bindings::Keys;
use crate::app::pane::overlay::{HELP_WIDTH, Help};
use crate::app::view::color::ColorBy;
use crate::app::view::geometry::Area;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::color::legend;
use super::paint::Painter;
use super::theme::Token;

/// How many keys of a command are listed on a narrow screen.
const NARROW: usize = 2;

pub(super) fn draw(help: &Help, keys: &Keys, area: Area, painter: &mut Painter<'_>) {
    let title = match help.typed.as_str() {
        "" => " help: type to find a command ".to_owned(),
        typed => format!(" help: {typed} "),
    };
    let inside = painter.frame(area, &SafeText::new(&title));
    let lines = command::help(help, keys);
    if lines.is_empty() {
        let style = painter.theme.text(Token::Dim);
        painter.str(inside.x + 1, inside.y, inside.width, "no command has these words", style);
    }
    let top = help.top.min(lines.len().saturating_sub(inside.height as usize));
    let utf8 = painter.theme.utf8;
    // On a narrow screen titles come before keys: of a command with many keys the first two are listed.
    let most = if area.width < HELP_WIDTH { NARROW } else { usize::MAX };
    let labels = |command: &Command| -> String {
        command.key_labels(keys, utf8).into_iter().take(most).collect::<Vec<_>>().join(" ")
    };
    // The keys of all commands decide the column of the titles, so that it stays while words are typed.
    let keys_width = command::all().map(|command| labels(command).chars().count()).max();
    let keys_width = saturate::<u16>(keys_width.unwrap_or_default()) + 2;
    for (y, line) in (inside.y..inside.y + inside.height).zip(lines.iter().skip(top)) {
        match line {
            HelpLine::Blank => {}
            HelpLine::Heading(heading) => {
                painter.str(inside.x + 1, y, inside.width, heading, painter.theme.text(Token::Title));
            }
            HelpLine::Text(text) => {
                let room = inside.width.saturating_sub(2);
                painter.text(inside.x + 2, y, room, text, painter.theme.text(Token::Text));
            }
            HelpLine::Colors(line) => {
                draw_colors(help.color_by, *line, Area { y, height: 1, ..inside }, painter);
            }
            HelpLine::Command(command) => {
                painter.str(inside.x + 2, y, keys_width, &labels(command), painter.theme.text(Token::Cursor));
                let x = inside.x + 2 + keys_width;
                let room = (inside.x + inside.width).saturating_sub(x);
                painter.str(x, y, room, command.title, painter.theme.text(Token::Text));
            }
        }
    }
}

/// Draws a line of the legend: colours, each with its meaning.
fn draw_colors(color_by: ColorBy, line: usize, area: Area, painter: &mut Painter<'_>) {
    let mut x = area.x + 2;
    for (token, meaning) in legend(color_by, line) {
        painter.glyph(x, area.y, ' ', painter.theme.block(token, false));
        let room = (area.x + area.width).saturating_sub(x + 2);
        painter.str(x + 2, area.y, room, &meaning, painter.theme.text(Token::Text));
        x += 4 + saturate::<u16>(meaning.chars().count());
    }
}
