//! Draws the timeline: the visible lines, the ends of the marked stretch, the cursor, the links of the
//! selected event.

use crate::app::input::bindings;
use crate::app::view::geometry::{Area, Geometry};
use crate::app::view::lines::{Line, LineKind};
use crate::app::view::viewport;
use crate::app::{Selection, State};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_trace::model::Instant;

use super::connect::Tags;
use super::paint::Painter;
use super::row::Reserved;
use super::theme::{Detail, Token};
use super::{connect, heading, idle, label, row, ruler, series};

pub(super) fn draw(state: &State, geometry: &Geometry, painter: &mut Painter<'_>) {
    let area = geometry.timeline;
    if area.height == 0 || area.width == 0 {
        return;
    }
    if state.timeline.lines().is_empty() {
        return draw_nothing(state, area, painter);
    }
    let visible = state.timeline.on_screen(&state.session, area.height.into());
    let tags = Tags::of(state, area.width);
    let selected = state.selected.slice().map(|id| state.session.trace.row_of(id));
    let (mut lane_above, mut cells) = (None, idle::Cells::default());
    // Over a slow link a snapshot is soon replaced: only the devices of it are drawn, as while keys repeat.
    let is_early = painter.theme.detail == Detail::Thin && state.source.is_snapshot();
    let is_rough = painter.theme.detail == Detail::Rough || is_early;
    let mut left_out = Vec::new();
    let mut next = area.y;
    for rows in visible.chunk_by(|one, other| one == other) {
        let (y, height, number) = (next, saturate::<u16>(rows.len()), rows[0]);
        next += height;
        let Some(line) = state.timeline.lines().get(number) else { break };
        // Over a slow link one row is enough.
        let height = if painter.theme.detail > Detail::Full { 1 } else { height };
        let line_area = Area { y, height, ..area };
        let labels = Area { y, height: 1, ..geometry.labels };
        let is_tagged = selected.is_some_and(|row| state.timeline.lines().rows_of(line).contains(&row));
        let reserved = if is_tagged { tags.reserved() } else { Reserved::default() };
        let is_left_out =
            is_rough && number != state.timeline.focus() && !matches!(line.kind, LineKind::Group(_));
        if is_left_out {
            left_out.push(y);
        } else {
            draw_line(state, line, reserved, &mut cells, line_area, painter);
        }
        if let (LineKind::Counter(_, counter), true) = (line.kind, number == state.timeline.focus()) {
            series::draw_axis(state, counter, Area { y, height: 1, ..area }, painter);
        }
        // Of a lane whose first rows are scrolled off, the first one on the screen shows the name.
        let is_first = line.is_head || line.lane() != lane_above;
        lane_above = line.lane();
        if geometry.labels.width > 0 {
            let share = if is_left_out { None } else { state.timeline.share(&state.session, line) };
            label::draw(state, line, number == state.timeline.focus(), is_first, share, labels, painter);
        }
        if geometry.labels.width == 0 && number == state.timeline.focus() {
            painter.glyph(area.x, y, '▸', painter.theme.text(Token::Cursor));
        }
    }
    if let Some(&y) = left_out.get(left_out.len() / 2) {
        let style = painter.theme.text(Token::Dim);
        let when = if is_early { "all is read" } else { "no key repeats" };
        painter.str(area.x, y, area.width, &format!("slow link: these lanes are drawn when {when}"), style);
    }
    if is_rough {
        return;
    }
    draw_stretch(state, area, painter);
    draw_cursor(state, area, &visible, painter);
    connect::draw(state, &tags, area, &visible, painter);
}

