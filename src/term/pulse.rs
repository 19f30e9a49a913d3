//! Owns the two facts that the loop and the terminal's threads share outside the channel, so that
//! a full channel can lose neither. Must not know what they are used for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared marks: "the screen no longer shows what was drawn" and "the loop is turning".
#[derive(Debug, Default)]
pub struct Pulse {
    stale: AtomicBool,
    turns: AtomicU64,
}

impl Pulse {
    /// Says that the screen was lost (resized, suspended, a frame cut short): draw all of it.
    pub fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    /// Takes the mark away and says whether it was there.
    pub fn take_stale(&self) -> bool {
        self.stale.swap(false, Ordering::AcqRel)
    }

    /// The loop tells that it has taken what was queued.
    pub fn turn(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the loop has turned.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }
}
