//! Reading a document: an object with `traceEvents` among its members. Part of `parser`.
//!
//! A member that cannot be read costs that member: reading goes on at the next landmark (`landmark`). Must
//! not know the meaning of members; `header` does.

use crate::model::Warning;

use super::cursor::quote;
use super::event::{Element, element};
use super::header;
use super::landmark::{EVENTS, Landmark, holds_member, is_near};
use super::lookahead::Supply;
use super::parser::{Parser, Refusal};
use super::recover::TOO_LONG;
use super::scan::{Fault, Kind, Scanner, Token};
use super::system;

/// Length in bytes beyond which the value of a header entry is not kept.
const HEADER_LIMIT: usize = 1 << 20;
/// Number of faults in documents beyond which reading usually goes on at events only, no longer at header
/// entries.
const MEMBERS: usize = 16;

/// What is read next in a document.
#[derive(Clone, Copy)]
enum Part {
    Member,
    /// Events of an array, from the cursor on.
    Events,
    /// The comma behind a member, or the brace that ends the object.
    Comma,
}

impl From<Landmark> for Part {
    fn from(landmark: Landmark) -> Self {
        if landmark == Landmark::Member { Self::Member } else { Self::Events }
    }
}

/// A fault in a document, with the index of the unparsed bytes from which to search for where reading goes
/// on.
struct Broken {
    fault: Fault,
    from: usize,
}

