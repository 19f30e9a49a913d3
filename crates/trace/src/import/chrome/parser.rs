//! The authoritative parser: reads the text from its start and knows the containers of events: an array, an
//! object with `traceEvents` anywhere (`document`), events without a container, several documents in one
//! file, and damaged forms of all of these.
//!
//! After damage, `recover` finds the next event. Must not know the meaning of events.

use crate::import::build::TraceBuilder;
use crate::import::error::ImportError;
use crate::import::progress::Progress;
use crate::model::Warning;
use proftui_base::heap::NoMemory;
use proftui_base::saturate::saturate;

use super::cursor::Cursor;
use super::event::{Element, LONGEST_WHOLE_EVENT, element};
use super::landmark::{Landmark, is_near};
use super::lookahead::Supply;
use super::recover::{Next, TOO_LONG};
use super::scan::{Fault, Scanner};

/// Number of elements in runs of events beyond which a batch is closed.
const BATCH: u64 = 1000;
/// The byte order mark that some editors write at the start of a text; it is skipped.
const BOM: &[u8] = b"\xef\xbb\xbf";
const NO_BRACKET: &str = "the readable events end without a closing bracket";

/// Why a file is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    Empty(&'static str),
    NotTrace(String),
    Syntax(u64, String),
    Memory,
}

impl From<NoMemory> for Refusal {
    fn from(_: NoMemory) -> Self {
        Self::Memory
    }
}

impl Refusal {
    /// Converts the refusal to the error for the file shown as `path`.
    pub(super) fn into_error(self, path: String) -> ImportError {
        match self {
            Self::Empty(what) => ImportError::Empty { path, what: what.into() },
            Self::NotTrace(what) => ImportError::NotTrace { path, what },
            Self::Syntax(offset, what) => ImportError::Syntax { path, offset, what },
            Self::Memory => ImportError::no_memory(path),
        }
    }
}

/// Reads the whole of one text into the trace builder.
pub(super) struct Parser<'a, S> {
    pub(super) cursor: &'a mut Cursor<S>,
    pub(super) builder: &'a mut TraceBuilder,
    after_batch: &'a mut dyn FnMut(&TraceBuilder),
    pub(super) progress: &'a Progress,
    /// True once an event, or an array of events, was found: from then on most faults only count as damage.
    pub(super) found: bool,
    /// Number of times so far that reading an array of events began or went on.
    pub(super) arrays: usize,
    /// The first 8 keys of the latest document's outermost object, in quotes, for the message of a refusal.
    pub(super) keys: Vec<String>,
    /// Number of faults so far at which reading a document's members broke off.
    pub(super) broken: usize,
    /// Number of elements of arrays of events so far, with the events that are in no array.
    pub(super) elements: u64,
    /// Number of elements so far that are `{}`.
    empty: u64,
    /// Number of elements in runs of events since the last batch was closed.
    in_batch: u64,
}

impl<'a, S: Supply> Parser<'a, S> {
    pub(super) fn new(
        cursor: &'a mut Cursor<S>,
        builder: &'a mut TraceBuilder,
        after_batch: &'a mut dyn FnMut(&TraceBuilder),
        progress: &'a Progress,
    ) -> Self {
        let (found, arrays, keys, broken, elements) = (false, 0, Vec::new(), 0, 0);
        let (empty, in_batch) = (0, 0);
        Self {
            cursor,
            builder,
            after_batch,
            progress,
            found,
            arrays,
            keys,
            broken,
            elements,
            empty,
            in_batch,
        }
    }

