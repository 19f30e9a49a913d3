//! The authoritative parser: reads the text from its start and knows the containers of events: an array, an object with
//! `traceEvents` anywhere, events without a container, several documents in one file, and damaged forms of all of these.
//!
//! After damage, `recover` finds the next event. Must not know the meaning of events.

use crate::import::build::TraceBuilder;
use crate::import::error::ImportError;
use crate::import::progress::Progress;
use crate::model::Warning;

use super::cursor::{Cursor, quote};
use super::event::{Element, LONG, element};
use super::header;
use super::lookahead::Supply;
use super::recover::{Next, TOO_LONG};
use super::scan::{Fault, Kind, Scanner, Token};

/// Length in bytes beyond which the value of a header entry is not kept.
const HEADER_LIMIT: usize = 1 << 20;
/// Number of elements after which a batch is closed.
const BATCH: u64 = 1000;

/// Why a file is refused: it is empty, is not a trace, or is JSON that cannot be read (with the byte offset).
#[derive(Debug)]
pub(super) enum Refusal {
    Empty(&'static str),
    NotTrace(String),
    Syntax(u64, String),
}

impl Refusal {
    /// Converts the refusal to the error for the file shown as `path`.
    pub(super) fn into_error(self, path: String) -> ImportError {
        match self {
            Self::Empty(what) => ImportError::Empty { path, what: what.into() },
            Self::NotTrace(what) => ImportError::NotTrace { path, what },
            Self::Syntax(offset, what) => ImportError::Syntax { path, offset, what },
        }
    }
}

/// Reads the whole of one text into the trace builder.
pub(super) struct Parser<'a, S> {
    cursor: &'a mut Cursor<S>,
    builder: &'a mut TraceBuilder,
    after_batch: &'a mut dyn FnMut(&TraceBuilder),
    progress: &'a Progress,
    /// True once an event, or an array of events, was found: from then on the file is not refused, and faults count as damage.
    found: bool,
    /// Number of arrays of events so far.
    arrays: usize,
    /// Keys of the outermost object, for the message when it is no trace.
    keys: Vec<String>,
    /// Number of elements of arrays of events so far.
    elements: u64,
    /// Number of elements that are `{}`: producers end arrays with one, and some files have no other element.
    empty: u64,
    /// Number of elements in the batch being filled.
    in_batch: u64,
}

impl<'a, S: Supply> Parser<'a, S> {
    pub(super) fn new(
        cursor: &'a mut Cursor<S>,
        builder: &'a mut TraceBuilder,
        after_batch: &'a mut dyn FnMut(&TraceBuilder),
        progress: &'a Progress,
    ) -> Self {
        let (found, arrays, keys, elements, empty, in_batch) = (false, 0, Vec::new(), 0, 0, 0);
        Self { cursor, builder, after_batch, progress, found, arrays, keys, elements, empty, in_batch }
    }

