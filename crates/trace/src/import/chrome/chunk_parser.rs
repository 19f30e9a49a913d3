//! Parsing runs of events: events in sequence, with a comma between each two. This is the fast path of the
//! reader.
//!
//! Stops at the first bytes that are neither an event nor a comma; `parser` continues there. The chunk parser
//! needs no earlier context, so it can start at any event on any thread. Must not know containers or damage.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::import::build::{Batch, TraceBuilder};
use proftui_base::heap::NoMemory;

use super::event::{Element, Event, LONGEST_WHOLE_EVENT, element};
use super::scan::{Scanner, blank};
use super::template::Templates;
use super::translator::Translator;

/// Parses runs of events (events with a comma between each two) and hands the events to its translator.
#[derive(Debug)]
pub(super) struct ChunkParser {
    pub translator: Translator,
    /// The templates learned so far; `None` when the general parser reads every event (the request's
    /// `is_tolerant`).
    templates: Option<Templates>,
    /// Set when a chunk that this parser parsed ahead was discarded: the translator then begins anew at the
    /// next chunk.
    is_stale: Arc<AtomicBool>,
}

/// The outcome of parsing a run of events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventRun {
    /// Index in the buffer where reading goes on after the run.
    pub end: usize,
    /// True when a comma must come before the next element.
    pub wants_comma: bool,
    /// Number of elements in the run: events, and empty objects (`{}`).
    pub elements: u64,
    /// Number of events in the run, without empty objects.
    pub events: u64,
}

/// A run of events that a thread parsed ahead, from a guessed start in the text; it is used only if the guess
/// proves right.
#[derive(Debug)]
pub(super) struct ParsedChunk {
    /// Offset in the text of the run's first event.
    pub start: u64,
    /// Offset in the text where reading goes on after the run.
    pub end: u64,
    pub run: EventRun,
    /// The run's events, as a batch; `None` once a trace builder took it.
    batch: Option<Batch>,
    is_stale: Arc<AtomicBool>,
}

impl ParsedChunk {
    /// Adds the run's events to `builder`; adds nothing and returns false if they refer to an earlier batch
    /// that was discarded.
    ///
    /// # Errors
    /// When there is no memory for the events.
    pub(super) fn absorb_into(mut self, builder: &mut TraceBuilder) -> Result<bool, NoMemory> {
        let batch = self.batch.take_if(|batch| builder.follows(batch));
        batch.map_or(Ok(false), |batch| builder.absorb(batch).map(|()| true))
    }
}

impl Drop for ParsedChunk {
    fn drop(&mut self) {
        if self.batch.is_some() {
            self.is_stale.store(true, Ordering::Relaxed);
        }
    }
}

impl ChunkParser {
    pub(super) fn new(translator: Translator, is_tolerant: bool) -> Self {
        let templates = (!is_tolerant).then(Templates::default);
        Self { translator, templates, is_stale: Arc::default() }
    }

    /// Parses the run of events that begins at index `from` of `buf`, after its first event only events that
    /// begin before `stop`. `base` is the offset of `buf` in the text.
    pub(super) fn run(&mut self, buf: &[u8], from: usize, stop: usize, base: u64) -> EventRun {
        let mut run = EventRun { end: from, ..EventRun::default() };
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

    /// Parses and translates the event at index `at` of `buf`; skips an empty object. Returns the index
    /// behind it, or `None` without an event that is complete and not too long.
    #[inline]
    fn event(&mut self, buf: &[u8], at: usize, base: u64, run: &mut EventRun) -> Option<usize> {
        let offset = base + at as u64;
        if let Some(templates) = &mut self.templates {
            let mut event = Event::default();
            if let Some(end) =
                templates.read(buf, at, &mut event).filter(|end| end - at <= LONGEST_WHOLE_EVENT)
            {
                self.translator.event(&event, offset);
                run.events += 1;
                return Some(end);
            }
        }
        let mut scan = Scanner::new(buf, false);
        scan.pos = at;
        let Ok(Element::Event(event)) = element(&mut scan) else { return None };
        if scan.pos - at > LONGEST_WHOLE_EVENT {
            return None;
        }
        if !event.is_empty {
            self.translator.event(&event, offset);
            run.events += 1;
            if let Some(templates) = &mut self.templates {
                templates.learn(&buf[at..scan.pos], &event);
            }
        }
        Some(scan.pos)
    }

    /// Parses ahead the run that begins with what seems to be the first event in `buf`, a chunk at offset
    /// `base` of the text; `None` when no event is found.
    pub(super) fn parse_ahead(&mut self, buf: &[u8], base: u64) -> Option<ParsedChunk> {
        if self.is_stale.swap(false, Ordering::Relaxed) {
            self.translator.begin_anew();
        }
        let from = first_event(buf)?;
        let run = self.run(buf, from, buf.len(), base);
        let (start, end) = (base + from as u64, base + run.end as u64);
        let batch = Some(self.translator.close());
        Some(ParsedChunk { start, end, run, batch, is_stale: Arc::clone(&self.is_stale) })
    }
}

/// Most braces in a chunk that are tried as the beginning of an event.
const TRIES: usize = 64;

/// The index of what seems to be the first complete event in `buf`; `None` if none is found. It may be inside
/// a string or among arguments.
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
        matches!(element(&mut scan), Ok(Element::Event(event)) if event.event_type != 0)
    };
    begins.into_iter().find(|at| is_event(at))
}
