//! Makes the process's state as the environment variables ask for, adapts it to a fork, and closes it.

use std::env;
use std::path::PathBuf;

use proftui_wire::chunk::STEP_NAME;
use proftui_wire::log::{DeviceCounts, Event};
use proftui_wire::options::{DISABLE, FILE, LEADER, Options, RUN, WINDOW};
use proftui_wire::process_key::{LIVE, ProcessKey};

use super::budget::Budget;
use super::folder::Origin;
use super::names::Names;
use super::state::Process;
use super::steps::{StepEnd, Steps};
use crate::clock;
use crate::files::OwnFolder;
use crate::live::{self, waiting};
use crate::page::Page;

impl Process {
    /// Makes the process's state as the environment variables ask for, with `is_child` usually as a follower.
    /// `None` if nothing is to be recorded or the run's folder cannot be used.
    pub(crate) fn new(is_child: bool) -> Option<Self> {
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

    /// Makes the process's state in the folder of a run: as a follower of `leader` (its key and live page),
    /// or else as a leader. `None` if a leader's folder cannot be made.
    pub(crate) fn begin(
        run: OwnFolder,
        options: Options,
        leader: Option<(ProcessKey, &'static Page)>,
    ) -> Option<Self> {
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
        Some(process)
    }

    /// At the process's end, performs what `end` asks of a leader with scheduled steps, and writes unsaved
    /// graph nodes and the log's end. `counts` are of the last cycle's device records.
    pub(crate) fn close(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
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

    /// Adapts the copy of the parent's state to the child of a fork at `now`, ns: a follower without a
    /// folder.
    pub(crate) fn forked(&mut self, now: u64) {
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
}

/// The key and the live page of the leader that the environment variable [`LEADER`] names; `None` if it names
/// none in this run.
fn leader(run: &OwnFolder) -> Option<(ProcessKey, &'static Page)> {
    let folder = PathBuf::from(env::var_os(LEADER)?);
    let key: ProcessKey = folder.file_name()?.to_str()?.parse().ok()?;
    let page = Page::shared(&run.of_process(key.to_string()), LIVE).ok()?;
    Some((key, page))
}
