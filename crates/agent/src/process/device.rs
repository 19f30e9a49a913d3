//! What records devices, as the process sees it: something that is told of cycles. Knows nothing of any device.
//!
//! There is none until a program comes to a device, which may be in mid-cycle.

use std::sync::OnceLock;

use proftui_wire::live::Word;
use proftui_wire::log::DeviceCounts;
use proftui_wire::schedule::State;
use proftui_wire::scheduler::Action;

use super::steps::StepEnd;
use super::{OWN, PROCESS, STEP_LOCK, is_follower, with};
use crate::clock;
use crate::errno::keep;

/// Something of a device, by the program's handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// What streams are of.
    Context(usize),
    /// What work stands in line in.
    Stream(usize),
}

/// What records devices.
pub trait Recorder: Sync {
    /// A cycle is near: what costs time at first is paid now.
    fn prepare(&self);
    /// A cycle is recorded from here on. Called with the process's state held: does nothing but note it.
    fn open(&self, cycle: u64, start: u64);
    /// The cycle takes nothing from `end` on, and is closed later: waits for what it began on devices.
    fn pause(&self, cycle: u64, end: u64);
    /// The cycle ended at `end`: waits for what it began on devices, and tells how much there was. None where it was not open.
    fn close(&self, cycle: u64, end: u64) -> Option<DeviceCounts>;
    /// No cycle is near.
    fn rest(&self);
    /// The program has a name for something that is there.
    fn name(&self, thing: Thing, text: &str);
    /// Nothing is asked of it any more: returns when nobody is at it.
    fn end(&self);
    /// This is a forked process, to which none of it belongs. Called in the fork: does nothing but note it.
    fn abandon(&self);
}

static RECORDER: OnceLock<&'static dyn Recorder> = OnceLock::new();

/// From here on the process has a recorder of devices, which may have to begin at once. The first one stays.
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
        recorder.prepare();
    }
    // Who opens cycles holds the state while doing it: so this one is open, or none.
    let _process = keep(|| PROCESS.take());
    let cycle = super::cycle();
    if cycle != 0 {
        recorder.open(cycle, clock::now());
    }
}

/// A cycle begins.
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
        recorder.prepare();
    } else if end.closed != 0 || actions.contains(&Action::Discard) {
        recorder.rest();
    }
    counts
}

/// The process ends in a cycle that it does not close itself: tells how much there was of devices.
pub fn finish(now: u64) -> Option<DeviceCounts> {
    let cycle = Some(super::cycle()).filter(|&cycle| cycle != 0 && is_follower())?;
    RECORDER.get()?.close(cycle, now)
}

/// True where devices are recorded.
pub fn is_there() -> bool {
    RECORDER.get().is_some()
}

/// All that there will be of a cycle's devices is in their files: for cycles that others open and close.
pub fn closed(counts: DeviceCounts) {
    with(|process| process.log_device(counts));
}

/// The program has a name for something that is there. Where nothing records devices yet there is nothing to name.
pub fn name(thing: Thing, text: &str) {
    if let Some(recorder) = RECORDER.get() {
        keep(|| recorder.name(thing, text));
    }
}

/// Nothing is asked of it any more: the process may go.
pub fn end() {
    if let Some(recorder) = RECORDER.get() {
        recorder.end();
    }
}

/// This is a forked process.
pub fn abandon() {
    if let Some(recorder) = RECORDER.get() {
        recorder.abandon();
    }
}
