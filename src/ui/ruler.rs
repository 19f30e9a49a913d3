//! Draws the ruler above the timeline: round times, the time of the cursor, the user's marks and the marked
//! stretch; left of it how much time the screen shows.

use ratatui::style::Style;

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};

use super::paint::Painter;
use super::theme::Token;

/// About the fewest columns from one round time on the ruler to the next.
const SPACING: i64 = 16;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let dim = painter.theme.text(Token::Dim);
    draw_length(state, area, painter);
    let (trace, worker) = (&state.session.trace, state.worker());
    let step = round_step(state.timeline.viewport().len() / (i64::from(area.width) / SPACING).max(1));
    let show = |t: Ns, resolution: Ns| state.looks.time_format().show(trace, worker, t, resolution);
    // Times are round as counted from the start of the trace.
    let zero = trace.main_span.start;
    let first = state.timeline.viewport().start.saturating_sub(zero).div_euclid(step);
    // The cursor's own time covers round times.
    let cursor =
        viewport::column(state.timeline.viewport(), area.width, state.timeline.cursor()).map(|column| {
            let (right, left, alone) =
                labels(column, '▼', &show(state.timeline.cursor(), (step / 100).max(1)));
            let forms = [Some(right), left].into_iter().flatten();
            forms.into_iter().find(|label| label.end() <= area.width).unwrap_or(alone)
        });
    let mut free = 0;
    for i in 0..=i64::from(area.width) {
        let t = zero.saturating_add(first.saturating_add(i).saturating_mul(step));
        if t >= state.timeline.viewport().end {
            break;
        }
        let Some(column) = viewport::column(state.timeline.viewport(), area.width, t) else { continue };
        let is_clear = |label: &Label| {
            let is_hidden =
                cursor.as_ref().is_some_and(|at| label.x < at.end() + 1 && at.x < label.end() + 1);
            label.x >= free && label.end() <= area.width && !is_hidden
        };
        let (right, left, alone) = labels(column, '│', &show(t, step));
        if let Some(label) = [Some(right), left, Some(alone)].into_iter().flatten().find(is_clear) {
            free = label.end() + 1;
            label.draw(area, dim, painter);
        }
    }
    draw_marks(state, area, painter);
    draw_stretch(state, area, painter);
    if let Some(label) = cursor {
        label.draw(area, painter.theme.text(Token::Cursor), painter);
    }
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

/// Writes left of the ruler how much time the screen shows, in the longest form that fits; nothing if none
/// fits.
fn draw_length(state: &State, area: Area, painter: &mut Painter<'_>) {
    let length = fmt::duration(state.timeline.viewport().len());
    let forms = [format!("{length} per screen"), format!("{length}/screen"), length];
    let room = usize::from(area.x.saturating_sub(1));
    if let Some(form) = forms.iter().find(|form| form.chars().count() <= room) {
        painter.str(0, area.y, area.x, form, painter.theme.text(Token::Dim));
    }
}

/// A line or arrow on the ruler, with its time beside it or without.
#[derive(Debug)]
struct Label {
    /// The column where the text begins, from the ruler's left end.
    x: u16,
    /// The line or arrow, and before or after it the time, if that is written.
    text: String,
}

impl Label {
    /// The column after the text.
    fn end(&self) -> u16 {
        self.x.saturating_add(saturate::<u16>(self.text.chars().count()))
    }

    fn draw(&self, area: Area, style: Style, painter: &mut Painter<'_>) {
        painter.str(area.x + self.x, area.y, area.width.saturating_sub(self.x), &self.text, style);
    }
}

/// The forms of a label whose line or arrow, `mark`, stands in `column`: with the time at its right, at its
/// left (`None` without room), and without the time.
fn labels(column: u16, mark: char, time: &str) -> (Label, Option<Label>, Label) {
    let width = saturate::<u16>(time.chars().count());
    let left = column.checked_sub(width).map(|x| Label { x, text: format!("{time}{mark}") });
    (Label { x: column, text: format!("{mark}{time}") }, left, Label { x: column, text: mark.into() })
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
