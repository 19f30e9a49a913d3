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
use crate::process::{PROCESS, StepEnd, with};

/// Makes `recorder` the process's device recorder, and notes that on the process's own live page. If the
/// process's own steps open cycles, also enables `recorder` unless the current step's state is CLOSED, and
/// has it open the cycle that is open now, if there is one. Does nothing if the process has a device recorder
/// already.
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

/// Has the device recorder close the cycle that `end` closes. Then enables it if the transition prepares a
/// cycle, or else disables it if a cycle was closed or its preparation is undone. Returns the counts of the
/// closed cycle's device records; `None` if `end` closes no cycle, or there is no recorder that could close
/// it.
pub(super) fn flush_for(end: &StepEnd) -> Option<DeviceCounts> {
    let recorder = device::recorder()?;
    let counts = if end.closed == 0 { None } else { recorder.close(end.closed, end.now) };
    let actions = end.transition.actions;
    if actions.contains(&Action::Prepare) {
        recorder.enable();
    } else if end.closed != 0 || actions.contains(&Action::Discard) {
        recorder.disable();
    }
    counts
}

/// Has the device recorder close the current cycle at `now`, ns, at the end of a process whose cycles another
/// process, or proftui by time, opens and closes. Returns the counts of the cycle's device records; `None` in
/// other processes, and if no cycle is open or there is no device recorder that could close it.
pub(super) fn finish(now: u64) -> Option<DeviceCounts> {
    let cycle = Some(live::cycle()).filter(|&cycle| cycle != 0 && live::is_follower())?;
    device::recorder()?.close(cycle, now)
}
