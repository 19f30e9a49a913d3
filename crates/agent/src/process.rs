//! The state of the captured process: its folder and names, its steps, and the process that it follows.
//!
//! A leader has cycles of its own, on its own live page. A follower records the cycles on its leader's page:
//! a forked child inherits the mapping of that page from its parent, a spawned one maps the file itself. A
//! follower has no folder until it has records to write. The steps that it ends are its leader's. A process
//! that is another rank than its leader becomes a leader with the first step that it ends itself.
//!
//! The state is behind one lock, `PROCESS`, which only rare operations take; recording a range only reads two
//! pointers to live pages. The device recorder ([`device`]) is called without the lock: it waits for devices,
//! and takes the lock itself for names and files.
//!
//! - `steps`: the state machine of steps and cycles; `step_end`: the protocol by which a step ends.
//! - `recent`: the lengths of the last steps. `outside`: what is no step: the time before, between and after
//!   them. `recount`: when a step began, and that the count begins anew.
//! - `control`: the program's own profiler selects the recorded steps.
//! - `part`: the process's name, and whose steps it ends.
//! - `folder`, `names`: the files of the process. `budget`: the disk space that they take, and the ring of
//!   the last ones. `pidfd`: shows proftui the process, for the moment when it ends.
//! - `fork`, `exit`: adapt the state to a fork, and close the recorder at the end of the process.

mod budget;
pub mod control;
mod device;
mod exit;
mod folder;
mod fork;
mod names;
mod outside;
mod part;
mod pidfd;
mod recent;
mod recount;
mod step_end;
mod steps;

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use proftui_wire::chunk::{STEP_NAME, Tag};
use proftui_wire::graph_nodes::GraphNode;
use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, Event, NoteKind};
use proftui_wire::options::{DISABLE, DeviceOption, FILE, LEADER, Options, PARENT, RUN, WINDOW};
use proftui_wire::process_key::{LIVE, ProcessKey};

use crate::clock;
use crate::device as recorder;
use crate::errno::keep;
use crate::files::OwnFolder;
use crate::guard;
use crate::live::{self, waiting};
use crate::lock::Lock;
use crate::page::Page;
use crate::tid::tid;

use budget::Budget;
pub use budget::{FullFile, add_file, add_full, cut, fail_reservation, reserve};
pub use device::attach;
pub use exit::close_at_exit;
use folder::{Folder, Origin};
use names::Names;
pub use outside::validation;
pub use part::{ends_own_steps, is_child, name_process};
pub use recount::{begin_call, begin_step, restart_steps};
pub use step_end::{Past, pause_step, resume_step, step, step_at};
use step_end::{StepChange, end_step_with};
use steps::{StepEnd, Steps};

/// The process's state; `None` before [`open`].
static PROCESS: Lock<Option<Process>> = Lock::new(None);
/// Held by a thread while it ends a step, all steps or the process, so that only one thread does so at a
/// time. Taken before `PROCESS`, and held while the device recorder flushes, when `PROCESS` is free.
static STEP_LOCK: Lock<()> = Lock::new(());

struct Process {
    pid: u32,
    /// The run's folder.
    run: OwnFolder,
    options: Options,
    /// The process whose cycles this one records; none for a leader, which has cycles of its own.
    leader: Option<ProcessKey>,
    /// The process's folder; none until there is something to write there.
    folder: Option<Folder>,
    /// The user and the root folder when the recorder began.
    origin: Origin,
    /// In the child of a fork: the parent's live page.
    parents: Option<&'static Page>,
    /// True if the folder could not be made; no further attempt is made.
    has_no_folder: bool,
    /// True if the process is another rank than its leader: it becomes a leader with its first step.
    is_other_rank: bool,
    /// What the process is called, if it was given a name: logged when there is a folder.
    title: Option<String>,
    names: Names,
    steps: Steps,
    budget: Budget,
}

/// Opens the process: sets up recording as the environment variables say, unless that was done before. False
/// if there is no run, or recording is disabled. With `is_child` the process was spawned by another one of
/// the run, whose leader it follows.
pub fn open(is_child: bool) -> bool {
    keep(|| {
        if live::is_off() {
            return false;
        }
        let Some(mut process) = PROCESS.take() else { return false };
        guard::report_by(report_failure);
        if process.is_none() {
            *process = Process::new(is_child);
        }
        process.is_some()
    })
}

