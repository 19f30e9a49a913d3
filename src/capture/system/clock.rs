//! Reads the monotonic clock, by which the agent records, and its offset to the wall clock. Also the interval
//! at which files are read.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The usual interval at which a run's files are read and GPUs are sampled.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// Reads the monotonic clock, ns.
pub fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// Reads both clocks and returns the clock offset: the wall clock (ns since 1970) less the monotonic clock,
/// ns.
pub fn clock_offset() -> i64 {
    let wall = clock_gettime(ClockId::Realtime);
    wall.tv_sec * 1_000_000_000 + wall.tv_nsec - monotonic().cast_signed()
}

/// Converts `time` of the monotonic clock, ns, to ns since 1970 by a clock offset; returns `time` unchanged
/// if the sum is below 0 or overflows.
pub fn to_wall(time: u64, clock_offset: i64) -> u64 {
    time.checked_add_signed(clock_offset).unwrap_or(time)
}
