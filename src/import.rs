//! From bytes to a [`Trace`]: opening, inflating, recognising, parsing, building.
//!
//! Owns the tolerance policy: damage costs the damaged event, is counted, and never the file. Must not know how a trace
//! is shown or summarised.

mod build;
mod chrome;
mod chunk;
mod directory;
mod error;
mod glimpse;
mod inflate;
mod progress;
mod sniff;
mod source;
mod text;

use std::path::{Path, PathBuf};

use crate::model::{Trace, Warning};

use glimpse::Glimpses;
use text::Text;

pub use chrome::args::{Argument, Value};
pub use error::ImportError;
pub use progress::Progress;
pub use text::{EventText, Texts};

/// What to load.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files, directories, or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// Only the cycle with this number (from 0) of each worker.
    pub cycle: Option<u32>,
    /// Threads that parse; as many as there are cores when not said.
    pub threads: Option<usize>,
    /// Bytes read at a time. Makes no difference to the model.
    pub chunk: Option<usize>,
    /// True to read every event with the general parser, and learn no shapes. Makes no difference to the model.
    pub is_tolerant: bool,
}

impl Request {
    /// To load `paths` whole.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { paths: paths.into_iter().map(Into::into).collect(), ..Self::default() }
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

/// Loads everything that `request` names into one trace.
///
/// # Errors
/// When nothing could be used. A directory with some unusable files loads, and counts them.
pub fn load(request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    load_with(request, progress, &mut Glimpses::default())
}

/// Loads as [`load`] does, and gives `show` what is there so far, now and then: the first time soon after the start, then
/// ever more rarely. It is called on a thread of its own.
///
/// # Errors
/// As [`load`].
pub fn load_shown(
    request: &Request,
    progress: &Progress,
    show: &(dyn Fn(Loaded) + Sync),
) -> Result<Loaded, ImportError> {
    std::thread::scope(|scope| load_with(request, progress, &mut Glimpses::start(scope, request, show)))
}

fn load_with(
    request: &Request,
    progress: &Progress,
    glimpses: &mut Glimpses,
) -> Result<Loaded, ImportError> {
    let listed = directory::expand(&request.paths)?;
    let mut stage = build::Stage::default();
    let mut texts = Texts::default();
    let total = listed.files.iter().map(|path| source::size(path)).sum();
    progress.start(total);
    for path in &listed.files {
        let source = match source::open(path, progress) {
            Ok(source) => source,
            Err(error) if listed.is_lenient => {
                skip_file(&mut stage, &error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let file = stage.begin_file(path);
        glimpses.set_texts(texts.with(Text::of_open(path, source.again)));
        match chrome::read(source, file, request, &mut stage, glimpses, progress) {
            Ok(text) => {
                texts.push(text);
                stage.end_file();
            }
            Err(error) if listed.is_lenient && !progress.is_cancelled() => {
                stage.abandon_file();
                skip_file(&mut stage, &error);
            }
            Err(error) => return Err(error),
        }
    }
    if texts.is_empty() {
        return Err(listed.nothing_usable());
    }
    let trace = build::finish(stage, request.cycle);
    if let (true, Some(cycle)) = (trace.cycles.is_empty(), request.cycle) {
        return Err(ImportError::NoCycle { cycle });
    }
    if request.cycle.is_some() {
        let is_kept = |file: usize| trace.cycles.iter().any(|cycle| cycle.file as usize == file);
        texts.forget_unless(is_kept);
    }
    Ok(Loaded { trace, texts })
}

/// Loads a trace whose bytes, compressed or not, are at hand; the request's paths do not count.
///
/// # Errors
/// When it is no trace.
pub fn load_bytes(bytes: &[u8], request: &Request, progress: &Progress) -> Result<Loaded, ImportError> {
    let mut stage = build::Stage::default();
    let source = source::of_bytes(bytes, progress)?;
    let file = stage.begin_file(&source.path);
    let mut texts = Texts::default();
    texts.push(chrome::read(source, file, request, &mut stage, &mut Glimpses::default(), progress)?);
    stage.end_file();
    Ok(Loaded { trace: build::finish(stage, request.cycle), texts })
}

fn skip_file(stage: &mut build::Stage, error: &ImportError) {
    stage.quality.note(Warning::FileSkipped, None, || error.to_string());
}
