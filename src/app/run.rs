//! What the jobs of all kinds have in common.
//!
//! Must not know which kinds there are.

/// Work that may take too long for the thread that draws.
pub trait Run: Clone {
    /// The result of the work.
    type Done;
    /// True if running work is cancelled once its result is not wanted any more.
    const IS_CANCELLED: bool = true;
    /// The estimated processor time of the work, ns; `u64::MAX` for work that must not run on the thread that
    /// draws.
    fn cost(&self) -> u64;
    /// Does the work and returns its result; unwinds the stack if it notices that the work is cancelled.
    fn run(self) -> Self::Done;
    /// True if the result of this work is known to serve for `other`, too.
    fn is_same(&self, other: &Self) -> bool;
}
