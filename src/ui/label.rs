//! Draws the names of groups and lanes, left of the timeline.
//!
//! Must not change what is folded or focused.

use crate::app::State;
use crate::app::geometry::Area;
use crate::app::lines::{Line, LineKind, Lines};
use crate::base::text::SafeText;
use crate::model::{Lane, LaneId, LaneKind, RowId};

use super::paint::Painter;
use super::theme::Token;
use super::{idle, series};

pub(super) fn draw(state: &State, line: &Line, is_focused: bool, area: Area, painter: &mut Painter<'_>) {
    let room = (area.width as usize).saturating_sub(5);
    let trace = &state.session.trace;
    let (text, token) = match line.kind {
        LineKind::Group(group) => (
            format!("{} {} ", arrow(state, line), trace.group_title(&trace.groups[group as usize])),
            Token::Title,
        ),
        LineKind::Idle(group) => {
            let device = state.session.device(group);
            let share = device.and_then(|device| idle::share(device, state.viewport)).unwrap_or_default();
            // A pinned line stands apart from the heading of its device.
            let of = trace.group_title(&trace.groups[group as usize]);
            let of = if line.is_pinned { format!(" {of}") } else { String::new() };
            (format!("    idle {share}{of}"), Token::Text)
        }
        LineKind::Row(lane, row) => row_label(state, line, lane, row, room),
        LineKind::Counter(lane, counter) => {
            let value = series::value_text(&trace.counters[counter as usize], state.cursor);
            let name = lane_label(state, &trace.lanes[lane as usize], room.saturating_sub(value.len() + 1));
            (format!("    {name} {value}"), Token::Text)
        }
        LineKind::Marks(lane) => {
            (format!("    {}", lane_label(state, &trace.lanes[lane as usize], room)), Token::Text)
        }
    };
    let style = if is_focused { painter.theme.chosen() } else { painter.theme.text(token) };
    let width = area.width.saturating_sub(1);
    let text = SafeText::new(&text);
    let end = painter.text(area.x, area.y, width, &text.elide_end(width as usize), style);
    if is_focused && !matches!(line.kind, LineKind::Group(_)) {
        for x in end..area.x + width {
            painter.glyph(x, area.y, ' ', style);
        }
    }
    if line.is_pinned {
        painter.glyph(area.x, area.y, '●', painter.theme.text(Token::Mark));
    }
}

/// The mark of a group's heading or a lane's first line: `▾` if it can be folded, `▸` if it can be unfolded; a blank for other
/// lines.
fn arrow(state: &State, line: &Line) -> char {
    match (Lines::can_fold(&state.session.trace, line) && line.is_head, state.lines.is_folded(line)) {
        (true, true) => '▸',
        (true, false) => '▾',
        (false, _) => ' ',
    }
}

/// The label of a row and its colour: on a lane's first row the lane's name (folded: with the number of hidden rows), on rows of
/// slices that overlap without nesting `overlapping`, on another row its depth while it has the focus.
fn row_label(state: &State, line: &Line, lane: LaneId, row: RowId, room: usize) -> (String, Token) {
    let lane = &state.session.trace.lanes[lane as usize];
    if line.is_head {
        let is_folded = state.lines.is_folded(line);
        let more = if is_folded { format!(" +{}", lane.rows.len() - 1) } else { String::new() };
        let name = lane_label(state, lane, room.saturating_sub(more.len()));
        return (format!("  {} {name}{more}", arrow(state, line)), Token::Text);
    }
    if row - lane.rows.start >= lane.depth {
        return ("      overlapping".into(), Token::Warn);
    }
    let is_focused = state.lines.get(state.focus).is_some_and(|focused| focused == line);
    (if is_focused { format!("      depth {}", row - lane.rows.start) } else { String::new() }, Token::Dim)
}

/// A lane's name, cut to `room` columns; the layer at its end, which distinguishes two lanes of one thread, is never cut.
fn lane_label(state: &State, lane: &Lane, room: usize) -> String {
    let title = state.session.trace.lane_title(lane);
    let (name, layer) = match title.rsplit_once(" · ") {
        Some((name, layer)) if !matches!(lane.kind, LaneKind::Async | LaneKind::Counter) => (name, layer),
        _ => (title.as_str(), ""),
    };
    // `thread ` is left out before a thread's own name, but not before a bare number.
    let short = name.strip_prefix("thread ").filter(|name| name.contains(' '));
    let name = SafeText::new(short.unwrap_or(name));
    if layer.is_empty() {
        return name.elide_middle(room).to_string();
    }
    format!("{} {layer}", name.elide_middle(room.saturating_sub(layer.len() + 1)))
}
