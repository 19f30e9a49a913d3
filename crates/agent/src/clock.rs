//! The monotonic clock in ns, the clocks of processor time, and readings of the wall clock at a known time of
//! the monotonic one.

#![allow(
    unsafe_code,
    reason = "clock_gettime is called without the checks of Instant, which cannot be written to a file"
)]

/// How often [`anchor`] reads the clocks; the reading that took the least time is used.
const BRACKETS: usize = 64;

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of our own; the clocks exist on every Linux, so it is filled.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Time of the monotonic clock (`CLOCK_MONOTONIC`), ns.
#[inline]
pub(crate) fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// For how long this thread was on a processor so far, ns.
pub(crate) fn of_thread() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// For how long the threads of this process were on processors so far, summed, ns.
pub(crate) fn of_process() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Time of the wall clock since 1970, ns.
pub(crate) fn wall() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// Returns the times of the monotonic clock and of the wall clock (since 1970) at nearly the same moment, ns.
pub(crate) fn anchor() -> (u64, u64) {
    let bracket = |_| {
        let (before, wall, after) = (now(), wall(), now());
        (after - before, before + (after - before) / 2, wall)
    };
    (0..BRACKETS).map(bracket).min().map_or((now(), 0), |(_, time, wall)| (time, wall))
}
