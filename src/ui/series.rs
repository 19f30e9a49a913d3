//! Draws the line of a counter: each cell's height is the largest value in the cell's time range, so that no
//! peak is lost.
//!
//! Where cells have many samples, the ends of cells are moved to samples that are found quickly, each by an
//! eighth of a cell at most.

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::sparse::Hint;
use proftui_base::time::Ns;
use proftui_trace::model::Counter;
use proftui_trace::model::counter::CounterUnit;

use super::paint::Painter;
use super::theme::Token;

/// With more samples per cell than this, on average, the ends of cells may be moved a little, which a screen
/// hardly shows.
const CROWDED_SAMPLES: usize = 256;

pub(super) fn draw(state: &State, counter: u32, area: Area, painter: &mut Painter<'_>) {
    let counter = &state.session.trace.counters[counter as usize];
    let Some((lowest, highest)) = counter.range() else { return };
    let floor = lowest.min(0.0);
    let range = highest - floor;
    let view = state.timeline.viewport();
    let has_many =
        counter.before(view.end) - counter.before(view.start) > CROWDED_SAMPLES * usize::from(area.width);
    let within = if has_many { view.len() / i64::from(area.width.max(1)) / 8 } else { 0 };
    let mut hint = Hint::default();
    let mut near = |t: Ns| counter.near(t, within, &mut hint);
    let mut at = near(view.start.saturating_add(1));
    let eighths = 8 * usize::from(area.height);
    let mut height = |x: u16| {
        let after = near(viewport::time(view, area.width, x + 1)).max(at);
        // The value at the cell's start counts, too; it was set before the cell.
        let value = counter.peak(at.saturating_sub(1), after);
        at = after;
        value.map_or(0, |value| {
            let share = if range > 0.0 { (value - floor) / range } else { 0.0 };
            let height = saturate::<usize>((share * eighths as f64).round()).min(eighths);
            height.max(usize::from(value > floor))
        })
    };
    let heights: Vec<usize> = (0..area.width).map(&mut height).collect();
    painter.strip(area, &heights, Token::Memory);
}

/// Writes at the right end of the counter's line which values an empty and a full cell stand for, if there is
/// room.
pub(super) fn draw_axis(state: &State, counter: u32, area: Area, painter: &mut Painter<'_>) {
    let counter = &state.session.trace.counters[counter as usize];
    let Some((lowest, highest)) = counter.range() else { return };
    let text = format!(" {} to {} ", shown(counter, lowest.min(0.0)), shown(counter, highest));
    let width = saturate::<u16>(text.chars().count());
    if width * 2 <= area.width {
        painter.str(area.x + area.width - width, area.y, width, &text, painter.theme.text(Token::Text));
    }
}

/// The counter's value at the time `t`, ns, as text; `-` before its first value.
pub(super) fn value_text(counter: &Counter, t: i64) -> String {
    counter.at(t).map_or_else(|| "-".into(), |value| shown(counter, value))
}

/// A value as text in the counter's unit: bytes or a plain number.
fn shown(counter: &Counter, value: f64) -> String {
    match counter.unit {
        CounterUnit::Bytes => fmt::bytes(saturate::<i64>(value)),
        CounterUnit::Number if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        CounterUnit::Number => format!("{value:.3}"),
    }
}
