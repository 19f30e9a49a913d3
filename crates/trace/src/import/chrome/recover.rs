//! Continuing after damage: how much is lost, and at which offset the next event certainly begins.
//!
//! The policy: a damaged byte loses the damaged event, and at most the one after it, into which the damaged
//! one may run on; never one before it. What is lost is counted.

use memchr::memchr2_iter;

use crate::model::Warning;

use super::cursor::Cursor;
use super::event::{Element, Field, LONGEST_WHOLE_EVENT, element, kept};
use super::landmark::{CONTEXT, Landmark, Search, Sought, is_member};
use super::lookahead::Supply;
use super::scan::{Fault, Scanner, blank};

/// Most bytes in memory of a value whose end is not read yet; with more, an element is skipped and dropped.
pub(super) const TOO_LONG: usize = 64 << 20;

/// Number of bytes of text that usually decide what a bracket in damaged text stands for.
const SEARCHED_AFTER_BRACKET: usize = 64 << 10;

/// Most opening brackets before an event that [`Cursor::opens_events`] passes over.
const BRACKETS: usize = 2;

/// Whether reading an array of events goes on, or stops since none of its elements follow.
pub(super) enum Next {
    Go,
    Stop,
}

impl<S: Supply> Cursor<S> {
    /// Cuts short a very long string in which the unparsed bytes end; true if it did.
    pub(super) fn shorten(&mut self) -> bool {
        let rest = self.lookahead.rest();
        if rest.len() <= LONGEST_WHOLE_EVENT {
            return false;
        }
        let Some(start) = open_text(rest).filter(|start| rest.len() - start > LONGEST_WHOLE_EVENT) else {
            return false;
        };
        let escapes = rest.iter().rev().take_while(|&&byte| byte == b'\\').count();
        self.lookahead.cut(start + kept(&rest[start..]), escapes % 2);
        true
    }

    /// Cuts short a very long string in which the unparsed bytes end, and returns false. Without one, returns
    /// whether the element at byte `offset` is too long for memory, and if so counts it as dropped.
    pub(super) fn is_too_long(&mut self, offset: u64) -> bool {
        if self.shorten() || self.lookahead.rest().len() <= TOO_LONG {
            return false;
        }
        self.dropped += 1;
        self.chunk_parser.translator.drop_element(
            Warning::Limit,
            offset,
            "an array element larger than 64 MiB was left out",
        );
        true
    }

    /// Skips the value at the cursor without holding it in memory; false when the text ends in it. Calls
    /// `on_object` with the depth of each object in it, from 0.
    pub(super) fn step_over(&mut self, mut on_object: impl FnMut(u64)) -> bool {
        let (mut depth, mut in_text, mut is_escaped) = (0_u64, false, false);
        loop {
            let rest = self.lookahead.rest();
            for (at, &byte) in rest.iter().enumerate() {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_text => is_escaped = true,
                    b'"' => in_text = !in_text,
                    _ if in_text => {}
                    b'{' | b'[' => {
                        if byte == b'{' {
                            on_object(depth);
                        }
                        depth += 1;
                    }
                    b',' | b'}' | b']' if depth == 0 => {
                        self.lookahead.advance(at);
                        return true;
                    }
                    b'}' | b']' if depth == 1 => {
                        self.lookahead.advance(at + 1);
                        return true;
                    }
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
            }
            self.lookahead.advance(rest.len());
            if !self.lookahead.more() {
                return false;
            }
        }
    }

    /// Moves from the damage at index `at` to where the array can be read on; [`Next::Stop`] if nowhere. Sets
    /// `wants_comma` to whether a comma must come next.
    pub(super) fn resync(&mut self, at: usize, wants_comma: &mut bool) -> Next {
        // Indices in the unparsed bytes of the damage, and of the first byte not searched yet.
        let (mut damage, mut from) = (at, at);
        loop {
            if let Some(found) = restart(self.lookahead.rest(), damage, from) {
                // The bytes after it decide, so they must be in memory wherever the chunk boundaries are.
                while self.lookahead.rest().len() < found + SEARCHED_AFTER_BRACKET && self.lookahead.more() {}
                let rest = self.lookahead.rest();
                let found = self.end_of_array(damage, found).unwrap_or_else(|| beyond_arguments(rest, found));
                *wants_comma = rest[found] != b'{';
                self.lookahead.advance(found);
                return Next::Go;
            }
            // The next bytes may complete a restart whose beginning is in memory.
            let rest = self.lookahead.rest();
            from = open_tail(rest, damage);
            if rest.len() > TOO_LONG {
                self.lookahead.advance(from);
                (damage, from) = (0, 0);
            }
            if !self.lookahead.more() {
                break;
            }
        }
        let rest = self.lookahead.rest();
        let end = self.end_of_array(damage, rest.len());
        if let Some(end) = end.or_else(|| memchr::memrchr(b']', &rest[damage..]).map(|at| damage + at)) {
            *wants_comma = true;
            self.lookahead.advance(end);
            return Next::Go;
        }
        self.note(Warning::Truncated, self.lookahead.offset(), "no event was found after the damage");
        self.drain();
        Next::Stop
    }