    /// Reads the text to its end.
    ///
    /// # Errors
    /// When it is empty, no trace or JSON that cannot be read, or there is no memory for its events.
    pub(super) fn run(&mut self) -> Result<(), Refusal> {
        while self.cursor.lookahead.rest().len() < 3 && self.cursor.lookahead.more() {}
        if self.cursor.lookahead.rest().starts_with(BOM) {
            self.cursor.lookahead.advance(BOM.len());
        }
        let Some(first) = self.cursor.peek() else {
            self.cursor.note_stream_error();
            return Err(Refusal::Empty(if self.cursor.lookahead.total() == 0 {
                "no readable text (0 bytes)"
            } else {
                "the readable text is blank"
            }));
        };
        let mut documents = if matches!(first, b'[' | b'{') { 0 } else { self.damaged_start()? };
        // True after an event that is in no array.
        let mut is_bare = false;
        while let Some(byte) = self.cursor.peek() {
            let offset = self.cursor.lookahead.offset();
            match byte {
                b'[' => {
                    let is_document = documents == 0 && self.cursor.opens_member(1);
                    self.cursor.lookahead.advance(1);
                    if is_document {
                        self.cursor.note(
                            Warning::Header,
                            offset,
                            "a bracket instead of the document's opening brace",
                        );
                        documents += self.document()?;
                    } else {
                        self.array(false)?;
                        documents += 1;
                    }
                }
                b'{' => {
                    let found = self.object()?;
                    is_bare = found == 0 && self.found;
                    documents += found;
                }
                b',' if is_bare => {
                    self.cursor.note(
                        Warning::Syntax,
                        offset,
                        "the opening bracket of the array of events is missing",
                    );
                    self.cursor.lookahead.advance(1);
                    self.array(false)?;
                    documents += 1;
                }
                _ if !self.found => return Err(self.not_json()),
                0 if self.cursor.only_zeros_follow() => {
                    self.cursor.note(Warning::Truncated, offset, "the readable text ends with NUL bytes");
                }
                _ if self.cursor.resume() => self.array(false)?,
                _ => {
                    self.cursor.note(
                        Warning::Trailing,
                        offset,
                        "more text follows the end of the JSON document",
                    );
                    break;
                }
            }
            if documents > 1 {
                self.cursor.note(Warning::Concat, offset, "another JSON document begins here");
                documents = 1;
            }
        }
        self.cursor.note_stream_error();
        self.flush()?;
        self.judge()
    }

    /// Closes the batch that is being filled, adds it to the trace builder, and calls `after_batch`.
    fn flush(&mut self) -> Result<(), NoMemory> {
        self.builder.absorb(self.cursor.chunk_parser.translator.close())?;
        self.in_batch = 0;
        (self.after_batch)(self.builder);
        Ok(())
    }

    /// Decides at the end of the text whether it is a trace.
    ///
    /// # Errors
    /// When it is no trace, or no event of it can be read.
    fn judge(&mut self) -> Result<(), Refusal> {
        if !self.found {
            let what = format!("the last outermost object has no array \"traceEvents\"{}", self.other_keys());
            return Err(Refusal::NotTrace(what));
        }
        if self.elements > self.empty && !self.builder.has_events() {
            return Err(if self.cursor.dropped == self.elements {
                Refusal::Syntax(self.builder.first_damage().unwrap_or(0), "no event can be read".into())
            } else {
                Refusal::NotTrace("none of its elements is an event (no element has a known \"ph\")".into())
            });
        }
        Ok(())
    }

    /// Reads the damaged beginning of a text, at least up to where a document or array begins. Returns 1 if
    /// it also read an array of events, else 0.
    ///
    /// # Errors
    /// When the file must be refused.
    fn damaged_start(&mut self) -> Result<usize, Refusal> {
        let offset = self.cursor.lookahead.offset();
        let is_bom =
            |at: &usize| self.cursor.lookahead.rest().get(..*at).is_some_and(|bytes| is_near(bytes, BOM));
        let starts: Vec<usize> = (0..2).chain((2..=4).filter(is_bom)).collect();
        let Some(at) = starts.into_iter().find(|&at| self.cursor.opens_document(at)) else {
            return Err(self.not_json());
        };
        let what = format!("the text begins with {}", self.cursor.quote_at(0));
        self.cursor.note(Warning::Header, offset, &what);
        self.cursor.lookahead.advance(at);
        match self.cursor.peek() {
            Some(b'"') => self.document(),
            Some(b'{') if self.cursor.opens_events(0) => self.array(false).map(|()| 1),
            _ => Ok(0),
        }
    }

