//! Where the trace on the screen comes from: the load in progress, the traces to choose from, and where to go
//! once all of it is there.
//!
//! Must not know how a trace is loaded, nor what is shown of it.

use proftui_trace::import::TraceFiles;

use super::loading::{LoadProgress, Loading, Shown};
use super::traces::Traces;

/// The files of the trace shown, and their load.
#[derive(Debug)]
pub struct Source {
    loading: Option<Loading>,
    /// True once a file has changed on disk since it was loaded.
    has_changed: bool,
    traces: Traces,
    /// False where the trace came through a pipe, which cannot be read again, or is the built-in demo.
    can_reload: bool,
    /// The location, as text, that the explorer goes to once the whole trace is loaded.
    location: Option<String>,
}

impl Source {
    /// The source of one trace, of which the rest is being loaded if `loading` is given.
    pub(crate) fn new(loading: Option<Loading>) -> Self {
        let traces = Traces::default();
        Self { loading, has_changed: false, traces, can_reload: true, location: None }
    }

    /// This source with these traces to choose from; the explorer goes to `location`, as text, once the whole
    /// trace is loaded. `can_reload` is false if the trace came through a pipe or is the built-in demo.
    pub(crate) fn with(self, traces: Traces, can_reload: bool, location: Option<String>) -> Self {
        Self { traces, can_reload, location, ..self }
    }

    /// The load in progress; none if nothing is being loaded.
    pub fn loading(&self) -> Option<Loading> {
        self.loading
    }

    /// True once a file has changed on disk since it was loaded.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The traces of the directory that was opened, of which one is shown.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// False where the trace came through a pipe, which cannot be read again, or is the built-in demo.
    pub(crate) fn can_reload(&self) -> bool {
        self.can_reload
    }

    /// True while the trace on the screen is a snapshot: what it lacks may still come.
    pub fn is_snapshot(&self) -> bool {
        self.loading.is_some_and(|loading| loading.shown == Shown::Snapshot)
    }

    /// Begins a load, during which `shown` is on the screen.
    pub fn begin(&mut self, shown: Shown) {
        self.loading = Some(Loading { progress: LoadProgress::default(), shown });
    }

    /// Takes the progress of the load; true if the text of the loading badge changes.
    pub(crate) fn advance(&mut self, progress: LoadProgress) -> bool {
        let Some(loading) = &mut self.loading else { return false };
        let is_same = loading.progress.percent() == progress.percent();
        loading.progress = progress;
        // If the total is unknown, the badge shows bytes, which change with each report.
        !is_same || progress.total == 0
    }

    /// Ends the load; what is on the screen stays.
    pub(crate) fn end(&mut self) {
        self.loading = None;
    }

    /// Notes that another session of the same files is shown, as they are on disk now; the load is done if
    /// the session is the whole trace (`is_whole`).
    pub(crate) fn renew(&mut self, is_whole: bool) {
        self.has_changed = false;
        if is_whole {
            self.end();
        }
    }

    /// Notes that a file has changed on disk.
    pub(crate) fn note_change(&mut self) {
        self.has_changed = true;
    }

    /// Takes the traces to choose from.
    pub(crate) fn offer(&mut self, traces: Traces) {
        self.traces = traces;
    }

    /// Chooses a trace; returns its files, none if there is no such trace.
    pub(crate) fn choose(&mut self, at: usize) -> Option<TraceFiles> {
        let files = self.traces.all.get(at)?.clone();
        self.traces.shown = at;
        Some(files)
    }

    /// Takes the location to go to now that the whole trace is loaded; none if there is none, or it was taken
    /// before.
    pub(crate) fn take_location(&mut self) -> Option<String> {
        self.location.take()
    }
}
