//! The read position in the text. Counts damage and oddities with their offsets.
//!
//! Must not know containers.

use crate::import::bytes::inflate::Stop;
use crate::import::bytes::source;
use crate::model::Warning;

use super::chunk_parser::ChunkParser;
use super::lookahead::{LookaheadBuffer, Supply};

/// The read position in a text: its unparsed bytes, and the parser for the runs of events in them.
pub(super) struct Cursor<S> {
    pub lookahead: LookaheadBuffer<S>,
    pub chunk_parser: ChunkParser,
    /// Number of elements so far, of arrays of events, whose reading failed: damaged, cut off or too long.
    pub dropped: u64,
    /// Number of bytes that searches for a landmark (where reading goes on after damage) have parsed in vain
    /// so far.
    pub vain: u64,
    /// True if the array of events begun last is in a document, whose other members may follow.
    pub in_document: bool,
    /// True once it was noted that the text ended early because there was no memory to read on.
    pub lacks_memory: bool,
}

impl<S: Supply> Cursor<S> {
    /// Skips white space; returns the next byte, which is not consumed, or `None` at the end of the text.
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

    /// Counts `warning` in the quality notes, with `offset` in the text and `example` if it is the first of
    /// its kind.
    pub(super) fn note(&mut self, warning: Warning, offset: u64, example: &str) {
        self.chunk_parser.translator.builder.quality().note(warning, Some(offset), || example.into());
    }

    /// Quotes the beginning of the text at index `at` of the unparsed bytes, for a message; reads more if
    /// necessary.
    pub(super) fn quote_at(&mut self, at: usize) -> String {
        while self.lookahead.rest().len() < at + QUOTED && self.lookahead.more() {}
        quote(&self.lookahead.rest()[at..])
    }

    /// Discards the remaining text, and notes a warning if damage or an error ended it. Must be called before
    /// the consequences are noted, so that the first example is the cause.
    pub(super) fn note_stream_error(&mut self) {
        self.drain();
        let offset = self.lookahead.offset();
        let stop = self.lookahead.take_stop();
        self.lacks_memory |= stop.as_ref().is_some_and(Stop::is_of_memory);
        if let Some((warning, what)) = source::loss(stop) {
            self.note(warning, offset, &what);
        }
    }

    /// Reads the text from the cursor to its end, and discards it.
    pub(super) fn drain(&mut self) {
        loop {
            self.lookahead.advance(self.lookahead.rest().len());
            if !self.lookahead.more() {
                return;
            }
        }
    }

    /// Skips zero bytes (NUL); true when the text ends behind them.
    pub(super) fn only_zeros_follow(&mut self) -> bool {
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

/// Most bytes of a text that a message quotes, and most terminal columns that the quoted text takes.
const QUOTED: usize = 40;

/// The beginning of `text` in quotes, safe to show: at most [`QUOTED`] bytes, and as many terminal columns.
pub(super) fn quote(text: &[u8]) -> String {
    let head = &text[..text.len().min(QUOTED)];
    format!("\"{}\"", proftui_base::text::SafeText::from_bytes(head).elide_end(QUOTED))
}
