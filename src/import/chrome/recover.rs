//! Continuing after damage: how much is lost, and at which offset the next event certainly begins.
//!
//! The policy: damage loses the damaged event only, never an event before or after it, and is counted.

use memchr::memchr2_iter;

use crate::model::Warning;

use super::cursor::Cursor;
use super::event::{Element, LONG, element, kept};
use super::lookahead::Supply;
use super::scan::{Fault, Scanner, blank};

/// Length in bytes, without the removed parts of long texts, beyond which an element is skipped and counted as dropped.
pub(super) const TOO_LONG: usize = 64 << 20;

/// Bytes after a closing bracket in which an event is searched: if one follows, the bracket closed an array among the
/// arguments of the damaged event.
const NEAR: usize = 64 << 10;

/// Number of offsets that look like the start of an event and are tried before the remaining text is given up.
const TRIES: usize = 16;

/// Whether more elements of an array, or members of an object, follow.
pub(super) enum Next {
    Go,
    Stop,
}

impl<S: Supply> Cursor<S> {
    /// If the bytes in memory end inside a very long string, removes all but the beginning of that string; false if they do not.
    pub(super) fn shorten(&mut self) -> bool {
        let rest = self.lookahead.rest();
        if rest.len() <= LONG {
            return false;
        }
        let Some(start) = open_text(rest).filter(|start| rest.len() - start > LONG) else { return false };
        let escapes = rest.iter().rev().take_while(|&&byte| byte == b'\\').count();
        self.lookahead.cut(start + kept(&rest[start..]), escapes % 2);
        true
    }

    /// Whether the element that begins at `offset` is too long to be held in memory; such an element is counted as dropped.
    pub(super) fn is_too_long(&mut self, offset: u64) -> bool {
        if self.shorten() || self.lookahead.rest().len() <= TOO_LONG {
            return false;
        }
        self.dropped += 1;
        self.chunk_parser.translator.drop_element(
            Warning::Limit,
            offset,
            "an element larger than 64 MiB was left out",
        );
        true
    }

    /// Skips the value at the cursor, which is too long to be held in memory; false when the text ends in it.
    pub(super) fn step_over(&mut self) -> bool {
        let (mut depth, mut in_text, mut is_escaped) = (0_u64, false, false);
        loop {
            let rest = self.lookahead.rest();
            for (at, &byte) in rest.iter().enumerate() {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_text => is_escaped = true,
                    b'"' => in_text = !in_text,
                    _ if in_text => {}
                    b'{' | b'[' => depth += 1,
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

    /// Moves from the damage at index `at` of the unparsed bytes to the next certain start of an event, or certain end of the array.
    pub(super) fn resync(&mut self, at: usize, wants_comma: &mut bool) -> Next {
        // Indices in the unparsed bytes of the damage, and of the first byte not searched yet.
        let (mut damage, mut from) = (at, at);
        loop {
            if let Some(found) = restart(self.lookahead.rest(), damage, from) {
                // The bytes after it decide, so they must be in memory wherever the chunk boundaries are.
                while self.lookahead.rest().len() < found + NEAR && self.lookahead.more() {}
                let rest = self.lookahead.rest();
                let found = beyond_arguments(rest, found);
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
        if let Some(end) = memchr::memrchr(b']', &self.lookahead.rest()[damage..]) {
            self.lookahead.advance(damage + end);
            return Next::Go;
        }
        self.note(Warning::Truncated, self.lookahead.offset(), "no event was found after the damage");
        self.drain();
        Next::Stop
    }

    /// Whether an event follows the opening bracket at the cursor. Such a bracket is stray: no producer nests events in inner arrays.
    pub(super) fn opens_event(&mut self) -> bool {
        loop {
            let rest = self.lookahead.rest();
            match is_event(rest, blank(rest, 1), self.lookahead.is_last()) {
                Some(is_event) => return is_event,
                None if self.lookahead.rest().len() <= TOO_LONG && self.lookahead.more() => {}
                None => return false,
            }
        }
    }

    /// Moves to the next event after the array of events seems to have ended; false when there is none. A stray closing bracket must
    /// not lose all events after it.
    pub(super) fn resume(&mut self) -> bool {
        let (start, mut from, mut tries) = (self.lookahead.offset(), 0, 0);
        while tries < TRIES {
            let (rest, is_last) = (self.lookahead.rest(), self.lookahead.is_last());
            let is_start = from == 0 && self.lookahead.offset() == start;
            let first = is_start.then(|| blank(rest, 0)).filter(|&at| rest.get(at) == Some(&b'{'));
            let Some(at) = first.or_else(|| restart(rest, from, from)) else {
                self.lookahead.advance(open_tail(rest, from));
                from = 0;
                if self.lookahead.more() {
                    continue;
                }
                return false;
            };
            match is_event(rest, at, is_last) {
                Some(true) => {
                    // The skipped bytes are a damaged event, or part of one.
                    if self.lookahead.offset() > start || first.is_none() {
                        self.chunk_parser.translator.builder.quality().dropped += 1;
                    }
                    self.lookahead.advance(at);
                    self.note(
                        Warning::Syntax,
                        self.lookahead.offset(),
                        "events follow the closing bracket of their array",
                    );
                    return true;
                }
                Some(false) => (from, tries) = (at + 1, tries + 1),
                None if rest.len() <= TOO_LONG && self.lookahead.more() => {}
                None => return false,
            }
        }
        false
    }
}

/// The index after the opening quote of the string in which `text` ends; `text` is the beginning of a value. `None` when `text`
/// does not end inside a string.
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

/// Whether an event with an event type is at index `at`; `None` when the bytes end in it.
fn is_event(text: &[u8], at: usize, is_last: bool) -> Option<bool> {
    let mut scan = Scanner::new(text, is_last);
    scan.pos = at;
    match element(&mut scan) {
        Err(Fault::End) => None,
        outcome => Some(matches!(outcome, Ok(Element::Event(event)) if event.event_type != 0)),
    }
}

/// The index at which parsing continues, from the one `found` by [`restart`]. A bracket after a line break may end an array
/// among the damaged event's arguments: if an event begins soon after it, the index of that event.
fn beyond_arguments(text: &[u8], found: usize) -> usize {
    if text[found] != b']' {
        return found;
    }
    let near = &text[..text.len().min(found + NEAR)];
    let next = restart(near, found, found).filter(|&next| near[next] == b'{');
    next.filter(|&next| is_event(near, next, false) == Some(true)).unwrap_or(found)
}

/// The index, from `first` on, of the byte before the white space and commas at the end of `text`: together with the next bytes
/// these may be the start of an event.
fn open_tail(text: &[u8], first: usize) -> usize {
    let is_open = |b: &u8| matches!(b, b' ' | b'\n' | b'\t' | b'\r' | b',');
    first + text[first..].iter().rposition(|b| !is_open(b)).unwrap_or(0)
}

/// The index of the next certain start of an event (a brace after `}` and a comma, or after a comma and a line break) or certain end
/// of the array of events (a bracket after a line break); `None` when there is none. The comma or line
/// break is searched from index `from` on; bytes before `first` are ignored.
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
    use super::{open_text, restart};

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
}
