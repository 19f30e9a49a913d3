//! The capture interval: the times of one cycle, by which a record is kept or not. A record belongs to the
//! cycle if it began in the interval, whenever it arrives.
//!
//! Device work lags behind the program: what was launched in the cycle may begin after the cycle's end. So
//! there are two ends: one for the program's calls, and a later one for device work, the moment at which the
//! devices had been synchronized.

use crate::clock;

/// A cycle's number, and the times between which its records begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CaptureInterval {
    /// Number of the cycle; 0 if no cycle is recorded.
    pub cycle: u64,
    /// Start of the cycle, ns, inclusive.
    pub start: u64,
    /// End of the cycle for events on the host, such as calls of the program, ns, exclusive; [`u64::MAX`]
    /// until the cycle has ended.
    pub end: u64,
    /// End of the cycle for device work and device events, ns, exclusive; [`u64::MAX`] until it is known.
    pub device_end: u64,
    /// Offset of the records' clock from the monotonic clock, ns, to be subtracted from the records' times.
    pub clock_offset: u64,
}

impl CaptureInterval {
    /// The empty interval: no cycle is recorded.
    pub(super) const NONE: Self = Self { cycle: 0, start: 0, end: 0, device_end: 0, clock_offset: 0 };

    /// The interval of cycle `cycle`, which begins at `start`, ns, and has not ended. `is_wall_clock`: the
    /// records have wall-clock times.
    pub(super) fn new(cycle: u64, start: u64, is_wall_clock: bool) -> Self {
        let clock_offset = if is_wall_clock { wall_clock_offset() } else { 0 };
        Self { cycle, start, end: u64::MAX, device_end: u64::MAX, clock_offset }
    }

    /// Converts a record's time to the monotonic clock; 0 (unknown) stays 0.
    #[inline]
    pub(super) fn time(&self, time: u64) -> u64 {
        if time == 0 { 0 } else { time.wrapping_sub(self.clock_offset) }
    }

    /// True if an event on the host that began at `time`, ns of the monotonic clock, belongs to the cycle.
    #[inline]
    pub(super) fn has_call(&self, time: u64) -> bool {
        self.cycle != 0 && time >= self.start && time < self.end
    }

    /// True if device work or a device event that began at `time`, ns of the monotonic clock, belongs to the
    /// cycle.
    #[inline]
    pub(super) fn has_work(&self, time: u64) -> bool {
        self.cycle != 0 && time >= self.start && time < self.device_end
    }
}

/// Offset of the wall clock from the monotonic clock now, ns.
fn wall_clock_offset() -> u64 {
    let (time, wall) = clock::anchor();
    wall.wrapping_sub(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_what_began_in_it() {
        let interval = CaptureInterval { end: 20, device_end: 30, ..CaptureInterval::new(1, 10, false) };
        assert!(!interval.has_call(9) && interval.has_call(10));
        assert!(interval.has_call(19) && !interval.has_call(20));
        assert!(!interval.has_work(9) && interval.has_work(10));
        assert!(interval.has_work(29) && !interval.has_work(30));
        assert!(!interval.has_work(interval.time(0)), "an unknown time is in no interval");
        assert!(!CaptureInterval::NONE.has_work(0) && !CaptureInterval::NONE.has_call(0));
        let interval = CaptureInterval::new(1, 10, true);
        let (time, wall) = clock::anchor();
        assert!(interval.time(wall).abs_diff(time) < 1_000_000_000, "converted to the monotonic clock");
    }
}