    /// The index of the end of a document's array of events between `damage` and `to`, where a known key of
    /// the document shows it.
    fn end_of_array(&self, damage: usize, to: usize) -> Option<usize> {
        if !self.in_document {
            return None;
        }
        let rest = self.lookahead.rest();
        let before = |at: usize| rest[damage..at].iter().rposition(|byte| !byte.is_ascii_whitespace());
        memchr::memchr_iter(b'"', &rest[damage..to]).map(|at| damage + at).find_map(|at| {
            let comma = damage + before(at)?;
            if rest[comma] != b',' || is_member(rest, at, self.lookahead.is_last()) != Some(true) {
                return None;
            }
            let end = before(comma).map(|end| damage + end).filter(|&end| rest[end] == b']');
            Some(end.unwrap_or(at))
        })
    }

    /// Whether an event begins at index `at` of the unparsed bytes, behind at most [`BRACKETS`] opening
    /// brackets.
    pub(super) fn opens_events(&mut self, at: usize) -> bool {
        self.decide(|rest, is_last| {
            let mut at = blank(rest, at);
            for _ in 0..BRACKETS {
                at = if rest.get(at) == Some(&b'[') { blank(rest, at + 1) } else { at };
            }
            is_event(rest, at, is_last)
        })
    }

    /// Whether a member whose key is none of an event's begins at index `at` of the unparsed bytes.
    pub(super) fn opens_member(&mut self, at: usize) -> bool {
        self.decide(|rest, is_last| {
            let mut scan = Scanner::new(rest, is_last);
            scan.pos = at;
            match scan.peek() {
                Ok(b'"') => {}
                Err(Fault::End) => return None,
                _ => return Some(false),
            }
            match scan.next_key() {
                Err(Fault::End) => None,
                Ok(Some(key)) => Some(Field::of(key) == Field::Other && key != b"args"),
                _ => Some(false),
            }
        })
    }

    /// Whether an object, an array, or a member of a document begins at index `at` of the unparsed bytes.
    pub(super) fn opens_document(&mut self, at: usize) -> bool {
        let opens = |rest: &[u8], is_last: bool| match rest.get(blank(rest, at)) {
            None if !is_last => None,
            byte => Some(matches!(byte, Some(b'{' | b'['))),
        };
        self.decide(opens) || self.opens_member(at)
    }

    /// Whether a document begins at the cursor and the bracket before it seems stray.
    pub(super) fn opens_broken_document(&mut self) -> bool {
        let is_whole = |rest: &[u8], is_last: bool| {
            let mut scan = Scanner::new(rest, is_last);
            match element(&mut scan) {
                Ok(Element::Document) => {}
                Err(Fault::End) if !is_last && rest.len() < SEARCHED_AFTER_BRACKET => return None,
                _ => return Some(true),
            }
            scan.pos = 0;
            match scan.value().and_then(|_| scan.peek()) {
                Ok(_) => Some(true),
                Err(Fault::End) if !is_last => None,
                Err(_) => Some(false),
            }
        };
        !self.decide(is_whole)
    }

    /// Whether nothing but white space follows the brace at the cursor.
    pub(super) fn ends_with_brace(&mut self) -> bool {
        self.decide(|rest, is_last| match rest.get(blank(rest, 1)) {
            None if !is_last => None,
            byte => Some(byte.is_none()),
        })
    }

