//! Where the trace on the screen comes from: the load in progress, the traces to choose from, and where to go
//! once all of it is there.
//!
//! Must not know how a trace is loaded, nor what is shown of it.

use proftui_trace::import::TraceFiles;

use super::loading::{LoadProgress, Loading, Shown};
use super::traces::Traces;

/// Where the trace on the screen comes from: the load in progress, whether its files have changed since, the
/// traces to choose from, and the location to go to once all of it is loaded.
#[derive(Debug)]
pub struct Source {
    loading: Option<Loading>,
    /// True from when a change of the trace's files is noticed until they have been loaded again.
    has_changed: bool,
    traces: Traces,
    /// False if the trace cannot be loaded again: it came through a pipe, is the built-in demo, or is drawn
    /// by `proftui render`.
    can_reload: bool,
    /// The location, as text, to which the explorer goes once the whole trace is loaded; none if there is
    /// none, or it was taken for that.
    location: Option<String>,
}

impl Source {
    /// A source without traces to choose from and without a location to go to, whose trace can be loaded
    /// again. `loading` is the load of the rest of the trace; none if the whole trace is loaded.
    pub(crate) fn new(loading: Option<Loading>) -> Self {
        let traces = Traces::default();
        Self { loading, has_changed: false, traces, can_reload: true, location: None }
    }

    /// This source with these traces to choose from; the explorer goes to `location`, as text, once the whole
    /// trace is loaded (nowhere for none). `can_reload` is false if the trace cannot be loaded again, such as
    /// one from a pipe.
    pub(crate) fn with(self, traces: Traces, can_reload: bool, location: Option<String>) -> Self {
        Self { traces, can_reload, location, ..self }
    }

    /// The load in progress; none if nothing is being loaded.
    pub fn loading(&self) -> Option<Loading> {
        self.loading
    }

    /// True from when a change of the trace's files is noticed until they have been loaded again.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The traces to choose from, those of the directory that was opened, and which of them is shown; may
    /// be empty if there is no choice.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// False if the trace cannot be loaded again: it came through a pipe, is the built-in demo, or is drawn
    /// by `proftui render`.
    pub(crate) fn can_reload(&self) -> bool {
        self.can_reload
    }

    /// True while the trace on the screen is a snapshot: what it lacks may still come.
    pub fn is_snapshot(&self) -> bool {
        self.loading.is_some_and(|loading| loading.shown == Shown::Snapshot)
    }

    /// Notes that a load begins, during which `shown` is on the screen.
    pub fn begin(&mut self, shown: Shown) {
        self.loading = Some(Loading { progress: LoadProgress::default(), shown });
    }

    /// Takes the progress of the load; true if the text of the loading badge may change. False, without a
    /// change, if nothing is being loaded.
    pub(crate) fn advance(&mut self, progress: LoadProgress) -> bool {
        let Some(loading) = &mut self.loading else { return false };
        let is_same = loading.progress.percent() == progress.percent();
        loading.progress = progress;
        // If the total is unknown, the badge shows bytes, which change with each report.
        !is_same || progress.total == 0
    }

    /// Notes that no load is in progress any more; what is on the screen stays.
    pub(crate) fn end(&mut self) {
        self.loading = None;
    }

    /// Notes that another session of the same files is shown, so that no file counts as changed; if that
    /// session is the whole trace (`is_whole`), the load has ended.
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

    /// Notes that the trace with index `at` among those to choose from is the one to show; returns its files,
    /// none (without a change) if there is no such trace.
    pub(crate) fn choose(&mut self, at: usize) -> Option<TraceFiles> {
        let files = self.traces.all.get(at)?.clone();
        self.traces.shown = at;
        Some(files)
    }

    /// Takes the location, as text, to which the explorer goes now that the whole trace is loaded; none if
    /// there is none, or it was taken before.
    pub(crate) fn take_location(&mut self) -> Option<String> {
        self.location.take()
    }
}
