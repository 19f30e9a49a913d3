//! The state of the process behind its lock, and what needs no more than its folder: the log, notes, and the
//! answers that follow from the options.
//!
//! Must not know how a step ends nor who asks: the other files beside this add what they do with the state.

use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, Event, NoteKind, TITLE};
use proftui_wire::options::{Options, PARENT};
use proftui_wire::process_key::ProcessKey;
use proftui_wire::schedule::Schedule;

use super::budget::Budget;
use super::folder::{self, Folder, Origin};
use super::names::Names;
use super::pidfd;
use super::steps::Steps;
use crate::clock;
use crate::errno::keep;
use crate::files::OwnFolder;
use crate::live;
use crate::lock::Lock;
use crate::page::Page;

/// This process's state, behind a lock; `None` as long as recording is not set up.
pub(crate) static PROCESS: Lock<Option<Process>> = Lock::new(None);

/// What the recorder knows of the process that it runs in.
pub(crate) struct Process {
    pub(super) pid: u32,
    /// The run's folder.
    pub(super) run: OwnFolder,
    pub(super) options: Options,
    /// The key of the process that this one reports as its leader; `None` if it is a leader itself.
    pub(super) leader: Option<ProcessKey>,
    /// This process's folder in the run; `None` until it is first needed, and if it could not be made.
    pub(super) folder: Option<Folder>,
    /// The user and the root folder at the time when recording was set up.
    pub(super) origin: Origin,
    /// The live page of the nearest ancestor by fork that had a folder, if any.
    pub(super) parents: Option<&'static Page>,
    /// True once making this process's folder has failed: no further attempt is made.
    pub(super) has_no_folder: bool,
    /// True if Python's hooks reported that this process is another rank than its leader.
    pub(super) is_other_rank: bool,
    /// The name that Python's hooks gave this process, if any.
    pub(super) title: Option<String>,
    pub(super) names: Names,
    pub(super) steps: Steps,
    pub(super) budget: Budget,
}

/// Calls `body` with the process's state locked, and returns its result; `None`, without a call, if the state
/// is not available.
pub(crate) fn with<R>(body: impl FnOnce(&mut Process) -> R) -> Option<R> {
    if live::is_off() {
        return None;
    }
    keep(|| PROCESS.take()?.as_mut().map(body))
}

impl Process {
    /// Returns this process's folder, and makes it if there is none yet; `None` if it cannot be made.
    pub(crate) fn folder(&mut self) -> Option<&mut Folder> {
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

    pub(crate) fn log_at(&mut self, time: u64, event: Event) {
        if let Some(folder) = self.folder() {
            folder.log_at(time, event);
        }
    }

    /// True if the proftui process still runs, as far as the lock on the file [`PARENT`] shows.
    pub(crate) fn has_parent(&self) -> bool {
        self.run.open(PARENT).map_or(true, |file| file.try_lock_shared().is_err())
    }

    pub(crate) fn note(&mut self, kind: NoteKind, text: &str) {
        let text = self.names.number(text);
        self.log_at(clock::now(), Event::Note { kind, text });
    }

    /// Logs the name that Python's hooks gave the process, as a note; does nothing if they gave none.
    pub(crate) fn log_title(&mut self) {
        if let Some(title) = &self.title {
            let text = format!("{TITLE}={title}");
            self.note(NoteKind::Fact, &text);
        }
    }

    /// True if the process's files are a ring, of which the oldest make room for new ones.
    pub(crate) fn is_ring(&self) -> bool {
        self.options.is_ring && self.is_scheduled() && self.options.schedule == Schedule::All
    }

    /// Stores the result of [`Self::is_ring`] in `live`, where threads read it without locking the state.
    pub(crate) fn publish_ring(&self) {
        live::set_ring(self.is_ring());
    }

    /// True if this process is a leader in a run that [is scheduled](Self::is_scheduled).
    pub(crate) fn is_leader_by_steps(&self) -> bool {
        self.leader.is_none() && self.is_scheduled()
    }

    /// True unless the run records windows by time, or only the times of steps.
    pub(crate) fn is_scheduled(&self) -> bool {
        !self.options.is_timer_only && !self.options.by_time
    }

    /// Logs `counts`, writes the unwritten nodes of CUDA graphs, and sets [`Word::Flushed`] to the cycle of
    /// `counts`.
    pub(crate) fn log_device(&mut self, counts: DeviceCounts) {
        if let Some(folder) = self.folder() {
            folder.save_graph_nodes();
            folder.log(Event::Device(counts));
            folder.page.set(Word::Flushed, counts.cycle);
        }
    }
}
