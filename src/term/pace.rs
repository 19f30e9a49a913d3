//! Owns the rhythm of frames: at most one on its way, and a rest after it as long as it took.
//! Must not know what a frame is or how it is written.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether a frame may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At once.
    Now,
    /// After this time.
    Later(Duration),
    /// When the frame on its way has arrived; the loop will be woken.
    Busy,
}

#[derive(Debug, Default)]
struct State {
    started: Option<Instant>,
    wanted: bool,
    rest_until: Option<Instant>,
}

/// Shared by the loop, which asks, and the writer, which reports.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    longest_rest: Duration,
    state: Mutex<State>,
}

impl Pace {
    /// Frames start at least `interval` apart; a rest is never longer than `longest_rest`.
    pub fn new(interval: Duration, longest_rest: Duration) -> Self {
        Self { interval, longest_rest, state: Mutex::default() }
    }

    /// Asks for a turn at the time `now`.
    pub fn turn(&self, now: Instant) -> Turn {
        let mut state = self.state();
        state.wanted = state.started.is_some();
        match state.rest_until {
            _ if state.wanted => Turn::Busy,
            Some(until) if until > now => Turn::Later(until - now),
            _ => Turn::Now,
        }
    }

    /// A frame is on its way since `now`.
    pub fn start(&self, now: Instant) {
        self.state().started = Some(now);
    }

    /// The frame has arrived at `now`. Returns whether the loop waits to be woken.
    pub fn finish(&self, now: Instant) -> bool {
        let mut state = self.state();
        if let Some(started) = state.started.take() {
            let took = now.saturating_duration_since(started).min(self.longest_rest);
            state.rest_until = Some((started + self.interval).max(now + took));
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
    fn a_slow_terminal_gets_a_rest_and_only_one_frame() {
        let (pace, start) = (Pace::new(16 * MS, 1000 * MS), Instant::now());
        assert_eq!(pace.turn(start), Turn::Now);
        pace.start(start);
        assert_eq!(pace.turn(start + 5 * MS), Turn::Busy);
        assert!(pace.finish(start + 300 * MS), "the loop asked and is woken");
        assert_eq!(pace.turn(start + 400 * MS), Turn::Later(200 * MS));
        assert_eq!(pace.turn(start + 600 * MS), Turn::Now);
    }

    #[test]
    fn a_fast_terminal_is_bound_by_the_interval_and_nobody_is_woken_in_vain() {
        let (pace, start) = (Pace::new(16 * MS, 1000 * MS), Instant::now());
        pace.start(start);
        assert!(!pace.finish(start + MS));
        assert_eq!(pace.turn(start + 6 * MS), Turn::Later(10 * MS));
        pace.start(start);
        pace.finish(start + 60_000 * MS);
        assert_eq!(pace.turn(start + 60_000 * MS), Turn::Later(1000 * MS), "a rest has an end");
    }
}