    /// Reads the rest of an array of events, from the cursor on. `is_member` is true if the array stands in a
    /// document.
    ///
    /// # Errors
    /// When the file must be refused.
    pub(super) fn array(&mut self, is_member: bool) -> Result<(), Refusal> {
        let is_only = !self.found;
        self.found = true;
        self.cursor.in_document = is_member;
        self.arrays += 1;
        let mut is_first = true;
        // True after an element: a comma must come before the next one.
        let mut wants_comma = false;
        loop {
            let offset = self.cursor.lookahead.offset();
            let byte = self.cursor.peek();
            match byte.filter(|_| is_member).and_then(|byte| self.damaged_bracket(byte, offset)) {
                Some(Next::Stop) => return Ok(()),
                Some(Next::Go) => continue,
                None => {}
            }
            match byte {
                None => {
                    self.cursor.note_stream_error();
                    self.cursor.note(Warning::Truncated, offset, NO_BRACKET);
                    return Ok(());
                }
                Some(0) => {
                    if self.cursor.only_zeros_follow() {
                        self.cursor.note(Warning::Truncated, offset, "the readable text ends with NUL bytes");
                        return Ok(());
                    }
                    self.cursor.note(Warning::Syntax, offset, "NUL bytes among the events");
                    continue;
                }
                Some(b'[') if self.cursor.opens_events(1) => {
                    self.cursor.note(Warning::Syntax, offset, "an opening bracket before an event");
                    self.cursor.lookahead.advance(1);
                    continue;
                }
                Some(b']') => {
                    if !is_first && !wants_comma {
                        self.cursor.note(Warning::Syntax, offset, "a comma before the closing bracket");
                    }
                    self.cursor.lookahead.advance(1);
                    return Ok(());
                }
                Some(b',') => {
                    if !wants_comma {
                        self.cursor.note(Warning::Syntax, offset, "a comma without an event before it");
                    }
                    self.cursor.lookahead.advance(1);
                    (wants_comma, is_first) = (false, false);
                    continue;
                }
                Some(byte) if is_first && !b"{[\"-+0123456789tfnNI.".contains(&byte) => {
                    let (offset, example) = (self.cursor.lookahead.offset(), self.cursor.quote_at(0));
                    if let Some(landmark) = self.cursor.seek(0, false, !is_only) {
                        // What stands before it is the first event, damaged.
                        let what = format!("unexpected {example} instead of an event");
                        let dropped = u64::from(landmark == Landmark::Event);
                        self.cursor.note(Warning::Syntax, offset, &what);
                        let quality = self.cursor.chunk_parser.translator.builder.quality();
                        quality.dropped += dropped;
                        quality.unread += dropped;
                        is_first = false;
                        continue;
                    }
                    if is_only {
                        return Err(Refusal::Syntax(offset, format!("unexpected {example}")));
                    }
                    self.cursor.note(Warning::Trailing, offset, &example);
                    self.cursor.drain();
                    return Ok(());
                }
                Some(_) if wants_comma => {
                    self.cursor.note(Warning::Syntax, offset, "no comma right after an event");
                }
                Some(b'{') if is_only && is_first && self.cursor.opens_broken_document() => {
                    // The bracket before it is stray.
                    self.cursor.note(Warning::Header, offset, "a bracket before the document");
                    self.cursor.lookahead.advance(1);
                    return self.document().map(|_| ());
                }
                Some(b'{') => {
                    if let Some(ends_with_event) = self.run_of_events()? {
                        (is_first, wants_comma) = (false, ends_with_event);
                        continue;
                    }
                }
                Some(_) => {}
            }
            (is_first, wants_comma) = (false, true);
            self.elements += 1;
            if let Next::Stop = self.element(&mut wants_comma) {
                return Ok(());
            }
        }
    }

    /// Handles a damaged or missing closing bracket ([`Next::Stop`]) or a stray brace ([`Next::Go`]) at
    /// `byte`, the next byte of a document's array of events; `None` if there is neither.
    fn damaged_bracket(&mut self, byte: u8, offset: u64) -> Option<Next> {
        match byte {
            b'}' if self.cursor.ends_with_brace() => {}
            b'}' if self.cursor.is_stray_brace() => {
                self.cursor.note(Warning::Syntax, offset, "a closing brace among the events");
                self.cursor.lookahead.advance(1);
                return Some(Next::Go);
            }
            b'"' if self.cursor.opens_known_member(0) => {}
            b'{' if self.cursor.opens_known_member(2) => self.cursor.lookahead.advance(1),
            _ => return None,
        }
        self.cursor.note(Warning::Syntax, offset, NO_BRACKET);
        Some(Next::Stop)
    }

