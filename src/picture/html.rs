//! A screen as an HTML page.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};

use crate::ui::theme::Background;

use super::cells::{characters, escaped, rows};
use super::palette::{Look, defaults, hex};

/// The HTML page that shows a screen drawn for this background, with `title` as its title.
pub(super) fn of(buffer: &Buffer, background: Background, title: &str) -> String {
    let (text, paper) = defaults(background);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>\n\
         body {{ background: {paper}; color: {text} }}\n\
         pre {{ font: 13px/17px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', \
         monospace }}\n\
         </style>\n</head>\n<body>\n<pre>",
        escaped(title),
        paper = hex(paper),
        text = hex(text)
    );
    for row in rows(buffer) {
        let end = row.iter().rposition(|cell| *cell != Cell::EMPTY).map_or(0, |last| last + 1);
        let mut at = 0;
        while at < end {
            let look = Look::of(&row[at], background);
            let next = (at..end).find(|&x| Look::of(&row[x], background) != look).unwrap_or(end);
            span(&row[at..next], look, look.ink == text, &mut html);
            at = next;
        }
        html.push('\n');
    }
    html + "</pre>\n</body>\n</html>\n"
}

/// Appends cells of one look; without markup if the look is that of the page. `is_usual` is true if the
/// colour of the text is the page's.
fn span(cells: &[Cell], look: Look, is_usual: bool, html: &mut String) {
    let shown = escaped(&characters(cells));
    let mut style = String::new();
    if !is_usual {
        style += &format!("color:{};", hex(look.ink));
    }
    if let Some(ground) = look.ground {
        style += &format!("background:{};", hex(ground));
    }
    if look.is_bold {
        style += "font-weight:bold;";
    }
    if look.is_underlined {
        style += "text-decoration:underline;";
    }
    // Writing to a string does not fail.
    let _ = match style.trim_end_matches(';') {
        "" => write!(html, "{shown}"),
        style => write!(html, "<span style=\"{style}\">{shown}</span>"),
    };
}
