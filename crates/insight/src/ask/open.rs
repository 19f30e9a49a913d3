//! Opening traces: loads the files that a request names, and adds the names of the work inside graphs. The
//! names come from capture traces, and, in a recording of our own, from the recording itself.
//!
//! Must not know how work and captures are paired.

use proftui_trace::import::{self, CaptureFile, ImportError, Loaded, Progress, Request, VisitError};
use proftui_trace::model::Warning;

use crate::analysis::graph_names::{Captures, add, add_recorded, has_launches};

/// Why a trace cannot be opened; the text is one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file of the trace or a capture trace cannot be loaded.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A capture trace cannot be read a second time.
    #[error(transparent)]
    Visit(#[from] VisitError),
    /// A capture trace was loaded in part, and so is not used.
    #[error(
        "{path}: not used for names inside graphs: not all of it fits into the memory limit; raise the limit \
         with --max-memory"
    )]
    Partial {
        /// The path of the capture trace, safe to show.
        path: String,
    },
    /// A capture trace has no captured graph, and so is not used.
    #[error(
        "{path}: no captured graph: no thread has launch calls without device work between the begin and the \
         end of a stream's capture"
    )]
    NoGraph {
        /// The path of the capture trace, safe to show.
        path: String,
    },
}

/// Loads the files that a request names as one trace, and adds the names of work inside graphs, as far as
/// they are known.
///
/// # Errors
/// When the trace cannot be loaded, and as [`name_graphs`].
pub fn open(request: &Request, progress: &Progress) -> Result<Loaded, OpenError> {
    let mut loaded = import::load(request, progress)?;
    name_graphs(&mut loaded, request, progress)?;
    Ok(loaded)
}

/// Adds the names of work inside graphs, as far as they are known, to a trace that `request` loaded.
///
/// # Errors
/// When a capture trace that the request names is not found, or is needed and cannot be used.
pub fn name_graphs(loaded: &mut Loaded, request: &Request, progress: &Progress) -> Result<(), OpenError> {
    if !has_launches(&loaded.trace) {
        // A path that is wrong is reported, even where it is not needed.
        return request.capture_traces.iter().try_for_each(|path| Ok(import::check(path)?));
    }
    let Loaded { trace, texts } = loaded;
    if let Err(error) = add_recorded(trace, texts) {
        trace.quality.note(Warning::Capture, None, || error.to_string());
    }
    let mut captures = Captures::default();
    for file in import::capture_files(request) {
        if progress.is_cancelled() {
            return Ok(());
        }
        match read(&file, request, &mut captures) {
            Ok(()) => {}
            Err(why) if file.is_named => return Err(why),
            Err(why) => trace.quality.note(Warning::Capture, None, || why.to_string()),
        }
    }
    add(trace, &captures);
    Ok(())
}

/// Loads one capture trace within the memory limit of `request`, and adds its captured graphs to `captures`.
///
/// # Errors
/// When the file cannot be read, does not fit into the limit, or has no captured graph.
fn read(file: &CaptureFile, request: &Request, captures: &mut Captures) -> Result<(), OpenError> {
    let (is_regular, max_memory) = (file.is_in_folder, request.max_memory);
    let request = Request { is_regular, max_memory, ..Request::new([file.path.clone()]) };
    let loaded = import::load(&request, &Progress::default())?;
    let path = import::shown(&file.path);
    if loaded.trace.meta.partial.is_some() {
        return Err(OpenError::Partial { path });
    }
    match captures.add(&loaded, file)? {
        0 => Err(OpenError::NoGraph { path }),
        _ => Ok(()),
    }
}
