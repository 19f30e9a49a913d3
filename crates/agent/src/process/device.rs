//! The interface of the device recorder, and the calls by which it follows the process's cycles. Must not
//! know CUDA.
//!
//! There is no device recorder until the program first uses a device, which may be in the middle of a cycle.

use std::sync::OnceLock;

use proftui_wire::graph_nodes::GraphNode;
use proftui_wire::live::Word;
use proftui_wire::log::DeviceCounts;
use proftui_wire::schedule::State;
use proftui_wire::scheduler::Action;

use super::folder::Folder;
use super::steps::StepEnd;
use super::{PROCESS, STEP_LOCK, with};
use crate::clock;
use crate::errno::keep;
use crate::live;

/// The handle of a context or stream to which the program gives a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceHandle {
    /// The handle of a device context (`CUcontext`).
    Context(usize),
    /// The handle of a stream (`CUstream`).
    Stream(usize),
}

/// A device recorder: records device work and the calls that launch it.
pub trait Recorder: Sync {
    /// Enables recording ahead of a cycle: the time that this takes then falls before the cycle.
    fn enable(&self);
    /// Opens a cycle that begins at `start`, ns. Called with the process's state locked, so an implementation
    /// only stores the arguments.
    fn open(&self, cycle: u64, start: u64);
    /// Ends a cycle's interval at `end`, ns, ahead of [`Recorder::close`]: waits for the device work that the
    /// cycle launched (unless the run forbids that), and admits no later work.
    fn pause(&self, cycle: u64, end: u64);
    /// Closes a cycle that ended at `end`, ns: waits for the device work that the cycle launched (unless
    /// [`Recorder::pause`] did, or the run forbids that), writes all records, and returns their counts.
    /// `None` if the cycle was not open.
    fn close(&self, cycle: u64, end: u64) -> Option<DeviceCounts>;
    /// Disables recording, since no cycle is near.
    fn disable(&self);
    /// Gives an existing context or stream a name.
    fn name(&self, handle: DeviceHandle, text: &str);
    /// Ends the recorder; returns when no thread runs its code any more.
    fn shut_down(&self);
    /// Ends the recorder in a forked process, to which the device's state does not belong. Called inside
    /// `fork`, so an implementation only sets a flag.
    fn abandon(&self);
}

static RECORDER: OnceLock<&'static dyn Recorder> = OnceLock::new();

/// Sets the process's device recorder, and opens in it the current cycle, if the process itself opened one.
/// Only the first recorder is kept.
pub fn attach(recorder: &'static dyn Recorder) {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    if RECORDER.set(recorder).is_err() {
        return;
    }
    with(|process| {
        if process.folder().is_some() {
            live::own().set(Word::Device, 1);
        }
    });
    if live::is_follower() {
        return;
    }
    let state = with(|process| process.steps.state()).unwrap_or_default();
    if state != State::Closed {
        recorder.enable();
    }
    // Cycles are opened with the process locked, so none is opened between the two calls.
    let _process = keep(|| PROCESS.take());
    let cycle = live::cycle();
    if cycle != 0 {
        recorder.open(cycle, clock::now());
    }
}

/// Opens a cycle that begins at `start`, ns, in the device recorder, if there is one.
pub fn open(cycle: u64, start: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.open(cycle, start);
    }
}

/// Ends the cycle for devices at `end`, ns, so that no later device work belongs to it; [`flush_for`] closes
/// the cycle afterwards.
pub fn pause(cycle: u64, end: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.pause(cycle, end);
    }
}

/// Has the device recorder close the cycle that `end` closes, and enables or disables the recorder as the
/// transition asks for. Returns the counts of the closed cycle's device records; none if no cycle is closed
/// or there is no recorder.
pub fn flush_for(end: &StepEnd) -> Option<DeviceCounts> {
    let recorder = RECORDER.get()?;
    let counts = if end.closed == 0 { None } else { recorder.close(end.closed, end.now) };
    let actions = end.transition.actions;
    if actions.contains(&Action::Prepare) {
        recorder.enable();
    } else if end.closed != 0 || actions.contains(&Action::Discard) {
        recorder.disable();
    }
    counts
}

/// Has the device recorder close the current cycle at `now`, ns, when a process ends whose cycles another
/// process, or proftui by time, opens and closes. Returns the counts of the cycle's device records; none if
/// there is no such cycle.
pub fn finish(now: u64) -> Option<DeviceCounts> {
    let cycle = Some(live::cycle()).filter(|&cycle| cycle != 0 && live::is_follower())?;
    RECORDER.get()?.close(cycle, now)
}

/// True if the process has a device recorder.
pub fn is_there() -> bool {
    RECORDER.get().is_some()
}

/// Logs the counts of a cycle's device records, once all are in their files. For processes whose cycles
/// another process, or proftui by time, opens and closes; in others the end of a step does this.
pub fn closed(counts: DeviceCounts) {
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

/// Passes the name of an existing context or stream to the device recorder. Without a recorder the name is
/// dropped.
pub fn name(handle: DeviceHandle, text: &str) {
    if let Some(recorder) = RECORDER.get() {
        keep(|| recorder.name(handle, text));
    }
}

/// Ends the device recorder, if there is one, before the process exits.
pub fn end() {
    if let Some(recorder) = RECORDER.get() {
        recorder.shut_down();
    }
}

/// Ends the device recorder, if there is one, in the child of a fork.
pub fn abandon() {
    if let Some(recorder) = RECORDER.get() {
        recorder.abandon();
    }
}
