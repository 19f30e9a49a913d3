//! The threads that work for the explorer: loading, watching files, making summaries, reading events again.
//!
//! Each sends its results as messages; none is ever waited for. Must not know what a result is for.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::app::jobs::{ReadJob, SummaryJob};
use crate::app::loading::LoadProgress;
use crate::app::{Msg, Session};
use crate::import::{self, Loaded, Progress, Request};

use crate::cli::select::cost_of_loading;

/// How often the progress of loading is reported.
const PROGRESS: Duration = Duration::from_millis(100);

/// How often the files are looked at while they are open.
const WATCH: Duration = Duration::from_secs(1);

/// How long reading an event may take before it is called slow.
const SLOW: Duration = Duration::from_millis(100);

/// What the explorer's worker threads share; starts them.
pub(super) struct Workers {
    request: Request,
    messages: Sender<Msg>,
    /// The progress of the last load.
    progress: Arc<Progress>,
    /// The way to the thread that reads events; none until the first is wanted.
    reader: Option<Sender<ReadJob>>,
}

impl Workers {
    pub(super) fn new(request: Request, messages: Sender<Msg>) -> Self {
        Self { request, messages, progress: Arc::default(), reader: None }
    }

    /// Asks the loader to stop; does not wait for it.
    pub(super) fn cancel(&self) {
        self.progress.cancel();
    }

    /// Loads and indexes on one thread while another reports the progress.
    pub(super) fn load(&mut self) {
        self.progress = Arc::default();
        let (done, is_done) = bounded::<()>(0);
        let (progress, messages) = (Arc::clone(&self.progress), self.messages.clone());
        thread::spawn(move || report_progress(&progress, &is_done, &messages));
        let (request, progress, messages) =
            (self.request.clone(), Arc::clone(&self.progress), self.messages.clone());
        thread::spawn(move || {
            let _done = done;
            for flight in request.paths.iter().filter_map(|path| import::preflight(path, &request)) {
                let _ = messages.send(Msg::Preflight(cost_of_loading(&flight)));
            }
            let show = |loaded: Loaded| {
                let _ = messages.send(Msg::Snapshot(Box::new(Session::new(loaded))));
            };
            let loaded = import::load_with_snapshots(&request, &progress, &show);
            let session = loaded.map(Session::new).map_err(|error| error.to_string());
            // The loop may have ended: then nobody takes it.
            let _ = messages.send(Msg::Loaded(Box::new(session)));
        });
    }

    /// Looks at a session's files until one has changed or the session is closed.
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

    /// Makes a summary on a thread of its own.
    pub(super) fn summarize(&self, job: SummaryJob) {
        let messages = self.messages.clone();
        thread::spawn(move || {
            let _ = messages.send(Msg::Summarized(Box::new(job.run())));
        });
    }

    /// Reads an event again, on the one thread for that.
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

/// Sends how far loading has come, until the loader drops its end of `is_done`.
fn report_progress(progress: &Progress, is_done: &Receiver<()>, messages: &Sender<Msg>) {
    while is_done.recv_timeout(PROGRESS) == Err(RecvTimeoutError::Timeout) {
        let progress =
            LoadProgress { read: progress.read(), total: progress.total(), events: progress.events() };
        if messages.send(Msg::Progress(progress)).is_err() {
            return;
        }
    }
}

/// Reads one event after the other. A second thread reports those that take long, since this one is blocked by the disk then.
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
