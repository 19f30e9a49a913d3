//! The process's recorder of devices: an interface that follows the process's cycles. Must not know CUDA.
//!
//! There is no recorder until the program first uses a device, which may be in the middle of a cycle.

use std::sync::OnceLock;

use proftui_wire::live::Word;
use proftui_wire::log::DeviceCounts;
use proftui_wire::schedule::State;
use proftui_wire::scheduler::Action;

use super::steps::StepEnd;
use super::{OWN, PROCESS, STEP_LOCK, is_follower, with};
use crate::clock;
use crate::errno::keep;

/// A handle that the program names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceHandle {
    /// A device context (`CUcontext`).
    Context(usize),
    /// A stream (`CUstream`).
    Stream(usize),
}

/// A recorder of devices.
pub trait Recorder: Sync {
    /// Enables recording ahead of a cycle, so that the time that this takes falls before it.
    fn enable(&self);
    /// Opens a cycle that begins at `start`. Called with the process locked, so it only stores this.
    fn open(&self, cycle: u64, start: u64);
    /// Ends a cycle's interval at `end`, ahead of [`Recorder::close`]; waits for the device work that it launched.
    fn pause(&self, cycle: u64, end: u64);
    /// Closes a cycle that ended at `end`: waits for the device work that it launched, writes all records, and returns their counts.
    /// `None` if the cycle was not open.
    fn close(&self, cycle: u64, end: u64) -> Option<DeviceCounts>;
    /// Disables recording, since no cycle is near.
    fn disable(&self);
    /// Gives an existing context or stream a name.
    fn name(&self, handle: DeviceHandle, text: &str);
    /// Ends the recorder: returns when no thread is in it, and none will enter it.
    fn shut_down(&self);
    /// Ends the recorder in a forked process, to which the device's state does not belong. Called inside `fork`, so it only stores this.
    fn abandon(&self);
}

static RECORDER: OnceLock<&'static dyn Recorder> = OnceLock::new();

/// Sets the process's recorder of devices, and opens the cycle under way, if there is one. Only the first recorder is kept.
pub fn attach(recorder: &'static dyn Recorder) {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    if RECORDER.set(recorder).is_err() {
        return;
    }
    with(|process| {
        if process.folder().is_some() {
            OWN.get().set(Word::Device, 1);
        }
    });
    if is_follower() {
        return;
    }
    let state = with(|process| process.steps.state()).unwrap_or_default();
    if state != State::Closed {
        recorder.enable();
    }
    // Cycles are opened with the process locked, so none is opened between the two calls.
    let _process = keep(|| PROCESS.take());
    let cycle = super::cycle();
    if cycle != 0 {
        recorder.open(cycle, clock::now());
    }
}

/// Opens a cycle that begins at `start`, ns.
pub fn open(cycle: u64, start: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.open(cycle, start);
    }
}

/// Ends the cycle for devices at `end`, ns: it takes no later work, and is closed afterwards.
pub fn pause(cycle: u64, end: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.pause(cycle, end);
    }
}

/// Closes the cycle that a step's end closed, and prepares for the next one, as the transition asks for. Returns the counts of the
/// closed cycle; none where none was closed.
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

/// Closes the cycle under way at the end of a process that does not decide its cycles itself; returns the counts of its records.
pub fn finish(now: u64) -> Option<DeviceCounts> {
    let cycle = Some(super::cycle()).filter(|&cycle| cycle != 0 && is_follower())?;
    RECORDER.get()?.close(cycle, now)
}

/// True if the process has a recorder of devices.
pub fn is_there() -> bool {
    RECORDER.get().is_some()
}

/// Logs the counts of a cycle's device records, which are all in their files, where the process does not decide its cycles itself.
pub fn closed(counts: DeviceCounts) {
    with(|process| process.log_device(counts));
}

/// Gives an existing context or stream a name. Without a recorder the name is dropped.
pub fn name(handle: DeviceHandle, text: &str) {
    if let Some(recorder) = RECORDER.get() {
        keep(|| recorder.name(handle, text));
    }
}

/// Ends the recorder, before the process exits.
pub fn end() {
    if let Some(recorder) = RECORDER.get() {
        recorder.shut_down();
    }
}

/// Ends the recorder in a forked process.
pub fn abandon() {
    if let Some(recorder) = RECORDER.get() {
        recorder.abandon();
    }
}