    /// Reads the text to its end.
    ///
    /// # Errors
    /// When it is no trace.
    pub(super) fn run(&mut self) -> Result<(), Refusal> {
        while self.cursor.lookahead.rest().len() < 3 && self.cursor.lookahead.more() {}
        if self.cursor.lookahead.rest().starts_with(b"\xef\xbb\xbf") {
            self.cursor.lookahead.advance(3);
        }
        let Some(first) = self.cursor.peek() else {
            self.cursor.note_stream_error();
            return Err(Refusal::Empty(if self.cursor.lookahead.total() == 0 {
                "the file is empty (0 bytes)"
            } else {
                "the file contains only white space"
            }));
        };
        if !matches!(first, b'[' | b'{') {
            return Err(self.not_json());
        }
        let mut documents = 0;
        while let Some(byte) = self.cursor.peek() {
            let offset = self.cursor.lookahead.offset();
            match byte {
                b'[' => {
                    self.cursor.lookahead.advance(1);
                    self.array()?;
                    documents += 1;
                }
                b'{' => documents += self.object()?,
                _ if !self.found => return Err(self.not_json()),
                0 if self.cursor.only_zeros_follow() => {
                    self.cursor.note(
                        Warning::Truncated,
                        offset,
                        "the file ends with zero bytes instead of text",
                    );
                }
                _ if self.cursor.resume() => self.array()?,
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
        self.flush();
        self.judge()
    }

    /// Closes the batch that is being filled and adds it to the trace builder.
    fn flush(&mut self) {
        self.builder.absorb(self.cursor.chunk_parser.translator.close());
        self.in_batch = 0;
        (self.after_batch)(self.builder);
    }

    /// Decides at the end of the text whether it is a trace.
    ///
    /// # Errors
    /// When it is none.
    fn judge(&mut self) -> Result<(), Refusal> {
        if !self.found {
            let what = format!("its JSON has no key \"traceEvents\"{}", self.other_keys());
            return Err(Refusal::NotTrace(what));
        }
        if self.elements > self.empty && !self.builder.has_events() {
            return Err(if self.cursor.dropped == self.elements {
                Refusal::Syntax(self.builder.first_damage().unwrap_or(0), "no event can be read".into())
            } else {
                Refusal::NotTrace("none of its elements is an event (no element has the key \"ph\")".into())
            });
        }
        Ok(())
    }

    /// Reads the elements of an array after its `[`, and its end.
    fn array(&mut self) -> Result<(), Refusal> {
        let is_only = !self.found;
        self.found = true;
        self.arrays += 1;
        let mut is_first = true;
        // True after an element: a comma must come before the next one.
        let mut wants_comma = false;
        loop {
            let offset = self.cursor.lookahead.offset();
            match self.cursor.peek() {
                None => {
                    self.cursor.note_stream_error();
                    self.cursor.note(
                        Warning::Truncated,
                        offset,
                        "the closing bracket of the array of events is missing",
                    );
                    return Ok(());
                }
                Some(0) => {
                    if self.cursor.only_zeros_follow() {
                        self.cursor.note(
                            Warning::Truncated,
                            offset,
                            "the file ends with zero bytes instead of text",
                        );
                        return Ok(());
                    }
                    self.cursor.note(Warning::Syntax, offset, "NUL bytes between two events");
                    continue;
                }
                Some(b'[') if !is_first && self.cursor.opens_event() => {
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
                    if is_only {
                        return Err(Refusal::Syntax(offset, format!("unexpected {example}")));
                    }
                    self.cursor.note(Warning::Trailing, offset, &example);
                    self.cursor.drain();
                    return Ok(());
                }
                Some(_) if wants_comma => {
                    self.cursor.note(Warning::Syntax, offset, "no comma between two events");
                }
                Some(b'{') => {
                    if let Some(ends_with_event) = self.run_of_events() {
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

    /// Reads the run of events at the cursor, or adds it when it was parsed ahead. True when the run ended after an
    /// event, false when after a comma; `None` when no run begins here.
    fn run_of_events(&mut self) -> Option<bool> {
        let start = self.cursor.lookahead.offset();
        let mut taken = None;
        if let Some(parsed) = self.cursor.lookahead.take_parsed() {
            self.flush();
            let (run, end) = (parsed.run, parsed.end);
            taken = parsed.absorb_into(self.builder).then_some((run, (end - start) as usize));
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
            self.flush();
        }
        (run.elements > 0).then_some(run.wants_comma)
    }

    /// Reads one element of an array, of any kind.
    fn element(&mut self, wants_comma: &mut bool) -> Next {
        loop {
            let offset = self.cursor.lookahead.offset();
            let mut scan = Scanner::new(self.cursor.lookahead.rest(), self.cursor.lookahead.is_last());
            let outcome = element(&mut scan).map(|parsed| match parsed {
                Element::Event(mut event) => {
                    let len = scan.pos as u64 + self.cursor.lookahead.gone();
                    // Arguments are read again from the file, unless the event is too long for that, too.
                    if len > LONG as u64 && (event.shorten() || len > TOO_LONG as u64) {
                        let what = || "an event with texts of several megabytes; they are cut short".into();
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
                        if self.cursor.step_over() {
                            return Next::Go;
                        }
                        self.cursor.note(Warning::Truncated, offset, "the file ends inside an event");
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
                        .note_oddities(odd, offset, || "in the last event, which is cut off".into());
                    self.cursor.note_stream_error();
                    self.cursor.chunk_parser.translator.drop_element(
                        Warning::Truncated,
                        offset,
                        "the file ends inside an event",
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

    /// Reads an object, which is an event or a document. Returns 1 for a document with events, else 0.
    fn object(&mut self) -> Result<usize, Refusal> {
        let offset = self.cursor.lookahead.offset();
        loop {
            let mut scan = Scanner::new(self.cursor.lookahead.rest(), self.cursor.lookahead.is_last());
            let outcome = element(&mut scan).map(|parsed| match parsed {
                Element::Event(event) if event.event_type != 0 => {
                    self.cursor.chunk_parser.translator.event(&event, offset);
                    self.progress.add_events(1);
                    Some(scan.pos)
                }
                _ => None,
            });
            match outcome {
                Ok(Some(used)) => {
                    self.elements += 1;
                    self.found = true;
                    self.cursor.lookahead.advance(used);
                    return Ok(0);
                }
                Err(Fault::End) => {
                    if !self.cursor.shorten() && self.cursor.lookahead.rest().len() > TOO_LONG
                        || !self.cursor.lookahead.more()
                    {
                        break;
                    }
                }
                Ok(None) | Err(Fault::Bad(_)) => break,
            }
        }
        self.cursor.lookahead.advance(1);
        self.keys.clear();
        let before = self.arrays;
        self.members(0)?;
        Ok(usize::from(self.arrays > before))
    }

    /// Reads the members of a document's object, and its end.
    fn members(&mut self, depth: usize) -> Result<(), Refusal> {
        let mut seen = false;
        // True when events follow the closing bracket of their array.
        let mut is_resumed = false;
        loop {
            self.cursor.peek();
            let mut offset = self.cursor.lookahead.offset();
            let mut step = Ok(true);
            if is_resumed {
                self.array()?;
            } else {
                step = self.member(depth, &mut seen)?;
            }
            if step == Ok(true) {
                self.cursor.peek();
                offset = self.cursor.lookahead.offset();
                #[allow(
                    clippy::redundant_closure_for_method_calls,
                    reason = "the method's lifetime is not general enough"
                )]
                let after = self.try_scan(|scan| scan.after_member());
                step = after.map(|()| true);
            }
            is_resumed = match step {
                Ok(true) => false,
                Err(fault) if self.broken_document(fault, offset)? => true,
                Ok(false) | Err(_) => return Ok(()),
            };
        }
    }

    /// Reads one member of a document's object; false when the object ended instead.
    fn member(&mut self, depth: usize, seen: &mut bool) -> Result<Result<bool, Fault>, Refusal> {
        let offset = self.cursor.lookahead.offset();
        let step = self.try_scan(|scan| {
            let key = scan.next_key()?;
            if key.is_some() {
                scan.peek()?;
            }
            Ok(key.map(<[u8]>::to_vec))
        });
        let key = match step {
            Ok(Some(key)) => key,
            Ok(None) => return Ok(Ok(false)),
            Err(fault) => return Ok(Err(fault)),
        };
        if depth == 0 && self.keys.len() < 8 {
            self.keys.push(quote(&key));
        }
        let first = self.cursor.lookahead.rest().first().copied();
        if key == b"traceEvents" && first == Some(b'[') {
            if *seen {
                self.cursor.note(Warning::Syntax, offset, "the key \"traceEvents\" occurs twice");
            }
            *seen = true;
            self.cursor.lookahead.advance(1);
            self.array()?;
        } else if key == b"traceEvents" && first == Some(b'{') && depth == 0 {
            self.cursor.lookahead.advance(1);
            self.members(1)?;
        } else if let Err(fault) = self.header(&key) {
            return Ok(Err(fault));
        }
        Ok(Ok(true))
    }

    /// Reads a header entry's value into the file's header.
    fn header(&mut self, key: &[u8]) -> Result<(), Fault> {
        let offset = self.cursor.lookahead.offset();
        loop {
            let mut scan = Scanner::new(self.cursor.lookahead.rest(), self.cursor.lookahead.is_last());
            let outcome = scan.value().map(|value| {
                let is_short = value.text.len() <= HEADER_LIMIT;
                if is_short && let Some(header) = self.builder.header() {
                    header::read_entry(header, key, value);
                }
                (scan.pos, is_short, value.kind)
            });
            match outcome {
                Ok((used, is_short, kind)) => {
                    if !is_short {
                        self.skip_header(key, kind, offset);
                    }
                    self.cursor.lookahead.advance(used);
                    return Ok(());
                }
                Err(Fault::End) if self.cursor.lookahead.is_last() => return Err(Fault::End),
                Err(Fault::End)
                    if !self.cursor.shorten() && self.cursor.lookahead.rest().len() > TOO_LONG =>
                {
                    self.skip_header(key, Kind::Object, offset);
                    return if self.cursor.step_over() { Ok(()) } else { Err(Fault::End) };
                }
                Err(Fault::End) => {
                    self.cursor.lookahead.more();
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Counts a header entry that is too long to keep, and adds it with a placeholder as its value.
    fn skip_header(&mut self, key: &[u8], kind: Kind, offset: u64) {
        self.cursor.note(Warning::Limit, offset, &quote(key));
        if let Some(header) = self.builder.header() {
            header::read_entry(header, key, Token { kind, text: b"(longer than 1 MiB, not kept)" });
        }
    }

    /// Calls `read` with ever more of the text until it succeeds, and moves past the bytes that it read.
    fn try_scan<T>(
        &mut self,
        mut read: impl FnMut(&mut Scanner<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        loop {
            let mut scan = Scanner::new(self.cursor.lookahead.rest(), self.cursor.lookahead.is_last());
            let outcome = read(&mut scan);
            let (used, odd) = (scan.pos, scan.odd);
            match outcome {
                Ok(value) => {
                    let offset = self.cursor.lookahead.offset();
                    self.cursor
                        .chunk_parser
                        .translator
                        .note_oddities(odd, offset, || "in the header of the file".into());
                    self.cursor.lookahead.advance(used);
                    return Ok(value);
                }
                Err(Fault::End)
                    if self.cursor.shorten() || self.cursor.lookahead.rest().len() <= TOO_LONG =>
                {
                    if !self.cursor.lookahead.more() {
                        return Err(Fault::End);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Handles a `fault` in a document: moves to the next events (true), or to the end of the text (false).
    fn broken_document(&mut self, fault: Fault, offset: u64) -> Result<bool, Refusal> {
        match fault {
            Fault::End => {
                if !self.found {
                    let what = format!("the text ends before a key \"traceEvents\"{}", self.other_keys());
                    return Err(Refusal::NotTrace(what));
                }
                self.cursor.note_stream_error();
                self.cursor.note(
                    Warning::Truncated,
                    offset,
                    "the closing brace of the JSON document is missing",
                );
            }
            Fault::Bad(at) => {
                let at = at.min(self.cursor.lookahead.rest().len());
                let example = self.cursor.quote_at(at);
                if !self.found {
                    return Err(Refusal::Syntax(offset + at as u64, format!("unexpected {example}")));
                }
                if self.cursor.resume() {
                    return Ok(true);
                }
                self.cursor.note(Warning::Trailing, offset, &example);
            }
        }
        self.cursor.drain();
        Ok(false)
    }

    /// The end of a message that names the keys of the outermost object; empty when there are none.
    fn other_keys(&self) -> String {
        if self.keys.is_empty() { String::new() } else { format!(", only {}", self.keys.join(", ")) }
    }

    fn not_json(&mut self) -> Refusal {
        Refusal::NotTrace(format!("it begins with {} instead of [ or {{", self.cursor.quote_at(0)))
    }
}
