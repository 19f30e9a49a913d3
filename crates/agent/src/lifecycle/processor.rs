//! How long the thread that ends steps was on a processor in each step, how long it was ready to run and had
//! none, how long the process's other threads were on processors, and the most memory that the process has
//! had: records beside the slice of the step.
//!
//! The clocks are read where a step begins and where it ends. If these are not on the same thread, or the
//! beginning was found out later, the step has no such records. Must not know what ends a step.
//!
//! For how long the thread was ready is in a file of the system, whose reading takes longer than all clocks.
//! A thread was ready for no longer than it was on no processor. So the file is read only once the thread was
//! on none for more than a small part of a step.

use std::cell::Cell;

use proftui_wire::chunk::{STEP_NAME, Tag};
use proftui_wire::kinds::{PROCESS, PROCESSOR};
use proftui_wire::processor::pair;

use crate::clock;
use crate::errno::keep;
use crate::live;
use crate::process::{self, StepSlice};
use crate::spool;
use crate::usage;

/// The clocks of one thread at one moment.
#[derive(Clone, Copy)]
struct Clocks {
    /// When the step begins or ends for which they were read, ns of the monotonic clock.
    at: u64,
    /// How long the thread was on a processor so far, ns.
    on_processor: u64,
    /// How long the thread was ready to run and had no processor so far, ns, at the last reading; `None` if
    /// the system does not say.
    ready: Option<u64>,
    /// For how long the thread was on no processor in the steps since that reading, ns.
    unread: u64,
    /// How long all threads of the process were on processors so far, ns.
    process: u64,
}

thread_local! {
    /// The clocks of this thread when the current step began; `None` if it did not begin on this thread.
    static BEGAN: Cell<Option<Clocks>> = const { Cell::new(None) };
    /// The clocks of this thread when the last call began on it that may be a step.
    static CALLED: Cell<Option<Clocks>> = const { Cell::new(None) };
    /// The clocks of this thread when the last step ended on it: most steps begin where one ends.
    static ENDED: Cell<Option<Clocks>> = const { Cell::new(None) };
}

/// The file is read once the thread was on no processor for more than the step's length divided by this.
const NEARLY_ALL: u64 = 64;

impl Clocks {
    /// Reads the clocks of this thread and of the process.
    fn read(at: u64) -> Self {
        let (on_processor, process) = (clock::of_thread(), clock::of_process());
        Self { at, on_processor, ready: keep(ready), unread: 0, process }
    }

    /// Reads the clocks at the end of a step that began with the clocks `before`; for how long the thread was
    /// ready only if that can matter.
    fn read_after(before: &Self, at: u64) -> Self {
        let (on_processor, process) = (clock::of_thread(), clock::of_process());
        let length = at.saturating_sub(before.at);
        let off = length.saturating_sub(on_processor.saturating_sub(before.on_processor));
        match unread(before.unread, off, length) {
            Some(unread) => Self { at, on_processor, ready: before.ready, unread, process },
            None => Self { at, on_processor, ready: keep(ready), unread: 0, process },
        }
    }
}

/// For how long the thread was on no processor since the file was read, ns, after a step of this `length` in
/// which it was on none for `off`, ns; `None` if the file is to be read.
fn unread(before: u64, off: u64, length: u64) -> Option<u64> {
    let unread = before.saturating_add(off);
    (unread.saturating_mul(NEARLY_ALL) <= length).then_some(unread)
}

/// How long this thread was ready to run and had no processor so far, ns; `None` if the system does not say.
fn ready() -> Option<u64> {
    // Time on a processor, time ready without one (both ns), how often.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Reads the clocks for a step that begins at `began`, ns, on this thread, if it is recorded.
pub(super) fn step_begins(began: u64) {
    let ended = ENDED.with(Cell::take).filter(|clocks| clocks.at == began);
    let clocks = (live::cycle() != 0).then(|| ended.unwrap_or_else(|| Clocks::read(began)));
    BEGAN.with(|cell| cell.set(clocks));
}

/// Reads the clocks for a call that begins at `began`, ns, on this thread, and that may be a step, if it is
/// recorded.
pub(crate) fn read_clocks(began: u64) {
    let clocks = (live::cycle() != 0).then(|| Clocks::read(began));
    CALLED.with(|cell| cell.set(clocks));
}

/// Writes the records of a step that ends now on this thread, if the clocks were read here when it began.
pub(super) fn record(step: &StepSlice) {
    let of_step = |clocks: &Clocks| clocks.at == step.start;
    let [began, called] =
        [BEGAN.with(Cell::get), CALLED.with(Cell::get)].map(|clocks| clocks.filter(of_step));
    let Some(before) = began.or(called) else { return };
    let now = Clocks::read_after(&before, step.end);
    ENDED.with(|cell| cell.set(Some(now)));
    let on_processor = now.on_processor.saturating_sub(before.on_processor);
    // What is read now may be of the steps before, too, though of little of them.
    let off = step.end.saturating_sub(before.at).saturating_sub(on_processor);
    let ready = now.ready.zip(before.ready).map(|(now, before)| now.saturating_sub(before).min(off));
    let others = now.process.saturating_sub(before.process).saturating_sub(on_processor);
    let peak = Some(usage::peak_memory()).filter(|peak| *peak > 0);
    let name = process::name(STEP_NAME);
    let pairs = [
        (PROCESSOR, pair(Some(micros(on_processor)), ready.map(micros))),
        (PROCESS, pair(Some(micros(others)), peak)),
    ];
    for (kind, pair) in pairs {
        spool::note(step.cycle, Tag::new(kind, name), step.number, (pair, step.end));
    }
}

/// A time in µs, rounded; so the sums of many steps stay true.
fn micros(ns: u64) -> u64 {
    ns.saturating_add(500) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_where_it_can_matter() {
        assert_eq!(unread(0, 0, 0), Some(0));
        assert_eq!(unread(0, 10, 640), Some(10));
        assert_eq!(unread(0, 11, 640), None);
        // Many short moments count together.
        let mut steps = 0;
        let mut sum = Some(0);
        while let Some(before) = sum {
            (sum, steps) = (unread(before, 3, 640), steps + 1);
        }
        assert_eq!(steps, 4);
        assert_eq!(unread(u64::MAX, u64::MAX, 1 << 40), None);
    }
}