    /// Whether a comma, a closing bracket or an event follows the brace at the cursor: then the brace is
    /// stray.
    pub(super) fn is_stray_brace(&mut self) -> bool {
        let goes_on = |rest: &[u8], is_last: bool| match rest.get(blank(rest, 1)) {
            None if !is_last => None,
            byte => Some(matches!(byte, Some(b',' | b']'))),
        };
        self.decide(goes_on) || self.opens_events(1)
    }

    /// Whether a known key of a document begins at the cursor (`behind` is 0), or behind one byte and a comma
    /// (`behind` is 2).
    pub(super) fn opens_known_member(&mut self, behind: usize) -> bool {
        self.decide(|rest, is_last| {
            let comma = blank(rest, behind.min(1));
            match (behind, rest.get(comma)) {
                (0, _) => is_member(rest, 0, is_last),
                (_, Some(b',')) => is_member(rest, blank(rest, comma + 1), is_last),
                (_, None) if !is_last => None,
                _ => Some(false),
            }
        })
    }

    /// Calls `decide` with the unparsed bytes, each time with more of the text, until it decides; false if it
    /// never does.
    fn decide(&mut self, decide: impl Fn(&[u8], bool) -> Option<bool>) -> bool {
        loop {
            match decide(self.lookahead.rest(), self.lookahead.is_last()) {
                Some(known) => return known,
                None if self.lookahead.rest().len() <= TOO_LONG && self.lookahead.more() => {}
                // At the end of the text it is asked once more.
                None => return decide(self.lookahead.rest(), true) == Some(true),
            }
        }
    }

    /// Whether the unparsed bytes from index 1 on hold an event of a document, or the key of its events.
    pub(super) fn holds_events(&mut self) -> bool {
        let (rest, offset) = (self.lookahead.rest(), self.lookahead.offset());
        let mut search = Search { members: false, is_strict: false, vain: self.vain };
        let found = search.find(rest, 1, offset, false);
        self.vain = search.vain;
        matches!(found, Sought::Found(..))
    }

    /// Moves to the first landmark from index `from` of the unparsed bytes on, or to the end of the text if
    /// there is none. See [`Search`] for `members` and `is_strict`.
    pub(super) fn seek(&mut self, mut from: usize, members: bool, is_strict: bool) -> Option<Landmark> {
        let mut search = Search { members, is_strict, vain: self.vain };
        loop {
            let (rest, is_last) = (self.lookahead.rest(), self.lookahead.is_last());
            let sought = search.find(rest, from, self.lookahead.offset(), is_last);
            self.vain = search.vain;
            from = match sought {
                Sought::Found(at, landmark) => {
                    self.lookahead.advance(at);
                    return Some(landmark);
                }
                Sought::Open(at) if rest.len() > TOO_LONG => {
                    from = at + 1;
                    continue;
                }
                Sought::Open(at) => at,
                Sought::Nothing => {
                    let used = rest.len().saturating_sub(CONTEXT);
                    self.lookahead.advance(used);
                    self.lookahead.rest().len()
                }
            };
            if !self.lookahead.more() && is_last {
                self.drain();
                return None;
            }
        }
    }

    /// Moves to the events that follow the seeming end of an array of events or a document. If none follow,
    /// moves to the end of the text and returns false.
    pub(super) fn resume(&mut self) -> bool {
        let start = self.lookahead.offset();
        let landmark = self.seek(0, false, true);
        if landmark == Some(Landmark::Event) {
            self.note_resumed(start);
        }
        landmark.is_some()
    }

    /// Counts a warning that events were found behind the end of their array, and one dropped event if the
    /// search for them from byte `start` on skipped bytes.
    pub(super) fn note_resumed(&mut self, start: u64) {
        let offset = self.lookahead.offset();
        // The skipped bytes are a damaged event, or part of one.
        if offset > start {
            let quality = self.chunk_parser.translator.builder.quality();
            quality.dropped += 1;
            quality.unread += 1;
        }
        self.note(Warning::Syntax, offset, "events outside of their array");
    }
}

/// The index behind the opening quote of the string in which `text`, the beginning of a value, ends; `None`
/// outside of a string, or behind a lone backslash.
fn open_text(text: &[u8]) -> Option<usize> {
    let mut open = None;
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'\\', text.get(at..)?) {
        at += next + 1;
        match (text[at - 1], open) {
            (b'"', None) => open = Some(at),
            (b'"', Some(_)) => open = None,
            // Outside a string a backslash has no meaning.
            (_, None) => {}
            (_, Some(_)) => at += 1,
        }
    }
    open
}

