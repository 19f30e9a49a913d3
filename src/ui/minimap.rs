//! Draws the minimap: how busy devices and host threads were over the whole trace, in two lines, with the
//! viewport's time range and the events that the search found marked.

use ratatui::style::Modifier;

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use proftui_trace::model::SliceId;

use super::paint::{EIGHTHS, Painter};
use super::theme::Token;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height < 2 || area.width == 0 {
        return;
    }
    let minimap = &state.minimap;
    let whole = minimap.span;
    let gpu = match (state.session.device_rows.is_empty(), state.source.is_snapshot()) {
        (false, _) => "GPU busy",
        (true, true) => "GPU reading …",
        (true, false) => "no GPU events",
    };
    let shares = [(&minimap.device, Token::Kernel, gpu), (&minimap.host, Token::Operator, "host busy")];
    for (y, (busy, token, name)) in (area.y..).zip(shares) {
        if area.x > 0 {
            let style = painter.theme.text(Token::Dim);
            painter.str(0, y, area.x, name, style);
        }
        let style = painter.theme.text(token);
        for (x, &share) in (area.x..area.x + area.width).zip(busy) {
            painter.glyph(x, y, EIGHTHS[super::row::eighths(share)], style);
        }
    }
    for x in 0..area.width {
        let cell = proftui_base::time::Span {
            start: viewport::time(whole, area.width, x),
            end: viewport::time(whole, area.width, x + 1),
        };
        let here = Area { x: area.x + x, y: area.y, width: 1, height: area.height };
        if state.timeline.viewport().overlaps(cell) && state.timeline.viewport().len() < whole.len() {
            let mark = ratatui::style::Style::new().add_modifier(Modifier::REVERSED);
            painter.style(here, mark);
        }
        if has_hit(state, cell) {
            let mark = Area { y: here.y + 1, height: 1, ..here };
            painter.style(mark, painter.theme.text(Token::Match));
        }
    }
}

/// True when the last search found an event that starts in the time range `cell`.
fn has_hit(state: &State, cell: proftui_base::time::Span) -> bool {
    let Some(search) = state.finding.search() else { return false };
    let trace = &state.session.trace;
    let at = search.hits.rank(trace, cell.start, SliceId::new(0));
    search.hits.get(at).is_some_and(|id| trace.slices.start[id] < cell.end)
}
