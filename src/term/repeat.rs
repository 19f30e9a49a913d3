//! Owns whether keys repeat: one that is held down, or is typed again and again. Must not know what a key
//! does.

use proftui_base::saturate::saturate;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Keys that follow each other within this time begin to repeat. Terminals repeat a key that is held down
/// every 25 to 120 ms.
const WITHIN: Duration = Duration::from_millis(150);
/// How long keys count as repeating after the last one.
const REST: Duration = Duration::from_millis(700);

/// When the last key was typed, and until when keys count as repeating.
#[derive(Debug)]
pub struct Repeat {
    zero: Instant,
    /// Until when keys count as repeating, in ms since `zero`; a time in the past if they do not.
    until: AtomicU64,
    /// When the last key was typed, in ms since `zero`; 0 before the first key.
    last: AtomicU64,
}

impl Default for Repeat {
    fn default() -> Self {
        Self { zero: Instant::now(), until: AtomicU64::new(0), last: AtomicU64::new(0) }
    }
}

impl Repeat {
    /// Records that a key was typed at `now`. If keys repeat already, or the key before came at most 150 ms
    /// earlier, keys count as repeating for the next 700 ms, else not.
    pub fn typed(&self, now: Instant) {
        let now = self.ms(now);
        let before = self.last.swap(now, Ordering::Relaxed);
        let is_soon = before > 0 && now - before.min(now) <= saturate::<u64>(WITHIN.as_millis());
        let repeats = is_soon || now < self.until.load(Ordering::Relaxed);
        let until = if repeats { now + saturate::<u64>(REST.as_millis()) } else { 0 };
        self.until.store(until, Ordering::Relaxed);
    }

    /// How long keys still count as repeating after `now`, if no further key is typed; none if they do not
    /// repeat.
    pub fn rest(&self, now: Instant) -> Option<Duration> {
        let rest = self.until.load(Ordering::Relaxed).saturating_sub(self.ms(now));
        (rest > 0).then(|| Duration::from_millis(rest))
    }

    fn ms(&self, at: Instant) -> u64 {
        saturate::<u64>(at.saturating_duration_since(self.zero).as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_follows_soon_repeats_for_a_while() {
        let repeat = Repeat::default();
        let at = |ms: u64| repeat.zero + Duration::from_millis(ms);
        repeat.typed(at(1000));
        assert_eq!(repeat.rest(at(1000)), None, "a single key");
        repeat.typed(at(1030));
        assert_eq!(repeat.rest(at(1040)), Some(Duration::from_millis(690)));
        repeat.typed(at(1300));
        assert_eq!(repeat.rest(at(1300)), Some(Duration::from_millis(700)), "keys have not rested");
        assert_eq!(repeat.rest(at(2000)), None);
        repeat.typed(at(2100));
        assert_eq!(repeat.rest(at(2100)), None, "it is no longer held down");
    }
}
