//! Reconstructs exact start times from Paddle's JSON, whose `ts` is floored to 1 µs and whose offsets are
//! rounded.
//!
//! Paddle writes `ts` floored to a microsecond and, beside it, the offset of the start from that of the trace
//! as a float32 of microseconds with three decimals. Each event bounds the trace's true start, which is at
//! least `ts - offset` and at most 999 ns later. The intersection over all events gives it to a few
//! nanoseconds. Until the file ends, the `start` of a slice with `is_relative` holds its offset.
//!
//! Recordings of proftui in Paddle's form are neither floored nor rounded: all their events agree on the
//! start to the nanosecond.

use proftui_base::time::Ns;

/// From this offset on, ns, a float32 of microseconds is hardly more precise than a time floored to a
/// microsecond.
pub(super) const FLOAT_LIMIT: Ns = 8_000_000_000;
/// The most that flooring to a microsecond takes off, ns.
const FLOORED: Ns = 999;
/// The largest rounding error, ns, of an offset below [`FLOAT_LIMIT`]: half the distance of neighbouring
/// float32 numbers.
const ROUNDING: Ns = 250;

/// Bounds on the start of Paddle's trace, ns, gathered from its events.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockBounds {
    /// Start of the trace according to the first event alone, its `ts` less its offset, ns.
    first: Ns,
    /// The latest lower bound on the start of the trace, ns; `high` is the earliest upper bound.
    low: Ns,
    high: Ns,
    /// True when some time has digits below a microsecond.
    is_fine: bool,
}

impl ClockBounds {
    /// Narrows `bounds` (begun here if `None`) by one event's time `ts` and its `offset` from the start of
    /// the trace, both ns, if the offset is precise enough.
    #[inline]
    pub(super) fn narrow(bounds: &mut Option<Self>, ts: Ns, offset: Ns) {
        let low = ts.saturating_sub(offset);
        let bounds = bounds.get_or_insert(Self { first: low, low: Ns::MIN, high: Ns::MAX, is_fine: false });
        bounds.is_fine |= ts % 1_000 != 0;
        if offset < FLOAT_LIMIT {
            bounds.low = bounds.low.max(low);
            bounds.high = bounds.high.min(low.saturating_add(FLOORED));
        }
    }

    /// The intersection of both bounds; `other` must come from later events of the file.
    pub(super) fn with(self, other: Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Self { first: self.first, low, high, is_fine: self.is_fine || other.is_fine }
    }

    /// True where, as far as the bounds show, no time was floored or rounded.
    pub(super) fn is_exact(self) -> bool {
        self.is_fine && self.low.checked_add(FLOORED) == Some(self.high)
    }

    /// The start of the trace, ns, as far as known: usually the latest lower bound.
    pub(super) fn zero(self) -> Ns {
        let is_known = self.low != Ns::MIN && self.low.saturating_sub(self.high) <= 2 * ROUNDING;
        if is_known { self.low } else { self.first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trace's start by the floored times and the offsets of events.
    fn zero(events: &[(Ns, Ns)]) -> Option<Ns> {
        let mut bounds = None;
        events.iter().for_each(|&(ts, offset)| ClockBounds::narrow(&mut bounds, ts, offset));
        bounds.map(ClockBounds::zero)
    }

    #[test]
    fn bounds_that_cross_by_a_rounding_error_still_give_the_start() {
        let first = (5_000, 0);
        assert_eq!(zero(&[first, (7_000, 1_300)]), Some(5_700));
        assert_eq!(zero(&[first, (7_000, 1_000)]), Some(6_000), "1 ns beyond the first event's bound");
        assert_eq!(zero(&[first, (90_000, 1_000)]), Some(5_000), "not the same clock");
    }
}
