//! Bytes over time, thinned out once: for each small stretch of time the most that held in it, so that no peak is lost.
//!
//! Must not know how curves are drawn.

use crate::base::time::{Ns, Span};

/// Stretches that the time is divided into; more than a screen has columns.
const STRETCHES: usize = 2048;

/// Several lines over the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The time, ns.
    pub span: Span,
    /// The lines.
    pub series: Vec<Series>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it shows.
    pub title: &'static str,
    /// The most it ever was, and when first.
    pub peak: (Ns, i64),
    /// The most in each stretch of time; nothing before the first value.
    most: Vec<Option<i64>>,
}

impl Series {
    /// Values that each hold until the next, in order of time within `span`; `before` is what held at its start. Nothing
    /// where there are no values.
    pub fn new(
        title: &'static str,
        span: Span,
        before: Option<i64>,
        points: impl IntoIterator<Item = (Ns, i64)>,
    ) -> Option<Self> {
        let mut most: Vec<Option<i64>> = vec![None; STRETCHES];
        let mut held = before;
        let mut peak = before.map(|bytes| (span.start, bytes));
        // The first stretch that does not yet know what held in it.
        let mut open = 0;
        for (ts, bytes) in points {
            let at = stretch(span, ts);
            if at >= open {
                most[open..=at].fill(held);
                open = at + 1;
            }
            most[at] = most[at].max(Some(bytes));
            held = Some(bytes);
            if peak.is_none_or(|(_, most)| bytes > most) {
                peak = Some((ts, bytes));
            }
        }
        most[open..].fill(held);
        Some(Self { title, peak: peak?, most })
    }

    /// The most in each of `count` columns of equal time: no column shows less than what held in it, and a value may show
    /// in a column's neighbour, too, where it is closer than a two-thousandth of the time.
    pub fn columns(&self, count: usize) -> Vec<Option<i64>> {
        let column = |x: usize| {
            let from = x * STRETCHES / count;
            let to = ((x + 1) * STRETCHES).div_ceil(count).min(STRETCHES);
            self.most[from..to].iter().copied().max().flatten()
        };
        (0..count).map(column).collect()
    }
}

/// The stretch that an instant lies in.
fn stretch(span: Span, ts: Ns) -> usize {
    let (offset, len) = (ts.saturating_sub(span.start).max(0), span.len().max(1));
    let at = i128::from(offset) * STRETCHES as i128 / i128::from(len);
    usize::try_from(at).unwrap_or(STRETCHES).min(STRETCHES - 1)
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
