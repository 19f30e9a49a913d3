//! Times of Paddle's JSON as nanoseconds since 1970.
//!
//! An event's `ts` is floored to a microsecond; `start_time` and `end_time` are relative to the trace's
//! start, in single precision. All events together give the trace's start to a few nanoseconds.

use super::document::Event;
use proftui_base::saturate::saturate;

/// Relative start, ns, from which on relative times are too imprecise to use.
const FLOAT_LIMIT: i64 = 8_000_000_000;
/// Relative times of this size and more are not used, µs: Paddle printed negative differences as unsigned.
const WRAPPED: f64 = 1e12;
/// The most by which rounding alone can make the bounds on the trace's start contradict each other, ns.
const CROSSED: i64 = 500;
/// The most that flooring a time to a microsecond takes off, ns.
const FLOORED: i64 = 999;

/// The times that the file states of one event, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    /// Start, ns since 1970, which Paddle floors to a microsecond.
    ts: i64,
    dur: i64,
    /// Start and end, ns since the trace's start, rounded to single precision by Paddle; `None` where they
    /// are missing or invalid.
    relative: Option<(i64, i64)>,
}

/// Parses a relative time such as `12.345 us` into ns; `None` if it is missing, malformed or wrapped (see
/// [`WRAPPED`]).
fn relative(text: Option<&String>) -> Option<i64> {
    let us: f64 = text?.strip_suffix(" us")?.parse().ok()?;
    (us.abs() < WRAPPED).then(|| saturate::<i64>((us * 1e3).round()))
}

impl Times {
    /// Reads the times of an event; `None` if it has no start, or one before 1970.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let ns = |us: f64| saturate::<i64>((us * 1e3).round());
        // Whole microseconds since 1970 are exact as doubles; their product with 1000 would not be.
        let ts = event.ts.filter(|ts| ts.is_finite() && *ts >= 0.0)?;
        let ts = saturate::<i64>(ts.trunc()).saturating_mul(1_000).saturating_add(ns(ts.fract()));
        let relative = relative(event.args.start_time.as_ref()).zip(relative(event.args.end_time.as_ref()));
        let dur = event.dur.map_or(0, ns).max(0);
        Some(Self { ts, dur, relative: relative.filter(|(start, end)| start <= end) })
    }

    fn precise(self) -> Option<(i64, i64)> {
        self.relative.filter(|&(start, _)| start < FLOAT_LIMIT)
    }
}

/// The spacing of single-precision microseconds at a relative time (ns), in ns, rounded up.
fn step(relative: i64) -> i64 {
    let us = saturate::<f32>(relative.unsigned_abs() as f64 / 1e3);
    let step = f64::from(f32::from_bits(us.to_bits() + 1)) - f64::from(us);
    saturate::<i64>((step * 1e3).ceil()).max(1)
}

/// The earliest and latest possible start, and the earliest and latest possible end, of an event, ns since
/// the trace's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub start: (i64, i64),
    pub end: (i64, i64),
}

impl Bounds {
    /// The bounds of a thread's root, which hold every event.
    pub(super) const ALL: Self = Self { start: (i64::MIN, i64::MIN), end: (i64::MAX, i64::MAX) };

    /// True if an event with the bounds `inner` can be inside an event with these bounds.
    pub(super) fn holds(self, inner: Self) -> bool {
        self.start.0 <= inner.start.1 && inner.end.0 <= self.end.1
    }
}

/// The start of a trace, and the largest error of the times of its slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// The trace's start, ns since 1970.
    zero: i64,
    /// The most by which Paddle's rounding can have changed a slice's time, ns; at least 1.
    pub error: i64,
}

