//! A mark that the terminal's threads set for the event loop: that the screen is stale. It gets through even
//! if the message channel is full. Must not know what it is used for.

use std::sync::atomic::{AtomicBool, Ordering};

/// A mark, which any thread can set, that the screen may no longer show the last frame.
#[derive(Debug, Default)]
pub struct Pulse {
    stale: AtomicBool,
}

impl Pulse {
    /// Marks the screen as stale: the next frame must draw every cell anew.
    pub fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    /// Removes the mark that the screen is stale; returns true if the screen was marked.
    pub fn take_stale(&self) -> bool {
        self.stale.swap(false, Ordering::AcqRel)
    }
}
