//! From bytes to a [`Trace`](crate::model::Trace): opening, inflating, recognising, parsing, building.
//!
//! Owns the tolerance policy: damage costs the damaged event, is counted, and never the file. Must not know how a trace
//! is shown or summarised.

mod argument;
mod budget;
mod build;
mod chrome;
mod chunk;
mod dialect;
mod directory;
mod error;
mod fluid;
mod header;
mod inflate;
mod load;
mod paddle_pb;
mod preflight;
mod progress;
mod request;
mod snapshot;
mod sniff;
mod source;
mod text;
mod visit;

use std::path::Path;

use build::{Bound, TraceBuilder};
use snapshot::Snapshots;

pub use argument::{Argument, Value};
pub use chrome::raw::{RawEvent, RawMember, RawValue, push_text};
pub use error::ImportError;
pub use preflight::{Preflight, preflight};
pub use progress::Progress;
pub use request::Request;
pub use text::{EventText, Loaded, Texts};
pub use visit::VisitError;

/// Checks that `path` exists, without reading it.
///
/// # Errors
/// When `path` does not exist or cannot be accessed.
pub fn check(path: &Path) -> Result<(), ImportError> {
    std::fs::metadata(path).map(|_| ()).map_err(|error| ImportError::io(path, &error))
}

/// Reads all of `path`, inflated, into memory.
///
/// # Errors
/// When the file cannot be read, or is damaged.
pub fn text(path: &Path) -> Result<Vec<u8>, ImportError> {
    source::text(path)
}

/// A path, safe to show, cut in the middle when it is long.
pub fn shown(path: &Path) -> String {
    error::show(path)
}

/// Loads all files of `request` into one trace.
///
/// # Errors
/// When no file could be loaded. In a directory, files that cannot be loaded are counted and left out.
pub fn load(request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    load::load(request, progress, &mut Snapshots::default())
}

/// Loads like [`load()`], and passes snapshots to `show`: the trace of the events read so far. The first snapshot comes soon after
/// the start, the others at growing intervals. `show` is called on a separate thread.
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

/// Loads a trace from its bytes, compressed or not; the request's paths are ignored.
///
/// # Errors
/// When the bytes are no trace.
pub fn load_bytes(bytes: &[u8], request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    let bound = Bound { limit: request.max_memory, ..Bound::default() };
    let mut builder = TraceBuilder::within(bound);
    let source = source::of_bytes(bytes, progress)?;
    let file = builder.begin_file(&source.path);
    let mut texts = Texts::default();
    texts.push(load::read(source, file, request, &mut builder, &mut |_| {}, progress)?);
    builder.end_file();
    Ok(Loaded { trace: build::finish(builder, request.cycle), texts })
}
