//! The viewport, the time range that the screen shows: the first one of a trace, zooming, panning, converting
//! times to columns and back.
//!
//! Must not know lanes. All times are whole ns, and no arithmetic overflows.

use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::ledger::Ledger;
use proftui_trace::index::edge;
use proftui_trace::model::Trace;

/// The shortest viewport, ns.
pub const SHORTEST: Ns = 10;

/// The longest viewport, ns: half of the largest [`Ns`], so that sums do not overflow.
const LONGEST_VIEWPORT: Ns = Ns::MAX / 2;

/// The viewport in which the explorer opens a trace, with a margin: usually its steps; without steps, or
/// where most device work is elsewhere, the trace without far outliers.
pub(crate) fn opening(trace: &Trace) -> Span {
    let main = trace.main_span;
    let steps = trace.steps.iter().map(|step| step.span).reduce(Span::union);
    let shown = steps.map(|steps| Span { start: steps.start.max(main.start), end: steps.end.min(main.end) });
    let shown = shown.filter(|shown| !shown.is_empty() && has_most_work(trace, *shown));
    fit(shown.unwrap_or(main), trace.span)
}

/// True if devices did at least half of their recorded work in `shown`; an engine that launches ahead of its
/// devices may have its steps' work after its steps.
fn has_most_work(trace: &Trace, shown: Span) -> bool {
    let ledger = Ledger::of(trace);
    let busy = |span: Span| -> Ns {
        let devices = ledger.devices.iter().filter(|device| !device.is_host);
        devices.map(|device| device.sums(span).whole().busy).fold(0, Ns::saturating_add)
    };
    busy(shown) >= busy(trace.main_span) / 2
}

/// The viewport that shows all of a trace but for far outliers, with a margin.
pub(crate) fn main(trace: &Trace) -> Span {
    fit(trace.main_span, trace.span)
}

/// Scales `viewport` by `factor` (below 1 zooms in) about the time `anchor`, within the lengths allowed, and
/// keeps it near `bounds`.
pub fn zoom(viewport: Span, anchor: Ns, factor: f64, bounds: Span) -> Span {
    let len = viewport.len().max(1);
    let wanted = (len as f64 * factor).round();
    let longest = bounds.len().saturating_add(bounds.len() / 5).clamp(SHORTEST, LONGEST_VIEWPORT);
    let wanted = saturate::<Ns>(wanted).clamp(SHORTEST, longest);
    let anchor = anchor.clamp(viewport.start, viewport.end);
    let before = (i128::from(anchor) - i128::from(viewport.start)) * i128::from(wanted) / i128::from(len);
    let start = clamp(i128::from(anchor) - before);
    keep(Span { start, end: start.saturating_add(wanted) }, bounds)
}

/// Moves `viewport`, drawn in `columns` columns, by about the fraction `part` of its length (negative: to
/// earlier times), usually by whole columns, to which its length is fitted; keeps it near `bounds`.
pub fn pan(viewport: Span, columns: u16, part: f64, bounds: Span) -> Span {
    let at_least = |step: f64| if step.round() == 0.0 { part.signum() } else { step.round() };
    let (len, columns) = (viewport.len().min(LONGEST_VIEWPORT), Ns::from(columns.max(1)));
    if len < columns {
        return shift(viewport, saturate::<Ns>(at_least(len as f64 * part)), bounds);
    }
    let column = ((len + columns / 2) / columns).max(1);
    let whole =
        Span { start: viewport.start, end: viewport.start.saturating_add(column.saturating_mul(columns)) };
    shift(whole, saturate::<Ns>(at_least(columns as f64 * part)).saturating_mul(column), bounds)
}

/// Moves `viewport` by `by` ns (negative: to earlier times), but not so far that more than half of it lies
/// before or after `bounds`.
pub fn shift(viewport: Span, by: Ns, bounds: Span) -> Span {
    let start = viewport.start.saturating_add(by);
    keep(Span { start, end: start.saturating_add(viewport.len()) }, bounds)
}

/// Moves `viewport` so that `t`, or the nearest time of `bounds`, is in its middle.
pub fn center(viewport: Span, t: Ns, bounds: Span) -> Span {
    let start = clamp(i128::from(t) - i128::from(viewport.len()) / 2);
    keep(Span { start, end: start.saturating_add(viewport.len()) }, bounds)
}

/// The viewport that shows `span` with a margin on both sides, kept near `bounds`; at least [`SHORTEST`]
/// long.
pub fn fit(span: Span, bounds: Span) -> Span {
    let room = (span.len() / 20).max(1);
    let wanted = span.len().saturating_add(room.saturating_mul(2)).max(SHORTEST);
    let start = clamp(i128::from(span.start) - i128::from(wanted - span.len()) / 2);
    keep(Span { start, end: start.saturating_add(wanted) }, bounds)
}

