//! From bytes to a [`Trace`](crate::model::Trace): opening, inflating, recognising, parsing, building.
//!
//! Owns the tolerance policy: damage costs the damaged event, is counted, and never costs the rest of the
//! file. A damaged byte of JSON costs at most two events, or, in the header, the entry in which it stands.
//! Must not know how a trace is shown or summarised.
//!
//! ```text
//! file ──> source ──> chunk ──> chunk_parser, template, translator (several threads) ──> ParsedChunk ──┐
//!          (inflate: a thread reads ahead)                                                             ▼
//!                               lookahead ──> parser ──> TraceBuilder ──> finish ──> Trace
//!                                                │            └──> snapshot (while loading)
//!                                                └ recover
//! ```
//!
//! Four parts know little of each other: `chrome` is the only reader of JSON, `paddle_pb` the only reader of
//! Paddle's protobuf, `memory_history` the only reader of PyTorch's memory snapshots, and `dialect` is the
//! vocabulary of the producers. The readers convert their events to the same plain inputs
//! (`build/input.rs`), and `build` makes the trace of them. A reader of a further format needs only these
//! inputs, and keys of its own by which it finds an event again; `build/tests.rs` has a small one.
//!
//! - `bytes` has the sources of bytes: `source` opens a file and recognises its format by the first bytes
//!   (`sniff`); `kinds` lists the formats that are not read. `inflate` decompresses block by block and notes
//!   checkpoints. `chunk` reads the text into buffers of one size, which are used again: touching a new page
//!   of memory costs more than parsing its content.
//! - `fluid` converts the binary profile of Paddle's old profiler to the text of a Chrome trace while the
//!   file is read, so that the reader of JSON handles its damage and limits, too.
//! - Uncompressed files of less than 4 MiB are parsed on one thread. For others the threads of a *parallel
//!   reader* take chunks in order. In each chunk a *chunk parser* searches for an offset at which an event
//!   seems to begin, and parses the *run* of events from there. A chunk may begin inside a text that looks
//!   like an event, so a run is a guess.
//! - The `parser` decides. It reads from the front, on one thread, and knows arrays, headers and damage. When
//!   it comes to the event at which a *parsed chunk* begins, it takes over the events of that chunk and
//!   continues behind them; a parsed chunk that it never comes to is dropped. So the trace does not depend on
//!   the number of threads or the size of chunks (`tests/library/ways.rs`).
//! - A *template* is the constant bytes of an event that a producer writes over and over, with holes for the
//!   values. Templates are learned from events in which the general parser found nothing odd. Reading by
//!   template compares the constant bytes and steps over the values by the general parser's rules; at the
//!   first difference the general parser reads the event. So both give the same events.
//! - An *event builder* belongs to one thread and numbers strings and lanes in tables of its own; it closes
//!   its records in *batches*. The trace builder *absorbs* the batches in the file's order, so that the
//!   numbers in the trace do not depend on the threads.
//! - `build::finish` sorts, nests and writes the slices of each lane into its own part of the columns, all
//!   lanes in parallel.
//! - A *snapshot* is a copy of the trace builder that another thread finishes and shows while loading
//!   continues. Each is due 2.2 times as late as the one before, and none is taken after a third of the file,
//!   so all of them together cost less than the trace and loading stays within its memory.
//!   `app/actions/migrate` of the program then moves the explorer's state over: lanes are found again by
//!   process and thread, the selected event by its origin.
//! - A *time range* limits which events are admitted; the files are then read twice. If the builder would
//!   exceed its memory, the latest events are dropped and the range narrows (`build/limit/shed`): the
//!   earliest part remains, whole on every lane, and the same part whatever the threads and chunks. The
//!   number of events left out is in the trace.
//! - `bytes::directory` lists the files of a directory, and `division` decides which of them are one trace
//!   (`traces`): by the ranks and processes that they state, and by their times.
//! - `captures` lists the traces of captured graphs that belong to a trace; they are loaded by themselves.
//! - `text` and `visit` read events again for their arguments, which the trace does not keep: one event when
//!   it is selected, many in one pass over each file for summaries.

mod argument;
mod build;
mod bytes;
mod captures;
mod chrome;
mod dialect;
mod division;
mod error;
mod header;
mod load;
mod memory_history;
mod paddle_pb;
mod preflight;
mod progress;
mod request;
mod snapshot;
mod text;
mod traces;
mod visit;

use std::path::Path;

use proftui_base::heap::NoMemory;

use build::{Bound, TraceBuilder};
use snapshot::Snapshots;

pub use argument::{Argument, Value};
pub use captures::{CaptureFile, capture_files, rank_in_name};
pub use chrome::raw::{RawEvent, RawMember, RawValue, push_text};
pub use error::ImportError;
pub use preflight::{Preflight, preflight};
pub use progress::Progress;
pub use request::{LeftOut, Request, StepsFrom};
pub use text::{EventText, Loaded, ReadAgainError, Texts};
pub use traces::{TraceFiles, traces};
pub use visit::VisitError;

/// Checks that `path` exists, without reading it.
///
/// # Errors
/// When `path` does not exist or cannot be accessed.
pub fn check(path: &Path) -> Result<(), ImportError> {
    std::fs::metadata(path).map(|_| ()).map_err(|error| ImportError::io(path, &error))
}

/// Reads the whole text of `path` into memory, inflated where it is compressed; of a binary profile of
/// Paddle's old profiler, the JSON that it is converted to. `-` is standard input.
///
/// # Errors
/// When the file cannot be read or is of a kind that is not read, or its text is longer than `limit` bytes or
/// than there is memory.
pub fn text(path: &Path, limit: u64) -> Result<Vec<u8>, ImportError> {
    bytes::source::text(path, limit)
}

/// A path as text that is safe to show, cut in the middle when it is long; `-` gives "standard input".
pub fn shown(path: &Path) -> String {
    error::show(path)
}

/// Loads all files of `request` into one trace.
///
/// # Errors
/// When a file cannot be loaded that may not be left out, or none can, when the request does not fit the
/// files, when there is no memory, and when loading was cancelled.
pub fn load(request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    load::load(request, progress, &mut Snapshots::default())
}

/// Loads like [`load()`], and passes snapshots to `show`: traces of the events read so far. `show` is called
/// on a separate thread.
///
/// # Errors
/// As [`load()`].
pub fn load_with_snapshots(
    request: &Request,
    progress: &Progress,
    show: &(dyn Fn(Loaded) + Sync),
) -> Result<Loaded, ImportError> {
    std::thread::scope(|scope| load::load(request, progress, &mut Snapshots::start(scope, request, show)))
}

/// Loads a trace from its bytes, compressed or not. What the request says of files and its time range are
/// ignored.
///
/// # Errors
/// When the bytes are no trace, when there is no memory for it, and when loading was cancelled.
pub fn load_bytes(bytes: &[u8], request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    let bound = Bound { limit: request.max_memory, ..Bound::default() };
    let mut builder = TraceBuilder::within(bound);
    let source = bytes::source::of_bytes(bytes, progress)?;
    let (file, path) = (builder.begin_file(&source.path), error::show(&source.path));
    let mut texts = Texts::default();
    texts.push(load::read(source, file, request, &mut builder, &mut |_| {}, progress)?);
    builder.end_file().map_err(|NoMemory| ImportError::no_memory(path))?;
    Ok(Loaded { trace: load::finish(builder, request)?, texts })
}
