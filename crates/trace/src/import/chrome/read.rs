//! Reading a whole source, on one thread or several. Must not know JSON.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::import::build::{EventBuilder, TraceBuilder};
use crate::import::bytes::chunk::{CHUNK, Chunks, Filler};
use crate::import::bytes::source::{self, Again, Feed, Kept, Source};
use crate::import::error::{ImportError, show};
use crate::import::progress::Progress;
use crate::import::request::Request;

use super::chunk_parser::ChunkParser;
use super::cursor::Cursor;
use super::lookahead::{LookaheadBuffer, Supply};
use super::parallel::{self, SequentialReader};
use super::parser::{Parser, Refusal};
use super::translator::Translator;

/// Longest text, in bytes, that is kept where it cannot be read from a file again, as from a pipe: the
/// arguments of a longer one cannot be shown.
const KEPT: usize = 64 << 20;
/// Uncompressed files of fewer bytes are read on one thread, unless the request sets a number of threads:
/// starting more would take longer.
const PARALLEL_FROM: u64 = 4 << 20;

/// Reads all events of `source`, file number `file`, into `builder`, and calls `after_batch` after batches.
/// Returns what is kept for reading events again.
///
/// # Errors
/// When the file is refused, there is no memory for its events, or loading was cancelled.
pub(in crate::import) fn read(
    source: Source<'_>,
    file: u16,
    request: &Request,
    builder: &mut TraceBuilder,
    after_batch: &mut dyn FnMut(&TraceBuilder),
    progress: &Progress,
) -> Result<Kept, ImportError> {
    let Source { path, feed, again, .. } = source;
    let keep_at_most = if again == Again::Keep { KEPT } else { 0 };
    let length = if again == Again::File { source::size(&path) } else { u64::MAX };
    // Of a small file, the buffer takes no more than the file and the read that finds its end.
    let size =
        request.chunk.unwrap_or_else(|| CHUNK.min(length.saturating_add(1).try_into().unwrap_or(CHUNK)));
    let is_small = length < PARALLEL_FROM && request.threads.is_none();
    let threads = if is_small { 1 } else { request.threads() };
    let (spares, range) = (builder.spares.clone(), builder.bound.range.clone());
    let chunk_parser = |number| {
        let events = EventBuilder::new(number, file, spares.clone(), range.clone());
        ChunkParser::new(Translator::new(events), request.is_tolerant)
    };
    let kept = thread::scope(|scope| {
        let is_plain = matches!(feed, Feed::Plain(_));
        let filler = Filler::new(feed, size, progress);
        // A separate thread inflates ahead of the parsers.
        let chunks =
            if is_plain || threads == 1 { Chunks::Here(filler) } else { Chunks::ahead(scope, filler) };
        let chunks = if threads == 1 {
            chunks
        } else {
            let chunks = Mutex::new(chunks);
            let parsed = thread::scope(|scope| {
                let reader = parallel::start(scope, &chunks, (1..=threads).map(&chunk_parser).collect())?;
                let lookahead = LookaheadBuffer::new(reader, keep_at_most);
                Some(parse(lookahead, chunk_parser(0), builder, after_batch, progress))
            });
            match parsed {
                Some(parsed) => return parsed,
                None => chunks.into_inner().unwrap_or_else(PoisonError::into_inner),
            }
        };
        let lookahead = LookaheadBuffer::new(SequentialReader::new(chunks), keep_at_most);
        parse(lookahead, chunk_parser(0), builder, after_batch, progress)
    });
    if progress.is_cancelled() {
        return Err(ImportError::Cancelled);
    }
    kept.map_err(|refusal| refusal.into_error(show(&path)))
}

fn parse(
    lookahead: LookaheadBuffer<impl Supply>,
    chunk_parser: ChunkParser,
    builder: &mut TraceBuilder,
    after_batch: &mut dyn FnMut(&TraceBuilder),
    progress: &Progress,
) -> Result<Kept, Refusal> {
    let mut cursor =
        Cursor { lookahead, chunk_parser, dropped: 0, vain: 0, in_document: false, lacks_memory: false };
    let outcome = Parser::new(&mut cursor, builder, after_batch, progress).run();
    if cursor.lacks_memory {
        return Err(Refusal::Memory);
    }
    outcome?;
    let (text, checkpoints) = (cursor.lookahead.take_kept(), cursor.lookahead.take_checkpoints());
    Ok(Kept { text, checkpoints, rows: None })
}
