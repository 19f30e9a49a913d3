//! The threads that work for the explorer: they load, watch files, make summaries, read the arguments of events from the files.
//!
//! Each thread sends its results as messages; the explorer waits for none. Must not know what a result is for.

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::app::jobs::{ReadJob, SummaryJob};
use crate::app::loading::LoadProgress;
use crate::app::{Msg, Session, Traces};
use crate::import::{self, Loaded, Progress, Request, TraceFiles};

use crate::cli::select::cost_of_loading;

/// Time between two reports of the progress of loading.
const PROGRESS: Duration = Duration::from_millis(100);

/// Time between two checks whether the open files have changed.
const WATCH: Duration = Duration::from_secs(1);

/// Time that reading an event may take before it is reported as slow.
const SLOW: Duration = Duration::from_millis(100);

/// The handle by which the explorer starts worker threads and gives them jobs.
pub(super) struct Workers {
    request: Request,
    messages: Sender<Msg>,
    /// The progress of the load that was started last.
    progress: Arc<Progress>,
    /// Sends jobs to the thread that reads events; `None` until the first event is to be read.
    reader: Option<Sender<ReadJob>>,
}

impl Workers {
    pub(super) fn new(request: Request, messages: Sender<Msg>) -> Self {
        Self { request, messages, progress: Arc::default(), reader: None }
    }

    /// Asks the load that was started last to stop; does not wait for its end.
    pub(super) fn cancel(&self) {
        self.progress.cancel();
    }

    /// Starts a thread that finds the traces of the request, reports them if there are several, and loads one of them: that with the
    /// file `shown`, else the first.
    pub(super) fn load(&mut self, shown: Option<PathBuf>) {
        let (request, messages) = (self.request.clone(), self.messages.clone());
        self.start(move |progress| {
            let traces = match import::traces(&request, progress) {
                Ok(all) => Traces::with_file(all, shown.as_deref()),
                Err(error) => {
                    let _ = messages.send(Msg::Loaded(Box::new(Err(error.to_string()))));
                    return;
                }
            };
            let files = traces.all.get(traces.shown).map_or(request, |files| files.request.clone());
            if traces.are_several() || shown.is_some() {
                let _ = messages.send(Msg::Traces(traces));
            }
            load_one(&files, progress, &messages);
        });
    }

    /// Starts a thread that loads one of the traces found before.
    pub(super) fn open(&mut self, files: TraceFiles) {
        let messages = self.messages.clone();
        self.start(move |progress| load_one(&files.request, progress, &messages));
    }

    /// Starts a thread that reads files by `read`, and another that reports the progress.
    fn start(&mut self, read: impl FnOnce(&Progress) + Send + 'static) {
        self.progress = Arc::default();
        let (done, is_done) = bounded::<()>(0);
        let (progress, messages) = (Arc::clone(&self.progress), self.messages.clone());
        thread::spawn(move || report_progress(&progress, &is_done, &messages));
        let progress = Arc::clone(&self.progress);
        thread::spawn(move || {
            let _done = done;
            read(&progress);
        });
    }

    /// Starts a thread that watches a session's files until one of them has changed, which it reports, or the session is closed.
    pub(super) fn watch(&self, session: Weak<Session>) {
        let messages = self.messages.clone();
        thread::spawn(move || {
            while let Some(open) = session.upgrade() {
                if open.texts.have_changed() {
                    let _ = messages.send(Msg::FilesChanged(session));
                    return;
                }
                drop(open);
                thread::sleep(WATCH);
            }
        });
    }

    /// Starts a thread that makes one summary.
    pub(super) fn summarize(&self, job: SummaryJob) {
        let messages = self.messages.clone();
        thread::spawn(move || {
            let _ = messages.send(Msg::Summarized(Box::new(job.run())));
        });
    }

    /// Queues the reading of an event from its file. One thread reads all events; it is started if it does not run.
    pub(super) fn read(&mut self, job: ReadJob) {
        let job = match &self.reader {
            Some(reader) => match reader.send(job) {
                Ok(()) => return,
                // The thread panicked.
                Err(unsent) => unsent.into_inner(),
            },
            None => job,
        };
        let (reader, jobs) = unbounded();
        let messages = self.messages.clone();
        thread::spawn(move || read_events(&jobs, &messages));
        let _ = reader.send(job);
        self.reader = Some(reader);
    }
}

/// Loads and indexes one trace, and sends it; before that, the estimated cost of large files, and snapshots.
fn load_one(request: &Request, progress: &Progress, messages: &Sender<Msg>) {
    for flight in request.paths.iter().filter_map(|path| import::preflight(path, request)) {
        let _ = messages.send(Msg::Preflight(cost_of_loading(&flight)));
    }
    let show = |loaded: Loaded| {
        let _ = messages.send(Msg::Snapshot(Box::new(Session::new(loaded))));
    };
    let loaded = import::load_with_snapshots(request, progress, &show);
    let session = loaded.map(Session::new).map_err(|error| error.to_string());
    // If the loop has ended, nobody receives this message.
    let _ = messages.send(Msg::Loaded(Box::new(session)));
}

/// Sends the progress of loading every [`PROGRESS`], until the loader drops its end of `is_done`.
fn report_progress(progress: &Progress, is_done: &Receiver<()>, messages: &Sender<Msg>) {
    while is_done.recv_timeout(PROGRESS) == Err(RecvTimeoutError::Timeout) {
        let progress =
            LoadProgress { read: progress.read(), total: progress.total(), events: progress.events() };
        if messages.send(Msg::Progress(progress)).is_err() {
            return;
        }
    }
}

/// Reads one event after the other from the files, and sends each. A second thread reports a read that takes longer than
/// [`SLOW`], since this thread is blocked meanwhile.
fn read_events(jobs: &Receiver<ReadJob>, messages: &Sender<Msg>) {
    let (begun, begins) = bounded::<Receiver<()>>(1);
    let watcher = messages.clone();
    thread::spawn(move || {
        for is_done in begins {
            if is_done.recv_timeout(SLOW) == Err(RecvTimeoutError::Timeout) {
                let _ = watcher.send(Msg::ReadIsSlow);
            }
        }
    });
    for job in jobs {
        let (done, is_done) = bounded::<()>(0);
        let _ = begun.send(is_done);
        let read = job.run();
        drop(done);
        if messages.send(Msg::EventRead(Box::new(read))).is_err() {
            return;
        }
    }
}
