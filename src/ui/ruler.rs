//! Draws the ruler above the timeline: where steps begin, round times, the user's marks and the marked
//! stretch; left of it how much time the screen shows, and the time of the cursor.

use ratatui::style::Style;

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::timefmt::step_at;
use crate::app::view::viewport;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};

use super::paint::Painter;
use super::theme::{Detail, Token};

/// The fewest columns from one round time on the ruler to the next; over a slow link, where each of them is
/// sent again after a pan.
const SPACING: i64 = 10;
const THIN_SPACING: i64 = 24;
/// The columns left of the ruler for the length of the viewport, before the time of the cursor.
const LENGTH: u16 = 9;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let view = state.timeline.viewport();
    let is_thin = painter.theme.detail > Detail::Full;
    let columns = if is_thin { THIN_SPACING } else { SPACING };
    let spacing = i128::from(view.len()) * i128::from(columns) / i128::from(area.width);
    let tick = round_step(saturate::<Ns>(spacing + 1));
    let show = |t: Ns, resolution: Ns| {
        state.looks.time_format().show(&state.session.trace, state.worker(), t, resolution)
    };
    let cursor = show(state.timeline.cursor(), (tick / 100).max(1));
    let mut labels = Labels { area, taken: vec![false; usize::from(area.width)] };
    if !draw_gutter(view, &cursor, area.x, area.y, painter)
        && let Some(column) = viewport::column(view, area.width, state.timeline.cursor())
    {
        let text = format!("▼{cursor}");
        let x = column.min(area.width.saturating_sub(saturate::<u16>(text.chars().count())));
        labels.put(x, &text, painter.theme.text(Token::Cursor), painter);
    }
    draw_steps(state, &mut labels, painter);
    // Times are round as counted from the start of the trace.
    let zero = state.session.trace.main_span.start;
    let first = view.start.saturating_sub(zero).div_euclid(tick);
    for i in 0..=i64::from(area.width) {
        let t = zero.saturating_add(first.saturating_add(i).saturating_mul(tick));
        if t >= view.end {
            break;
        }
        if let Some(column) = viewport::column(view, area.width, t) {
            let line = if is_thin { '|' } else { '╷' };
            labels.put(column, &format!("{line}{}", show(t, tick)), painter.theme.text(Token::Dim), painter);
        }
    }
    draw_marks(state, area, painter);
    draw_stretch(state, area, painter);
}

/// What the ruler shows so far: a later text never covers an earlier one.
struct Labels {
    area: Area,
    /// For each column true if a text has it, or ends directly before it.
    taken: Vec<bool>,
}

impl Labels {
    /// Draws the text from column `x` on, if all of it fits and no other text is there or directly beside it.
    fn put(&mut self, x: u16, text: &str, style: Style, painter: &mut Painter<'_>) {
        let (from, width) = (usize::from(x), text.chars().count());
        let last = (from + width + 1).min(self.taken.len());
        if from + width > self.taken.len() || self.taken[from..last].contains(&true) {
            return;
        }
        self.taken[from..last].fill(true);
        painter.str(self.area.x + x, self.area.y, saturate::<u16>(width), text, style);
    }
}

/// Draws where steps of the worker with the focus begin, the step in which the viewport begins, and the end
/// of the last step.
fn draw_steps(state: &State, labels: &mut Labels, painter: &mut Painter<'_>) {
    let (trace, worker, view) = (&state.session.trace, state.worker(), state.timeline.viewport());
    let width = labels.area.width;
    let style = painter.theme.text(Token::Ruler);
    let line = if painter.theme.detail > Detail::Full { '|' } else { '│' };
    let step_from = |t: Ns| {
        let from = trace.steps.partition_point(|step| step.span.start < t);
        let mut on_screen = trace.steps[from..].iter().take_while(|step| step.span.start < view.end);
        on_screen.find(|step| step.worker == worker)
    };
    let mut at = view.start;
    while let Some(step) = step_from(at)
        && let Some(column) = viewport::column(view, width, step.span.start)
    {
        let text = format!("{line}#{}", step.number);
        labels.put(column, &text, style, painter);
        let behind = column.saturating_add(saturate::<u16>(text.chars().count()) + 1);
        at = viewport::time(view, width, behind.min(width)).max(step.span.start + 1);
    }
    if let Some(step) = step_at(trace, worker, view.start) {
        labels.put(0, &format!("#{}", step.number), style, painter);
    }
    let last = trace.steps.iter().rev().find(|step| step.worker == worker);
    if let Some(column) = last.and_then(|step| viewport::column(view, width, step.span.end)) {
        labels.put(column, &format!("{line}end"), style, painter);
    }
}

