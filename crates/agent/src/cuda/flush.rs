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

/// Stands for an answer that CUPTI has not given.
const UNANSWERED: u64 = u64::MAX;
/// How long records that a flush delivers late are waited for at most, by sleeping `LATE_PAUSE` at a time.
const LATE: Duration = Duration::from_millis(500);
const LATE_PAUSE: Duration = Duration::from_millis(2);

/// Makes all flushes.
static FLUSHES: Helper = Helper::new();
/// How many records CUPTI has dropped since a cycle was closed last.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// How a flush ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flushed {
    /// CUPTI has answered with this result; 0 is success.
    Answered(u32),
    /// CUPTI has not answered in time.
    TooLate,
}

/// True while a flush goes on for which the program has waited as long as it may.
pub(super) fn is_late() -> bool {
    FLUSHES.is_late()
}

/// Makes a flush on the helper's thread, and does not wait for it; does nothing while another one goes on.
pub(super) fn begin(flush: impl FnOnce() + Send + 'static) {
    FLUSHES.begin(flush);
}

/// Makes other calls of CUPTI on the helper's thread, and waits for them until `until`; false if an earlier
/// flush has not returned by then.
pub(super) fn make(until: Instant, calls: impl FnOnce() + Send + 'static) -> bool {
    FLUSHES.run(until, calls) != Outcome::Busy
}

/// Waits for a flush that was given up, until `until` at most.
pub(super) fn wait_for_late(until: Instant) {
    while FLUSHES.is_late() && Instant::now() < until {
        thread::sleep(LATE_PAUSE);
    }
}

/// Makes the flush of a cycle, until `deadline` at most, and reports one that takes longer. `flush` returns
/// CUPTI's answer and how many records CUPTI has dropped; none if it could not be made in time.
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

/// How many records CUPTI has dropped since this was asked last.
pub(super) fn take_dropped() -> u64 {
    DROPPED.swap(0, Ordering::Relaxed)
}

/// How many records of a cycle CUPTI has not delivered; waits a little for them, but not after `deadline`.
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
