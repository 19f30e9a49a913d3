//! Owns the timing of frames: one is on its way at a time. Must not know what a frame is or how it is
//! written.
//!
//! A frame has arrived when the terminal answers the question that was sent behind it (`CSI 5 n`, which
//! practically every terminal answers): it has then taken all bytes before. Nothing nearer says so: the
//! kernel's buffers, those of ssh and of the network take many frames of a slow link, and each of them would
//! have to arrive before the last one, and the kernel reports no bytes as waiting on a pseudo-terminal
//! (`TIOCOUTQ`). A terminal that does not answer holds nothing up: the program waits briefly, and asks again
//! only when an answer has come. It then is held to the time that writing takes: after each frame follows a
//! pause as long.
//!
//! The same answers measure the link: bytes of a frame by the time until its answer, less the shortest time
//! seen.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long at most, after a frame is written, the next frame waits for the terminal's answer if none has
/// ever come.
const FIRST_PATIENCE: Duration = Duration::from_millis(250);
/// How long at most, after a frame is written, the next frame waits for the terminal's answer if one has come
/// before.
const PATIENCE: Duration = Duration::from_secs(5);
/// The speed of the link is measured only by frames of at least this many bytes.
const MEASURABLE: usize = 700;
/// Speeds in bytes per second: two measured frames in a row that arrive at less than the first make a link
/// slow, until one arrives at the second or more.
const SLOW: (f64, f64) = (20e3, 40e3);
/// A speed in bytes per second: a single measured frame that arrives at less makes a link slow.
// Above it, a busy machine may have delayed the frame.
const VERY_SLOW: f64 = 5e3;

/// Whether and when the next frame may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePermit {
    /// A frame may be drawn at once.
    Now,
    /// No frame may be drawn yet. The loop asks again after this time, or earlier if it is woken.
    After(Duration),
    /// No frame may be drawn until the loop is woken, such as when the present one is written.
    WhenWritten,
}

/// A frame behind which the terminal was asked for its status, and whose answer has not come.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// When writing the frame began.
    at: Instant,
    bytes: usize,
    /// Until when, at the latest, the next frame waits for the answer.
    until: Instant,
}

#[derive(Debug, Default)]
struct State {
    /// When the present frame was begun, and whether it asks for an answer; `None` if no frame is being
    /// written.
    started: Option<(Instant, bool)>,
    asked: Option<Asked>,
    /// True once the terminal has answered a question for its status.
    answers: bool,
    /// True if the loop must be woken once a frame is written or an answer comes, whichever is first.
    wanted: bool,
    /// Before this time no frame may be drawn; none until the first frame is written.
    pause_until: Option<Instant>,
    /// The shortest time yet between a frame's start and its answer; none before the first answer.
    shortest: Option<Duration>,
    /// The speed, in bytes per second, of the last frame by which the link was measured; none if none was.
    speed: Option<f64>,
    is_slow: bool,
}

/// Decides when a frame may be drawn, and measures whether the link is slow.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    longest_pause: Duration,
    state: Mutex<State>,
}

impl Pace {
    /// Makes a pace with the least time between the starts of two frames, and the longest pause for the time
    /// that writing a frame took, where the terminal does not answer.
    pub fn new(interval: Duration, longest_pause: Duration) -> Self {
        Self { interval, longest_pause, state: Mutex::default() }
    }

    /// Whether a frame may be drawn at the time `now`; records whether the loop must be woken once a frame is
    /// written or an answer comes.
    pub fn permit(&self, now: Instant) -> FramePermit {
        let mut state = self.state();
        state.wanted = state.started.is_some() || state.asked.is_some();
        if state.started.is_some() {
            return FramePermit::WhenWritten;
        }
        let answer = state.asked.map(|asked| asked.until);
        match answer.into_iter().chain(state.pause_until).max() {
            Some(until) if until > now => FramePermit::After(until - now),
            _ => FramePermit::Now,
        }
    }

    /// True if no answer of the terminal is due, so that the next frame may ask for one.
    pub fn wants_answer(&self) -> bool {
        self.state().asked.is_none()
    }

    /// Records that a frame of so many bytes was begun at `now`, with a question for the terminal's status
    /// behind it if `asks`.
    pub fn start(&self, now: Instant, bytes: usize, asks: bool) {
        let mut state = self.state();
        state.started = Some((now, asks));
        if asks {
            // The answer may be here before the writer reports the end.
            state.asked = Some(Asked { at: now, bytes, until: now + PATIENCE });
        }
    }

    /// Records that the frame's writing ended at `now`, and sets until when the next frame waits; `is_whole`
    /// is false if the rest was dropped. Returns true if the loop must be woken.
    pub fn finish(&self, now: Instant, is_whole: bool) -> bool {
        let mut state = self.state();
        if let Some((at, asks)) = state.started.take() {
            let is_heard = state.answers && (asks || state.asked.is_none());
            let took = now.saturating_duration_since(at).min(self.longest_pause);
            let pause = if is_heard { Duration::ZERO } else { took };
            state.pause_until = Some((at + self.interval).max(now + pause));
            let patience = if state.answers { PATIENCE } else { FIRST_PATIENCE };
            if asks {
                state.asked =
                    state.asked.filter(|_| is_whole).map(|asked| Asked { until: now + patience, ..asked });
            }
        }
        std::mem::take(&mut state.wanted)
    }

