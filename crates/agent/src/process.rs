//! The state of the captured process: its folder and names, its steps, and the process that it follows.
//!
//! A leader has cycles of its own, on its own live page. A follower records the cycles on its leader's page:
//! a forked child inherits the mapping of that page from its parent, a spawned one maps the file itself. A
//! follower has no folder until it has records to write. The steps that it ends are its leader's. A process
//! that is another rank than its leader becomes a leader with the first step that it ends itself.
//!
//! The state is behind one lock, `PROCESS`, which only rare operations take; recording a range only reads
//! what is in `live`. Nothing here knows chunks, ranges or forks, and nothing waits for a device: `lifecycle`
//! does what a process does with them.
//!
//! - `state`: the state, its lock, the log. `begin`: makes the state, adapts it to a fork, closes it.
//! - `folder`, `names`: the files of the process. `pidfd`: shows proftui the process, for the moment when it
//!   ends.
//! - `budget`: the account of the disk space that chunks take; `space`: grants it, and keeps the ring of the
//!   last files.
//! - `steps`: the current step and the sums; `recent`: the lengths of the last steps; `outside`: what is no
//!   step: the time before, between and after them.
//! - `part`: the process's name, and whose steps it ends. `slices`: the slices of steps and of what is no
//!   step. `cycles`: what is done where a step begins and ends. `recount`: when a step began, and that the
//!   count begins anew.

mod begin;
mod budget;
mod cycles;
mod folder;
mod names;
mod outside;
mod part;
mod pidfd;
mod recent;
mod recount;
mod slices;
mod space;
mod state;
mod steps;

use std::path::PathBuf;
use std::time::Duration;

use proftui_wire::chunk::Tag;
use proftui_wire::graph_nodes::GraphNode;
use proftui_wire::log::{DeviceCounts, Event, NoteKind};
use proftui_wire::options::DeviceOption;
use proftui_wire::perf;

use crate::clock;
use crate::tid::tid;

pub(crate) use budget::FullFile;
use folder::Folder;
pub(crate) use outside::StepSlice;
pub(crate) use part::{claim_step, ends_own_steps, is_child, name_process};
pub(crate) use recount::{begin_call, begin_step};
pub(crate) use space::{add_file, add_full, cut, fail_reservation, reserve};
pub(crate) use state::{PROCESS, Process, with};
pub(crate) use steps::{ClockStop, Past, StepEnd};

/// Returns the path of this process's folder, which is made if there is none yet; `None` if it cannot be
/// made, or the recorder is off or not set up.
pub(crate) fn folder() -> Option<PathBuf> {
    with(|process| process.folder().map(|folder| folder.own.path())).flatten()
}

/// The number of a text in the process's list of names, to which it is added if it is new; 0 if it cannot be
/// kept.
pub(crate) fn name(text: &str) -> u32 {
    with(|process| process.names.number(text)).unwrap_or_default()
}

/// True if the run's options set this option of the device recorder.
pub(crate) fn has_option(option: DeviceOption) -> bool {
    with(|process| process.options.has(option)).unwrap_or_default()
}

/// How long the program may be made to wait for a GPU, at the end of a cycle or in all at the process's end.
pub(crate) fn gpu_wait() -> Duration {
    with(|process| Duration::from_millis(process.options.gpu_wait)).unwrap_or_default()
}

/// Most memory that CUPTI may take for its records on a device for each context, bytes; 0 if it is to take
/// the host's memory.
pub(crate) fn gpu_memory() -> u64 {
    with(|process| process.options.gpu_memory).unwrap_or_default()
}

/// Writes `text` into the process's log, as a note of this kind.
pub(crate) fn note(kind: NoteKind, text: &str) {
    with(|process| process.note(kind, text));
}

/// Logs `text` as the name of the calling thread.
pub(crate) fn name_thread(text: &str) {
    name_thread_of(tid(), text);
}

/// Logs `text` as the name of the thread with the id `tid`, as the operating system numbers threads.
pub(crate) fn name_thread_of(tid: u32, text: &str) {
    with(|process| {
        let name = process.names.number(text);
        process.log_at(clock::now(), Event::Thread { tid: u64::from(tid), name });
    });
}

/// Logs the counts of a cycle's device records, and notes on the process's own live page that all of them are
/// in their files; writes the nodes of CUDA graphs first. For processes whose cycles another process, or
/// proftui by time, opens and closes; in others the end of the cycle does this.
pub(crate) fn log_device(counts: DeviceCounts) {
    with(|process| process.log_device(counts));
}

/// Adds a node of a CUDA graph to the process's list of them; false if the list is full or cannot be written.
pub(crate) fn add_graph_node(node: &GraphNode) -> bool {
    with(|process| process.folder().is_some_and(|folder| folder.add_graph_node(node))).unwrap_or_default()
}

/// Writes the nodes of CUDA graphs that are only in memory so far to the process's file of them.
pub(crate) fn save_graph_nodes() {
    with(|process| process.folder().is_some_and(Folder::save_graph_nodes));
}

/// The tag with this kind (Paddle's number of the event type) and this name, which is added to the process's
/// list of names if need be; the tag's name is 0 if it cannot be kept.
pub(crate) fn tag(kind: u8, text: &str) -> Tag {
    Tag::new(kind, name(text))
}

/// The number of this process's own cycle that ended last; 0 before one has.
pub(crate) fn last_cycle() -> u64 {
    with(|process| process.steps.last_cycle()).unwrap_or_default()
}

/// The key of this process, as text, which is the name of its folder; the folder is made if there is none
/// yet. Empty if it cannot be made.
pub(crate) fn process_key() -> String {
    let key = |process: &mut Process| Some(process.folder()?.key.to_string());
    with(key).flatten().unwrap_or_default()
}

/// The averages, over the steps that ended since this was last called, of their length and of the time they
/// waited for data, and their rate, as a line of text; `unit` names a sample.
pub(crate) fn step_info(unit: &str) -> String {
    let sum = with(|process| process.steps.take_unreported()).unwrap_or_default();
    perf::step_info(&sum, unit).text()
}

/// Table of the average, longest and shortest times of the steps after the warm-up, and of their rates, as
/// text; empty before there is such a step. `unit` names a sample.
pub(crate) fn summary(unit: &str) -> String {
    let timer = with(|process| *process.steps.timer()).unwrap_or_default();
    perf::summary(&timer, unit).map_or_else(String::new, |summary| summary.text())
}
