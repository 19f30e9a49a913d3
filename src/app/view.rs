//! The stretch of time on the screen: zoom, pan, time to column and back.
//!
//! Must not know lanes. All arithmetic is by whole ns and cannot overflow.

use crate::base::time::{Ns, Span};
use crate::index::edge;

/// The shortest stretch that can be shown, ns.
pub const SHORTEST: Ns = 10;

/// The longest, ns: half of what fits, so that sums stay in range.
const LONGEST: Ns = Ns::MAX / 2;

/// `view` scaled by `factor` (below 1 zooms in) about `anchor`, which keeps its place.
pub fn zoom(view: Span, anchor: Ns, factor: f64, bounds: Span) -> Span {
    let len = view.len().max(1);
    let wanted = (len as f64 * factor).round();
    let longest = bounds.len().saturating_add(bounds.len() / 5).clamp(SHORTEST, LONGEST);
    let wanted = (wanted as Ns).clamp(SHORTEST, longest);
    let anchor = anchor.clamp(view.start, view.end);
    let before = (i128::from(anchor) - i128::from(view.start)) * i128::from(wanted) / i128::from(len);
    let start = clamp(i128::from(anchor) - before);
    keep(Span { start, end: start.saturating_add(wanted) }, bounds)
}

/// `view` moved by `part` of its length (negative: to earlier times).
pub fn pan(view: Span, part: f64, bounds: Span) -> Span {
    let step = (view.len() as f64 * part).round() as Ns;
    let step = if step == 0 { if part < 0.0 { -1 } else { 1 } } else { step };
    shift(view, step, bounds)
}

/// `view` moved by `by` ns.
pub fn shift(view: Span, by: Ns, bounds: Span) -> Span {
    let start = view.start.saturating_add(by);
    keep(Span { start, end: start.saturating_add(view.len()) }, bounds)
}

/// `view` moved so that `t` stands in its middle.
pub fn center(view: Span, t: Ns, bounds: Span) -> Span {
    let start = clamp(i128::from(t) - i128::from(view.len()) / 2);
    keep(Span { start, end: start.saturating_add(view.len()) }, bounds)
}

/// The view that shows `span` with a little room on both sides.
pub fn fit(span: Span, bounds: Span) -> Span {
    let room = (span.len() / 20).max(1);
    let wanted = span.len().saturating_add(room.saturating_mul(2)).max(SHORTEST);
    let start = clamp(i128::from(span.start) - i128::from(wanted - span.len()) / 2);
    keep(Span { start, end: start.saturating_add(wanted) }, bounds)
}

/// Moves a view that lost sight of `bounds` back to where something can be seen.
fn keep(view: Span, bounds: Span) -> Span {
    let len = view.len().clamp(SHORTEST, LONGEST);
    let lowest = bounds.start.saturating_sub(len / 2);
    let highest = bounds.end.saturating_sub(len / 2).max(lowest);
    let start = view.start.clamp(lowest, highest);
    Span { start, end: start.saturating_add(len) }
}

fn clamp(t: i128) -> Ns {
    t.clamp(i128::from(Ns::MIN), i128::from(Ns::MAX)) as Ns
}

/// The column (from 0) of `columns` that shows `t`; `None` when it lies outside.
pub fn column(view: Span, columns: u16, t: Ns) -> Option<u16> {
    if !view.contains(t) || columns == 0 {
        return None;
    }
    let guess =
        (i128::from(t) - i128::from(view.start)) * i128::from(columns) / i128::from(view.len().max(1));
    let mut column = (guess as u16).min(columns - 1);
    // `edge` rounds down, so the guess may be one too low.
    while column + 1 < columns && time(view, columns, column + 1) <= t {
        column += 1;
    }
    Some(column)
}

/// The first instant that column `column` of `columns` shows.
pub fn time(view: Span, columns: u16, column: u16) -> Ns {
    edge(view.start, view.end, columns as usize, column as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUNDS: Span = Span { start: 0, end: 1_000_000 };

    #[test]
    fn zoom_keeps_the_anchor() {
        let view = zoom(BOUNDS, 250_000, 0.5, BOUNDS);
        assert_eq!(view, Span { start: 125_000, end: 625_000 });
        assert_eq!(zoom(view, 250_000, 1e-12, BOUNDS).len(), SHORTEST);
        assert_eq!(zoom(view, 250_000, 1e12, BOUNDS).len(), 1_200_000);
    }

    #[test]
    fn pan_never_loses_the_trace() {
        let mut view = Span { start: 0, end: 1000 };
        for _ in 0..10_000 {
            view = pan(view, -1.0, BOUNDS);
        }
        assert_eq!(view, Span { start: -500, end: 500 });
    }

    #[test]
    fn fit_leaves_room() {
        assert_eq!(fit(Span { start: 1000, end: 2000 }, BOUNDS), Span { start: 950, end: 2050 });
        assert_eq!(fit(Span { start: 5, end: 5 }, BOUNDS).len(), SHORTEST);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let all = Span { start: Ns::MIN, end: Ns::MAX };
        for view in
            [all, Span { start: Ns::MAX - 5, end: Ns::MAX }, Span { start: Ns::MIN, end: Ns::MIN + 5 }]
        {
            for factor in [0.1, 1.0, 10.0] {
                let _ = zoom(view, 0, factor, all);
                let _ = pan(view, factor, all);
                let _ = fit(view, all);
                let _ = center(view, Ns::MAX, all);
                let _ = column(view, 80, 0);
            }
        }
    }

    proptest! {
        #[test]
        fn columns_and_times_agree(start in -1000_i64..1000, len in 1_i64..5000, columns in 1_u16..300, part in 0.0_f64..1.0) {
            let view = Span { start, end: start + len };
            let t = start + ((len - 1) as f64 * part) as i64;
            let at = column(view, columns, t).expect("inside");
            prop_assert!(time(view, columns, at) <= t);
            prop_assert!(at + 1 == columns || t < time(view, columns, at + 1));
        }
    }
}
