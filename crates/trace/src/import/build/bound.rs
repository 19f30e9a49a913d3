//! The limits of a load: time range and memory.

use crate::model::Origin;
use proftui_base::time::Ns;

use crate::import::build::limit::time_range::TimeRange;

/// An estimate of the bytes that loading takes for a file of any size: buffers, tables, the program.
pub(in crate::import) const BASE: u64 = 40 << 20;
/// The smallest limit for the memory of events, bytes.
const SMALLEST_LIMIT: u64 = 6 << 20;

/// The limits of a load, and how many events were left out for them.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Bound {
    pub range: TimeRange,
    /// Most bytes that loading may take; `None` without a limit.
    pub limit: Option<u64>,
    /// Bytes of `limit` set aside for inflating.
    pub inflating: u64,
    /// True when snapshots of the trace are shown while it is loaded.
    pub has_snapshots: bool,
    /// Number of events left out, because of `range` or to save memory.
    pub outside: u64,
    /// The position from which on events are left out to save memory; `None` while all fit.
    pub until: Option<Key>,
}

impl Bound {
    /// Most bytes that events may take, by the estimate of [`footprint`](super::TraceBuilder::footprint);
    /// `None` without a limit.
    pub(super) fn for_events(&self) -> Option<u64> {
        let events = self.limit?.saturating_sub(BASE + self.inflating) / 4 * 3;
        let events = if self.has_snapshots { events / 4 * 3 } else { events };
        Some(events.max(SMALLEST_LIMIT))
    }

    /// True when the memory limit leaves room for a snapshot of events that take `footprint` bytes.
    pub(in crate::import) fn has_room_for_snapshot(&self, footprint: u64) -> bool {
        self.for_events().is_none_or(|events| footprint <= events / 6)
    }
}

/// What was done, while the open file was read, to keep within the memory limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shed {
    /// True once events were dropped while the open file was read.
    pub is_cut: bool,
    /// True when strings and lanes were numbered anew while the open file was read.
    pub is_renumbered: bool,
    /// The estimate of memory, bytes, above which the limit is checked again; 0 while nothing was done.
    pub check_from: u64,
}

/// The position of an event in the order in which events are kept: by time, then by origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) struct Key(u128);

impl Key {
    /// The position before all events.
    pub(super) const FIRST: Self = Self(0);
    /// The position behind all events.
    pub(super) const LAST: Self = Self(u128::MAX);

    #[inline]
    pub(super) fn new(ts: Ns, origin: Origin) -> Self {
        Self(u128::from(ts.cast_unsigned() ^ 1 << 63) << 64 | u128::from(origin.bits()))
    }

    /// The position of records at `ts` (ns) that have no origin: behind all events at `ts` that have one.
    #[inline]
    pub(super) fn behind(ts: Ns) -> Self {
        Self::new(ts, Origin::NONE)
    }

    /// The time of the position, ns.
    pub(super) fn ts(self) -> Ns {
        ((self.0 >> 64) as u64 ^ 1 << 63).cast_signed()
    }

    /// The first position that has the same time as this one.
    pub(super) fn with_its_time(self) -> Self {
        Self(self.0 >> 64 << 64)
    }

    /// The last time, ns, at which there may be an event before this position.
    pub(super) fn last_before(self) -> Ns {
        Self(self.0.saturating_sub(1)).ts()
    }

    /// The position behind all events at the time that is `by` ns after this position's.
    pub(super) fn later(self, by: Ns) -> Self {
        Self::behind(self.ts().saturating_add(by))
    }

    pub(super) fn bits(self) -> u128 {
        self.0
    }

    pub(super) fn from_bits(bits: u128) -> Self {
        Self(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_order_of_time_then_of_origin() {
        let keys = [
            Key::new(Ns::MIN, Origin::new(0, 9)),
            Key::new(-1, Origin::new(3, 9)),
            Key::new(0, Origin::new(0, 9)),
            Key::new(0, Origin::new(1, 0)),
            Key::behind(0),
            Key::new(1, Origin::new(0, 0)),
            Key::behind(Ns::MAX),
        ];
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert_eq!(keys.map(Key::ts), [Ns::MIN, -1, 0, 0, 0, 1, Ns::MAX]);
        assert!(Key::FIRST < keys[0] && keys[6] <= Key::LAST);
    }

    #[test]
    fn events_get_what_the_others_leave() {
        let mut bound = Bound { limit: Some(BASE + (400 << 20)), ..Bound::default() };
        assert_eq!(bound.for_events(), Some(300 << 20));
        bound.has_snapshots = true;
        assert_eq!(bound.for_events(), Some(225 << 20));
        bound.inflating = 1 << 40;
        assert_eq!(bound.for_events(), Some(SMALLEST_LIMIT));
        assert_eq!(Bound::default().for_events(), None);
    }
}
