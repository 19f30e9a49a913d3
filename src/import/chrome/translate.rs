//! Converts JSON events to the builder's inputs: counts and admits each event, and passes it on by its event type.
//!
//! One event at a time, any thread, any stretch of the text. Must not know containers, order or nesting.

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::import::build::{Batch, EventBuilder};
use crate::import::dialect::{Class, NameCache};
use crate::model::Warning;

use super::event::Event;
use super::resolve::TemplateLane;
use super::scan::{Oddities, Token};

/// Translates events for one [`EventBuilder`].
#[derive(Debug)]
pub(super) struct Translator {
    pub events: EventBuilder,
    pub(super) cache: Cache,
}

/// What was found out about strings and templates. The keys and lanes are the event builder's numbers, so the cache is
/// void when its tables begin anew.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pub names: NameCache,
    /// The class of a category, indexed by the category's string.
    pub classes: Vec<Option<Class>>,
    /// The lane of the last event that was read by a template, indexed by the template.
    pub lanes: Vec<Option<TemplateLane>>,
    /// The name shown for a device's memory, and the device's number as text, by that number.
    pub devices: FxHashMap<i64, (StrId, StrId)>,
}

impl Translator {
    pub(super) fn new(events: EventBuilder) -> Self {
        Self { events, cache: Cache::default() }
    }

    /// Ends the event builder's batch.
    pub(super) fn close(&mut self) -> Batch {
        let batch = self.events.close();
        if self.events.is_new() {
            self.cache = Cache::default();
        }
        batch
    }

    /// Empties the event builder's tables and the batch: see [`EventBuilder::begin_anew`].
    pub(super) fn begin_anew(&mut self) {
        self.events.begin_anew();
        self.cache = Cache::default();
    }

    /// Counts an element of the array of events that cannot be used.
    pub(super) fn drop_element(&mut self, warning: Warning, offset: u64, example: &str) {
        self.events.drop_event(warning, offset, || example.into());
    }

    /// Counts what the scanner found odd in the event at `offset`.
    pub(super) fn note_oddities(&mut self, odd: Oddities, offset: u64, example: impl Fn() -> String) {
        if !odd.any() {
            return;
        }
        for (bit, warning) in [
            (Oddities::CONTROL, Warning::Control),
            (Oddities::UTF8, Warning::Utf8),
            (Oddities::NONFINITE, Warning::NonFinite),
            (Oddities::SYNTAX, Warning::Syntax),
            (Oddities::DEPTH, Warning::Depth),
        ] {
            if odd.has(bit) {
                self.events.quality().note(warning, Some(offset), &example);
            }
        }
    }

    /// Takes the event at byte `offset` of the text.
    #[inline]
    pub(super) fn event(&mut self, event: &Event<'_>, offset: u64) {
        if event.odd.any() {
            self.note_oddities(event.odd, offset, || show(event));
        }
        let event_type = event.event_type;
        if !is_known(event_type) {
            self.events.drop_event(Warning::UnknownEventType, offset, || show(event));
            return;
        }
        self.events.count(event_type);
        if event_type == b'M' {
            self.metadata(event);
            return;
        }
        let Some(ts) = self.start(event) else {
            self.events.drop_event(Warning::BadTs, offset, || show(event));
            return;
        };
        if event_type == b'X' {
            if self.events.admits_start(ts) {
                self.complete(event, ts, offset);
            }
            return;
        }
        if self.events.admits(ts, ts) {
            self.point(event, ts, offset);
        }
    }

    /// Takes an event that has one time.
    fn point(&mut self, event: &Event<'_>, ts: Ns, offset: u64) {
        let origin = self.events.origin(offset);
        match event.event_type {
            b's' | b't' | b'f' => self.flow(event, ts, origin),
            b'i' | b'I' | b'R' => self.instant(event, ts, origin),
            b'B' | b'E' => self.begin_end(event, ts, origin),
            b'b' | b'n' | b'e' | b'S' | b'T' | b'p' | b'F' => self.async_point(event, ts, origin),
            b'C' => self.counter(event, ts, offset),
            // Samples, objects, memory dumps, clock syncs and contexts are counted by event type and not drawn.
            _ => {}
        }
    }
}

/// True for event types that some known producer writes.
fn is_known(event_type: u8) -> bool {
    const KNOWN: [bool; 256] = {
        let mut known = [false; 256];
        let letters = b"XBEbneiIRCMsftSTpFPNODVvc()";
        let mut i = 0;
        while i < letters.len() {
            known[letters[i] as usize] = true;
            i += 1;
        }
        known
    };
    KNOWN[event_type as usize]
}

/// An event in a few words, as the example of a warning.
pub(super) fn show(event: &Event<'_>) -> String {
    let part = |token: Option<Token<'_>>| {
        let text = token.map_or(b"".as_slice(), |token| token.text);
        String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned()
    };
    let event_type = if event.event_type.is_ascii_graphic() { event.event_type as char } else { '?' };
    format!("{event_type} \"{}\" ts {} dur {}", part(event.name), part(event.ts), part(event.dur))
}