/// Whether an event begins at index `at` of `text`; `None` when the bytes end too early to decide.
fn is_event(text: &[u8], at: usize, is_last: bool) -> Option<bool> {
    match text.get(at) {
        Some(b'{') => {}
        None if !is_last => return None,
        _ => return Some(false),
    }
    let mut scan = Scanner::new(text, is_last);
    scan.pos = at;
    match element(&mut scan) {
        Err(Fault::End) => None,
        outcome => Some(matches!(outcome, Ok(Element::Event(event)) if event.event_type != 0)),
    }
}

/// The index at which reading goes on after damage: `found`, or that of a later event where the bracket at
/// `found` seems to end an argument.
fn beyond_arguments(text: &[u8], found: usize) -> usize {
    let near = &text[..text.len().min(found + SEARCHED_AFTER_BRACKET)];
    let mut next = found;
    while near[next] == b']' {
        let Some(after) = restart(near, next, next) else { return found };
        next = after;
    }
    if next == found {
        return found;
    }
    let is_key = |at: usize| is_member(near, at, false) == Some(true);
    let ends_before = memchr::memchr_iter(b'"', &near[found..next]).any(|at| is_key(found + at));
    if !ends_before && is_event(near, next, false) == Some(true) { next } else { found }
}

/// The index of the last byte of `text` from `first` on that is neither white space nor a comma; `first`
/// without one.
fn open_tail(text: &[u8], first: usize) -> usize {
    let is_open = |b: &u8| matches!(b, b' ' | b'\n' | b'\t' | b'\r' | b',');
    first + text[first..].iter().rposition(|b| !is_open(b)).unwrap_or(0)
}

/// The index of the next seeming start of an event or end of the array of events, searched from index `from`
/// on; bytes before `first` are ignored.
fn restart(text: &[u8], first: usize, from: usize) -> Option<usize> {
    for at in memchr2_iter(b',', b'\n', text.get(from..)?).map(|at| from + at) {
        let next = blank(text, at + 1);
        match (text[at], text.get(next)) {
            (b',', Some(b'{')) => {
                let before = text[first..at].iter().rposition(|b| !matches!(b, b' ' | b'\n' | b'\t' | b'\r'));
                if before.is_some_and(|i| text[first + i] == b'}') || text[at..next].contains(&b'\n') {
                    return Some(next);
                }
            }
            (b'\n', Some(b']')) => return Some(next),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{beyond_arguments, open_text, restart};

    #[test]
    fn the_text_that_is_open() {
        assert_eq!(open_text(br#"{"a":"b"#), Some(6));
        assert_eq!(open_text(br#"{"a":"b\"c"#), Some(6));
        assert_eq!(open_text(br#"{"a":"b\\","#), None);
        assert_eq!(open_text(br#"{"a":[1,"#), None);
    }

    #[test]
    fn restarts_where_an_event_surely_begins() {
        assert_eq!(restart(b"x\"}, {\"ph\"", 0, 0), Some(5));
        assert_eq!(restart(b"a, {b", 0, 0), None, "an object inside arguments is no event");
        assert_eq!(restart(b"a,\n {b", 0, 0), Some(4));
        assert_eq!(restart(b"oops\n]", 0, 0), Some(5));
        assert_eq!(restart(b"oops", 9, 9), None);
    }

    #[test]
    fn an_event_goes_on_behind_brackets_among_its_arguments() {
        let next = "{\"ph\":\"X\"}";
        for (between, is_event) in [
            ("],\n", true),
            ("],\n \"kinds\": [\n 1\n ]\n }},\n", true),
            ("],\n \"kinds\": [\n 1\n ],\n \"more\": [\n 2\n ]\n }},\n", true),
            ("],\n \"traceName\": \"a\",\n \"more\": [\n ", false),
            ("],\n \"metadata\": [\n 1\n ],\n \"more\": [\n 2\n ],\n", false),
            ("],\n \"kinds\": [\n 1\n ]}", false),
        ] {
            let text = format!("x\n {between}{next}\n");
            let wanted = if is_event { 3 + between.len() } else { 3 };
            assert_eq!(beyond_arguments(text.as_bytes(), 3), wanted, "{text}");
        }
        assert_eq!(beyond_arguments(b"]\n]\n]", 0), 0);
    }
}
