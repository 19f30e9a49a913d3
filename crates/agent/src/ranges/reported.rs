//! Counts the ranges that libraries report by NVTX and ITT on a thread. A hook that compares the count before and after a call of a
//! framework knows whether the framework reported that range itself.

use std::cell::Cell;

thread_local! {
    /// How many ranges libraries reported on this thread, recorded or not. Wraps around.
    static REPORTED: Cell<u32> = const { Cell::new(0) };
    /// True if the next range that is reported on this thread is one that the program itself names.
    static IS_OWN_NEXT: Cell<bool> = const { Cell::new(false) };
}

/// How many ranges libraries reported on this thread, modulo 2^32. Cancels an [`expect_own`] that no report has followed yet.
pub fn reported() -> u32 {
    IS_OWN_NEXT.set(false);
    REPORTED.get()
}

/// Announces that the next range reported on this thread is one that the program itself names, unless [`reported`] cancels this.
/// Returns how many were reported so far, modulo 2^32.
pub fn expect_own() -> u32 {
    IS_OWN_NEXT.set(true);
    REPORTED.get()
}

/// Counts a range that a library reports on this thread; true if [`expect_own`] announced it as one that the program itself names.
pub fn count_report() -> bool {
    REPORTED.set(REPORTED.get().wrapping_add(1));
    IS_OWN_NEXT.take()
}
