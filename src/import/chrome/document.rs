//! The containers around events: an array, an object with `traceEvents` anywhere, events one after the other, several
//! documents in one file, and all of them cut short or damaged.
//!
//! Where damage is met, `recover` finds the way on. Must not know what an event means.

use std::sync::Mutex;
use std::thread;

use crate::import::Request;
use crate::import::build::{Clerk, Stage};
use crate::import::chunk::{CHUNK, Chunks, Filler};
use crate::import::error::{ImportError, show};
use crate::import::inflate::Checkpoints;
use crate::import::progress::Progress;
use crate::import::snapshot::Snapshots;
use crate::import::source::{self, Again, Feed, Format, Source};
use crate::import::text::Text;
use crate::model::Warning;

use super::crew::{self, Alone};
use super::event::{Element, LONG, element};
use super::recover::TOO_LONG;
use super::run::Runner;
use super::scan::{Fault, Kind, Scanner, Token};
use super::window::{Supply, Window};

/// Text from a pipe beyond this many bytes is not kept: its arguments cannot be shown then.
const KEPT: usize = 64 << 20;
/// Header values longer than this are not kept.
const HEADER_LIMIT: usize = 1 << 20;
/// Events after which they are handed over.
const BATCH: u64 = 1000;
/// Bytes of a file from which on a crew is worth its threads.
const CREW_FROM: u64 = 4 << 20;

/// Reads all events of `source` into `stage`; gives back the way to read them again.
pub(in crate::import) fn read(
    source: Source<'_>,
    file: u16,
    request: &Request,
    stage: &mut Stage,
    snapshots: &mut Snapshots,
    progress: &Progress,
) -> Result<Text, ImportError> {
    let Source { path, feed, again, .. } = source;
    let keep_at_most = if again == Again::Keep { KEPT } else { 0 };
    let size = request.chunk.unwrap_or(CHUNK);
    let is_small = again == Again::File && source::size(&path) < CREW_FROM && request.threads.is_none();
    let threads = if is_small { 1 } else { request.threads() };
    let (spares, gate) = (stage.spares.clone(), stage.bound.gate.clone());
    let runner =
        |number| Runner::new(Clerk::new(number, file, spares.clone(), gate.clone()), request.is_tolerant);
    let kept = thread::scope(|scope| {
        let is_plain = matches!(feed, Feed::Plain(_));
        let filler = Filler::new(feed, size, progress);
        // What has to be inflated is read ahead of whoever parses it.
        let chunks =
            if is_plain || threads == 1 { Chunks::Here(filler) } else { Chunks::ahead(scope, filler) };
        let seat = Seat { runner: runner(0), stage, snapshots, progress, keep_at_most };
        if threads == 1 {
            return seat.read(Alone::new(chunks));
        }
        let chunks = Mutex::new(chunks);
        thread::scope(|scope| seat.read(crew::start(scope, &chunks, (1..=threads).map(runner).collect())))
    });
    if progress.is_cancelled() {
        return Err(ImportError::Cancelled);
    }
    let kept = kept.map_err(|refusal| refusal.into_error(show(&path)))?;
    Ok(Text::of_read(&path, Format::Chrome, again, kept.text, kept.checkpoints))
}

/// What is left of the text when it has been read.
struct Kept {
    text: Option<Vec<u8>>,
    checkpoints: Option<Checkpoints>,
}

/// What reading a document needs besides the document.
struct Seat<'a> {
    runner: Runner,
    stage: &'a mut Stage,
    snapshots: &'a mut Snapshots,
    progress: &'a Progress,
    keep_at_most: usize,
}

impl Seat<'_> {
    /// Reads what `supply` gives.
    fn read(self, supply: impl Supply) -> Result<Kept, Refusal> {
        let Self { runner, stage, snapshots, progress, keep_at_most } = self;
        let mut document = Reader {
            window: Window::new(supply, keep_at_most),
            runner,
            stage,
            snapshots,
            progress,
            found: false,
            arrays: 0,
            keys: Vec::new(),
            elements: 0,
            empty: 0,
            dropped: 0,
            noted: 0,
        };
        document.run()?;
        let (text, checkpoints) = (document.window.take_kept(), document.window.take_checkpoints());
        Ok(Kept { text, checkpoints })
    }
}

