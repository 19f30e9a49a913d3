//! Owns the rhythm of frames: at most one is being written, and after it comes a pause as long as writing it took.
//! Must not know what a frame is or how it is written.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether a frame may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePermit {
    /// A frame may be drawn at once.
    Now,
    /// A frame may be drawn after this time.
    After(Duration),
    /// When the frame that is being written is done; the loop will be woken.
    WhenWritten,
}

#[derive(Debug, Default)]
struct State {
    /// Since when a frame is being written.
    started: Option<Instant>,
    /// True when the loop asked for a frame meanwhile.
    wanted: bool,
    /// When the pause after the last frame ends.
    pause_until: Option<Instant>,
}

/// Shared by the loop, which asks, and the writer, which reports.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    longest_pause: Duration,
    state: Mutex<State>,
}

impl Pace {
    /// Frames start at least `interval` apart; a pause is never longer than `longest_pause`.
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

    /// Notes that writing a frame began at `now`.
    pub fn start(&self, now: Instant) {
        self.state().started = Some(now);
    }

    /// Notes that the frame was written at `now`. Returns true when the loop asked meanwhile and must be woken.
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
