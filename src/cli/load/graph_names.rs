//! Finds names for the device work that graphs launched in a trace that was loaded: in the traces of captures that belong to it, and in recordings
//! of our own. `open`, `info` and `summary` share this.
//!
//! Must not know how work and captures are paired.

use proftui_insight::analysis::graph_names::{Captures, add, add_recorded, has_launches};
use proftui_trace::import::{self, CaptureFile, Loaded, Progress, Request};
use proftui_trace::model::Warning;

/// Adds the names of work inside graphs to a trace that `request` loaded. A capture that was found beside the trace and cannot be read is a note
/// of the trace.
///
/// # Errors
/// Why a trace of captures that the request names cannot be read or has no captured graph.
pub(crate) fn add_names(loaded: &mut Loaded, request: &Request, progress: &Progress) -> Result<(), String> {
    if !has_launches(&loaded.trace) {
        // A path that is wrong is reported, even where it is not needed.
        return request
            .capture_traces
            .iter()
            .try_for_each(|path| import::check(path).map_err(|error| error.to_string()));
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
            Err(why) => trace.quality.note(Warning::Capture, None, || why),
        }
    }
    add(trace, &captures);
    Ok(())
}

/// Adds the captured graphs of one file. The events of the file are freed again.
///
/// # Errors
/// Why it cannot be read, or that it has no captured graph.
fn read(file: &CaptureFile, request: &Request, captures: &mut Captures) -> Result<(), String> {
    let (is_regular, max_memory) = (file.is_in_folder, request.max_memory);
    let request = Request { is_regular, max_memory, ..Request::new([file.path.clone()]) };
    let loaded = import::load(&request, &Progress::default()).map_err(|error| error.to_string())?;
    let path = import::shown(&file.path);
    if let Some(part) = loaded.trace.partial_title() {
        return Err(format!("{path}: not used for names inside graphs, as it was not read whole: {part}"));
    }
    match captures.add(&loaded, file) {
        Ok(0) => Err(format!(
            "{path}: no captured graph: it has no launch calls between the begin and the end of a stream's capture"
        )),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
