//! Draws the minimap: how busy devices and host threads were over the whole trace. Brackets stand beside the
//! part that the screen shows, what lies outside of it is faint, and events that the search found are marked.

use ratatui::style::Modifier;

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use proftui_base::saturate::saturate;
use proftui_base::time::Span;
use proftui_trace::model::SliceId;

use super::paint::{EIGHTHS, Painter};
use super::theme::{Detail, Token};

/// What stands at the left end of the first line, where there is room.
const NAME: &str = "minimap";

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let minimap = &state.minimap;
    let has_devices = !state.session.device_rows.is_empty();
    let gpu = match state.source.is_snapshot() {
        _ if has_devices => "GPU",
        true => "GPU reading …",
        false => "no GPU events",
    };
    let (device, host) = ((&minimap.device, Token::Kernel, gpu), (&minimap.host, Token::Operator, "CPU"));
    let shares = if has_devices { [device, host] } else { [host, device] };
    // Over a slow link one line is enough.
    let lines = if painter.theme.detail == Detail::Full { area.height } else { 1 };
    // What is not read yet is dotted.
    let columns = state.read_columns(area.width);
    let (rest, all) = (area.width - columns, area.width);
    let area = Area { width: columns, ..area };
    let seen = seen(state, columns);
    for (y, (busy, token, name)) in (area.y..area.y + lines).zip(shares) {
        draw_name(Area { y, ..area }, name, y == area.y, painter);
        if token == Token::Kernel && !has_devices {
            continue;
        }
        for x in area.x + columns..area.x + columns + rest {
            painter.glyph(x, y, '·', painter.theme.text(Token::Dim));
        }
        for (x, column) in (area.x..).zip(0..columns) {
            let Some(&share) = busy.get(usize::from(column) * usize::from(all) / usize::from(columns)) else {
                break;
            };
            let is_seen = seen.0 <= column && column <= seen.1;
            let style = if is_seen { painter.theme.text(token) } else { painter.theme.faint(token) };
            let eighths = super::row::eighths(share);
            if painter.theme.detail == Detail::Full {
                painter.glyph(x, y, EIGHTHS[eighths], style);
            } else {
                painter.bar(x, y, eighths, style.add_modifier(Modifier::REVERSED), style);
            }
        }
        draw_brackets(Area { y, ..area }, seen, painter);
    }
    draw_hits(state, area, painter);
}

/// The first and the last column that show a part of what the screen shows.
fn seen(state: &State, columns: u16) -> (u16, u16) {
    let (whole, view) = (state.minimap.span, state.timeline.viewport());
    let last = whole.end.saturating_sub(1).max(whole.start);
    let column = |t: i64| viewport::column(whole, columns, t.clamp(whole.start, last)).unwrap_or_default();
    (column(view.start), column(view.end.saturating_sub(1)))
}

/// Draws the brackets in the cells beside what the screen shows, or in its outermost cells at the ends.
fn draw_brackets(area: Area, (from, to): (u16, u16), painter: &mut Painter<'_>) {
    let style = painter.theme.text(Token::Title);
    let right = (to + 1).min(area.width - 1);
    painter.glyph(area.x + from.saturating_sub(1), area.y, '[', style);
    painter.glyph(area.x + right, area.y, ']', style);
}

/// Writes left of the map what its line is about.
fn draw_name(area: Area, name: &str, is_first: bool, painter: &mut Painter<'_>) {
    let width = saturate::<u16>(name.chars().count());
    let style = painter.theme.text(Token::Dim);
    let Some(x) = area.x.checked_sub(width + 2) else { return };
    if usize::from(x) > NAME.len() && is_first {
        painter.str(0, area.y, x, NAME, style);
    }
    painter.str(x, area.y, width, name, style);
}

/// Marks the cells in which the search found an event, in the last line.
fn draw_hits(state: &State, area: Area, painter: &mut Painter<'_>) {
    if state.finding.search().is_none() {
        return;
    }
    let whole = state.minimap.span;
    for column in 0..area.width {
        let cell = Span {
            start: viewport::time(whole, area.width, column),
            end: viewport::time(whole, area.width, column + 1),
        };
        if has_hit(state, cell) {
            let mark = Area { x: area.x + column, y: area.y + area.height - 1, width: 1, height: 1 };
            painter.style(mark, painter.theme.text(Token::Match));
        }
    }
}

/// True when the last search found an event that starts in the time range `cell`.
fn has_hit(state: &State, cell: Span) -> bool {
    let Some(search) = state.finding.search() else { return false };
    let trace = &state.session.trace;
    let at = search.hits.rank(trace, cell.start, SliceId::new(0));
    search.hits.get(at).is_some_and(|id| trace.slices.start[id] < cell.end)
}
