//! Owns the two facts that the loop and the terminal's threads share outside the channel, so that
//! a full channel can lose neither. Must not know what they are used for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared marks: that the screen no longer shows what was drawn, and how many rounds the loop has made.
#[derive(Debug, Default)]
pub struct Pulse {
    stale: AtomicBool,
    rounds: AtomicU64,
}

impl Pulse {
    /// Marks the screen as lost (resized, suspended, a frame cut short): all of it must be drawn.
    pub fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    /// Removes that mark; returns whether it was there.
    pub fn take_stale(&self) -> bool {
        self.stale.swap(false, Ordering::AcqRel)
    }

    /// Counts a round of the loop: it has come back from waiting for messages.
    pub fn end_round(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }

    /// How many rounds the loop has made.
    pub fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }
}