/// Why a file is no trace.
#[derive(Debug)]
pub(super) enum Refusal {
    Empty(&'static str),
    NotTrace(String),
    Syntax(u64, String),
}

impl Refusal {
    fn into_error(self, path: String) -> ImportError {
        match self {
            Self::Empty(what) => ImportError::Empty { path, what: what.into() },
            Self::NotTrace(what) => ImportError::NotTrace { path, what },
            Self::Syntax(offset, what) => ImportError::Syntax { path, offset, what },
        }
    }
}

/// How reading an array's elements or an object's members went on.
pub(super) enum Next {
    Go,
    Stop,
}

pub(super) struct Reader<'a, S> {
    pub(super) window: Window<S>,
    pub(super) runner: Runner,
    stage: &'a mut Stage,
    snapshots: &'a mut Snapshots,
    progress: &'a Progress,
    /// True once events, or an array for them, were seen: what follows can only be damaged, not refused.
    pub(super) found: bool,
    /// Arrays of events seen.
    arrays: usize,
    /// Keys of the outermost object, for the message when it is no trace.
    pub(super) keys: Vec<String>,
    elements: u64,
    /// Those with nothing in them, which producers end with; all that some write.
    empty: u64,
    /// Elements that could not be read.
    pub(super) dropped: u64,
    /// Elements noted here and not handed over.
    noted: u64,
}

