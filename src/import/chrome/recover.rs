//! The way on after damage: how much a damaged place costs, and where the next event surely begins.
//!
//! The policy in one line: damage costs the damaged event, is counted, and never what came before or comes after.

use memchr::memchr2_iter;

use crate::import::inflate::Stop;
use crate::import::source;
use crate::model::Warning;

use super::document::{Next, Reader, Refusal};
use super::event::{LONG, kept};
use super::scan::Fault;
use super::window::Supply;

/// How far a damaged place is searched for the next event before the rest is given up.
const RESYNC_LIMIT: usize = 64 << 20;

/// An element longer than this, long texts apart, is given up.
pub(super) const TOO_LONG: usize = 64 << 20;

impl<S: Supply> Reader<'_, S> {
    /// Cuts the text value that what is at hand ends in, if it is very long; false when there is none.
    pub(super) fn shorten(&mut self) -> bool {
        let rest = self.window.rest();
        if rest.len() <= LONG {
            return false;
        }
        let Some(start) = open_text(rest).filter(|start| rest.len() - start > LONG) else { return false };
        let escapes = rest.iter().rev().take_while(|&&byte| byte == b'\\').count();
        self.window.cut(start + kept(&rest[start..]), escapes % 2);
        true
    }

    /// Whether the element that begins at `offset` is too long to be held; then it counts as dropped.
    pub(super) fn is_too_long(&mut self, offset: u64) -> bool {
        if self.shorten() || self.window.rest().len() <= TOO_LONG {
            return false;
        }
        self.dropped += 1;
        self.runner.clerk.drop_element(Warning::Limit, offset, "an element of many megabytes");
        true
    }

    /// After damage at `at`: to the next place where an event or the array's end surely begins.
    pub(super) fn resync(&mut self, at: usize, wants_comma: &mut bool) -> Next {
        let mut from = at;
        loop {
            let rest = self.window.rest();
            if let Some(found) = restart(rest, at, from) {
                *wants_comma = rest[found] != b'{';
                self.window.advance(found);
                return Next::Go;
            }
            // What follows may complete a restart whose beginning is at hand.
            let is_open = |b: &u8| matches!(b, b' ' | b'\n' | b'\t' | b'\r' | b',');
            from = at + rest[at..].iter().rposition(|b| !is_open(b)).map_or(0, |last| last + 1);
            if rest.len() > RESYNC_LIMIT || !self.window.more() {
                break;
            }
        }
        let rest = self.window.rest();
        if let Some(end) = memchr::memrchr(b']', &rest[at..]) {
            self.window.advance(at + end);
            return Next::Go;
        }
        self.note(Warning::Truncated, self.window.offset(), "no event follows a damaged place");
        self.drain();
        Next::Stop
    }

    pub(super) fn broken_document(&mut self, fault: Fault, offset: u64) -> Result<(), Refusal> {
        match fault {
            Fault::End => {
                if !self.found {
                    let keys = self.keys.join(", ");
                    return Err(Refusal::NotTrace(format!(
                        "no traceEvents before the end of the file, only {keys}"
                    )));
                }
                self.note(Warning::Truncated, offset, "the document is not closed");
            }
            Fault::Bad(at) => {
                let at = at.min(self.window.rest().len());
                let example = self.quote_at(at);
                if !self.found {
                    return Err(Refusal::Syntax(offset + at as u64, format!("unexpected {example}")));
                }
                self.note(Warning::Trailing, offset, &example);
            }
        }
        self.drain();
        Ok(())
    }

    /// An error that cut the stream short is damage, not a failure: what came before it is good.
    pub(super) fn note_stream_error(&mut self) {
        self.drain();
        let offset = self.window.offset();
        match self.window.take_stop() {
            Some(Stop::Damaged(damage)) => {
                let warning = source::warning(damage);
                self.note(warning, offset, warning.title());
            }
            Some(Stop::Failed(error)) => {
                self.note(Warning::Truncated, offset, &format!("read error: {error}"));
            }
            Some(Stop::End) | None => {}
        }
    }

    /// Reads to the end, keeping nothing.
    pub(super) fn drain(&mut self) {
        loop {
            self.window.advance(self.window.rest().len());
            if !self.window.more() {
                return;
            }
        }
    }

    pub(super) fn rest_is_zeros(&mut self) -> bool {
        loop {
            let zeros = self.window.rest().iter().take_while(|&&b| b == 0).count();
            self.window.advance(zeros);
            if !self.window.rest().is_empty() {
                return false;
            }
            if !self.window.more() {
                return true;
            }
        }
    }
}

/// Where the text value begins that `text`, the beginning of a value, ends in.
fn open_text(text: &[u8]) -> Option<usize> {
    let mut open = None;
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'\\', text.get(at..)?) {
        at += next + 1;
        match (text[at - 1], open) {
            (b'"', None) => open = Some(at),
            (b'"', Some(_)) => open = None,
            // Outside a text a backslash means nothing.
            (_, None) => {}
            (_, Some(_)) => at += 1,
        }
    }
    open
}

/// The next place at or after `from` from which an event or the array's end surely follows: `}`, comma, then `{`; or a comma and a line
/// break, then `{`; or a line break, then `]`.
fn restart(text: &[u8], first: usize, from: usize) -> Option<usize> {
    let blank = |mut at: usize| {
        while text.get(at).is_some_and(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r')) {
            at += 1;
        }
        at
    };
    for at in memchr2_iter(b',', b'\n', text.get(from..)?).map(|at| from + at) {
        let next = blank(at + 1);
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
