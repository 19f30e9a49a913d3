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

/// The process's state; `None` before the process is opened.
pub(crate) static PROCESS: Lock<Option<Process>> = Lock::new(None);

/// The state of the captured process.
pub(crate) struct Process {
    pub(super) pid: u32,
    /// The run's folder.
    pub(super) run: OwnFolder,
    pub(super) options: Options,
    /// The process whose cycles this one records; none for a leader, which has cycles of its own.
    pub(super) leader: Option<ProcessKey>,
    /// The process's folder; none until there is something to write there.
    pub(super) folder: Option<Folder>,
    /// The user and the root folder when the recorder began.
    pub(super) origin: Origin,
    /// In the child of a fork: the parent's live page.
    pub(super) parents: Option<&'static Page>,
    /// True if the folder could not be made; no further attempt is made.
    pub(super) has_no_folder: bool,
    /// True if the process is another rank than its leader: it becomes a leader with its first step.
    pub(super) is_other_rank: bool,
    /// What the process is called, if it was given a name: logged when there is a folder.
    pub(super) title: Option<String>,
    pub(super) names: Names,
    pub(super) steps: Steps,
    pub(super) budget: Budget,
}

/// Calls `body` with the process's state locked; none if the recorder is off, not open, or the lock cannot be
/// had.
pub(crate) fn with<R>(body: impl FnOnce(&mut Process) -> R) -> Option<R> {
    if live::is_off() {
        return None;
    }
    keep(|| PROCESS.take()?.as_mut().map(body))
}

impl Process {
    /// Returns the process's folder, which is made if there is none yet; none if it cannot be made.
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

    /// True while proftui runs, which keeps the file [`PARENT`] locked. Also true if there is no such file.
    pub(crate) fn has_parent(&self) -> bool {
        self.run.open(PARENT).map_or(true, |file| file.try_lock_shared().is_err())
    }

    pub(crate) fn note(&mut self, kind: NoteKind, text: &str) {
        let text = self.names.number(text);
        self.log_at(clock::now(), Event::Note { kind, text });
    }

    /// Logs the process's name, if it has one.
    pub(crate) fn log_title(&mut self) {
        if let Some(title) = &self.title {
            let text = format!("{TITLE}={title}");
            self.note(NoteKind::Fact, &text);
        }
    }

    /// True if the files of the cycle are a ring: the program did not take over the choice of steps.
    pub(crate) fn is_ring(&self) -> bool {
        self.options.is_ring && self.is_scheduled() && self.options.schedule == Schedule::All
    }

    /// Has the calls that threads make without the state know whether the process's files are a ring.
    pub(crate) fn publish_ring(&self) {
        live::set_ring(self.is_ring());
    }

    /// True if this process records cycles of its own, which its steps open and close.
    pub(crate) fn is_leader_by_steps(&self) -> bool {
        self.leader.is_none() && self.is_scheduled()
    }

    /// True if steps open and close cycles in this run: proftui does not do so by time, and more than the
    /// timer runs.
    pub(crate) fn is_scheduled(&self) -> bool {
        !self.options.is_timer_only && !self.options.by_time
    }

    /// Logs, and writes to the live page, that all device records of a cycle are in their files.
    pub(crate) fn log_device(&mut self, counts: DeviceCounts) {
        if let Some(folder) = self.folder() {
            folder.save_graph_nodes();
            folder.log(Event::Device(counts));
            folder.page.set(Word::Flushed, counts.cycle);
        }
    }
}