    /// Reads the run of events at the cursor and moves past it. Returns whether a comma must come next;
    /// `None` if no run begins there.
    fn run_of_events(&mut self) -> Result<Option<bool>, NoMemory> {
        let start = self.cursor.lookahead.offset();
        let mut taken = None;
        if let Some(parsed) = self.cursor.lookahead.take_parsed() {
            self.flush()?;
            let (run, end) = (parsed.run, parsed.end);
            taken = parsed.absorb_into(self.builder)?.then_some((run, saturate::<usize>(end - start)));
        }
        let (run, used) = taken.unwrap_or_else(|| {
            let run = self.cursor.chunk_parser.run(
                self.cursor.lookahead.rest(),
                0,
                self.cursor.lookahead.before_parsed(),
                start,
            );
            (run, run.end)
        });
        self.elements += run.elements;
        self.empty += run.elements - run.events;
        self.progress.add_events(run.events);
        self.cursor.lookahead.advance(used);
        self.in_batch += run.elements;
        if self.in_batch > BATCH {
            self.flush()?;
        }
        Ok((run.elements > 0).then_some(run.wants_comma))
    }

    /// Reads one element of an array of events; [`Next::Stop`] when reading cannot go on. After damage, sets
    /// `wants_comma` to whether a comma must come next.
    fn element(&mut self, wants_comma: &mut bool) -> Next {
        loop {
            let offset = self.cursor.lookahead.offset();
            let mut scan = Scanner::new(self.cursor.lookahead.rest(), self.cursor.lookahead.is_last());
            let mut outcome = element(&mut scan);
            if let Ok(Element::Document) = outcome {
                // A document among the events is left out, whole.
                scan.pos = 0;
                outcome = scan.value().map(|_| Element::Other);
            }
            let outcome = outcome.map(|parsed| match parsed {
                Element::Event(mut event) => {
                    let len = scan.pos as u64 + self.cursor.lookahead.gone();
                    // Arguments are read again from the file, unless the event is too long for that, too.
                    if len > LONGEST_WHOLE_EVENT as u64 && (event.shorten() || len > TOO_LONG as u64) {
                        let what = || "an event larger than 8 MiB, not kept whole".into();
                        self.cursor.chunk_parser.translator.builder.quality().note(
                            Warning::Limit,
                            Some(offset),
                            what,
                        );
                    }
                    if event.is_empty {
                        self.empty += 1;
                    } else {
                        self.cursor.chunk_parser.translator.event(&event, offset);
                        self.progress.add_events(1);
                    }
                }
                Element::Other | Element::Document => {
                    self.cursor.chunk_parser.translator.drop_element(
                        Warning::Syntax,
                        offset,
                        "an array element that is not an event",
                    );
                }
            });
            let (used, odd) = (scan.pos, scan.odd);
            match outcome {
                Ok(()) => {
                    self.cursor.lookahead.advance(used);
                    return Next::Go;
                }
                Err(Fault::End) => {
                    if self.cursor.is_too_long(offset) {
                        self.cursor
                            .chunk_parser
                            .translator
                            .note_oddities(odd, offset, || "in an element larger than 64 MiB".into());
                        if self.cursor.step_over(|_| {}) {
                            return Next::Go;
                        }
                        self.cursor.note(
                            Warning::Truncated,
                            offset,
                            "the readable text ends inside an event",
                        );
                        return Next::Stop;
                    }
                    // At the end of the text the element is read once more: a number may end with the text.
                    if !self.cursor.lookahead.is_last() {
                        self.cursor.lookahead.more();
                        continue;
                    }
                    self.cursor.dropped += 1;
                    self.cursor
                        .chunk_parser
                        .translator
                        .note_oddities(odd, offset, || "in the event in which the readable text ends".into());
                    self.cursor.note_stream_error();
                    self.cursor.chunk_parser.translator.drop_element(
                        Warning::Truncated,
                        offset,
                        "the readable text ends inside an event",
                    );
                    return Next::Stop;
                }
                Err(Fault::Bad(at)) => {
                    self.cursor.dropped += 1;
                    let example = self.cursor.quote_at(at.saturating_sub(20));
                    self.cursor.chunk_parser.translator.drop_element(
                        Warning::Syntax,
                        offset + at as u64,
                        &example,
                    );
                    return self.cursor.resync(at, wants_comma);
                }
            }
        }
    }

    pub(super) fn not_json(&mut self) -> Refusal {
        Refusal::NotTrace(format!("it begins with {} instead of [ or {{", self.cursor.quote_at(0)))
    }
}
