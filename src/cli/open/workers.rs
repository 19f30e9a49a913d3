//! The threads that work for the explorer: they load, watch files, run jobs.
//!
//! Each thread sends its results as messages; the explorer waits for none. Must not know what a result is
//! for.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use std::{io, thread};

use crossbeam_channel::{Receiver, RecvTimeoutError, SendError, Sender, bounded, unbounded};

use crate::app::session::loading::{LoadError, LoadProgress};
use crate::app::wires::jobs::{Job, Kind};
use crate::app::{Msg, Session, Traces};
use proftui_base::saturate::saturate;
use proftui_insight::ask::{OpenError, name_graphs};
use proftui_trace::import::{self, Loaded, Progress, Request, TraceFiles};

use super::kept_sessions::KeptSessions;
use crate::cli::options::renames::Renames;
use crate::cli::options::select::cost_of_loading;
use crate::cli::output::save::save;
use crate::cli::output::streams::Failure;

/// Time between two reports of progress, of loading or of a job.
const PROGRESS: Duration = Duration::from_millis(100);

/// How long a file is read before its speed says when the rest is read.
const SPEED_KNOWN: Duration = Duration::from_millis(500);

/// Time between two checks of whether the open files have changed.
const WATCH: Duration = Duration::from_secs(1);

/// The stack of a thread that writes one file, or only waits for slow jobs, in bytes.
const SMALL_STACK: usize = 64 << 10;

/// The handle by which the explorer starts worker threads and gives them jobs.
pub(super) struct Workers {
    request: Request,
    /// The name and the bytes of a trace in memory, which is loaded instead of the request's paths.
    bytes: Option<(&'static str, &'static [u8])>,
    renames: Arc<Renames>,
    /// The files that keep sessions; `None` if nothing is kept.
    kept: Option<Arc<KeptSessions>>,
    messages: Sender<Msg>,
    /// The progress of the load that was started last.
    progress: Arc<Progress>,
    /// Senders of jobs to the worker threads, by the kind of job that a thread runs.
    by_kind: HashMap<Kind, Sender<Job>>,
}

impl Workers {
    pub(super) fn new(
        request: Request,
        bytes: Option<(&'static str, &'static [u8])>,
        renames: Arc<Renames>,
        kept: Option<Arc<KeptSessions>>,
        messages: Sender<Msg>,
    ) -> Self {
        Self { request, bytes, renames, kept, messages, progress: Arc::default(), by_kind: HashMap::new() }
    }

    /// Asks the load that was started last to stop; does not wait for its end.
    pub(super) fn cancel(&self) {
        self.progress.cancel();
    }

    /// Starts a thread that loads the trace in memory, if any, else the request's trace with the file
    /// `shown`, or the request's first trace.
    pub(super) fn load(&mut self, shown: Option<PathBuf>) {
        let (request, messages) = (self.request.clone(), self.messages.clone());
        let (renames, kept) = (Arc::clone(&self.renames), self.kept.clone());
        if let Some((name, bytes)) = self.bytes {
            self.start(move |progress| {
                let loaded = import::load_bytes(bytes, &request, progress);
                let session = loaded.map_err(|error| OpenError::from(error).into()).map(|mut loaded| {
                    loaded.trace.meta.files = vec![name.to_owned()];
                    renames.apply(&mut loaded.trace);
                    Session::new(loaded)
                });
                let _ = messages.send(Msg::Loaded(Box::new(session)));
            });
            return;
        }
        self.start(move |progress| {
            let traces = match import::traces(&request, progress) {
                Ok(all) => Traces::with_file(all, shown.as_deref()),
                Err(error) => {
                    let _ = messages.send(Msg::Loaded(Box::new(Err(OpenError::from(error).into()))));
                    return;
                }
            };
            let files = traces.all.get(traces.shown).map_or(request, |files| files.request.clone());
            if traces.are_several() || shown.is_some() {
                let _ = messages.send(Msg::Traces(traces));
            }
            load_one(&files, &renames, kept.as_deref(), progress, &messages);
        });
    }

    /// Starts a thread that loads one of the traces found before.
    pub(super) fn open(&mut self, files: TraceFiles) {
        let (messages, renames) = (self.messages.clone(), Arc::clone(&self.renames));
        let kept = self.kept.clone();
        self.start(move |progress| load_one(&files.request, &renames, kept.as_deref(), progress, &messages));
    }

    /// Writes a new file on a thread of its own, which reports the outcome as a message. Returns a message
    /// only if the thread cannot be started.
    pub(super) fn save(&self, path: PathBuf, bytes: Vec<u8>) -> Option<Msg> {
        let messages = self.messages.clone();
        let started = thread::Builder::new().stack_size(SMALL_STACK).spawn(move || {
            let said = match save(&path, &bytes, false, "choose another name") {
                Ok(()) => format!("written to {}", import::shown(&path)),
                Err(Failure(why)) => why,
            };
            let _ = messages.send(Msg::Exported(said));
        });
        started
            .err()
            .map(|error| Msg::Exported(format!("no thread can be started to write the file: {error}")))
    }

    /// Starts a thread that runs `read` to load a trace, and another that reports the progress.
    fn start(&mut self, read: impl FnOnce(&Progress) + Send + 'static) {
        self.progress = Arc::default();
        let (done, is_done) = bounded::<()>(0);
        let (progress, messages) = (Arc::clone(&self.progress), self.messages.clone());
        // Without this thread the progress is not shown.
        let _ = thread::Builder::new().spawn(move || report_progress(&progress, &is_done, &messages));
        let progress = Arc::clone(&self.progress);
        let started = thread::Builder::new().spawn(move || {
            let _done = done;
            read(&progress);
        });
        if let Err(error) = started {
            // If the loop's queue is full, the next attempt to load reports it.
            let _ = self.messages.try_send(Msg::Loaded(Box::new(Err(LoadError::NoThread(error)))));
        }
    }

