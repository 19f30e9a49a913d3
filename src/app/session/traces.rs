//! The traces that the explorer can show: those of the directory that was opened, one of which is on the
//! screen.
//!
//! Must not know how a trace is loaded.

use std::path::Path;
use std::sync::Arc;

use proftui_trace::import::TraceFiles;

/// The traces that the user can choose from, and which of them is shown.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// All traces, in order of their first times.
    pub all: Arc<[TraceFiles]>,
    /// The trace that is shown or being loaded, an index into `all`.
    pub shown: usize,
}

impl Traces {
    /// The traces `all`, of which the trace with the file `path` is shown, or else the first.
    pub fn with_file(all: Vec<TraceFiles>, path: Option<&Path>) -> Self {
        let has_file =
            |files: &TraceFiles| files.request.paths.iter().any(|file| Some(file.as_path()) == path);
        let shown = all.iter().position(has_file).unwrap_or_default();
        Self { all: all.into(), shown }
    }

    /// True if there are at least two traces.
    pub fn are_several(&self) -> bool {
        self.all.len() > 1
    }

    /// The first file of the trace shown; none if there are no traces.
    pub fn first_file(&self) -> Option<&Path> {
        self.all.get(self.shown)?.request.paths.first().map(std::path::PathBuf::as_path)
    }

    /// Which trace is shown or being loaded, and how many there are, such as `1 of 2 traces`; none for fewer
    /// than two traces.
    pub fn title(&self) -> Option<String> {
        self.are_several().then(|| format!("{} of {} traces", self.shown + 1, self.all.len()))
    }
}
