//! The position in the text, and where damage and oddities at it are counted.
//!
//! Must not know containers.

use crate::import::source;
use crate::model::Warning;

use super::chunk_parser::ChunkParser;
use super::lookahead::{LookaheadBuffer, Supply};

/// The text from the first byte that is not parsed yet.
pub(super) struct Cursor<S> {
    pub lookahead: LookaheadBuffer<S>,
    pub chunk_parser: ChunkParser,
    /// Number of elements that could not be read.
    pub dropped: u64,
}

impl<S: Supply> Cursor<S> {
    /// The next byte that is no white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.lookahead.rest();
            let blank = rest.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r')).count();
            self.lookahead.advance(blank);
            if let Some(&byte) = self.lookahead.rest().first() {
                return Some(byte);
            }
            if !self.lookahead.more() {
                return None;
            }
        }
    }

    pub(super) fn note(&mut self, warning: Warning, offset: u64, example: &str) {
        self.chunk_parser.translator.events.quality().note(warning, Some(offset), || example.into());
    }

    /// What stands `at` bytes into the lookahead, for a message: the same however much of the text is at hand.
    pub(super) fn quote_at(&mut self, at: usize) -> String {
        while self.lookahead.rest().len() < at + QUOTED && self.lookahead.more() {}
        quote(&self.lookahead.rest()[at..])
    }

    /// An error that cut the stream short is damage, not a failure: what came before it is good. Noted before what came of
    /// it, so that the first example tells the cause.
    pub(super) fn note_stream_error(&mut self) {
        self.drain();
        let offset = self.lookahead.offset();
        if let Some((warning, what)) = source::loss(self.lookahead.take_stop()) {
            self.note(warning, offset, &what);
        }
    }

    /// Reads to the end, keeping nothing.
    pub(super) fn drain(&mut self) {
        loop {
            self.lookahead.advance(self.lookahead.rest().len());
            if !self.lookahead.more() {
                return;
            }
        }
    }

    pub(super) fn rest_is_zeros(&mut self) -> bool {
        loop {
            let zeros = self.lookahead.rest().iter().take_while(|&&b| b == 0).count();
            self.lookahead.advance(zeros);
            if !self.lookahead.rest().is_empty() {
                return false;
            }
            if !self.lookahead.more() {
                return true;
            }
        }
    }
}

/// Bytes of a text that a message shows.
const QUOTED: usize = 40;

/// The head of a text, safe and short enough for a message.
pub(super) fn quote(text: &[u8]) -> String {
    let head = &text[..text.len().min(QUOTED)];
    format!("\"{}\"", crate::base::text::SafeText::from_bytes(head).elide_end(QUOTED))
}