/// Limits the length of `viewport` to [`SHORTEST`] and [`LONGEST_VIEWPORT`], and moves it so that its middle
/// is within `bounds`.
fn keep(viewport: Span, bounds: Span) -> Span {
    let len = viewport.len().clamp(SHORTEST, LONGEST_VIEWPORT);
    let lowest = bounds.start.saturating_sub(len / 2);
    let highest = bounds.end.saturating_sub(len / 2).max(lowest);
    let start = viewport.start.clamp(lowest, highest);
    Span { start, end: start.saturating_add(len) }
}

fn clamp(t: i128) -> Ns {
    saturate::<Ns>(t)
}

/// The column (from 0) that shows the time `t`, ns, where `viewport` is drawn in `columns` columns; `None` if
/// `t` lies outside, or there are no columns.
pub fn column(viewport: Span, columns: u16, t: Ns) -> Option<u16> {
    if !viewport.contains(t) || columns == 0 {
        return None;
    }
    let guess = (i128::from(t) - i128::from(viewport.start)) * i128::from(columns)
        / i128::from(viewport.len().max(1));
    let mut column = saturate::<u16>(guess).min(columns - 1);
    // `edge` rounds down, so the guess may be one too low.
    while column + 1 < columns && time(viewport, columns, column + 1) <= t {
        column += 1;
    }
    Some(column)
}

/// The first time, ns, that column `column` (from 0) shows where `viewport` is drawn in `columns` columns;
/// the end of `viewport` for the column after the last.
pub fn time(viewport: Span, columns: u16, column: u16) -> Ns {
    edge(viewport.start, viewport.end, columns as usize, column as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUNDS: Span = Span { start: 0, end: 1_000_000 };

    #[test]
    fn zoom_keeps_the_anchor() {
        let viewport = zoom(BOUNDS, 250_000, 0.5, BOUNDS);
        assert_eq!(viewport, Span { start: 125_000, end: 625_000 });
        assert_eq!(zoom(viewport, 250_000, 1e-12, BOUNDS).len(), SHORTEST);
        assert_eq!(zoom(viewport, 250_000, 1e12, BOUNDS).len(), 1_200_000);
    }

    #[test]
    fn pan_never_loses_the_trace() {
        let mut viewport = Span { start: 0, end: 1000 };
        for _ in 0..10_000 {
            viewport = pan(viewport, 100, -1.0, BOUNDS);
        }
        assert_eq!(viewport, Span { start: -500, end: 500 });
    }

    #[test]
    fn fit_leaves_room() {
        assert_eq!(fit(Span { start: 1000, end: 2000 }, BOUNDS), Span { start: 950, end: 2050 });
        assert_eq!(fit(Span { start: 5, end: 5 }, BOUNDS).len(), SHORTEST);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let all = Span { start: Ns::MIN, end: Ns::MAX };
        for viewport in
            [all, Span { start: Ns::MAX - 5, end: Ns::MAX }, Span { start: Ns::MIN, end: Ns::MIN + 5 }]
        {
            for factor in [0.1, 1.0, 10.0] {
                let _ = zoom(viewport, 0, factor, all);
                let _ = pan(viewport, 80, factor, all);
                let _ = fit(viewport, all);
                let _ = center(viewport, Ns::MAX, all);
                let _ = column(viewport, 80, 0);
            }
        }
    }

    proptest! {
        #[test]
        fn a_pan_moves_columns_as_they_are(start in -1000_i64..1000, len in 300_i64..50_000, columns in 1_u16..300, part in -0.5_f64..0.5) {
            let bounds = Span { start: -1_000_000, end: 1_000_000 };
            let first = pan(Span { start, end: start + len }, columns, part, bounds);
            let second = pan(first, columns, part, bounds);
            let by = (f64::from(columns) * part).round();
            let by = if by == 0.0 { part.signum() } else { by } as i32;
            prop_assert_eq!(first.len(), second.len());
            for column in 0..columns {
                let Ok(before) = u16::try_from(i32::from(column) + by) else { continue };
                if before <= columns {
                    prop_assert_eq!(time(second, columns, column), time(first, columns, before));
                }
            }
        }

        #[test]
        fn columns_and_times_agree(start in -1000_i64..1000, len in 1_i64..5000, columns in 1_u16..300, part in 0.0_f64..1.0) {
            let viewport = Span { start, end: start + len };
            let t = start + ((len - 1) as f64 * part) as i64;
            let at = column(viewport, columns, t).expect("inside");
            prop_assert!(time(viewport, columns, at) <= t);
            prop_assert!(at + 1 == columns || t < time(viewport, columns, at + 1));
        }
    }
}
