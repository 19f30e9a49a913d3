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

/// A device recorder: records device work, and the program's calls of the device's libraries.
pub(crate) trait Recorder: Sync {
    /// Enables recording. Called before a cycle begins if possible, since it may take long.
    fn enable(&self);
    /// Waits for the device work that was launched so far, for a limited time: a cycle is about to begin, and
    /// is to have the work of its own steps. Called without the lock of the process's state.
    fn drain(&self);
    /// Opens the cycle with the number `cycle`, which begins at `start`, ns. An implementation must neither
    /// lock the process's state nor wait for a device.
    fn open(&self, cycle: u64, start: u64);
    /// Stops recording into the cycle with the number `cycle`: calls at `end`, ns, and device work usually
    /// after a wait for it. [`Recorder::close`] must follow.
    fn pause(&self, cycle: u64, end: u64);
    /// Closes the cycle with the number `cycle`, which ended at `end`, ns, and returns the counts of its
    /// records; `None` if it could not be closed.
    fn close(&self, cycle: u64, end: u64) -> Option<DeviceCounts>;
    /// Disables recording until [`Recorder::enable`] is called, as far as possible without harm to later
    /// cycles; entirely if `is_over`: no later cycle is due. Called while no cycle is open.
    fn disable(&self, is_over: bool);
    /// Records `text` as the name of an existing context or stream, if the handle can be identified.
    fn name(&self, handle: DeviceHandle, text: &str);
    /// Waits for a limited time for threads that call the device's profiling library. Called before the
    /// process exits, when recording is already off.
    fn shut_down(&self);
    /// Ends the recorder in a forked process. Called inside `fork`, so an implementation must only set a
    /// flag.
    fn abandon(&self);
}

static RECORDER: OnceLock<&'static dyn Recorder> = OnceLock::new();

/// Makes `recorder` the process's device recorder. Returns false, without effect, if the process has one
/// already.
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

/// Opens the cycle with the number `cycle`, which begins at `start`, ns, in the device recorder, if there is
/// one.
pub(crate) fn open(cycle: u64, start: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.open(cycle, start);
    }
}

/// Has the device recorder, if there is one, stop recording into the cycle with the number `cycle`, which
/// ends at `end`, ns ([`Recorder::pause`]).
pub(crate) fn pause(cycle: u64, end: u64) {
    if let Some(recorder) = RECORDER.get() {
        recorder.pause(cycle, end);
    }
}

/// Passes the name of an existing context or stream to the device recorder, if there is one.
pub(crate) fn name(handle: DeviceHandle, text: &str) {
    if let Some(recorder) = RECORDER.get() {
        keep(|| recorder.name(handle, text));
    }
}

/// Shuts down the device recorder ([`Recorder::shut_down`]), if there is one, before the process exits.
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