    /// Starts a thread that watches the files of an open session and reports the first change.
    pub(super) fn watch(&self, session: Weak<Session>) {
        let messages = self.messages.clone();
        // Without this thread changes of the files are not noticed.
        let _ = thread::Builder::new().spawn(move || {
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

    /// Gives a job to the thread of its kind, which is started if needed. Returns the message that the job
    /// failed if no thread can be started, else `None`.
    pub(super) fn run(&mut self, job: Job) -> Option<Msg> {
        let kind = job.kind();
        let job = match self.by_kind.get(&kind) {
            Some(worker) => worker.send(job).err().map(SendError::into_inner)?,
            None => job,
        };
        match start_worker(kind, &self.messages) {
            Ok(worker) => {
                let _ = worker.send(job);
                self.by_kind.insert(kind, worker);
                None
            }
            Err(error) => {
                let why = format!("no thread can be started for work in the background: {error}");
                Some(Msg::Done(Box::new(job.failed(Some(why)))))
            }
        }
    }
}

/// Starts the thread that runs the jobs of a kind and sends their results, and another that reports slow
/// jobs. Returns the sender of jobs.
fn start_worker(kind: Kind, messages: &Sender<Msg>) -> io::Result<Sender<Job>> {
    let (begun, begins) = bounded::<Receiver<()>>(1);
    let watcher = messages.clone();
    thread::Builder::new().name("patience".to_owned()).stack_size(SMALL_STACK).spawn(move || {
        for is_done in begins {
            let mut wait = kind.patience();
            while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                if watcher.send(Msg::IsSlow(kind)).is_err() || !kind.has_progress() {
                    break;
                }
                wait = PROGRESS;
            }
        }
    })?;
    let (worker, jobs) = unbounded::<Job>();
    let messages = messages.clone();
    thread::Builder::new().name("job".to_owned()).spawn(move || {
        for job in jobs {
            let (done, is_done) = bounded::<()>(0);
            let _ = begun.send(is_done);
            // The panic's hook reports it; the job still ends for the explorer.
            let failed = job.failed(None);
            let end = catch_unwind(AssertUnwindSafe(|| job.run())).unwrap_or(failed);
            drop(done);
            if messages.send(Msg::Done(Box::new(end))).is_err() {
                return;
            }
        }
    })?;
    Ok(worker)
}

/// Loads one trace, applies `renames`, and sends the trace or the error. May send the expected cost,
/// snapshots, and what `kept` has of the trace before that.
fn load_one(
    request: &Request,
    renames: &Renames,
    kept: Option<&KeptSessions>,
    progress: &Progress,
    messages: &Sender<Msg>,
) {
    for flight in request.paths.iter().filter_map(|path| import::preflight(path, request)) {
        let _ = messages.send(Msg::Preflight(cost_of_loading(&flight)));
    }
    let show = |mut loaded: Loaded| {
        renames.apply(&mut loaded.trace);
        let _ = messages.send(Msg::Snapshot(Box::new(Session::new(loaded))));
    };
    let named = import::load_with_snapshots(request, progress, &show).map_err(OpenError::from).and_then(
        |mut loaded| {
            name_graphs(&mut loaded, request, progress)?;
            renames.apply(&mut loaded.trace);
            Ok(loaded)
        },
    );
    let session = named.map(Session::new).map_err(LoadError::from);
    if let Some(earlier) = kept.filter(|_| session.is_ok()).and_then(|kept| kept.begin(&request.paths)) {
        let _ = messages.send(Msg::Earlier(Box::new(earlier)));
    }
    // If the loop has ended, nobody receives this message.
    let _ = messages.send(Msg::Loaded(Box::new(session)));
}

/// Sends the progress of loading at intervals of [`PROGRESS`] until loading is done or nobody receives the
/// messages.
fn report_progress(progress: &Progress, is_done: &Receiver<()>, messages: &Sender<Msg>) {
    let start = Instant::now();
    while is_done.recv_timeout(PROGRESS) == Err(RecvTimeoutError::Timeout) {
        let (read, total, events) = (progress.read(), progress.total(), progress.events());
        let seconds_left = seconds_left(start.elapsed(), read, total);
        let progress = LoadProgress { read, total, events, seconds_left };
        if messages.send(Msg::Progress(progress)).is_err() {
            return;
        }
    }
}

/// About how many seconds reading the rest takes, rounded up, if reading so far took `elapsed`; none where
/// the total is not known, or too little is read to say.
fn seconds_left(elapsed: Duration, read: u64, total: u64) -> Option<u64> {
    if elapsed < SPEED_KNOWN || read == 0 || total == 0 {
        return None;
    }
    let rest = total.saturating_sub(read) as f64 / read as f64;
    Some(saturate::<u64>((elapsed.as_secs_f64() * rest).ceil()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_read_took() {
        let left = |elapsed, read, total| seconds_left(Duration::from_millis(elapsed), read, total);
        assert_eq!(left(3000, 428, 995), Some(4));
        assert_eq!((left(3000, 995, 995), left(3000, 996, 995)), (Some(0), Some(0)));
        assert_eq!((left(3000, 5, 0), left(3000, 0, 5), left(200, 1, 5)), (None, None, None));
    }
}