fn draw_line(
    state: &State,
    line: &Line,
    reserved: Reserved,
    cells: &mut idle::Cells,
    area: Area,
    painter: &mut Painter<'_>,
) {
    let trace = &state.session.trace;
    match line.kind {
        LineKind::More(_) | LineKind::Others => {}
        LineKind::Group(group) => heading::draw(state, group, cells, area, painter),
        LineKind::Merged(_) => {
            row::draw(state, state.timeline.lines().rows_of(line), reserved, area, painter);
        }
        LineKind::Idle(group) => idle::draw(state, group, cells, area, painter),
        LineKind::Row(lane, number) => {
            row::draw(state, &[number], reserved, area, painter);
            if let Some(Selection::Gap(of, gap)) = state.selected.selection()
                && of == number
            {
                row::draw_gap(state, gap, area, painter);
            }
            if line.is_head {
                let range = trace.lanes[lane].instants.clone();
                draw_instants(
                    state,
                    &trace.instants[range.start as usize..range.end as usize],
                    area,
                    painter,
                );
            }
        }
        LineKind::Counter(_, counter) => series::draw(state, counter, area, painter),
        LineKind::Marks(lane) => {
            let range = trace.lanes[lane].instants.clone();
            draw_instants(state, &trace.instants[range.start as usize..range.end as usize], area, painter);
        }
    }
}

/// Draws instants as marks, at most one per cell, without covering other characters.
fn draw_instants(state: &State, instants: &[Instant], area: Area, painter: &mut Painter<'_>) {
    let style = painter.theme.text(Token::Mark);
    let mut at = instants.partition_point(|instant| instant.ts < state.timeline.viewport().start);
    while let Some(column) = instants
        .get(at)
        .and_then(|instant| viewport::column(state.timeline.viewport(), area.width, instant.ts))
    {
        if painter.is_plain(area.x + column, area.y) {
            painter.glyph(area.x + column, area.y, '◆', style);
        }
        let end = viewport::time(state.timeline.viewport(), area.width, column + 1);
        at += instants[at..].partition_point(|instant| instant.ts < end).max(1);
    }
}

/// Draws dashed lines at both ends of the visible part of the marked stretch, through blank cells.
fn draw_stretch(state: &State, area: Area, painter: &mut Painter<'_>) {
    let Some((from, to)) = state.stretch.and_then(|it| ruler::columns_of(state, it.span, area.width)) else {
        return;
    };
    let style = painter.theme.text(Token::Selection);
    for y in area.y..area.y + area.height {
        for x in [from, to] {
            if painter.is_blank(area.x + x, y) {
                painter.glyph(area.x + x, y, '┊', style);
            }
        }
    }
}

/// Draws the time cursor as a vertical line through the visible lanes, without covering text; draws nothing
/// unless in full detail.
fn draw_cursor(state: &State, area: Area, visible: &[usize], painter: &mut Painter<'_>) {
    if painter.theme.detail > Detail::Full {
        return;
    }
    let Some(column) = viewport::column(state.timeline.viewport(), area.width, state.timeline.cursor())
    else {
        return;
    };
    let x = area.x + column;
    for (y, &line) in (area.y..area.y + area.height).zip(visible) {
        if state.timeline.lines().get(line).is_some_and(|line| matches!(line.kind, LineKind::Group(_))) {
            continue;
        }
        let is_between_words = painter.has_text(x.wrapping_sub(1), y) || painter.has_text(x + 1, y);
        if painter.is_blank(x, y) {
            painter.glyph(x, y, '│', painter.theme.text(Token::Cursor));
        } else if painter.is_plain(x, y) && !is_between_words {
            painter.glyph(x, y, '│', ratatui::style::Style::new());
        }
    }
}

fn draw_nothing(state: &State, area: Area, painter: &mut Painter<'_>) {
    let hidden = state.timeline.lines().hidden();
    let text = if hidden > 0 || !state.timeline.filter().is_empty() {
        let all = state.keys.label(bindings::SHOW_ALL_LANES);
        format!("no lane is left to show; in the timeline, {all} shows those hidden or filtered out")
    } else if state.source.is_snapshot() {
        "reading …: no event with a time is read so far".into()
    } else {
        "no event with a time was loaded".into()
    };
    let style = painter.theme.text(Token::Warn);
    let text = SafeText::new(&text);
    let lines = text.wrap_at_spaces(usize::from(area.width));
    for (y, line) in (area.y + area.height / 2..area.y + area.height).zip(lines) {
        painter.text(area.x, y, area.width, &line, style);
    }
}
