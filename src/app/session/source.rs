//! Where the trace on the screen comes from: the load in progress, the traces to choose from, and where to go
//! once all of it is there.
//!
//! Must not know how a trace is loaded, nor what is shown of it.

use proftui_trace::import::TraceFiles;

use super::loading::{LoadProgress, Loading, Shown};
use super::traces::Traces;

/// The state of loading: the load in progress, if any, and the traces to choose from.
#[derive(Debug)]
pub struct Source {
    loading: Option<Loading>,
    /// True if the trace's files are known to have changed since they were loaded.
    has_changed: bool,
    traces: Traces,
    /// False if the trace cannot be loaded again, e.g. one from a pipe.
    can_reload: bool,
    /// The location, as text, to which the explorer goes once the whole trace is loaded, if any.
    location: Option<String>,
}

impl Source {
    /// A source without traces to choose from. `loading` is the load in progress, if any.
    pub(crate) fn new(loading: Option<Loading>) -> Self {
        let traces = Traces::default();
        Self { loading, has_changed: false, traces, can_reload: true, location: None }
    }

    /// This source with these traces to choose from, whether the trace can be loaded again, and the location
    /// to go to, as text.
    pub(crate) fn with(self, traces: Traces, can_reload: bool, location: Option<String>) -> Self {
        Self { traces, can_reload, location, ..self }
    }

    /// The load in progress; none if nothing is being loaded.
    pub fn loading(&self) -> Option<Loading> {
        self.loading
    }

    /// True if the trace's files are known to have changed since they were loaded.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The traces to choose from, and which of them is shown; may be empty.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// False if the trace cannot be loaded again, e.g. one from a pipe.
    pub(crate) fn can_reload(&self) -> bool {
        self.can_reload
    }

    /// True while the trace on the screen is a snapshot.
    pub fn is_snapshot(&self) -> bool {
        self.loading.is_some_and(|loading| loading.shown == Shown::Snapshot)
    }

    /// Notes that a load begins, during which `shown` is on the screen.
    pub fn begin(&mut self, shown: Shown) {
        self.loading = Some(Loading { progress: LoadProgress::default(), shown });
    }

    /// Takes the progress of the load; true if the text of the loading badge may change.
    pub(crate) fn advance(&mut self, progress: LoadProgress) -> bool {
        let Some(loading) = &mut self.loading else { return false };
        let text_of = |progress: LoadProgress| (progress.percent(), progress.seconds_left);
        let is_same = text_of(loading.progress) == text_of(progress);
        loading.progress = progress;
        // If the total is unknown, the badge shows bytes, which change with each report.
        !is_same || progress.total == 0
    }

    /// Notes that no load is in progress any more; what is on the screen stays.
    pub(crate) fn end(&mut self) {
        self.loading = None;
    }

    /// Notes that another session is shown, and that no change of its files is known; if it is the whole
    /// trace (`is_whole`), the load has ended.
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

    /// Replaces the traces to choose from, and which of them is shown.
    pub(crate) fn offer(&mut self, traces: Traces) {
        self.traces = traces;
    }

    /// Notes that the trace with index `at` is the one to show, and returns its files; none if there is no
    /// such trace.
    pub(crate) fn choose(&mut self, at: usize) -> Option<TraceFiles> {
        let files = self.traces.all.get(at)?.clone();
        self.traces.shown = at;
        Some(files)
    }

    /// Takes the location, as text, to which the explorer is to go, if any is left.
    pub(crate) fn take_location(&mut self) -> Option<String> {
        self.location.take()
    }
}