impl<S: Supply> Reader<'_, S> {
    fn run(&mut self) -> Result<(), Refusal> {
        while self.window.rest().len() < 3 && self.window.more() {}
        if self.window.rest().starts_with(b"\xef\xbb\xbf") {
            self.window.advance(3);
        }
        let Some(first) = self.peek() else {
            self.note_stream_error();
            return Err(Refusal::Empty(if self.window.total() == 0 {
                "the file is empty (0 bytes)"
            } else {
                "there is nothing in it"
            }));
        };
        if !matches!(first, b'[' | b'{') {
            return Err(self.not_json());
        }
        let mut documents = 0;
        while let Some(byte) = self.peek() {
            let offset = self.window.offset();
            match byte {
                b'[' => {
                    self.window.advance(1);
                    self.array()?;
                    documents += 1;
                }
                b'{' => documents += self.object()?,
                _ if !self.found => return Err(self.not_json()),
                0 if self.rest_is_zeros() => {
                    self.note(Warning::Truncated, offset, "zeros where text should be");
                }
                _ if self.resume() => self.array()?,
                _ => {
                    self.note(Warning::Trailing, offset, "text after the document");
                    break;
                }
            }
            if documents > 1 {
                self.note(Warning::Concat, offset, "another document begins");
                documents = 1;
            }
        }
        self.note_stream_error();
        self.flush();
        self.judge()
    }

    /// Hands over what was noted here.
    fn flush(&mut self) {
        self.stage.absorb(self.runner.clerk.close());
        self.noted = 0;
        self.snapshots.look(self.stage, self.progress);
    }

    /// Whether what was found makes a trace.
    fn judge(&mut self) -> Result<(), Refusal> {
        if !self.found {
            let keys = self.keys.join(", ");
            let what = if keys.is_empty() {
                "no traceEvents".into()
            } else {
                format!("no traceEvents, only {keys}")
            };
            return Err(Refusal::NotTrace(what));
        }
        if self.elements > self.empty && !self.stage.has_events() {
            return Err(if self.dropped == self.elements {
                Refusal::Syntax(self.stage.first_damage().unwrap_or(0), "no event can be read".into())
            } else {
                Refusal::NotTrace("its elements are not events (none has a phase, \"ph\")".into())
            });
        }
        Ok(())
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.window.rest();
            let blank = rest.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r')).count();
            self.window.advance(blank);
            if let Some(&byte) = self.window.rest().first() {
                return Some(byte);
            }
            if !self.window.more() {
                return None;
            }
        }
    }

    /// The elements after `[`, to past its end.
    fn array(&mut self) -> Result<(), Refusal> {
        let is_only = !self.found;
        self.found = true;
        self.arrays += 1;
        let mut is_first = true;
        // True after an element: a comma must come before the next one.
        let mut wants_comma = false;
        loop {
            let offset = self.window.offset();
            match self.peek() {
                None => {
                    self.note_stream_error();
                    self.note(Warning::Truncated, offset, "the array of events is not closed");
                    return Ok(());
                }
                Some(0) => {
                    if self.rest_is_zeros() {
                        self.note(Warning::Truncated, offset, "zeros where text should be");
                        return Ok(());
                    }
                    self.note(Warning::Syntax, offset, "zeros between two events");
                    continue;
                }
                Some(b'[') if !is_first && self.opens_event() => {
                    self.note(Warning::Syntax, offset, "a bracket before an event");
                    self.window.advance(1);
                    continue;
                }
                Some(b']') => {
                    if !is_first && !wants_comma {
                        self.note(Warning::Syntax, offset, "a comma before the closing bracket");
                    }
                    self.window.advance(1);
                    return Ok(());
                }
                Some(b',') => {
                    if !wants_comma {
                        self.note(Warning::Syntax, offset, "a comma without an event before it");
                    }
                    self.window.advance(1);
                    (wants_comma, is_first) = (false, false);
                    continue;
                }
                Some(byte) if is_first && !b"{[\"-+0123456789tfnNI.".contains(&byte) => {
                    let (offset, example) = (self.window.offset(), self.quote_at(0));
                    if is_only {
                        return Err(Refusal::Syntax(offset, format!("unexpected {example}")));
                    }
                    self.note(Warning::Trailing, offset, &example);
                    self.drain();
                    return Ok(());
                }
                Some(_) if wants_comma => self.note(Warning::Syntax, offset, "no comma between two events"),
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

    /// Takes the run of events that begins here, read ahead or not; `None` when there is none, else whether it ended
    /// behind an event.
    fn run_of_events(&mut self) -> Option<bool> {
        let start = self.window.offset();
        let mut taken = None;
        if let Some(piece) = self.window.take_piece() {
            self.flush();
            let (run, end) = (piece.run, piece.end);
            taken = piece.give(self.stage).then_some((run, (end - start) as usize));
        }
        let (run, used) = taken.unwrap_or_else(|| {
            let run = self.runner.run(self.window.rest(), 0, self.window.before_piece(), start);
            (run, run.end)
        });
        self.elements += run.elements;
        self.empty += run.elements - run.events;
        self.progress.add_events(run.events);
        self.window.advance(used);
        self.noted += run.elements;
        if self.noted > BATCH {
            self.flush();
        }
        (run.elements > 0).then_some(run.wants_comma)
    }

    /// One element of an array, whatever it is.
    fn element(&mut self, wants_comma: &mut bool) -> Next {
        loop {
            let offset = self.window.offset();
            let mut scan = Scanner::new(self.window.rest(), self.window.is_last());
            let outcome = element(&mut scan).map(|parsed| match parsed {
                Element::Event(mut event) => {
                    let len = scan.pos as u64 + self.window.gone();
                    // Arguments are read again from the file, but for those that are too long there, too.
                    if len > LONG as u64 && (event.shorten() || len > TOO_LONG as u64) {
                        let what = || "an event of many megabytes".into();
                        self.runner.clerk.quality().note(Warning::Limit, Some(offset), what);
                    }
                    if event.is_empty {
                        self.empty += 1;
                    } else {
                        self.runner.clerk.event(&event, offset);
                        self.progress.add_events(1);
                    }
                }
                Element::Other | Element::Document => {
                    self.runner.clerk.drop_element(Warning::Syntax, offset, "an element that is no event");
                }
            });
            let (used, odd) = (scan.pos, scan.odd);
            match outcome {
                Ok(()) => {
                    self.window.advance(used);
                    return Next::Go;
                }
                Err(Fault::End) => {
                    if self.is_too_long(offset) {
                        self.runner
                            .clerk
                            .note_oddities(odd, offset, || "in an element of many megabytes".into());
                        if self.step_over() {
                            return Next::Go;
                        }
                        self.note(Warning::Truncated, offset, "the file ends inside an event");
                        return Next::Stop;
                    }
                    // Once more when it turns out that nothing follows: a number may then end where the text does.
                    if !self.window.is_last() {
                        self.window.more();
                        continue;
                    }
                    self.dropped += 1;
                    self.runner
                        .clerk
                        .note_oddities(odd, offset, || "in the event that the file ends in".into());
                    self.note_stream_error();
                    self.runner.clerk.drop_element(
                        Warning::Truncated,
                        offset,
                        "the file ends inside an event",
                    );
                    return Next::Stop;
                }
                Err(Fault::Bad(at)) => {
                    self.dropped += 1;
                    let example = self.quote_at(at.saturating_sub(20));
                    self.runner.clerk.drop_element(Warning::Syntax, offset + at as u64, &example);
                    return self.resync(at, wants_comma);
                }
            }
        }
    }

    /// An object: an event by itself, or a document. Returns how many documents it was.
    fn object(&mut self) -> Result<usize, Refusal> {
        let offset = self.window.offset();
        loop {
            let mut scan = Scanner::new(self.window.rest(), self.window.is_last());
            let outcome = element(&mut scan).map(|parsed| match parsed {
                Element::Event(event) if event.phase != 0 => {
                    self.runner.clerk.event(&event, offset);
                    self.progress.add_events(1);
                    Some(scan.pos)
                }
                _ => None,
            });
            match outcome {
                Ok(Some(used)) => {
                    self.elements += 1;
                    self.found = true;
                    self.window.advance(used);
                    return Ok(0);
                }
                Err(Fault::End) => {
                    if !self.shorten() && self.window.rest().len() > TOO_LONG || !self.window.more() {
                        break;
                    }
                }
                Ok(None) | Err(Fault::Bad(_)) => break,
            }
        }
        self.window.advance(1);
        self.keys.clear();
        let before = self.arrays;
        self.members(0)?;
        Ok(usize::from(self.arrays > before))
    }

    /// The members of a document's object, to past its end.
    fn members(&mut self, depth: usize) -> Result<(), Refusal> {
        let mut seen = false;
        // True where events follow after the end of their array.
        let mut is_resumed = false;
        loop {
            self.peek();
            let mut offset = self.window.offset();
            let mut step = Ok(true);
            if is_resumed {
                self.array()?;
            } else {
                step = self.member(depth, &mut seen)?;
            }
            if step == Ok(true) {
                self.peek();
                offset = self.window.offset();
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

    /// One member of a document's object; false past the object's end.
    fn member(&mut self, depth: usize, seen: &mut bool) -> Result<Result<bool, Fault>, Refusal> {
        let offset = self.window.offset();
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
        let first = self.window.rest().first().copied();
        if key == b"traceEvents" && first == Some(b'[') {
            if *seen {
                self.note(Warning::Syntax, offset, "traceEvents twice");
            }
            *seen = true;
            self.window.advance(1);
            self.array()?;
        } else if key == b"traceEvents" && first == Some(b'{') && depth == 0 {
            self.window.advance(1);
            self.members(1)?;
        } else if let Err(fault) = self.header(&key) {
            return Ok(Err(fault));
        }
        Ok(Ok(true))
    }

    /// Reads a header entry's value and hands it on.
    fn header(&mut self, key: &[u8]) -> Result<(), Fault> {
        let offset = self.window.offset();
        loop {
            let mut scan = Scanner::new(self.window.rest(), self.window.is_last());
            let outcome = scan.value().map(|value| {
                let is_short = value.text.len() <= HEADER_LIMIT;
                if is_short {
                    self.stage.header(key, value);
                }
                (scan.pos, is_short, value.kind)
            });
            match outcome {
                Ok((used, is_short, kind)) => {
                    if !is_short {
                        self.skip_header(key, kind, offset);
                    }
                    self.window.advance(used);
                    return Ok(());
                }
                Err(Fault::End) if self.window.is_last() => return Err(Fault::End),
                Err(Fault::End) if !self.shorten() && self.window.rest().len() > TOO_LONG => {
                    self.skip_header(key, Kind::Object, offset);
                    return if self.step_over() { Ok(()) } else { Err(Fault::End) };
                }
                Err(Fault::End) => {
                    self.window.more();
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Notes an entry that is too long to keep.
    fn skip_header(&mut self, key: &[u8], kind: Kind, offset: u64) {
        self.note(Warning::Limit, offset, &quote(key));
        self.stage.header(key, Token { kind, text: b"(too long to keep)" });
    }

    /// Runs `read` on the window, reading on as needed, and lets go of what it used.
    fn try_scan<T>(
        &mut self,
        mut read: impl FnMut(&mut Scanner<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        loop {
            let mut scan = Scanner::new(self.window.rest(), self.window.is_last());
            let outcome = read(&mut scan);
            let (used, odd) = (scan.pos, scan.odd);
            match outcome {
                Ok(value) => {
                    let offset = self.window.offset();
                    self.runner.clerk.note_oddities(odd, offset, || "in the header".into());
                    self.window.advance(used);
                    return Ok(value);
                }
                Err(Fault::End) if self.shorten() || self.window.rest().len() <= TOO_LONG => {
                    if !self.window.more() {
                        return Err(Fault::End);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    pub(super) fn note(&mut self, warning: Warning, offset: u64, example: &str) {
        self.runner.clerk.quality().note(warning, Some(offset), || example.into());
    }

    /// What stands `at` bytes into the window, for a message: the same however much of the text is at hand.
    pub(super) fn quote_at(&mut self, at: usize) -> String {
        while self.window.rest().len() < at + QUOTED && self.window.more() {}
        quote(&self.window.rest()[at..])
    }

    fn not_json(&mut self) -> Refusal {
        Refusal::NotTrace(format!("it begins with {}", self.quote_at(0)))
    }
}

/// Bytes of a text that a message shows.
const QUOTED: usize = 40;

/// The head of a text, safe and short enough for a message.
pub(super) fn quote(text: &[u8]) -> String {
    let head = &text[..text.len().min(QUOTED)];
    format!("\"{}\"", crate::base::text::SafeText::from_bytes(head).elide_end(QUOTED))
}
