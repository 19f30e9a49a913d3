//! What the jobs of all kinds have in common.
//!
//! Must not know which kinds there are.

/// Work that may take too long for the thread that draws.
pub trait Run: Clone {
    /// The result of the work.
    type Done;
    /// True if the work ends soon after it is cancelled; other work waits for its end.
    const IS_CANCELLED: bool = true;
    /// The estimated processor time of the work, ns; the largest number where it waits for a disk.
    fn cost(&self) -> u64;
    /// Does the work on this thread.
    fn run(self) -> Self::Done;
    /// True if both have the same result.
    fn is_same(&self, other: &Self) -> bool;
}
