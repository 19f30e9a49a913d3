//! Values over time at a fixed resolution: the time is divided into equal intervals, and a curve keeps the
//! largest value of each interval, which preserves every peak.
//!
//! Must not know how curves are drawn.

use proftui_base::time::{Ns, Span};

/// Number of intervals of equal length into which a curve's time is divided.
const INTERVALS: usize = 2048;

/// One or more series over the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The time that the curve covers.
    pub span: Span,
    /// The series; each covers all of `span`.
    pub series: Vec<Series>,
}

/// One value over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name of the value in the legend.
    pub title: &'static str,
    /// The time (ns) at which the series first has its largest value, and that value.
    pub peak: (Ns, i64),
    /// The largest value in each interval; `None` for intervals before the first value.
    largest: Vec<Option<i64>>,
}

impl Series {
    /// Creates a series from sorted times within `span`, ns, each with the value that holds from then on;
    /// `before` holds until the first. `None` without any value.
    pub fn new(
        title: &'static str,
        span: Span,
        before: Option<i64>,
        points: impl IntoIterator<Item = (Ns, i64)>,
    ) -> Option<Self> {
        let mut largest: Vec<Option<i64>> = vec![None; INTERVALS];
        let mut held = before;
        let mut peak = before.map(|bytes| (span.start, bytes));
        // The first interval whose largest value is not set yet.
        let mut open = 0;
        for (ts, bytes) in points {
            let at = interval(span, ts);
            if at >= open {
                largest[open..=at].fill(held);
                open = at + 1;
            }
            largest[at] = largest[at].max(Some(bytes));
            held = Some(bytes);
            if peak.is_none_or(|(_, most)| bytes > most) {
                peak = Some((ts, bytes));
            }
        }
        largest[open..].fill(held);
        Some(Self { title, peak: peak?, largest })
    }

    /// The largest value in each of `count` columns that divide the time about equally; `None` before the
    /// first value.
    pub fn columns(&self, count: usize) -> Vec<Option<i64>> {
        let column = |x: usize| {
            let from = x * INTERVALS / count;
            let to = ((x + 1) * INTERVALS).div_ceil(count).min(INTERVALS);
            self.largest[from..to].iter().copied().max().flatten()
        };
        (0..count).map(column).collect()
    }
}

/// The index of the interval that contains a time, clamped to the span.
fn interval(span: Span, ts: Ns) -> usize {
    let (offset, len) = (ts.saturating_sub(span.start).max(0), span.len().max(1));
    let at = i128::from(offset) * INTERVALS as i128 / i128::from(len);
    usize::try_from(at).unwrap_or(INTERVALS).min(INTERVALS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_holds_until_the_next_and_a_short_peak_shows() {
        let span = Span { start: 0, end: 1_000_000 };
        let points = [(0, 5), (500_000, 90), (500_001, 7)];
        let series = Series::new("", span, None, points).expect("values");
        assert_eq!(series.peak, (500_000, 90));
        assert_eq!(series.columns(4), [Some(5), Some(5), Some(90), Some(7)]);
        let late = Series::new("", span, None, [(600_000, 3)]).expect("a value");
        assert_eq!(late.columns(2), [None, Some(3)]);
        let held = Series::new("", span, Some(8), [(600_000, 3)]).expect("a value");
        assert_eq!((held.columns(2), held.peak), (vec![Some(8), Some(8)], (0, 8)));
        assert_eq!(Series::new("", span, None, []), None);
    }

    proptest! {
        #[test]
        fn no_column_shows_less_than_held(
            mut points in proptest::collection::vec((0_i64..10_000, -50_i64..50), 1..40),
            count in 1_usize..300,
        ) {
            points.sort_by_key(|point| point.0);
            let span = Span { start: 0, end: 10_000 };
            let series = Series::new("", span, None, points.iter().copied()).expect("values");
            let columns = series.columns(count);
            for &(ts, bytes) in &points {
                let x = (ts as usize * count / 10_000).min(count - 1);
                prop_assert!(columns[x] >= Some(bytes));
            }
            let most = points.iter().map(|point| point.1).max();
            prop_assert_eq!(columns.into_iter().max().flatten(), most);
            prop_assert_eq!(Some(series.peak.1), most);
        }
    }
}
