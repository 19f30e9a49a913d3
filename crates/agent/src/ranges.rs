//! Begins and ends the ranges of all sources: Python's hooks and functions, ITT and NVTX. Knows neither files
//! nor how the sources work.
//!
//! Waiting for data is timed even when nothing is recorded: each thread sums up the lengths of its outermost
//! [`DATALOADER`] ranges. Other ranges do not read the clock when nothing is recorded.
//!
//! Each range has an owner: the hooks of Python, PyTorch's ITT, functions of Python, or a domain of NVTX. The
//! ranges of one owner nest; those of different owners may cross.
//!
//! - `unrecorded`: the ranges that are open while nothing is recorded, for the nodes of CUDA graphs.
//! - `reported`: recognises the program's own ranges among those that libraries report.

mod reported;
mod unrecorded;

pub(crate) use reported::{announce, is_own, take_reported};
#[cfg(test)]
pub(crate) use unrecorded::tests::alone;
pub(crate) use unrecorded::{follow, is_followed, unfollow, unfollow_all};

use proftui_wire::chunk::Tag;

use crate::clock;
use crate::live::across::{self, Taken};
use crate::live::{self, waiting};
use crate::spool;

/// The kind of ranges in which a thread waits for data: Paddle's number of the event type.
pub(crate) const DATALOADER: u8 = 1;
/// The kind of ranges that are operators: Paddle's number of the event type.
pub(crate) const OPERATOR: u8 = 0;
/// The owner number of ranges that Python's hooks report.
const PYTHON: u8 = 0;
/// The owner number of ranges that PyTorch reports by ITT.
pub(crate) const ITT: u8 = 1;
/// The owner number of calls of Python functions.
pub(crate) const FUNCTIONS: u8 = 2;

/// Begins a range of Python's hooks on this thread: records it if a cycle is open, else follows it if ranges
/// are followed. Also times how long the thread waits for data.
#[inline]
pub(crate) fn begin(tag: Tag) {
    let cycle = live::cycle();
    let depth = waiting::depth();
    let is_waiting = depth > 0 || tag.kind() == DATALOADER;
    if cycle == 0 {
        if unrecorded::is_followed() {
            unrecorded::begin(PYTHON, tag);
        }
        if !is_waiting {
            return;
        }
    }
    let now = clock::now();
    if is_waiting {
        waiting::begin(depth, now);
    }
    if cycle != 0 {
        spool::begin(cycle, PYTHON, tag, now);
    }
}

/// Ends this thread's innermost range of Python's hooks, if there is one; `number` is a collective's number
/// in its group, or 0.
#[inline]
pub(crate) fn end(number: u32) {
    let cycle = live::cycle();
    let depth = waiting::depth();
    if cycle == 0 {
        spool::leave_cycle();
        if unrecorded::is_followed() {
            unrecorded::end(PYTHON);
        }
        if depth == 0 {
            return;
        }
    }
    let now = clock::now();
    if depth > 0 {
        waiting::end(depth, now);
    }
    if cycle != 0 {
        spool::end(cycle, PYTHON, number, now);
    }
}

/// The number of the cycle in which ranges are recorded, or 0 if they are only followed, for CUDA graphs;
/// `None` if neither.
#[inline]
pub(crate) fn wanted() -> Option<u64> {
    Some(live::cycle()).filter(|&cycle| cycle != 0 || unrecorded::is_followed())
}

/// Begins a range of an owner other than Python on this thread; `cycle` is what [`wanted`] returned.
#[inline]
pub(crate) fn push(cycle: u64, owner: u8, tag: Tag) {
    if cycle == 0 {
        unrecorded::begin(owner, tag);
    } else {
        spool::begin(cycle, owner, tag, clock::now());
    }
}

/// Ends the open range that `owner`, which is not Python, began last on this thread, if there is one.
#[inline]
pub(crate) fn pop(owner: u8) {
    match live::cycle() {
        0 => {
            spool::leave_cycle();
            if unrecorded::is_followed() {
                unrecorded::end(owner);
            }
        }
        cycle => spool::end(cycle, owner, 0, clock::now()),
    }
}

/// The tags of the ranges that are open on this thread, innermost first, as far as known.
pub(crate) fn open() -> Vec<Tag> {
    match live::cycle() {
        0 => unrecorded::open(),
        cycle => spool::open(cycle),
    }
}

/// Records a range from `start`, ns, until now. Does nothing if `cycle`, in which the range began, is 0 or
/// not open any more.
pub(crate) fn record(tag: Tag, start: u64, cycle: u64) {
    if cycle != 0 && cycle == live::cycle() {
        spool::record(cycle, tag, start, clock::now());
    }
}

/// Records an instant event (a range of length 0) at the present time, in `cycle`, which is open.
pub(crate) fn mark(cycle: u64, tag: Tag) {
    let now = clock::now();
    spool::record(cycle, tag, now, now);
}

/// Begins a range in `cycle` that may end on another thread, and returns its number for [`finish`]; 0 if too
/// many such ranges are open: the range is then counted as lost.
pub(crate) fn start(cycle: u64, tag: Tag) -> u64 {
    across::start(cycle, tag, clock::now())
}

/// Ends the range to which [`start`] gave the number `id`, and records it if its cycle is still open.
pub(crate) fn finish(id: u64) {
    if let Some(Taken { cycle, tag, start }) = across::take(id) {
        spool::record(cycle, tag, start, clock::now());
        live::count_ended(cycle);
    }
}

/// In the child of a fork, drops the ranges that may end on another thread, stops following ranges, and sets
/// the time that this thread waited for data to 0.
pub(crate) fn forget() {
    across::forget();
    unfollow_all();
    waiting::forget();
}
