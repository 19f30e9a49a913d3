//! Draws the loading screen: the file's name, a progress bar, the estimated cost of loading, the key that
//! quits.

use crate::app::input::bindings;
use crate::app::session::loading::{LoadProgress, LoadingScreen};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::paint::{LEFT, Painter};
use super::theme::Token;

/// The most columns of the progress bar.
const BAR: u16 = 60;

pub(super) fn draw(screen: &LoadingScreen, painter: &mut Painter<'_>) {
    let area = painter.area();
    let middle = area.height / 2;
    let width = area.width.saturating_sub(4).min(BAR);
    let x = (area.width - width) / 2;
    let name = SafeText::new(&screen.name);
    painter.text(
        x,
        middle.saturating_sub(2),
        width,
        &name.elide_middle(width as usize),
        painter.theme.text(Token::Title),
    );
    let LoadProgress { read, total, events, .. } = screen.progress;
    let share = if total > 0 { (read as f64 / total as f64).min(1.0) } else { 0.0 };
    let eighths = saturate::<usize>(share * f64::from(width) * 8.0);
    for i in 0..width {
        let fill = eighths.saturating_sub(i as usize * 8).min(8);
        painter.glyph(
            x + i,
            middle,
            if fill > 0 { LEFT[fill] } else { '·' },
            painter.theme.text(Token::Kernel),
        );
    }
    let of = if total > 0 { format!(" of {}", fmt::bytes(saturate::<i64>(total))) } else { String::new() };
    let text = format!("{}{of} · {}", fmt::bytes(saturate::<i64>(read)), fmt::counted(events, "event"));
    painter.str(x, middle + 1, width, &text, painter.theme.text(Token::Text));
    let room = area.width.saturating_sub(2);
    painter.str(x.min(1), middle + 2, room, &screen.preflight, painter.theme.text(Token::Dim));
    let quit = format!("{} quits", screen.keys.label(bindings::QUIT));
    painter.str(x, middle + 4, width, &quit, painter.theme.text(Token::Dim));
}
