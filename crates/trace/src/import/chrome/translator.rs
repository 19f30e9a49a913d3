//! The state for converting JSON events to the builder's inputs. The converting methods are in `event_types`,
//! which uses `resolve`, `memory` and `copied`.
//!
//! Any thread can convert any part of the text, event by event. Must not know containers, order or nesting.

use crate::import::build::{Batch, EventBuilder};
use crate::model::Warning;

use super::cache::Cache;
use super::event::Event;
use super::scan::{Oddities, Token};

/// Converts events to the inputs of one [`EventBuilder`].
#[derive(Debug)]
pub(super) struct Translator {
    pub builder: EventBuilder,
    pub(super) cache: Cache,
}

impl Translator {
    pub(super) fn new(builder: EventBuilder) -> Self {
        Self { builder, cache: Cache::default() }
    }

    /// Closes the event builder's batch and returns it; empties the cache when the builder's tables were
    /// emptied.
    pub(super) fn close(&mut self) -> Batch {
        let batch = self.builder.close();
        if self.builder.is_new() {
            self.cache = Cache::default();
        }
        batch
    }

    /// Empties the event builder's tables and batch, and the cache: see [`EventBuilder::begin_anew`].
    pub(super) fn begin_anew(&mut self) {
        self.builder.begin_anew();
        self.cache = Cache::default();
    }

    /// Counts an unusable element of an array of events as dropped; notes `warning` with the byte `offset`
    /// and an `example`.
    pub(super) fn drop_element(&mut self, warning: Warning, offset: u64, example: &str) {
        self.builder.drop_event(warning, offset, || example.into());
    }

    /// Counts a warning for each kind of oddity in `odd`; `offset` and `example` show where the oddities are.
    pub(super) fn note_oddities(&mut self, odd: Oddities, offset: u64, example: impl Fn() -> String) {
        if !odd.any() {
            return;
        }
        for (bit, warning) in [
            (Oddities::CONTROL, Warning::Control),
            (Oddities::UTF8, Warning::Utf8),
            (Oddities::NONFINITE, Warning::NonFinite),
            (Oddities::SYNTAX, Warning::Syntax),
            (Oddities::WORD, Warning::Value),
            (Oddities::DEPTH, Warning::Depth),
        ] {
            if odd.has(bit) {
                self.builder.quality().note(warning, Some(offset), &example);
            }
        }
    }
}

/// An event as the example of a warning: its type, name, `ts` and `dur`, shortened.
pub(super) fn show(event: &Event<'_>) -> String {
    let part = |token: Option<Token<'_>>| {
        let text = token.map_or(b"".as_slice(), |token| token.text);
        String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned()
    };
    let event_type = if event.event_type.is_ascii_graphic() { event.event_type as char } else { '?' };
    format!("{event_type} \"{}\" ts {} dur {}", part(event.name), part(event.ts), part(event.dur))
}
