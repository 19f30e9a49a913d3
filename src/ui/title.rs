//! Draws the title line: where the user is, from the trace down to the selected event, and a badge for the
//! trace's quality.

use crate::app::pane::clicks::Click;
use crate::app::pane::topics::view;
use crate::app::session::loading::LoadProgress;
use crate::app::state::crumbs;
use crate::app::view::geometry::Area;
use crate::app::{Pane, State, command};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::paint::Painter;
use super::theme::Token;

/// What stands between two parts.
const BETWEEN: &str = " › ";
/// The fewest columns to which a part is cut.
const LEAST: usize = 8;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    let (badge, token) = badge(state);
    let badge_width = saturate::<u16>(badge.chars().count()).min(area.width);
    let room = area.width.saturating_sub(badge_width + 2);
    draw_parts(state, Area { width: room, ..area }, painter);
    let style = painter.theme.text(token);
    let badge_area = Area { x: area.width - badge_width, width: badge_width, ..area };
    painter.str(badge_area.x, area.y, badge_width, &badge, style);
    state.clicks.note(badge_area, Click::Pane(quality_pane()));
}

/// Draws the parts of the title. Where there is no room for all, the longest is cut, then the next one.
fn draw_parts(state: &State, area: Area, painter: &mut Painter<'_>) {
    let mut parts = crumbs::crumbs(state);
    if let Some(traces) = state.source.traces().title() {
        parts.insert(1, crumbs::Crumb { text: SafeText::from(traces), click: None, is_name: false });
    }
    let mut widths: Vec<usize> = parts.iter().map(|part| part.text.width()).collect();
    let between = BETWEEN.chars().count();
    let room = usize::from(area.width).saturating_sub(between * (parts.len() - 1));
    while let Some(excess) = widths.iter().sum::<usize>().checked_sub(room).filter(|excess| *excess > 0) {
        let names = widths.iter_mut().zip(&parts).filter(|(_, part)| part.is_name).map(|(width, _)| width);
        let Some(longest) = names.max().filter(|longest| **longest > LEAST) else { break };
        *longest = longest.saturating_sub(excess).max(LEAST);
    }
    let [title, text, dim] = [Token::Title, Token::Text, Token::Dim].map(|token| painter.theme.text(token));
    let end = area.x + area.width;
    let mut x = area.x;
    for (at, (part, width)) in parts.iter().zip(widths).enumerate() {
        if at > 0 {
            x = painter.str(x, area.y, end.saturating_sub(x), BETWEEN, dim);
        }
        let from = x;
        let style = if at == 0 { title } else { text };
        x = painter.text(x, area.y, end.saturating_sub(x), &part.text.elide_middle(width), style);
        if let Some(click) = part.click {
            state.clicks.note(Area { x: from, width: x - from, ..area }, click);
        }
    }
}

/// The pane on the trace's quality.
fn quality_pane() -> Pane {
    Pane::Table(view("quality"))
}

/// How much of the files is read and, where that is known, of how much and when the rest is read.
fn reading(progress: LoadProgress) -> String {
    let bytes = |count: u64| fmt::bytes(saturate::<i64>(count));
    let (read, total) = (bytes(progress.read), bytes(progress.total));
    if progress.total == 0 {
        return format!("reading {read} ");
    }
    // The unit stands once where it is the same.
    let unit = total.rsplit(' ').next().unwrap_or_default();
    let read = read.strip_suffix(unit).map_or(read.as_str(), str::trim_end);
    let left = progress.seconds_left.map_or_else(String::new, |left| format!(", {left} s left"));
    format!("reading {read} of {total}{left} ")
}

/// The text and colour of the badge at the end of the title, which reports loading, a changed file, a partial
/// trace, or the quality of the trace.
fn badge(state: &State) -> (String, Token) {
    if let Some(loading) = state.source.loading() {
        return (reading(loading.progress), Token::Warn);
    }
    if state.source.has_changed() {
        return ("file changed on disk ".into(), Token::Warn);
    }
    if state.session.trace.meta.partial.is_some() {
        return ("partly loaded ".into(), Token::Warn);
    }
    let quality = &state.session.trace.quality;
    let (damage, notes) = (quality.damage(), quality.notes());
    let key = command::of_pane(quality_pane()).key_labels(&state.keys, false).into_iter().next();
    let key = key.map_or(String::new(), |key| format!(" {key}"));
    match (damage, notes) {
        (0, 0) => ("✓ data whole ".into(), Token::Gain),
        (0, notes) => (format!("{}{key} ", fmt::counted(notes, "data note")), Token::Dim),
        (damage, _) => (format!("▲ {} lost or repaired{key} ", fmt::count(damage)), Token::Damage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_said_with_one_unit_where_that_suffices() {
        let said = |read, total, seconds_left| reading(LoadProgress { read, total, events: 0, seconds_left });
        let mib = 1 << 20;
        assert_eq!(said(428 * mib, 995 * mib, Some(4)), "reading 428.00 of 995.00 MiB, 4 s left ");
        assert_eq!(said(428 * mib, 2048 * mib, None), "reading 428.00 MiB of 2.00 GiB ");
        assert_eq!(said(5, 1 << 10, None), "reading 5 B of 1.00 KiB ");
        assert_eq!(said(428 * mib, 0, None), "reading 428.00 MiB ");
    }
}
