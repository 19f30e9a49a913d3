//! Owns the timing of frames: one is on its way at a time. Must not know what a frame is or how it is
//! written.
//!
//! A frame has arrived when the terminal answers the question that was sent behind it (`CSI 5 n`, which
//! practically every terminal answers): it has then taken all bytes before. Nothing nearer says so: the
//! kernel's buffers, those of ssh and of the network take many frames of a slow link, and each of them would
//! have to arrive before the last one, and the kernel reports no bytes as waiting on a pseudo-terminal
//! (`TIOCOUTQ`). A terminal that does not answer holds nothing up: the program waits briefly, asks once more,
//! waits, and asks again only when an answer has come. It then is held to the time that writing takes: after
//! each frame follows a pause as long.
//!
//! The same answers measure the link (`Link`).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::Link;

/// How long at most the next frame waits for the terminal's answer if none has ever come: after the first
/// frame that asked, and after the second.
const FIRST_PATIENCE: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1250)];
/// How long at least, after a frame is written, the next frame waits for the terminal's answer if one has
/// come before.
const PATIENCE: Duration = Duration::from_secs(5);

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
    /// When writing the frame ended; its beginning until it has ended.
    written: Instant,
    bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    /// When the present frame was begun, and whether it asks for an answer; `None` if no frame is being
    /// written.
    started: Option<(Instant, bool)>,
    /// The questions that are not answered, in the order in which they were asked.
    asked: VecDeque<Asked>,
    /// True once the terminal has answered a question for its status.
    answers: bool,
    /// True if the loop must be woken once a frame is written or an answer comes, whichever is first.
    wanted: bool,
    /// Before this time no frame may be drawn; none until the first frame is written.
    pause_until: Option<Instant>,
    link: Link,
}