/// Closes the process: ends its open cycle, if there is one, and all recording, for good.
pub fn close() {
    if let Some(_held) = keep(|| STEP_LOCK.take()) {
        end_step_with(clock::now(), &StepChange::Exit);
    }
    live::switch_off();
    live::follow_none();
    // Our libraries are unloaded next: no thread may still be in them.
    keep(recorder::end);
}

/// Returns the path of this process's folder, which is made if there is none yet; none if it cannot be made.
pub fn folder() -> Option<PathBuf> {
    with(|process| process.folder().map(|folder| folder.own.path())).flatten()
}

/// The number of a text in the process's list of names, to which it is added if it is new; 0 if it cannot be
/// kept.
pub fn name(text: &str) -> u32 {
    with(|process| process.names.number(text)).unwrap_or_default()
}

/// True if the run's options set this option of the device recorder.
pub fn has_option(option: DeviceOption) -> bool {
    with(|process| process.options.has(option)).unwrap_or_default()
}

/// How long the program may be made to wait for a GPU, at the end of a cycle or in all at the process's end.
pub fn gpu_wait() -> Duration {
    with(|process| Duration::from_millis(process.options.gpu_wait)).unwrap_or_default()
}

/// Most memory that CUPTI may take on a device for each context, bytes; 0 if it is to take the host's.
pub fn gpu_memory() -> u64 {
    with(|process| process.options.gpu_memory).unwrap_or_default()
}

/// Writes a note into the log.
pub fn note(kind: NoteKind, text: &str) {
    with(|process| process.note(kind, text));
}

/// Logs `text` as the name of the calling thread.
pub fn name_thread(text: &str) {
    name_thread_of(tid(), text);
}

/// Logs `text` as the name of the thread with the id `tid`, as the operating system numbers threads.
pub fn name_thread_of(tid: u32, text: &str) {
    with(|process| {
        let name = process.names.number(text);
        process.log_at(clock::now(), Event::Thread { tid: u64::from(tid), name });
    });
}

/// Logs the counts of a cycle's device records, once all are in their files. For processes whose cycles
/// another process, or proftui by time, opens and closes; in others the end of a step does this.
pub fn log_device(counts: DeviceCounts) {
    with(|process| process.log_device(counts));
}

/// Adds a node of a CUDA graph to the process's list of them; false if the list is full or cannot be written.
pub fn add_graph_node(node: &GraphNode) -> bool {
    with(|process| process.folder().is_some_and(|folder| folder.add_graph_node(node))).unwrap_or_default()
}

/// Writes the nodes of CUDA graphs that are not written yet.
pub fn save_graph_nodes() {
    with(|process| process.folder().is_some_and(Folder::save_graph_nodes));
}

/// Notes in the log that the recorder failed, and why: it is switched off next.
fn report_failure(why: &str) {
    with(|process| process.note(NoteKind::Failure, &format!("the recorder failed and has stopped: {why}")));
}

/// Calls `body` with the process's state locked; none if the recorder is off, not open, or the lock cannot be
/// had.
fn with<R>(body: impl FnOnce(&mut Process) -> R) -> Option<R> {
    if live::is_off() {
        return None;
    }
    keep(|| PROCESS.take()?.as_mut().map(body))
}

impl Process {
    /// Makes the process's state as the environment variables ask for; none if they ask for no recording, or
    /// the run's folder cannot be used.
    fn new(is_child: bool) -> Option<Self> {
        if env::var_os(DISABLE).is_some_and(|word| !word.is_empty() && word != "0") {
            return None;
        }
        let run = std::path::absolute(env::var_os(RUN).filter(|run| !run.is_empty())?).ok()?;
        // The run may have ended long ago, and its path may be another user's folder by now: then nothing is
        // read.
        let run = OwnFolder::of_run(run);
        let options = Options::read(&String::from_utf8(run.read(FILE).ok()?).ok()?);
        let leader = if is_child { leader(&run) } else { None };
        Self::begin(run, options, leader)
    }

