//! Draws the names of groups and lanes, left of the timeline.
//!
//! Must not change what is folded or focused.

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::labels;
use crate::app::view::lines::{Line, LineKind, Lines};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{GroupKind, LaneId, RowId};

use super::paint::Painter;
use super::series;
use super::theme::Token;

/// Draws the label of a line. `is_first` is false for a row below its lane's name; `share` is the line's busy
/// time and the whole time, ns.
pub(super) fn draw(
    state: &State,
    line: &Line,
    is_focused: bool,
    is_first: bool,
    share: Option<(Ns, Ns)>,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let trace = &state.session.trace;
    let share = share
        .filter(|_| is_first)
        .map_or(String::new(), |(busy, whole)| format!(" {}", fmt::percent(busy, whole)));
    let width = area.width.saturating_sub(1);
    let indent = if line.is_outer { labels::INDENT - labels::NESTED } else { labels::INDENT };
    let room = usize::from(width).saturating_sub(indent + share.len());
    let (text, token) = match line.kind {
        LineKind::Group(group) => {
            let title = trace.group_title(&trace.groups[group]);
            let is_device = trace.groups[group].kind == GroupKind::Device;
            let title = SafeText::from(if is_device { labels::device(&title) } else { title });
            (format!("{} {}", arrow(state, line), title.elide_end(room + 2)), Token::Title)
        }
        LineKind::Idle(group) => {
            // A pinned line stands apart from the heading of its device.
            let of = labels::device(&trace.group_title(&trace.groups[group]));
            let of = if line.is_pinned { format!(" {of}") } else { String::new() };
            (format!("    why idle{of}"), Token::Text)
        }
        LineKind::Merged(group) => {
            let streams = streams_of(state, line);
            let is_all = state.timeline.lines().merges_all(trace, group);
            let more = if is_all { "" } else { "more " };
            (format!("  {} {streams} {more}streams", arrow(state, line)), Token::Text)
        }
        LineKind::More(group) => {
            let more = if state.timeline.lines().is_folded(line) {
                format!(" +{}", state.timeline.lines().more(group))
            } else {
                String::new()
            };
            (format!("  {} more lanes{more}", arrow(state, line)), Token::Dim)
        }
        LineKind::Others => {
            let is_folded = state.timeline.lines().is_folded(line);
            let more =
                if is_folded { format!(" +{}", state.timeline.lines().others()) } else { String::new() };
            (format!("{} other lanes{more}", arrow(state, line)), Token::Dim)
        }
        LineKind::Row(lane, row) => row_label(state, line, is_first, (lane, row), room),
        LineKind::Counter(lane, counter) => {
            let value = series::value_text(&trace.counters[counter as usize], state.timeline.cursor());
            let name = lane_label(state, lane, room.saturating_sub(value.len() + 1));
            (format!("    {name} {value}"), Token::Text)
        }
        LineKind::Marks(lane) => (format!("    {}", lane_label(state, lane, room)), Token::Text),
    };
    let style = if is_focused { painter.theme.chosen() } else { painter.theme.text(token) };
    let text = if line.is_outer { text.get(labels::NESTED..).unwrap_or_default() } else { &text };
    let text = SafeText::new(text);
    let end = painter.text(area.x, area.y, width, &text.elide_end(width as usize), style);
    if is_focused {
        for x in end..area.x + width {
            painter.glyph(x, area.y, ' ', style);
        }
    }
    if !share.is_empty() {
        let style = if is_focused { style } else { painter.theme.text(Token::Dim) };
        let x = (area.x + width).saturating_sub(saturate::<u16>(share.len()));
        painter.str(x, area.y, saturate::<u16>(share.len()), &share, style);
    }
    if line.is_pinned {
        painter.glyph(area.x, area.y, '●', painter.theme.text(Token::Mark));
    }
}

/// How many streams a line of merged streams has.
fn streams_of(state: &State, line: &Line) -> usize {
    let trace = &state.session.trace;
    let lanes = state.timeline.lines().rows_of(line).iter().map(|&row| trace.rows[row].lane);
    lanes.collect::<std::collections::BTreeSet<_>>().len()
}

/// The mark of a line: `▸` if it is folded, `▾` if it can be folded, else, and for further rows of a lane, a
/// blank.
fn arrow(state: &State, line: &Line) -> char {
    match (
        Lines::can_fold(&state.session.trace, line) && line.is_head,
        state.timeline.lines().is_folded(line),
    ) {
        (true, true) => '▸',
        (true, false) => '▾',
        (false, _) => ' ',
    }
}

/// The label of a row and its token: the lane's name on the lane's first row on the screen, else
/// `overlapping`, the row's depth or nothing.
fn row_label(
    state: &State,
    line: &Line,
    is_first: bool,
    (id, row): (LaneId, RowId),
    room: usize,
) -> (String, Token) {
    let lane = &state.session.trace.lanes[id];
    if is_first {
        let is_folded = state.timeline.lines().is_folded(line);
        let more = if is_folded { format!(" +{}", lane.rows.len() - 1) } else { String::new() };
        let name = lane_label(state, id, room.saturating_sub(more.len()));
        return (format!("  {} {name}{more}", arrow(state, line)), Token::Text);
    }
    if row - lane.rows.start >= lane.depth {
        return ("      overlapping".into(), Token::Warn);
    }
    let is_focused = state.timeline.focused().is_some_and(|focused| focused == line);
    (if is_focused { format!("      depth {}", row - lane.rows.start) } else { String::new() }, Token::Dim)
}

/// What a lane is for, with its name where `room` columns suffice; or else its name, cut to `room` columns
/// except for the layer at its end.
fn lane_label(state: &State, id: LaneId, room: usize) -> String {
    let (name, layer) = labels::lane(&state.session.trace, &state.session.trace.lanes[id]);
    if let Some(role) = state.session.roles.get(id) {
        let role = SafeText::new(role);
        let has_room = role.width() + 2 + name.width() <= room;
        return if has_room { format!("{role}  {name}") } else { role.elide_end(room).to_string() };
    }
    if layer.is_empty() {
        return name.elide_middle(room).to_string();
    }
    format!("{} {layer}", name.elide_middle(room.saturating_sub(layer.chars().count() + 1)))
}
