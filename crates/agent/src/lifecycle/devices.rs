//! Has the device recorder follow the process's cycles. Called without the lock of the process's state: the
//! recorder waits for devices, and takes the lock itself for names and files.

use proftui_wire::live::Word;
use proftui_wire::log::DeviceCounts;
use proftui_wire::schedule::State;
use proftui_wire::scheduler::Action;

use super::step_lock::STEP_LOCK;
use crate::clock;
use crate::device::{self, Recorder};
use crate::errno::keep;
use crate::live;
use crate::process::{self, PROCESS, StepEnd, with};

/// Makes `recorder` the process's device recorder, unless there is one. For a process with its own cycles,
/// enables it unless the state is closed, and opens the open cycle in it.
pub(crate) fn attach(recorder: &'static dyn Recorder) {
    let Some(_held) = keep(|| STEP_LOCK.take()) else { return };
    if !device::set(recorder) {
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
    if !process::has_gpu() {
        return;
    }
    let state = with(|process| process.own_state()).unwrap_or_default();
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

/// Has the device recorder close the cycle that `end` closes, if any, and enables or disables it as the
/// transition requires. Has it wait for earlier device work before a cycle begins. Returns the counts of the
/// closed cycle's device records. Does nothing where the script's profiler asks for no GPU.
pub(super) fn flush_for(end: &StepEnd) -> Option<DeviceCounts> {
    let recorder = device::recorder().filter(|_| process::has_gpu())?;
    let counts = if end.closed == 0 { None } else { recorder.close(end.closed, end.now) };
    let actions = end.transition.actions;
    if actions.contains(&Action::Prepare) {
        recorder.enable();
    } else if end.closed != 0 || actions.contains(&Action::Discard) {
        recorder.disable(end.is_over);
    }
    // A cycle that was closed just now has waited already.
    if end.closed == 0 && actions.contains(&Action::Start) {
        recorder.drain();
    }
    counts
}

/// When a follower ([`live::is_follower`]) ends, has its device recorder close the open cycle at `now`, ns.
/// Returns the counts of the cycle's device records; `None` if nothing was closed.
pub(super) fn finish(now: u64) -> Option<DeviceCounts> {
    let cycle = Some(live::cycle()).filter(|&cycle| cycle != 0 && live::is_follower())?;
    device::recorder()?.close(cycle, now)
}