    /// Makes the process's state: as a follower of `leader`, or as a leader if `leader` is none. None if a
    /// leader's folder cannot be made.
    fn begin(run: OwnFolder, options: Options, leader: Option<(ProcessKey, &'static Page)>) -> Option<Self> {
        let now = clock::now();
        let mut process = Self {
            pid: std::process::id(),
            run,
            options,
            leader: None,
            folder: None,
            origin: Origin::now(),
            parents: None,
            has_no_folder: false,
            is_other_rank: false,
            title: None,
            names: Names::default(),
            steps: Steps::begun(now),
            budget: Budget::default(),
        };
        live::set_by_time(process.options.by_time);
        process.publish_ring();
        // Before the list of names can be full.
        process.names.number(STEP_NAME);
        if let Some((key, page)) = leader {
            process.leader = Some(key);
            live::follow(page);
            process.steps = Steps::begun(now);
        } else {
            live::follow(process.folder()?.page);
            process.begin_steps();
        }
        // A recording window by time applies to all processes of the run, including those that start later.
        if process.options.by_time
            && let Ok(page) = Page::of(&process.run, WINDOW)
        {
            live::follow(page);
            process.steps = Steps::begun(now);
        }
        waiting::take(now);
        fork::watch();
        Some(process)
    }

    /// Performs the last actions of the steps, and writes the last entries of the log; `counts` are those of
    /// the device records.
    fn close(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
        if self.is_leader_by_steps() {
            self.act(end, counts);
            self.update_page();
        } else if let Some(counts) = counts {
            self.log_device(counts);
        }
        self.log_lost();
        if let Some(folder) = &mut self.folder {
            folder.save_graph_nodes();
            folder.log_clock();
            folder.log(Event::Bye);
        }
    }

    /// Adapts the state, which was copied from the parent, to the child of a fork, which began at `now`, ns.
    fn forked(&mut self, now: u64) {
        self.pid = std::process::id();
        let parent = self.folder.take();
        self.parents = parent.as_ref().map(|folder| folder.page).or(self.parents);
        // The parent, if it has a folder, is or may become the leader.
        self.leader = parent.map(|folder| folder.key).or(self.leader);
        (self.has_no_folder, self.is_other_rank, self.title) = (false, false, None);
        self.names.forked();
        self.budget = Budget::default();
        self.steps = Steps::begun(now);
    }

    /// Returns the process's folder, which is made if there is none yet; none if it cannot be made.
    fn folder(&mut self) -> Option<&mut Folder> {
        if self.folder.is_none() && !self.has_no_folder {
            if let Ok(mut folder) = Folder::create(&self.run, &mut self.names, self.origin) {
                let ppid = u64::from(std::os::unix::process::parent_id());
                folder.log(Event::Hello { ppid, leader: self.leader, namespace: folder::namespace() });
                folder.log_clock();
                live::count_on(folder.page);
                // If this fails, it is found out only later that the process has ended, and not how.
                let _ = pidfd::send(&self.run, &folder.key);
                self.folder = Some(folder);
                self.log_title();
            } else {
                // The run is over, or its disk is full: there is no log in which this could be reported.
                self.has_no_folder = true;
                if let Some((page, cut)) = self.parents.zip(self.origin.cut()) {
                    page.set(Word::Cut, cut.to_word());
                }
            }
        }
        self.folder.as_mut()
    }

    fn log_at(&mut self, time: u64, event: Event) {
        if let Some(folder) = self.folder() {
            folder.log_at(time, event);
        }
    }

    /// True while proftui runs, which keeps the file [`PARENT`] locked. Also true if there is no such file.
    fn has_parent(&self) -> bool {
        self.run.open(PARENT).map_or(true, |file| file.try_lock_shared().is_err())
    }

    fn note(&mut self, kind: NoteKind, text: &str) {
        let text = self.names.number(text);
        self.log_at(clock::now(), Event::Note { kind, text });
    }
}

/// The leader that the environment variable [`LEADER`] names, if its folder is in this run, and its live
/// page.
fn leader(run: &OwnFolder) -> Option<(ProcessKey, &'static Page)> {
    let folder = PathBuf::from(env::var_os(LEADER)?);
    let key: ProcessKey = folder.file_name()?.to_str()?.parse().ok()?;
    let page = Page::shared(&run.of_process(key.to_string()), LIVE).ok()?;
    Some((key, page))
}

/// The tag of a kind (Paddle's number of the event type) and a name.
pub fn tag(kind: u8, text: &str) -> Tag {
    Tag::new(kind, name(text))
}

/// Opens the process as a leader in a run's folder that a test made.
#[cfg(test)]
pub fn open_in(run: PathBuf, options: Options) -> bool {
    guard::report_by(report_failure);
    let mut process = PROCESS.take().expect("free");
    *process = Process::begin(OwnFolder::of_run(run), options, None);
    process.is_some()
}