impl<S: Supply> Parser<'_, S> {
    /// Reads the object at the cursor: an event outside of any array, or a document. Returns 1 for a document
    /// with an array of events, else 0.
    ///
    /// # Errors
    /// When the file must be refused.
    pub(super) fn object(&mut self) -> Result<usize, Refusal> {
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
        self.document()
    }

    /// Reads a document whose opening brace is behind the cursor or missing. Returns 1 if it has an array of
    /// events, else 0.
    ///
    /// # Errors
    /// When the file must be refused.
    pub(super) fn document(&mut self) -> Result<usize, Refusal> {
        self.keys.clear();
        let before = self.arrays;
        let mut part = Part::Member;
        loop {
            self.members(0, part)?;
            match self.beyond_brace()? {
                Some(next) => part = next,
                None => return Ok(usize::from(self.arrays > before)),
            }
        }
    }

    /// Decides, behind a closing brace, what is read next in the document; `None` if the document ends there.
    ///
    /// # Errors
    /// When the file must be refused.
    fn beyond_brace(&mut self) -> Result<Option<Part>, Refusal> {
        let next = self.cursor.peek();
        let offset = self.cursor.lookahead.offset();
        let at = usize::from(next == Some(b','));
        if matches!(next, Some(b',' | b'"')) && self.cursor.opens_member(at) {
            self.cursor.lookahead.advance(at);
            self.cursor.note(Warning::Header, offset, "a closing brace before a further entry");
            return Ok(Some(Part::Member));
        }
        if matches!(next, None | Some(b'{' | b'[' | 0)) {
            return Ok(None);
        }
        let refusal = self.not_json();
        let landmark = self.cursor.seek(0, true, self.found);
        match landmark {
            None if !self.found => return Err(refusal),
            None => {
                let what = "more text follows the end of the JSON document";
                self.cursor.note(Warning::Trailing, offset, what);
            }
            Some(Landmark::Event) if self.found => self.cursor.note_resumed(offset),
            Some(landmark) => self.note_landmark(landmark, offset, "unexpected text behind a closing brace"),
        }
        Ok(landmark.map(Into::into))
    }

    /// Counts a warning of a damaged header at byte `offset` of the text; its example is `what` and where
    /// reading goes on.
    fn note_landmark(&mut self, landmark: Landmark, offset: u64, what: &str) {
        let key =
            self.cursor.lookahead.rest().get(1..).and_then(|rest| rest.split(|&byte| byte == b'"').next());
        let next = match key {
            Some(key) if landmark == Landmark::Member => format!("the key {}", quote(key)),
            _ => "the events".into(),
        };
        self.cursor.note(Warning::Header, offset, &format!("{what}; read on from {next}"));
    }

    /// Reads the rest of a document's object, from `part` on. `depth` is 0 for the outermost object, 1 for
    /// the value of `traceEvents`.
    fn members(&mut self, depth: usize, mut part: Part) -> Result<(), Refusal> {
        let mut seen = false;
        loop {
            self.cursor.peek();
            let step = match part {
                Part::Member => self.member(depth, &mut seen)?,
                Part::Events => self.array(true).map(|()| Ok(true))?,
                Part::Comma => {
                    #[allow(
                        clippy::redundant_closure_for_method_calls,
                        reason = "the method's lifetime is not general enough"
                    )]
                    let after = self.try_scan(|scan| scan.after_member());
                    after.map(|()| true).map_err(|fault| Broken { fault, from: 0 })
                }
            };
            part = match (step, part) {
                (Ok(true), Part::Comma) => Part::Member,
                (Ok(true), Part::Member | Part::Events) => Part::Comma,
                (Ok(false), _) => return Ok(()),
                (Err(broken), _) => match self.broken_document(&broken)? {
                    Some(landmark) => landmark.into(),
                    None => return Ok(()),
                },
            };
        }
    }

    /// Reads one member of a document's object, and sets `seen` if it is an array of events; false at the
    /// closing brace. Reading may go on after the inner error.
    fn member(&mut self, depth: usize, seen: &mut bool) -> Result<Result<bool, Broken>, Refusal> {
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
            Err(fault) => return Ok(Err(Broken { fault, from: 0 })),
        };
        if depth == 0 && self.keys.len() < 8 {
            self.keys.push(quote(&key));
        }
        let first = self.cursor.lookahead.rest().first().copied();
        let is_events = if key == EVENTS {
            first == Some(b'[') || self.lacks_bracket(offset)
        } else {
            first == Some(b'[') && !*seen && is_near(&key, EVENTS) && self.is_damaged_key(&key, offset)
        };
        if is_events {
            if *seen {
                self.cursor.note(Warning::Syntax, offset, "a further array of events in the same object");
            }
            *seen = true;
            if self.cursor.peek() == Some(b'[') {
                self.cursor.lookahead.advance(1);
            }
            self.array(true)?;
        } else if key == EVENTS && first == Some(b'{') && depth == 0 {
            self.cursor.lookahead.advance(1);
            self.members(1, Part::Member)?;
        } else if let Err(fault) = self.header(&key) {
            return Ok(Err(Broken { fault, from: 1 }));
        }
        Ok(Ok(true))
    }

    /// Whether events follow at the cursor although the opening bracket of their array is damaged or missing.
    /// If so, moves past a damaged bracket and counts a warning at byte `offset`.
    fn lacks_bracket(&mut self, offset: u64) -> bool {
        let Some(at) = (0..2).find(|&at| self.cursor.opens_events(at)) else { return false };
        self.cursor.lookahead.advance(at);
        self.cursor.note(Warning::Header, offset, "the value of \"traceEvents\" begins with no bracket");
        true
    }

    /// Whether the array at the cursor, whose key is almost `traceEvents`, begins with an event. If so,
    /// counts a warning at byte `offset` that quotes `key`.
    fn is_damaged_key(&mut self, key: &[u8], offset: u64) -> bool {
        if !self.cursor.opens_events(0) {
            return false;
        }
        let what = format!("{} instead of the key \"traceEvents\"", quote(key));
        self.cursor.note(Warning::Header, offset, &what);
        true
    }

    /// Adds the header entry `key`, whose value is at the cursor, to the file's header (for a long value a
    /// placeholder), and moves past it. Fails when the value is not JSON or lacks its end.
    fn header(&mut self, key: &[u8]) -> Result<(), Fault> {
        let offset = self.cursor.lookahead.offset();
        loop {
            let mut scan = Scanner::new(self.cursor.lookahead.rest(), self.cursor.lookahead.is_last());
            let outcome = scan.value().and_then(|value| {
                let used = scan.pos;
                // Where the text ends behind a member a brace is missing: perhaps that of this one, which
                // then holds all others.
                if value.kind == Kind::Object && scan.peek().is_err() && holds_member(value.text) {
                    return Err(Fault::End);
                }
                if key == system::KEY {
                    system::count(value).note(&mut self.builder.quality, offset);
                }
                let is_short = value.text.len() <= HEADER_LIMIT;
                if is_short && let Some(header) = self.builder.header() {
                    header::read_entry(header, key, value);
                }
                Ok((used, is_short, value.kind))
            });
            match outcome {
                Ok((used, is_short, kind)) => {
                    if !is_short {
                        self.skip_header(key, kind, offset);
                    }
                    self.cursor.lookahead.advance(used);
                    return Ok(());
                }
                // A text is counted before any of it is cut out, or lost with the end of the file.
                Err(Fault::End) if key == system::KEY && self.cursor.holds_long_text() => {
                    let (found, is_whole) = self.cursor.count_lines();
                    found.note(&mut self.builder.quality, offset);
                    self.skip_header(key, Kind::String, offset);
                    return if is_whole { Ok(()) } else { Err(Fault::End) };
                }
                Err(Fault::End) if self.cursor.lookahead.is_last() => return Err(Fault::End),
                Err(Fault::End)
                    if !self.cursor.shorten() && self.cursor.lookahead.rest().len() > TOO_LONG =>
                {
                    // A value that is so long and has events in it lacks its end, unless they are those of
                    // the operating system.
                    if !self.found && key != system::KEY && self.cursor.holds_events() {
                        return Err(Fault::End);
                    }
                    self.skip_header(key, Kind::Object, offset);
                    let mut found = system::Objects::default();
                    let is_whole = self.cursor.step_over(|depth| found.add(depth));
                    if key == system::KEY {
                        found.events().note(&mut self.builder.quality, offset);
                    }
                    return if is_whole { Ok(()) } else { Err(Fault::End) };
                }
                Err(Fault::End) => {
                    self.cursor.lookahead.more();
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Counts a warning at byte `offset` that the header entry `key` is too long, and adds the entry with a
    /// placeholder of kind `kind`.
    fn skip_header(&mut self, key: &[u8], kind: Kind, offset: u64) {
        self.cursor.note(Warning::Limit, offset, &quote(key));
        if let Some(header) = self.builder.header() {
            header::read_entry(header, key, Token { kind, text: b"(value longer than 1 MiB, not kept)" });
            header.members.pop();
        }
    }

    /// Calls `read` on the text at the cursor, again with more of the text if needed, and moves past what
    /// `read` used. Returns the fault if `read` fails.
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
                        .note_oddities(odd, offset, || "outside of the events".into());
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

    /// Counts a fault in a document, and moves to the next landmark, or to the end of the text if there is
    /// none (`None`).
    ///
    /// # Errors
    /// When the file must be refused.
    fn broken_document(&mut self, broken: &Broken) -> Result<Option<Landmark>, Refusal> {
        let start = self.cursor.lookahead.offset();
        let (offset, quoted, what, refusal) = match broken.fault {
            Fault::End => {
                let what =
                    format!("the readable text ends before an array \"traceEvents\"{}", self.other_keys());
                (start, self.cursor.quote_at(0), "without an end", Refusal::NotTrace(what))
            }
            Fault::Bad(at) => {
                let at = at.min(self.cursor.lookahead.rest().len());
                let (offset, quoted) = (start + at as u64, self.cursor.quote_at(at));
                let refusal = Refusal::Syntax(offset, format!("unexpected {quoted}"));
                (offset, quoted, "unexpected", refusal)
            }
        };
        self.broken += 1;
        let landmark = self.cursor.seek(broken.from, self.broken <= MEMBERS, self.found);
        match landmark {
            Some(Landmark::Event) if self.found => self.cursor.note_resumed(start),
            Some(landmark) => self.note_landmark(landmark, offset, &format!("{what} {quoted}")),
            None if !self.found => return Err(refusal),
            None if broken.fault == Fault::End => {
                self.cursor.note_stream_error();
                let what = "the readable text ends inside the JSON document";
                self.cursor.note(Warning::Truncated, offset, what);
            }
            None => self.cursor.note(Warning::Trailing, start, &quoted),
        }
        Ok(landmark)
    }

    /// The end of a message that names the first keys of the latest document, such as
    /// `; its first keys: "a", "b"`; empty without keys.
    pub(super) fn other_keys(&self) -> String {
        let keys = self.keys.join(", ");
        if keys.is_empty() { keys } else { format!("; its first keys: {keys}") }
    }
}
