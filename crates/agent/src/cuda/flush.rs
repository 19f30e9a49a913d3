//! Has CUPTI deliver its records, on a thread of our own: the program waits for it, but not for ever. What
//! calls CUPTI is given by `session`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::functions::Functions;
use super::helper::{Helper, Outcome};
use super::sink;
use super::waiting::{self, Waited};
use crate::cuda::buffers::lent;

/// Stands for CUPTI's answer to a flush while there is none; CUPTI's own answers have 32 bits.
const UNANSWERED: u64 = u64::MAX;
/// How long records that are still in CUPTI's buffers after a flush are waited for at most.
const LATE: Duration = Duration::from_millis(500);
const LATE_PAUSE: Duration = Duration::from_millis(2);

/// The recorder's thread for flushes, and for other calls of CUPTI that may take long.
static FLUSHES: Helper = Helper::new();
/// How many records CUPTI has dropped, as flushes reported since the last call of [`take_dropped`].
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// How the flush of a cycle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flushed {
    /// CUPTI has answered with this result; 0 is success.
    Answered(u32),
    /// CUPTI has not answered in time, or could not be called.
    TooLate,
}

/// True while a call on the recorder's thread for flushes is late: the program has given up waiting for it.
pub(super) fn is_late() -> bool {
    FLUSHES.is_late()
}

/// Has `flush` called on the recorder's thread for flushes, and does not wait for it. Does nothing if the
/// thread is busy or cannot be started.
pub(super) fn begin(flush: impl FnOnce() + Send + 'static) {
    FLUSHES.begin(flush);
}

/// Has `calls` made, usually on the recorder's thread for flushes and with a wait until `until` at most.
/// False if they will not be made.
pub(super) fn make(until: Instant, calls: impl FnOnce() + Send + 'static) -> bool {
    FLUSHES.run(until, calls) != Outcome::Busy
}

/// Waits, until `until` at most, for a late call on the recorder's thread for flushes ([`is_late`]).
pub(super) fn wait_for_late(until: Instant) {
    while FLUSHES.is_late() && Instant::now() < until {
        thread::sleep(LATE_PAUSE);
    }
}

/// Has `flush` called for cycle `cycle` if possible, usually on the recorder's thread for flushes and with a
/// wait until `deadline` at most. `flush` returns CUPTI's answer and the number of records that CUPTI
/// dropped; `None` if CUPTI could not be called.
pub(super) fn run(
    cycle: u64,
    deadline: Instant,
    flush: impl FnOnce() -> Option<(u32, u64)> + Send + 'static,
) -> Flushed {
    let begun = Instant::now();
    let answer = Arc::new(AtomicU64::new(UNANSWERED));
    let answered = Arc::clone(&answer);
    let outcome = FLUSHES.run(deadline, move || {
        if let Some((answer, dropped)) = flush() {
            DROPPED.fetch_add(dropped, Ordering::Relaxed);
            answered.store(answer.into(), Ordering::Release);
        }
    });
    match (u32::try_from(answer.load(Ordering::Acquire)), outcome) {
        (Ok(answer), _) => return Flushed::Answered(answer),
        (Err(_), Outcome::Busy) if begun.elapsed() < LATE_PAUSE => {
            waiting::report(cycle, &Waited::NotRecords);
        }
        (Err(_), _) => waiting::report(cycle, &Waited::Records(begun.elapsed())),
    }
    Flushed::TooLate
}

/// Returns how many records CUPTI has dropped, as flushes reported since the last call of this function.
pub(super) fn take_dropped() -> u64 {
    DROPPED.swap(0, Ordering::Relaxed)
}

/// Waits for the records of cycle `cycle` that CUPTI still holds, until `deadline` at most, and returns how
/// many are left. `with_unfinished`: records of work without a known end count, too.
pub(super) fn undelivered(cupti: &Functions, with_unfinished: bool, cycle: u64, deadline: Instant) -> u64 {
    let until = deadline.min(Instant::now() + LATE);
    loop {
        let Some(interval) = sink::interval(cycle) else { return 0 };
        let count = lent::count(cupti, &interval, with_unfinished);
        if count == 0 || Instant::now() >= until {
            return count;
        }
        thread::sleep(LATE_PAUSE);
    }
}
