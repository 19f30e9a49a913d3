//! Draws the ruler above the timeline: marks at round times, and the time of the cursor.

use crate::app::State;
use crate::app::geometry::Area;
use crate::app::viewport;
use crate::base::fmt;
use crate::base::time::Ns;

use super::paint::Painter;
use super::theme::Token;

/// The fewest columns between two marks.
const SPACING: i64 = 16;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let dim = painter.theme.text(Token::Dim);
    if area.x > 0 {
        let shown = format!("{} per screen", fmt::duration(state.viewport.len()));
        painter.str(0, area.y, area.x, &shown, dim);
    }
    let (trace, worker) = (&state.session.trace, state.worker());
    let step = round_step(state.viewport.len() / (i64::from(area.width) / SPACING).max(1));
    // Marks are round as counted from the start of the trace.
    let zero = trace.main_span.start;
    let first = state.viewport.start.saturating_sub(zero).div_euclid(step);
    // The cursor's own time covers the marks.
    let cursor = viewport::column(state.viewport, area.width, state.cursor).map(|column| {
        let label = format!("▼{}", state.time_format.show(trace, worker, state.cursor, (step / 100).max(1)));
        let width = label.chars().count() as u16;
        let x = (area.x + column).min((area.x + area.width).saturating_sub(width)).max(area.x);
        (x, width, label, area.x + column)
    });
    let mut free = area.x;
    for i in 0..=i64::from(area.width) {
        let t = zero.saturating_add(first.saturating_add(i).saturating_mul(step));
        if t >= state.viewport.end {
            break;
        }
        let Some(column) = viewport::column(state.viewport, area.width, t) else { continue };
        let x = area.x + column;
        let label = format!("│{}", state.time_format.show(trace, worker, t, step));
        let width = label.chars().count() as u16;
        let is_hidden = cursor.as_ref().is_some_and(|&(at, w, ..)| x < at + w + 1 && at < x + width + 1);
        if x >= free && x + width < area.x + area.width && !is_hidden {
            free = painter.str(x, area.y, width, &label, dim) + 1;
        }
    }
    if let Some((x, width, label, column)) = cursor {
        let style = painter.theme.text(Token::Cursor);
        painter.str(x, area.y, width, &label, style);
        painter.glyph(column, area.y, '▼', style);
    }
}

/// The smallest time, ns, that is 1, 2 or 5 times a power of ten and at least `ns`.
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
