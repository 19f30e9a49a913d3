//! The interface of the device recorder, and the one that there is. Must know neither CUDA nor what opens and
//! closes cycles.
//!
//! There is no device recorder until the program first uses a device, which may be in the middle of a cycle.

use std::sync::OnceLock;

use proftui_wire::log::DeviceCounts;

use crate::errno::keep;

/// The handle of a context or stream to which the program gives a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceHandle {
    /// The handle of a device context (`CUcontext`).
    Context(usize),
    /// The handle of a stream (`CUstream`).
    Stream(usize),
}

/// A device recorder: records device work and the calls that launch it.
pub(crate) trait Recorder: Sync {
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

/// Sets the process's device recorder; false, without effect, if there is one.
pub(crate) fn set(recorder: &'static dyn Recorder) -> bool {
    RECORDER.set(recorder).is_ok()
}

/// The process's device recorder, if there is one.
pub(crate) fn recorder() -> Option<&'static dyn Recorder> {
    RECORDER.get().copied()
}

/// True if the process has a device recorder.
pub(crate) fn is_there() -> bool {
    RECORDER.get().is_some()
}

/// Opens a cycle that begins at `start`, ns, in the device recorder, if there is one.
pub(crate) fn open(cycle: u64, start: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.open(cycle, start);
    }
}

/// Ends the cycle for devices at `end`, ns, so that no later device work belongs to it; the recorder closes
/// the cycle afterwards.
pub(crate) fn pause(cycle: u64, end: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.pause(cycle, end);
    }
}

/// Passes the name of an existing context or stream to the device recorder. Without a recorder the name is
/// dropped.
pub(crate) fn name(handle: DeviceHandle, text: &str) {
    if let Some(recorder) = RECORDER.get() {
        keep(|| recorder.name(handle, text));
    }
}

/// Ends the device recorder, if there is one, before the process exits.
pub(crate) fn end() {
    if let Some(recorder) = RECORDER.get() {
        recorder.shut_down();
    }
}

/// Ends the device recorder, if there is one, in the child of a fork.
pub(crate) fn abandon() {
    if let Some(recorder) = RECORDER.get() {
        recorder.abandon();
    }
}
