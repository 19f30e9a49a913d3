//! From bytes to a [`Trace`]: opening, inflating, recognising, parsing, building.
//!
//! Owns the tolerance policy: damage costs the damaged event, is counted, and never the file. Must not know how a trace
//! is shown or summarised.

mod budget;
mod build;
mod chrome;
mod chunk;
mod directory;
mod error;
mod fluid;
mod inflate;
mod load;
mod paddle_pb;
mod preflight;
mod progress;
mod snapshot;
mod sniff;
mod source;
mod text;

use std::path::{Path, PathBuf};

use crate::base::time::Ns;
use crate::model::Trace;

use build::{Bound, Stage};
use snapshot::Snapshots;

pub use chrome::args::{Argument, Value};
pub use chrome::raw::{RawEvent, RawMember, RawValue, push_text};
pub use chrome::visit::VisitError;
pub use error::ImportError;
pub use preflight::{Preflight, preflight};
pub use progress::Progress;
pub use text::{EventText, Texts};

/// What to load.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files, directories, or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// Only the cycle with this number (from 0) of each worker.
    pub cycle: Option<u32>,
    /// Only events from this long after the trace's start on, ns.
    pub from: Option<Ns>,
    /// Only events up to this long after the trace's start, ns.
    pub to: Option<Ns>,
    /// Most bytes of memory to take: of what does not fit, the earliest part is loaded. Half of what is free when not said.
    pub max_memory: Option<u64>,
    /// Threads that parse; as many as there are cores when not said.
    pub threads: Option<usize>,
    /// Bytes read at a time. Makes no difference to the model, unless memory runs short.
    pub chunk: Option<usize>,
    /// True to read every event with the general parser, and learn no shapes. Makes no difference to the model.
    pub is_tolerant: bool,
}

impl Request {
    /// To load `paths` whole.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { paths: paths.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    fn limit(&self) -> Option<u64> {
        self.max_memory.or_else(budget::default_limit)
    }

    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

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
    let mut stage = Stage::within(bound);
    let source = source::of_bytes(bytes, progress)?;
    let file = stage.begin_file(&source.path);
    let mut texts = Texts::default();
    texts.push(load::read(source, file, request, &mut stage, &mut Snapshots::default(), progress)?);
    stage.end_file();
    Ok(Loaded { trace: build::finish(stage, request.cycle), texts })
}
