//! Draws the title line: the file, its producer, length, number of events and step, and a badge for the trace's quality.

use crate::app::State;
use crate::app::geometry::Area;
use crate::app::timefmt::step_at;
use crate::base::fmt;

use super::paint::Painter;
use super::theme::Token;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    let trace = &state.session.trace;
    let (badge, token) = badge(state);
    let badge_width = (badge.chars().count() as u16).min(area.width);
    let room = area.width.saturating_sub(badge_width + 1);
    let file = trace.title();
    let file = file.rsplit('/').next().unwrap_or(&file);
    let step = match (step_at(trace, state.worker(), state.cursor), trace.steps.last()) {
        (Some(step), _) => format!(" · step {}", step.number),
        (None, Some(_)) => format!(" · {} steps", trace.steps.len()),
        (None, None) => String::new(),
    };
    let number = state.traces.title().map_or_else(String::new, |title| format!(" · {title}"));
    let facts = format!(
        "{number} · {} · {} · {} events{step}",
        trace.meta.producer,
        fmt::duration(trace.main_span.len()),
        fmt::count(trace.slices.len() as u64),
    );
    // A long file name is cut in the middle, so there is room for the facts behind the name.
    let for_name = (room as usize).saturating_sub(facts.chars().count()).max(12);
    let name = crate::base::text::SafeText::new(file);
    let title = painter.theme.text(Token::Title);
    let x = painter.text(area.x, area.y, room, &name.elide_middle(for_name), title);
    painter.str(x, area.y, room.saturating_sub(x), &facts, painter.theme.text(Token::Text));
    let style = painter.theme.text(token);
    painter.str(area.width - badge_width, area.y, badge_width, &badge, style);
}

/// The text and colour of the badge at the end of the title: the progress of loading, else that the file changed on disk, else
/// that the trace is partial, else the number of damages or notes, else "no damage".
fn badge(state: &State) -> (String, Token) {
    if let Some(loading) = state.loading {
        let far = match loading.progress.percent() {
            Some(percent) => format!("{percent} %"),
            None => fmt::bytes(loading.progress.read as i64),
        };
        return (format!("loading {far} "), Token::Warn);
    }
    if state.has_changed {
        return ("file changed on disk ".into(), Token::Warn);
    }
    if state.session.trace.meta.partial.is_some() {
        return ("partly loaded ".into(), Token::Warn);
    }
    let quality = &state.session.trace.quality;
    let (damage, notes) = (quality.damage(), quality.notes());
    let n = |n: u64, what: &str| format!("{} {what}", fmt::count(n));
    match (damage, notes) {
        (0, 0) => ("✓ no damage ".into(), Token::Gain),
        (0, notes) => (n(notes, if notes == 1 { "quality note " } else { "quality notes " }), Token::Dim),
        (damage, _) => (n(damage, "lost or repaired "), Token::Damage),
    }
}
