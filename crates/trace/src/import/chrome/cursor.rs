//! The read position in the text. Counts damage and oddities with their offsets.
//!
//! Must not know containers.

use crate::import::bytes::inflate::Stop;
use crate::import::bytes::source;
use crate::model::Warning;

use super::chunk_parser::ChunkParser;
use super::lookahead::{LookaheadBuffer, Supply};

/// The unparsed text, and the parser for the runs of events in it.
pub(super) struct Cursor<S> {
    pub lookahead: LookaheadBuffer<S>,
    pub chunk_parser: ChunkParser,
    /// Number of elements that could not be read so far.
    pub dropped: u64,
    /// Number of bytes that searches for landmarks have parsed in vain so far.
    pub vain: u64,
    /// True while the events of a document are read: its other members may follow them.
    pub in_document: bool,
    /// True once there was no memory to read on.
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

    /// Counts a warning at byte `offset`.
    pub(super) fn note(&mut self, warning: Warning, offset: u64, example: &str) {
        self.chunk_parser.translator.builder.quality().note(warning, Some(offset), || example.into());
    }

    /// The text at index `at` of the unparsed bytes, quoted for a message. Chunk boundaries make no
    /// difference.
    pub(super) fn quote_at(&mut self, at: usize) -> String {
        while self.lookahead.rest().len() < at + QUOTED && self.lookahead.more() {}
        quote(&self.lookahead.rest()[at..])
    }

    /// Discards the remaining text, and counts an error that ended the text early as damage, not as a
    /// failure: the text before it is good. Called before the consequences of the error are counted: then the
    /// first example is its cause.
    pub(super) fn note_stream_error(&mut self) {
        self.drain();
        let offset = self.lookahead.offset();
        let stop = self.lookahead.take_stop();
        self.lacks_memory |= stop.as_ref().is_some_and(Stop::is_of_memory);
        if let Some((warning, what)) = source::loss(stop) {
            self.note(warning, offset, &what);
        }
    }

    /// Reads to the end of the text and discards it.
    pub(super) fn drain(&mut self) {
        loop {
            self.lookahead.advance(self.lookahead.rest().len());
            if !self.lookahead.more() {
                return;
            }
        }
    }

    /// Skips zero bytes; true when nothing else follows.
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

/// Most bytes and terminal columns of a text that a message quotes.
const QUOTED: usize = 40;

/// The first characters of a text in quotes, safe to show and short enough for a message.
pub(super) fn quote(text: &[u8]) -> String {
    let head = &text[..text.len().min(QUOTED)];
    format!("\"{}\"", proftui_base::text::SafeText::from_bytes(head).elide_end(QUOTED))
}