impl State {
    /// Until when, at the latest, the next frame waits for answers; none if none is due.
    fn patience(&self) -> Option<Instant> {
        let last = self.asked.back()?;
        let patience = match self.asked.len() {
            // An answer that is lost must not hold the program up for ever.
            _ if self.answers => self.link.time_of(last.bytes).unwrap_or_default().mul_f64(1.5).max(PATIENCE),
            count => FIRST_PATIENCE[count.min(FIRST_PATIENCE.len()) - 1],
        };
        Some(last.written + patience)
    }
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
        state.wanted = state.started.is_some() || !state.asked.is_empty();
        if state.started.is_some() {
            return FramePermit::WhenWritten;
        }
        match state.patience().into_iter().chain(state.pause_until).max() {
            Some(until) if until > now => FramePermit::After(until - now),
            _ => FramePermit::Now,
        }
    }

    /// True if the next frame may ask for an answer: none is due, or only one and none has ever come.
    pub fn wants_answer(&self) -> bool {
        let state = self.state();
        state.asked.len() < if state.answers { 1 } else { FIRST_PATIENCE.len() }
    }

    /// True if an answer of the terminal is due.
    pub fn is_answer_due(&self) -> bool {
        !self.state().asked.is_empty()
    }

    /// Records that a frame of so many bytes was begun at `now`, with a question for the terminal's status
    /// behind it if `asks`.
    pub fn start(&self, now: Instant, bytes: usize, asks: bool) {
        let mut state = self.state();
        state.started = Some((now, asks));
        if asks {
            // The answer may be here before the writer reports the end.
            state.asked.push_back(Asked { at: now, written: now, bytes });
        }
    }

    /// Records that the frame's writing ended at `now`, and sets until when the next frame waits; `is_whole`
    /// is false if the rest was dropped. Returns true if the loop must be woken.
    pub fn finish(&self, now: Instant, is_whole: bool) -> bool {
        let mut state = self.state();
        if let Some((at, asks)) = state.started.take() {
            let is_heard = state.answers && (asks || state.asked.is_empty());
            let took = now.saturating_duration_since(at).min(self.longest_pause);
            let pause = if is_heard { Duration::ZERO } else { took };
            state.pause_until = Some((at + self.interval).max(now + pause));
            state.link.wrote(now);
            match state.asked.back_mut().filter(|asked| asks && asked.at == at) {
                Some(asked) if is_whole => asked.written = now,
                Some(_) => drop(state.asked.pop_back()),
                None => {}
            }
        }
        std::mem::take(&mut state.wanted)
    }

    /// Records that the terminal's answer came at `now`, and may measure the link by it. Returns true if the
    /// loop must be woken.
    pub fn answer(&self, now: Instant) -> bool {
        let mut state = self.state();
        let Some(asked) = state.asked.pop_front() else { return false };
        state.answers = true;
        let took = now.saturating_duration_since(asked.at);
        let has_news = state.link.measure(now, asked.bytes, took);
        std::mem::take(&mut state.wanted) || has_news
    }

    /// True if the link is slow, by the frames that were measured.
    pub fn is_slow(&self) -> bool {
        self.state().link.is_slow()
    }

    /// How much longer than `now`, at most, it is not known whether the link is slow; none if it is known, or
    /// if the terminal has not answered for long.
    pub fn doubt(&self, now: Instant) -> Option<Duration> {
        self.state().link.doubt(now)
    }

    /// About how long a frame of so many bytes takes to arrive, by the speed measured last; `None` if
    /// unknown.
    pub fn time_of(&self, bytes: usize) -> Option<Duration> {
        self.state().link.time_of(bytes)
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
        let send = |at: u32| {
            assert!(pace.wants_answer());
            pace.start(start + at * MS, 1000, true);
            pace.finish(start + (at + 1) * MS, true);
        };
        send(0);
        assert_eq!(
            pace.permit(start + 51 * MS),
            FramePermit::After(200 * MS),
            "the first answer is waited for briefly"
        );
        assert_eq!(pace.permit(start + 251 * MS), FramePermit::Now);
        send(251);
        assert!(!pace.wants_answer(), "both questions are open");
        assert_eq!(pace.permit(start + 502 * MS), FramePermit::After(1000 * MS));
        assert!(pace.answer(start + 510 * MS));
        assert!(!pace.wants_answer() && pace.is_answer_due(), "the second question is still open");
        assert_eq!(pace.permit(start + 1252 * MS), FramePermit::After(4000 * MS), "the terminal answers");
        pace.answer(start + 1300 * MS);
        send(1400);
        assert_eq!(pace.permit(start + 2401 * MS), FramePermit::After(4000 * MS));
        assert!(pace.answer(start + 2500 * MS), "the loop asked and is woken");
        assert_eq!(pace.permit(start + 2500 * MS), FramePermit::Now);
        assert!(!pace.answer(start + 2501 * MS), "an answer that nobody asked for");
        pace.start(start + 2600 * MS, 1000, true);
        pace.answer(start + 2601 * MS);
        pace.finish(start + 2602 * MS, true);
        assert_eq!(
            pace.permit(start + 2700 * MS),
            FramePermit::Now,
            "the answer came before the writer's report"
        );
        pace.start(start + 2700 * MS, 1000, true);
        pace.finish(start + 2701 * MS, false);
        assert_eq!(pace.permit(start + 2800 * MS), FramePermit::Now, "the question was not sent");
    }

    #[test]
    fn a_terminal_that_answers_nothing_is_asked_twice() {
        let (pace, start) = pace();
        for at in [0, 300] {
            pace.start(start + at * MS, 1000, true);
            pace.finish(start + (at + 1) * MS, true);
        }
        assert!(pace.doubt(start + 1400 * MS).is_some() && !pace.wants_answer());
        assert_eq!(pace.permit(start + 1551 * MS), FramePermit::Now);
        assert_eq!(pace.doubt(start + 1551 * MS), None);
    }

    #[test]
    fn a_large_frame_is_waited_for_longer() {
        let (pace, start) = pace();
        pace.start(start, 4000, true);
        pace.finish(start, true);
        pace.answer(start + 2000 * MS);
        pace.start(start + 2000 * MS, 10_000, true);
        pace.finish(start + 2000 * MS, true);
        assert_eq!(pace.permit(start + 2000 * MS), FramePermit::After(7500 * MS), "2 KB/s");
    }
}
