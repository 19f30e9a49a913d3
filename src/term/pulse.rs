//! Two shared values between the event loop and the terminal's threads: the mark that the screen is stale, and the number of rounds of
//! the loop. They get through even if the message channel is full. Must not know what they are used for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Two shared values: a mark that the screen no longer shows the last frame, and the number of rounds that the loop has made.
#[derive(Debug, Default)]
pub struct Pulse {
    stale: AtomicBool,
    rounds: AtomicU64,
}

impl Pulse {
    /// Marks the screen as stale (resized, suspended, a frame cut short): every cell must be drawn anew.
    pub fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    /// Removes the mark that the screen is stale; returns true if the screen was marked.
    pub fn take_stale(&self) -> bool {
        self.stale.swap(false, Ordering::AcqRel)
    }

    /// Counts one round of the loop, called when the loop has come back from waiting for messages.
    pub fn end_round(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }

    /// How many rounds the loop has made.
    pub fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }
}
