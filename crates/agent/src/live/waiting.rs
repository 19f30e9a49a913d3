//! The time for which each thread has waited for data, which is measured even when nothing is recorded. The
//! thread that ends steps takes its own sum with each step. Must not know which ranges are waits, nor what a
//! step is.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::counts::set_waited;

/// Measures the time that one thread has waited for data.
struct Waiting {
    /// How many ranges of Python's hooks are open inside the thread's outermost wait for data, the wait
    /// included; 0 outside of a wait.
    depth: Cell<u32>,
    /// When the outermost wait began, or, if that is later, when [`take`] last took the time of the wait, ns.
    began: Cell<u64>,
    /// How long the thread has waited, less what [`take`] and [`take_part`] took, ns, without a wait that is
    /// still going on.
    sum: Cell<u64>,
}

thread_local! {
    static WAITING: Waiting =
        const { Waiting { depth: Cell::new(0), began: Cell::new(0), sum: Cell::new(0) } };
}

/// Address of the `WAITING` of the thread that called [`take`] last, which counts as the one that ends steps;
/// 0 before the first call.
static STEPPER: AtomicUsize = AtomicUsize::new(0);

/// How many ranges of Python's hooks are open inside this thread's outermost wait for data, the wait
/// included; 0 outside of a wait.
#[inline]
pub(crate) fn depth() -> u32 {
    WAITING.with(|waiting| waiting.depth.get())
}

/// Begins a wait for data of this thread, or a range within one, at the time `now`, ns; `depth` is what
/// [`depth`] returned.
#[inline]
pub(crate) fn begin(depth: u32, now: u64) {
    WAITING.with(|waiting| {
        if depth == 0 {
            waiting.began.set(now);
        }
        waiting.depth.set(depth.saturating_add(1));
    });
}

/// Ends the wait for data of this thread, or the innermost range within it, at the time `now`, ns; `depth` is
/// what [`depth`] returned, at least 1.
#[inline]
pub(crate) fn end(depth: u32, now: u64) {
    WAITING.with(|waiting| {
        waiting.depth.set(depth - 1);
        if depth == 1 {
            waiting.sum.set(waiting.sum.get() + now.saturating_sub(waiting.began.get()));
            if STEPPER.load(Ordering::Relaxed) == ptr::from_ref(waiting).addr() {
                set_waited(waiting.sum.get());
            }
        }
    });
}

/// Returns the time that this thread has waited for data until `now`, ns, and that was not taken yet.
/// Remembers the thread as the one that ends steps.
pub(crate) fn take(now: u64) -> u64 {
    WAITING.with(|waiting| {
        STEPPER.store(ptr::from_ref(waiting).addr(), Ordering::Relaxed);
        let mut sum = waiting.sum.take();
        if waiting.depth.get() > 0 {
            sum += now.saturating_sub(waiting.began.replace(now));
        }
        sum
    })
}

/// The time that this thread has waited for data and that was not taken yet, ns, without a wait that is still
/// going on.
pub(crate) fn sum() -> u64 {
    WAITING.with(|waiting| waiting.sum.get())
}

/// Subtracts `part` ns from the time that [`sum`] returns, or all of that time if it is less; returns what
/// was subtracted.
pub(crate) fn take_part(part: u64) -> u64 {
    WAITING.with(|waiting| {
        let part = part.min(waiting.sum.get());
        waiting.sum.set(waiting.sum.get() - part);
        part
    })
}

/// In the child of a fork, sets the time that this thread waited for data to 0, and ends a wait that is going
/// on.
pub(crate) fn forget() {
    WAITING.with(|waiting| {
        waiting.depth.set(0);
        waiting.sum.set(0);
    });
}
