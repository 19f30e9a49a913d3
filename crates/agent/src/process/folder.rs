//! The process's folder in the run: its name, its files, and writing its log.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;

use proftui_wire::graph_nodes::{self, GraphNode};
use proftui_wire::live::{Cut, Word};
use proftui_wire::log::{Entry, Event};
use proftui_wire::process_key::{LIVE, LOG, ProcessKey};

use super::names::Names;
use crate::clock;
use crate::files::{self, OwnFolder};
use crate::page::Page;

/// Once the graph nodes in memory take this many bytes, they are written to the list's file.
const UNSAVED: usize = 16 << 10;
/// How many programs that replace each other by `exec` are recorded in one process at most.
const PROGRAMS: u32 = 64;

/// The process's folder in the run, with the live page mapped.
pub(crate) struct Folder {
    /// The key of the process, which is the folder's name.
    pub key: ProcessKey,
    /// Access to the files of the folder.
    pub own: OwnFolder,
    pub page: &'static Page,
    /// Length of the log's complete entries, bytes: where the next one is written.
    logged: u64,
    /// How many bytes of the list of graph nodes are written, and the bytes that are not written yet.
    nodes: (u64, Vec<u8>),
    origin: Origin,
}

/// The user and the root folder of a process at one moment, such as when recording was set up.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// The effective user id.
    user: u32,
    /// Device and inode of the root folder; `None` if the system did not report them.
    root: Option<(u64, u64)>,
}

impl Origin {
    /// The user and root folder that the process has now.
    pub(crate) fn now() -> Self {
        let root = fs::metadata("/").ok().map(|found| (found.dev(), found.ino()));
        Self { user: files::user(), root }
    }

    /// What the process has changed since `self` was taken: its root folder, or else its user. `None` if
    /// neither.
    pub(crate) fn cut(self) -> Option<Cut> {
        let now = Self::now();
        let is_user = now.user != self.user;
        (now.root != self.root).then_some(Cut::Root).or_else(|| is_user.then_some(Cut::User(now.user)))
    }
}

impl Folder {
    /// Makes the folder of this process, with its log, its live page, and the file of its list of names.
    pub(crate) fn create(run: &OwnFolder, names: &mut Names, origin: Origin) -> io::Result<Self> {
        let (key, own) = make(run)?;
        names.move_to(&own)?;
        let page = Page::create(&own, LIVE)?;
        own.create(LOG)?;
        Ok(Self { key, own, page, logged: 0, nodes: (0, Vec::new()), origin })
    }

    /// Logs an event with the current time.
    pub(crate) fn log(&mut self, event: Event) {
        self.log_at(clock::now(), event);
    }

    /// Logs an event at `time`, ns; an event that cannot be written is lost.
    pub(crate) fn log_at(&mut self, time: u64, event: Event) {
        let entry = Entry { time, event }.bytes();
        if self.own.write(LOG, self.logged, &entry).is_ok() {
            self.logged += entry.len() as u64;
        } else if let Some(cut) = self.origin.cut() {
            self.page.set(Word::Cut, cut.to_word());
        }
    }

    /// Adds a node to the list of graph nodes; false, without the node added, if the list is full or cannot
    /// be written.
    pub(crate) fn add_graph_node(&mut self, node: &GraphNode) -> bool {
        let (saved, unsaved) = &mut self.nodes;
        if *saved + unsaved.len() as u64 >= graph_nodes::MOST_NODES * graph_nodes::BYTES as u64 {
            return false;
        }
        unsaved.extend(node.bytes());
        if unsaved.len() < UNSAVED || self.save_graph_nodes() {
            return true;
        }
        let (_, unsaved) = &mut self.nodes;
        unsaved.truncate(unsaved.len() - graph_nodes::BYTES);
        false
    }

    /// Appends the graph nodes in memory to the list's file. False if that fails: the nodes then stay in
    /// memory.
    pub(crate) fn save_graph_nodes(&mut self) -> bool {
        let (saved, unsaved) = &mut self.nodes;
        if unsaved.is_empty() {
            return true;
        }
        let is_there = *saved > 0 || is_made(self.own.create(graph_nodes::FILE));
        let is_saved = is_there && self.own.write(graph_nodes::FILE, *saved, unsaved).is_ok();
        if is_saved {
            *saved += unsaved.len() as u64;
            unsaved.clear();
        }
        is_saved
    }

    /// Logs a reading of the wall clock.
    pub(crate) fn log_clock(&mut self) {
        let (time, wall) = clock::anchor();
        self.log_at(time, Event::Clock { wall });
    }
}

/// True if a file was made, now or by an earlier attempt.
fn is_made(file: io::Result<fs::File>) -> bool {
    file.map_or_else(|error| error.kind() == io::ErrorKind::AlreadyExists, |_| true)
}

/// Makes this process's folder in the run folder, under the first of [`PROGRAMS`] names that is free. Returns
/// the name's key and the folder.
fn make(run: &OwnFolder) -> io::Result<(ProcessKey, OwnFolder)> {
    let (pid, start) = (std::process::id(), started()?);
    for programs in 0..PROGRAMS {
        let key = ProcessKey { pid, start, programs };
        let own = run.of_process(key.to_string());
        match own.make() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| (key, own)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// When this process started, in clock ticks since the machine booted: field 22 of `/proc/self/stat`.
fn started() -> io::Result<u64> {
    let line = fs::read("/proc/self/stat")?;
    let after = line.iter().rposition(|&byte| byte == b')').map_or(&[][..], |at| &line[at + 1..]);
    let field = after.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).nth(19);
    let number = field.and_then(|field| std::str::from_utf8(field).ok()?.parse().ok());
    number.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The inode of this process's PID namespace; 0 if the system does not report it.
pub(super) fn namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |found| found.ino())
}
