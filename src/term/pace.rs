//! Owns the timing of frames: at most one is being written at a time, and after each follows a pause as long as writing it took.
//! Must not know what a frame is or how it is written.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether and when the next frame may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePermit {
    /// A frame may be drawn at once.
    Now,
    /// A frame may be drawn after this time.
    After(Duration),
    /// A frame may be drawn once the present one is written; the writer then wakes the loop.
    WhenWritten,
}

#[derive(Debug, Default)]
struct State {
    /// When the writing of the present frame began; none if no frame is being written.
    started: Option<Instant>,
    /// True if the loop asked for a permit while a frame was being written.
    wanted: bool,
    /// When the pause after the last frame ends; none before the first frame is written.
    pause_until: Option<Instant>,
}

/// Decides when a frame may be drawn. The loop asks for a permit; the loop and the writing thread report when writing starts and
/// ends.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    longest_pause: Duration,
    state: Mutex<State>,
}

impl Pace {
    /// Sets the least time between the starts of two frames, and the longest pause after a frame.
    pub fn new(interval: Duration, longest_pause: Duration) -> Self {
        Self { interval, longest_pause, state: Mutex::default() }
    }

    /// Asks whether a frame may be drawn at the time `now`.
    pub fn permit(&self, now: Instant) -> FramePermit {
        let mut state = self.state();
        state.wanted = state.started.is_some();
        match state.pause_until {
            _ if state.wanted => FramePermit::WhenWritten,
            Some(until) if until > now => FramePermit::After(until - now),
            _ => FramePermit::Now,
        }
    }

    /// Records that writing a frame began at `now`.
    pub fn start(&self, now: Instant) {
        self.state().started = Some(now);
    }

    /// Records that the frame was completely written at `now`. Returns true if the loop asked for a permit in the meantime and
    /// must be woken.
    pub fn finish(&self, now: Instant) -> bool {
        let mut state = self.state();
        if let Some(started) = state.started.take() {
            let took = now.saturating_duration_since(started).min(self.longest_pause);
            state.pause_until = Some((started + self.interval).max(now + took));
        }
        std::mem::take(&mut state.wanted)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_slow_terminal_gets_a_pause_and_only_one_frame() {
        let (pace, start) = (Pace::new(16 * MS, 1000 * MS), Instant::now());
        assert_eq!(pace.permit(start), FramePermit::Now);
        pace.start(start);
        assert_eq!(pace.permit(start + 5 * MS), FramePermit::WhenWritten);
        assert!(pace.finish(start + 300 * MS), "the loop asked and is woken");
        assert_eq!(pace.permit(start + 400 * MS), FramePermit::After(200 * MS));
        assert_eq!(pace.permit(start + 600 * MS), FramePermit::Now);
    }

    #[test]
    fn a_fast_terminal_is_bound_by_the_interval_and_nobody_is_woken_in_vain() {
        let (pace, start) = (Pace::new(16 * MS, 1000 * MS), Instant::now());
        pace.start(start);
        assert!(!pace.finish(start + MS));
        assert_eq!(pace.permit(start + 6 * MS), FramePermit::After(10 * MS));
        pace.start(start);
        pace.finish(start + 60_000 * MS);
        assert_eq!(pace.permit(start + 60_000 * MS), FramePermit::After(1000 * MS), "a pause has an end");
    }
}
