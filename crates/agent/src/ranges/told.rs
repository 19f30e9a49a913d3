//! Ranges that libraries tell on a thread, counted: who sees a range begin elsewhere can tell whether it is told here, too.

use std::cell::Cell;

thread_local! {
    /// Ranges told on this thread, recorded or not.
    static TOLD: Cell<u32> = const { Cell::new(0) };
    /// True where the next one is the program's own, by a name that it gave.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// How many were told on this thread.
pub fn told() -> u32 {
    IS_OWN.set(false);
    TOLD.get()
}

/// The same; and the next one, up to the next look at the count, is one that the program names itself.
pub fn expect() -> u32 {
    IS_OWN.set(true);
    TOLD.get()
}

/// One is told; true where the program named it itself.
pub fn tell() -> bool {
    TOLD.set(TOLD.get().wrapping_add(1));
    IS_OWN.take()
}
