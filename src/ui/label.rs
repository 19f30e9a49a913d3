//! The names of groups and lanes, left of the timeline.

use crate::app::State;
use crate::app::geometry::Area;
use crate::app::lines::{Line, LineKind, Lines};
use crate::base::text::SafeText;
use crate::model::Lane;

use super::paint::Painter;
use super::series;
use super::theme::Token;

pub(super) fn draw(state: &State, line: &Line, is_focused: bool, area: Area, painter: &mut Painter<'_>) {
    if area.width == 0 {
        return;
    }
    let trace = &state.session.trace;
    let is_folded = state.lines.is_folded(line);
    let arrow = match (Lines::can_fold(trace, line) && line.is_head, is_folded) {
        (true, true) => "▸",
        (true, false) => "▾",
        (false, _) => " ",
    };
    let (text, token) = match line.kind {
        LineKind::Group(group) => {
            (format!("{arrow} {}", trace.group_title(&trace.groups[group as usize])), Token::Title)
        }
        LineKind::Row(lane, row) => {
            row_label(state, &trace.lanes[lane as usize], row, line, arrow, is_folded)
        }
        LineKind::Counter(lane, counter) => {
            let value = series::value_text(&trace.counters[counter as usize], state.cursor);
            (format!("    {} {value}", trace.lane_title(&trace.lanes[lane as usize])), Token::Text)
        }
        LineKind::Marks(lane) => {
            (format!("    {}", trace.lane_title(&trace.lanes[lane as usize])), Token::Text)
        }
    };
    let style = if is_focused { painter.theme.chosen() } else { painter.theme.text(token) };
    let room = area.width.saturating_sub(1);
    let text = SafeText::new(&text);
    let shown = text.elide_middle(room as usize);
    let end = painter.text(area.x, area.y, room, &shown, style);
    if is_focused {
        for x in end..area.x + room {
            painter.glyph(x, area.y, ' ', style);
        }
    }
    if line.is_pinned {
        painter.glyph(area.x, area.y, '●', painter.theme.text(Token::Mark));
    }
}

/// A row's label: the lane's name on its first row, the depth below.
fn row_label(
    state: &State,
    lane: &Lane,
    row: u32,
    line: &Line,
    arrow: &str,
    is_folded: bool,
) -> (String, Token) {
    let trace = &state.session.trace;
    let depth = row - lane.rows.start;
    if line.is_head {
        let more = if is_folded { format!(" +{}", lane.rows.len() - 1) } else { String::new() };
        return (format!("  {arrow} {}{more}", trace.lane_title(lane)), Token::Text);
    }
    if depth >= lane.depth {
        return ("      overlapping".into(), Token::Warn);
    }
    (String::new(), Token::Dim)
}
