//! From bytes to a [`Trace`]: opening, inflating, recognising, parsing, building.
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

use crate::model::Trace;

use build::{Bound, TraceBuilder};
use snapshot::Snapshots;

pub use argument::{Argument, Value};
pub use chrome::raw::{RawEvent, RawMember, RawValue, push_text};
pub use error::ImportError;
pub use preflight::{Preflight, preflight};
pub use progress::Progress;
pub use request::Request;
pub use text::{EventText, Texts};
pub use visit::VisitError;

/// A trace and the texts that its arguments are read back from.
#[derive(Debug)]
pub struct Loaded {
    /// The trace.
    pub trace: Trace,
    /// Where its events can be read again.
    pub texts: Texts,
}

/// Whether `path` can be opened at all, found out without reading it.
///
/// # Errors
/// What is wrong with it.
pub fn check(path: &Path) -> Result<(), ImportError> {
    std::fs::metadata(path).map(|_| ()).map_err(|error| ImportError::io(path, &error))
}

/// Everything in `path`, inflated, in memory.
///
/// # Errors
/// When it cannot be read, or is damaged.
pub fn text(path: &Path) -> Result<Vec<u8>, ImportError> {
    source::text(path)
}

/// A path as it may be shown.
pub fn shown(path: &Path) -> String {
    error::show(path)
}

/// Loads everything that `request` names into one trace.
///
/// # Errors
/// When nothing could be used. A directory with some unusable files loads, and counts them.
pub fn load(request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    load::load(request, progress, &mut Snapshots::default())
}

/// Loads as [`load`] does, and gives `show` what is there so far, now and then: the first time soon after the start, then
/// ever more rarely. It is called on a thread of its own.
///
/// # Errors
/// As [`load`].
pub fn load_with_snapshots(
    request: &Request,
    progress: &Progress,
    show: &(dyn Fn(Loaded) + Sync),
) -> Result<Loaded, ImportError> {
    std::thread::scope(|scope| load::load(request, progress, &mut Snapshots::start(scope, request, show)))
}

/// Loads a trace whose bytes, compressed or not, are at hand; the request's paths do not count.
///
/// # Errors
/// When it is no trace.
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
