//! Owns what is known of the link to the terminal: whether it is slow, by how long frames take to arrive.
//! Must not know when frames are drawn, nor what is in them.
//!
//! A frame's bytes by the time until the terminal's answer, less the shortest time seen, are a speed.

use std::time::{Duration, Instant};

/// The speed of the link is measured only by frames of at least this many bytes.
const MEASURABLE: usize = 700;
/// Speeds in bytes per second: two measured frames in a row that arrive at less than the first make a link
/// slow, until one arrives at the second or more.
const SLOW: (f64, f64) = (20e3, 40e3);
/// A speed in bytes per second: a single measured frame that arrives at less makes a link slow.
// Above it, a busy machine may have delayed the frame.
const VERY_SLOW: f64 = 5e3;
/// A speed in bytes per second: any frame that arrives at this or more makes a link known that was not.
const KNOWN: f64 = 10e3;
/// How long a link stays unknown, at most, after the first frame is written or an answer comes.
const DOUBT: Duration = Duration::from_millis(1500);

/// What the measured frames say of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing yet, until this time; with no time until the first frame is written.
    Nothing(Option<Instant>),
    Fast,
    Slow,
}

/// The link to the terminal.
#[derive(Debug)]
pub(super) struct Link {
    known: Known,
    /// The shortest time yet between a frame's start and its answer; none before the first answer.
    shortest: Option<Duration>,
    /// The speed, in bytes per second, of the last frame by which the link was measured; none if none was.
    speed: Option<f64>,
}

impl Default for Link {
    fn default() -> Self {
        Self { known: Known::Nothing(None), shortest: None, speed: None }
    }
}

impl Link {
    /// Records that a frame was written at `now`: how long the link may stay unknown counts from the first.
    pub(super) fn wrote(&mut self, now: Instant) {
        if self.known == Known::Nothing(None) {
            self.known = Known::Nothing(Some(now + DOUBT));
        }
    }

    /// Takes the answer, at `now`, to a frame of so many bytes that `took` this long. Returns true if more or
    /// other things are known of the link now.
    pub(super) fn measure(&mut self, now: Instant, bytes: usize, took: Duration) -> bool {
        let shortest = self.shortest.get_or_insert(took);
        *shortest = took.min(*shortest);
        let beyond = took.saturating_sub(*shortest);
        // Of the first frame the time is counted whole: how much of it the link takes for any byte is not
        // known yet.
        let beyond = if beyond.is_zero() { took } else { beyond };
        let speed = bytes as f64 / beyond.as_secs_f64().max(1e-6);
        let was = self.known;
        if bytes >= MEASURABLE {
            let before = self.speed.replace(speed);
            let faster_of_two = speed.max(before.unwrap_or(f64::INFINITY));
            let is_slow = match was {
                Known::Slow => speed < SLOW.1,
                _ => speed < VERY_SLOW || faster_of_two < SLOW.0,
            };
            self.known = match was {
                _ if is_slow => Known::Slow,
                Known::Nothing(_) => was,
                _ => Known::Fast,
            };
        }
        if let Known::Nothing(_) = self.known {
            self.known = if speed >= KNOWN { Known::Fast } else { Known::Nothing(Some(now + DOUBT)) };
        }
        self.known != was
    }

    /// True if the link is slow, by the frames that were measured.
    pub(super) fn is_slow(&self) -> bool {
        self.known == Known::Slow
    }

    /// How much longer than `now`, at most, nothing is known of the link; none if the link is known, or is
    /// not waited for any more.
    pub(super) fn doubt(&self, now: Instant) -> Option<Duration> {
        match self.known {
            Known::Nothing(None) => Some(DOUBT),
            Known::Nothing(Some(until)) => {
                Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero())
            }
            Known::Fast | Known::Slow => None,
        }
    }

    /// About how long a frame of so many bytes takes to arrive, by the speed measured last; none if that is
    /// not known.
    pub(super) fn time_of(&self, bytes: usize) -> Option<Duration> {
        self.speed.and_then(|speed| Duration::try_from_secs_f64(bytes as f64 / speed).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_slow_link_is_noticed_and_a_late_one_is_not_slow() {
        let (mut link, now) = (Link::default(), Instant::now());
        let mut send = |bytes: usize, took: Duration| {
            link.measure(now, bytes, took);
            link.is_slow()
        };
        assert!(!send(5000, 200 * MS), "25 KB/s");
        send(100, 190 * MS);
        assert!(!send(5000, 200 * MS), "only late");
        assert!(send(2000, 1190 * MS), "2 KB/s");
        assert!(send(3000, 290 * MS), "30 KB/s: between the limits");
        assert!(!send(3000, 200 * MS));
        assert!(!send(3000, 490 * MS), "one frame of 10 KB/s");
        assert!(send(3000, 490 * MS), "a second one");
        assert_eq!(link.time_of(50_000), Some(5000 * MS));
    }

    #[test]
    fn a_link_is_unknown_until_an_answer_or_for_a_while() {
        let start = Instant::now();
        let fresh = || {
            let mut link = Link::default();
            link.wrote(start);
            link
        };
        assert_eq!(Link::default().doubt(start), Some(DOUBT), "before the first frame");
        let mut link = fresh();
        assert!(link.measure(start + 9 * MS, 400, 9 * MS), "a terminal nearby");
        assert_eq!((link.doubt(start + 9 * MS), link.is_slow()), (None, false));
        let mut link = fresh();
        assert_eq!(link.doubt(start + 1000 * MS), Some(500 * MS));
        link.measure(start + 400 * MS, 400, 400 * MS);
        assert_eq!(
            link.doubt(start + 1000 * MS),
            Some(900 * MS),
            "a late answer of few bytes proves nothing"
        );
        link.measure(start + 3900 * MS, 6000, 3400 * MS);
        assert_eq!((link.doubt(start + 3900 * MS), link.is_slow()), (None, true));
        assert_eq!(fresh().doubt(start + DOUBT), None, "a terminal that answers nothing");
    }
}