impl Clock {
    /// Finds the start of the trace and the largest error from the times of all slices.
    pub(super) fn of(all: impl Iterator<Item = Times>) -> Self {
        let (mut low, mut high, mut first, mut error) = (i64::MIN, i64::MAX, None, 1);
        for times in all {
            let Some((start, end)) = times.precise() else {
                error = error.max(FLOORED);
                first.get_or_insert(times.ts);
                continue;
            };
            let zero = times.ts.saturating_sub(start);
            first.get_or_insert(zero);
            low = low.max(zero);
            high = high.min(zero.saturating_add(FLOORED));
            error = error.max(step(end).min(FLOORED));
        }
        // Where the bounds contradict each other by more than rounding, the first event decides.
        let is_known = low != i64::MIN && low.saturating_sub(high) <= CROSSED;
        let zero = if is_known { low } else { first.unwrap_or_default() };
        Self { zero, error }
    }

    /// Start and end of an event, ns since 1970.
    pub(super) fn span(self, times: Times) -> (u64, u64) {
        let start = times.precise().map_or(times.ts, |(start, _)| self.zero.saturating_add(start)).max(0);
        (saturate::<u64>(start), saturate::<u64>(start.saturating_add(times.dur)))
    }

    /// Bounds on start and end of an event, ns since the trace's start, for comparisons between events of a
    /// thread.
    pub(super) fn bounds(self, times: Times) -> Bounds {
        if let Some((start, end)) = times.precise() {
            return Bounds { start: (start, start), end: (end, end) };
        }
        let start = times.ts.saturating_sub(self.zero);
        let end = start.saturating_add(times.dur);
        Bounds { start: (start, start.saturating_add(FLOORED)), end: (end, end.saturating_add(FLOORED)) }
    }

    /// Bounds on the time of an instant, ns since the trace's start, by its `ts` alone.
    pub(super) fn floored(self, times: Times) -> Bounds {
        self.bounds(Times { relative: None, ..times })
    }

    /// The time of an instant, ns since 1970: its `ts`.
    pub(super) fn instant(times: Times) -> u64 {
        saturate::<u64>(times.ts)
    }

    /// The most by which rounding makes events overlap that did not overlap, ns.
    pub(super) fn tolerance(self) -> u64 {
        saturate::<u64>(3 * self.error + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(ts: i64, start: i64, dur: i64) -> Times {
        Times { ts, dur, relative: Some((start, start + dur)) }
    }

    #[test]
    fn all_events_give_the_start() {
        let of = |start: i64| times((1_000_000_000_123_456 + start) / 1_000 * 1_000, start, 5);
        let clock = Clock::of([of(0), of(700), of(1_999)].into_iter());
        assert!((0..=456).contains(&(1_000_000_000_123_456 - clock.zero)), "{clock:?}");
        let clock = Clock::of((0..1000).map(of));
        assert_eq!(clock.span(of(10)), (1_000_000_000_123_466, 1_000_000_000_123_471));
    }

    #[test]
    fn bounds_hold_what_may_be_inside() {
        let exact = |start: i64, end: i64| Bounds { start: (start, start), end: (end, end) };
        assert!(exact(5, 9).holds(exact(5, 9)) && Bounds::ALL.holds(exact(0, 9)));
        assert!(!exact(5, 9).holds(exact(5, 10)) && !exact(5, 9).holds(exact(4, 9)));
        let floored = |start: i64, end: i64| Bounds { start: (start, start + 999), end: (end, end + 999) };
        assert!(
            floored(1000, 1500).holds(floored(1000, 2400)) && !floored(1000, 1500).holds(floored(1000, 2500))
        );
    }

    #[test]
    fn late_events_are_as_exact_as_their_ts() {
        assert_eq!([step(1_000_000), step(25_000_000), step(9_000_000_000)], [1, 2, 1000]);
        let late = times(20_000_000_000, 9_000_000_400, 700);
        assert_eq!(Clock::of([late].into_iter()).span(late), (20_000_000_000, 20_000_000_700));
    }

    #[test]
    fn times_that_wrapped_are_not_used() {
        let text = |text: &str| relative(Some(&text.to_owned()));
        assert_eq!(text("2093.895 us"), Some(2_093_895));
        assert_eq!(text("-1.5 us"), Some(-1_500));
        assert_eq!(text("18446744073709552.000 us"), None);
        assert_eq!(text("soon"), None);
    }
}
