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
use crate::live;
use crate::tid::tid;

pub(crate) use budget::FullFile;
use folder::Folder;
pub(crate) use outside::StepSlice;
pub(crate) use part::{claim_step, ends_own_steps, is_child, name_process};
pub(crate) use recount::{begin_call, begin_step};
pub(crate) use space::{add_file, add_full, cut, fail_reservation, reserve};
pub(crate) use state::{PROCESS, Process, with};
pub(crate) use steps::{ClockStop, Past, StepEnd};

/// Returns the path of this process's folder in the run, and makes the folder if need be; `None` if that
/// fails or the recorder is off.
pub(crate) fn folder() -> Option<PathBuf> {
    with(|process| process.folder().map(|folder| folder.own.path())).flatten()
}

/// Returns the number of `text` in the process's list of names, and adds a new text to the list; 0 if that is
/// not possible.
pub(crate) fn name(text: &str) -> u32 {
    with(|process| process.names.number(text)).unwrap_or_default()
}

/// True if the run's options set this option of the device recorder.
pub(crate) fn has_option(option: DeviceOption) -> bool {
    with(|process| process.options.has(option)).unwrap_or_default()
}

/// Changes those options of this process that `text` has, in the form of the file of options; false, without
/// effect, while a cycle is open.
pub(crate) fn change_options(text: &str) -> bool {
    with(|process| {
        let may_change = live::cycle() == 0;
        if may_change {
            process.options.change(text);
        }
        may_change
    })
    .unwrap_or_default()
}

/// True if the device recorder, where there is one, is to record the cycle that is open or begins next.
pub(crate) fn has_gpu() -> bool {
    with(|process| !process.options.has(DeviceOption::Off)).unwrap_or_default()
}

/// The run's limit of the time for which a cycle usually makes the program wait for its GPU work and the
/// records of it.
pub(crate) fn gpu_wait() -> Duration {
    with(|process| Duration::from_millis(process.options.gpu_wait)).unwrap_or_default()
}

/// The most device memory that CUPTI may take for the records of each context, bytes; 0 if CUPTI is to use
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

/// Logs the counts of a cycle's device records, saves the nodes of CUDA graphs, and notes on the process's
/// live page that the device records are all in their files.
pub(crate) fn log_device(counts: DeviceCounts) {
    with(|process| process.log_device(counts));
}

/// Adds a node of a CUDA graph to the process's list; false if the list is full or cannot be written.
pub(crate) fn add_graph_node(node: &GraphNode) -> bool {
    with(|process| process.folder().is_some_and(|folder| folder.add_graph_node(node))).unwrap_or_default()
}

/// Writes the nodes of CUDA graphs that are only in memory so far to the process's file of them.
pub(crate) fn save_graph_nodes() {
    with(|process| process.folder().is_some_and(Folder::save_graph_nodes));
}

/// Makes a tag of this kind (Paddle's number of the event type) and this name. The tag's name is 0 if the
/// process's list of names does not keep the text.
pub(crate) fn tag(kind: u8, text: &str) -> Tag {
    Tag::new(kind, name(text))
}

/// The number of the latest cycle of its own that this process ended; 0 if there is none.
pub(crate) fn last_cycle() -> u64 {
    with(|process| process.steps.last_cycle()).unwrap_or_default()
}

/// The key of this process as text, which is its folder's name; makes the folder if need be. Empty if there
/// is no folder.
pub(crate) fn process_key() -> String {
    let key = |process: &mut Process| Some(process.folder()?.key.to_string());
    with(key).flatten().unwrap_or_default()
}

/// A line of text on the steps since the last call: average length, average wait for data, and rate. `unit`
/// names a sample.
pub(crate) fn step_info(unit: &str) -> String {
    let sum = with(|process| process.steps.take_unreported()).unwrap_or_default();
    perf::step_info(&sum, unit).text()
}

/// A table, as text, of the times and rates of the steps after the warm-up; empty if there is no such step.
/// `unit` names a sample.
pub(crate) fn summary(unit: &str) -> String {
    let timer = with(|process| *process.steps.timer()).unwrap_or_default();
    perf::summary(&timer, unit).map_or_else(String::new, |summary| summary.text())
}