    /// Records that the terminal's answer came at `now`, and may measure the link by it. Returns true if the
    /// loop must be woken.
    pub fn answer(&self, now: Instant) -> bool {
        let mut state = self.state();
        let Some(asked) = state.asked.take() else { return false };
        state.answers = true;
        let took = now.saturating_duration_since(asked.at);
        let shortest = state.shortest.get_or_insert(took);
        *shortest = took.min(*shortest);
        let beyond = took.saturating_sub(*shortest);
        // Of the first frame the time is counted whole: how much of it the link takes for any byte is not
        // known yet.
        let beyond = if beyond.is_zero() { took } else { beyond };
        let was_slow = state.is_slow;
        if asked.bytes >= MEASURABLE {
            let speed = asked.bytes as f64 / beyond.as_secs_f64().max(1e-6);
            let before = state.speed.replace(speed);
            let faster_of_two = speed.max(before.unwrap_or(f64::INFINITY));
            state.is_slow =
                if was_slow { speed < SLOW.1 } else { speed < VERY_SLOW || faster_of_two < SLOW.0 };
        }
        std::mem::take(&mut state.wanted) || state.is_slow != was_slow
    }

    /// True if the link is slow, by the frames that were measured.
    pub fn is_slow(&self) -> bool {
        self.state().is_slow
    }

    /// About how long a frame of so many bytes takes to arrive, by the speed measured last; `None` if
    /// unknown.
    pub fn time_of(&self, bytes: usize) -> Option<Duration> {
        self.state().speed.and_then(|speed| Duration::try_from_secs_f64(bytes as f64 / speed).ok())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn pace() -> (Pace, Instant) {
        (Pace::new(16 * MS, 1000 * MS), Instant::now())
    }

    #[test]
    fn a_terminal_that_does_not_answer_gets_a_pause_and_only_one_frame() {
        let (pace, start) = pace();
        assert_eq!(pace.permit(start), FramePermit::Now);
        pace.start(start, 1000, false);
        assert_eq!(pace.permit(start + 5 * MS), FramePermit::WhenWritten);
        assert!(pace.finish(start + 300 * MS, true), "the loop asked and is woken");
        assert_eq!(pace.permit(start + 400 * MS), FramePermit::After(200 * MS));
        assert_eq!(pace.permit(start + 600 * MS), FramePermit::Now);
    }

    #[test]
    fn a_fast_terminal_is_bound_by_the_interval_and_nobody_is_woken_in_vain() {
        let (pace, start) = pace();
        pace.start(start, 1000, false);
        assert!(!pace.finish(start + MS, true));
        assert_eq!(pace.permit(start + 6 * MS), FramePermit::After(10 * MS));
        pace.start(start, 1000, false);
        pace.finish(start + 60_000 * MS, true);
        assert_eq!(pace.permit(start + 60_000 * MS), FramePermit::After(1000 * MS), "a pause has an end");
    }

    #[test]
    fn the_next_frame_waits_for_the_answer() {
        let (pace, start) = pace();
        assert!(pace.wants_answer());
        pace.start(start, 1000, true);
        assert!(!pace.finish(start + MS, true));
        assert_eq!(
            pace.permit(start + 51 * MS),
            FramePermit::After(200 * MS),
            "the first answer is waited for briefly"
        );
        assert_eq!(pace.permit(start + 251 * MS), FramePermit::Now);
        pace.start(start + 251 * MS, 1000, false);
        assert!(!pace.wants_answer(), "the first question is still open");
        pace.finish(start + 252 * MS, true);
        pace.answer(start + 300 * MS);
        assert!(pace.wants_answer());
        pace.start(start + 400 * MS, 1000, true);
        pace.finish(start + 401 * MS, true);
        assert_eq!(pace.permit(start + 1401 * MS), FramePermit::After(4000 * MS));
        assert!(pace.answer(start + 1500 * MS), "the loop asked and is woken");
        assert_eq!(pace.permit(start + 1500 * MS), FramePermit::Now);
        assert!(!pace.answer(start + 1501 * MS), "an answer that nobody asked for");
        pace.start(start + 1600 * MS, 1000, true);
        pace.answer(start + 1601 * MS);
        pace.finish(start + 1602 * MS, true);
        assert_eq!(
            pace.permit(start + 1700 * MS),
            FramePermit::Now,
            "the answer came before the writer's report"
        );
        pace.start(start + 1700 * MS, 1000, true);
        pace.finish(start + 1701 * MS, false);
        assert_eq!(pace.permit(start + 1800 * MS), FramePermit::Now, "the question was not sent");
    }

    #[test]
    fn a_slow_link_is_noticed_and_a_late_one_is_not_slow() {
        let (pace, start) = pace();
        let send = |at: Duration, bytes: usize, took: Duration| {
            pace.start(start + at, bytes, true);
            pace.finish(start + at, true);
            pace.answer(start + at + took);
        };
        send(Duration::ZERO, 5000, 200 * MS);
        assert!(!pace.is_slow(), "25 KB/s");
        assert_eq!(pace.time_of(50_000), Some(2000 * MS));
        send(1000 * MS, 100, 190 * MS);
        send(2000 * MS, 5000, 200 * MS);
        assert!(!pace.is_slow(), "only late");
        send(3000 * MS, 2000, 1190 * MS);
        assert!(pace.is_slow(), "2 KB/s");
        send(5000 * MS, 3000, 290 * MS);
        assert!(pace.is_slow(), "30 KB/s: between the limits");
        send(6000 * MS, 3000, 200 * MS);
        assert!(!pace.is_slow());
        send(7000 * MS, 3000, 490 * MS);
        assert!(!pace.is_slow(), "one frame of 10 KB/s");
        send(8000 * MS, 3000, 490 * MS);
        assert!(pace.is_slow(), "a second one");
    }
}