/// Writes left of the ruler, in `room` columns, how much time the screen shows and the time of the `cursor`;
/// only the latter where both have no room. False if that has none either.
fn draw_gutter(view: Span, cursor: &str, room: u16, y: u16, painter: &mut Painter<'_>) -> bool {
    let room = room.saturating_sub(1);
    let (cursor, width) = (format!("▼{cursor}"), saturate::<u16>(cursor.chars().count() + 1));
    let length = fmt::offset(view.len(), round_step(view.len() / 200));
    let has_length = LENGTH + width <= room && length.chars().count() < usize::from(LENGTH);
    if has_length {
        painter.str(0, y, room, &length, painter.theme.text(Token::Dim));
    }
    let x = if has_length { LENGTH } else { 0 };
    if width <= room {
        painter.str(x, y, room, &cursor, painter.theme.text(Token::Cursor));
    }
    width <= room
}

/// Draws the user's marks that are on the screen, each with its text as far as there is room before the next.
fn draw_marks(state: &State, area: Area, painter: &mut Painter<'_>) {
    let mut marks: Vec<(u16, &SafeText<'_>)> = state
        .marks
        .list()
        .iter()
        .filter_map(|mark| {
            Some((viewport::column(state.timeline.viewport(), area.width, mark.at)?, &mark.text))
        })
        .collect();
    marks.sort_by_key(|&(column, _)| column);
    let style = painter.theme.text(Token::Mark);
    for (i, &(column, text)) in marks.iter().enumerate() {
        let end = marks.get(i + 1).map_or(area.width, |next| next.0);
        painter.glyph(area.x + column, area.y, '◆', style);
        let room = end.saturating_sub(column + 1);
        painter.text(area.x + column + 1, area.y, room, &text.elide_end(usize::from(room)), style);
    }
}

/// The first and last of `columns` columns, from 0, that show a part of the time range; none if the range is
/// off the screen.
pub(super) fn columns_of(state: &State, span: Span, columns: u16) -> Option<(u16, u16)> {
    let view = state.timeline.viewport();
    if !view.overlaps(span) && !view.contains(span.start) {
        return None;
    }
    let column = |t: Ns| viewport::column(view, columns, t.clamp(view.start, view.end.saturating_sub(1)));
    Some((column(span.start)?, column(span.end.saturating_sub(1).max(span.start))?))
}

/// Draws the marked stretch over the times of the ruler, with its length in the middle if there is room.
fn draw_stretch(state: &State, area: Area, painter: &mut Painter<'_>) {
    let Some(stretch) = state.stretch else { return };
    let Some((from, to)) = columns_of(state, stretch.span, area.width) else { return };
    let style = painter.theme.text(Token::Selection);
    for x in from..=to {
        let glyph = if x == from {
            '├'
        } else if x == to {
            '┤'
        } else {
            '─'
        };
        painter.glyph(area.x + x, area.y, glyph, style);
    }
    let length = format!(" {} ", fmt::duration(stretch.span.len()));
    let (width, room) = (saturate::<u16>(length.chars().count()), to - from + 1);
    if width + 2 <= room {
        painter.str(area.x + from + (room - width) / 2, area.y, width, &length, style);
    }
}

/// The smallest time, ns, that is 1, 2 or 5 times a power of ten and at least `ns`; at most 10^18.
fn round_step(ns: Ns) -> Ns {
    let mut power: Ns = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if step >= ns || step >= Ns::MAX / 10 {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::round_step;

    #[test]
    fn steps_are_round() {
        assert_eq!(round_step(0), 1);
        assert_eq!(round_step(3), 5);
        assert_eq!(round_step(51), 100);
        assert_eq!(round_step(100), 100);
        assert!(round_step(i64::MAX) > 0);
    }
}
