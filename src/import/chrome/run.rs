//! Runs of events: one after the other with a comma between, read as fast as can be.
//!
//! A run ends before the first thing that is anything else; what that is, `document` finds out. So a run can begin at any
//! event, on any thread. Must not know containers or damage.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::import::build::{Batch, Clerk, Stage};

use super::event::{Element, Event, LONG, element};
use super::scan::{Scanner, blank};
use super::shape::Shapes;

/// Reads runs and notes their events with its clerk.
#[derive(Debug)]
pub(super) struct Runner {
    pub clerk: Clerk,
    /// None when every event is to be read by the general parser.
    shapes: Option<Shapes>,
    /// Set when a piece of this runner's was of no use: the clerk's tables are then no longer what the stage knows.
    is_stale: Arc<AtomicBool>,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    /// Where it ended.
    pub end: usize,
    /// True when it ended behind an event, false when behind a comma.
    pub wants_comma: bool,
    pub elements: u64,
    pub events: u64,
}

/// A run read ahead, within one chunk.
#[derive(Debug)]
pub(super) struct Piece {
    /// Offsets in the text of its first event, and of what follows it.
    pub start: u64,
    pub end: u64,
    pub run: Run,
    /// Until it is taken.
    batch: Option<Batch>,
    is_stale: Arc<AtomicBool>,
}

impl Piece {
    /// Adds the piece's events to the stage; false when it does not fit there any more.
    pub(super) fn give(mut self, stage: &mut Stage) -> bool {
        match self.batch.take_if(|batch| stage.follows(batch)) {
            Some(batch) => stage.absorb(batch),
            None => return false,
        }
        true
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.batch.is_some() {
            self.is_stale.store(true, Ordering::Relaxed);
        }
    }
}

impl Runner {
    pub(super) fn new(clerk: Clerk, is_tolerant: bool) -> Self {
        let shapes = (!is_tolerant).then(Shapes::default);
        Self { clerk, shapes, is_stale: Arc::default() }
    }

    /// Reads events from `from`, where one should begin, up to `stop`; `base` is the offset of `buf` in the text.
    pub(super) fn run(&mut self, buf: &[u8], from: usize, stop: usize, base: u64) -> Run {
        let mut run = Run { end: from, ..Run::default() };
        let mut at = from;
        while let Some(end) = self.event(buf, at, base, &mut run) {
            run.elements += 1;
            let comma = blank(buf, end);
            if buf.get(comma) != Some(&b',') {
                (run.end, run.wants_comma) = (end, true);
                return run;
            }
            run.end = comma + 1;
            at = blank(buf, comma + 1);
            if at >= stop || buf.get(at) != Some(&b'{') {
                return run;
            }
        }
        run
    }

    /// Takes the event at `at`; where it ends, or `None` when there is no whole event.
    #[inline]
    fn event(&mut self, buf: &[u8], at: usize, base: u64, run: &mut Run) -> Option<usize> {
        let offset = base + at as u64;
        if let Some(shapes) = &mut self.shapes {
            let mut event = Event::default();
            if let Some(end) = shapes.read(buf, at, &mut event).filter(|end| end - at <= LONG) {
                self.clerk.event(&event, offset);
                run.events += 1;
                return Some(end);
            }
        }
        let mut scan = Scanner::new(buf, false);
        scan.pos = at;
        let Ok(Element::Event(event)) = element(&mut scan) else { return None };
        if scan.pos - at > LONG {
            return None;
        }
        if !event.is_empty {
            self.clerk.event(&event, offset);
            run.events += 1;
            if let Some(shapes) = &mut self.shapes {
                shapes.learn(&buf[at..scan.pos], &event);
            }
        }
        Some(scan.pos)
    }

    /// The run that begins with the first event in `buf`, if there is one.
    pub(super) fn piece(&mut self, buf: &[u8], base: u64) -> Option<Piece> {
        if self.is_stale.swap(false, Ordering::Relaxed) {
            self.clerk.begin_anew();
        }
        let from = first_event(buf)?;
        let run = self.run(buf, from, buf.len(), base);
        let (start, end) = (base + from as u64, base + run.end as u64);
        Some(Piece { start, end, run, batch: Some(self.clerk.close()), is_stale: Arc::clone(&self.is_stale) })
    }
}

/// How many places that look like the beginning of an event are tried.
const TRIES: usize = 64;

/// Where an event seems to begin: behind `}` and a comma, or behind a bracket. It may be inside a text or among arguments;
/// only a reader who comes there from the front can tell.
fn first_event(buf: &[u8]) -> Option<usize> {
    let behind_comma = |&at: &usize| {
        let before = buf[..at].iter().rposition(|b| !matches!(b, b' ' | b'\n' | b'\t' | b'\r'));
        buf[at] == b'[' || before.is_some_and(|before| buf[before] == b'}')
    };
    let begins = memchr::memchr2_iter(b',', b'[', buf).filter(behind_comma).map(|at| blank(buf, at + 1));
    let begins = begins.filter(|&at| buf.get(at) == Some(&b'{')).take(TRIES);
    let is_event = |&at: &usize| {
        let mut scan = Scanner::new(buf, false);
        scan.pos = at;
        matches!(element(&mut scan), Ok(Element::Event(event)) if event.phase != 0)
    };
    begins.into_iter().find(|at| is_event(at))
}
