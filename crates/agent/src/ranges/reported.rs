//! Counts the ranges that libraries report by NVTX and ITT on a thread. A hook that compares the count before and after a call of a
//! framework knows whether the framework reported that range itself.

use std::cell::Cell;

thread_local! {
    /// Ranges that were reported on this thread, recorded or not. Wraps around.
    static REPORTED: Cell<u32> = const { Cell::new(0) };
    /// True where the next one is a range that the program itself names.
    static IS_OWN_NEXT: Cell<bool> = const { Cell::new(false) };
}

/// How many ranges were reported on this thread; takes back [`expect_own`].
pub fn reported() -> u32 {
    IS_OWN_NEXT.set(false);
    REPORTED.get()
}

/// How many ranges were reported on this thread. The next one, unless [`reported`] is called before, is one that the program itself
/// names.
pub fn expect_own() -> u32 {
    IS_OWN_NEXT.set(true);
    REPORTED.get()
}

/// Counts a range that is reported; true where the program itself names it.
pub fn count_report() -> bool {
    REPORTED.set(REPORTED.get().wrapping_add(1));
    IS_OWN_NEXT.take()
}
