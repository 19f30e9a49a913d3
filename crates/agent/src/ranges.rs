//! Begins and ends the ranges of all sources: Python's hooks, ITT and NVTX. Knows neither files nor how the
//! sources work.
//!
//! Waiting for data is timed even when nothing is recorded: each thread sums up the lengths of its outermost
//! [`DATALOADER`] ranges, and the thread that ends a step takes its own sum. Other ranges do not read the
//! clock when nothing is recorded.
//!
//! Each range has an owner: the program's Python, PyTorch's ITT, or a domain of NVTX. The ranges of one owner
//! nest; those of different owners may cross.
//!
//! - `across`: ranges that begin on one thread and may end on another.
//! - `unrecorded`: the ranges that are open while nothing is recorded, for the nodes of CUDA graphs.
//! - `reported`: recognises the program's own ranges among those that libraries report.

mod across;
mod reported;
mod unrecorded;

pub use across::{finish, start, unfinished};
pub use reported::{announce, is_own, take_reported};
#[cfg(test)]
pub use unrecorded::tests::alone;
pub use unrecorded::{follow, is_followed, unfollow, unfollow_all};

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use proftui_wire::chunk::Tag;

use crate::clock;
use crate::live;
use crate::spool;

/// The kind of ranges in which a thread waits for data: Paddle's number of the event type.
pub const DATALOADER: u8 = 1;
/// The kind of ranges that are operators: Paddle's number of the event type.
pub const OPERATOR: u8 = 0;
/// The number of the owner of ranges that Python's hooks report.
const PYTHON: u8 = 0;
/// The number of the owner of ranges that PyTorch reports by ITT. NVTX's domains, as owners, have the numbers
/// above.
pub const ITT: u8 = 1;

/// Measures the time that one thread has waited for data.
struct Waiting {
    /// How many ranges are open from the thread's outermost [`DATALOADER`] range inwards, itself included; 0
    /// outside of such a range.
    depth: Cell<u32>,
    /// When the outermost [`DATALOADER`] range began, or the step, whichever is later, ns.
    began: Cell<u64>,
    /// Total length of the outermost [`DATALOADER`] ranges that have ended since the step began, ns.
    sum: Cell<u64>,
}

thread_local! {
    static WAITING: Waiting =
        const { Waiting { depth: Cell::new(0), began: Cell::new(0), sum: Cell::new(0) } };
}

/// Address of the `WAITING` of the thread that ended the last step: that thread's sum is written to the live
/// page.
static STEPPER: AtomicUsize = AtomicUsize::new(0);

/// Begins a range of Python's hooks on this thread.
#[inline]
pub fn begin(tag: Tag) {
    let cycle = live::cycle();
    let depth = WAITING.with(|waiting| waiting.depth.get());
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
        WAITING.with(|waiting| {
            if depth == 0 {
                waiting.began.set(now);
            }
            waiting.depth.set(depth.saturating_add(1));
        });
    }
    if cycle != 0 {
        spool::begin(cycle, PYTHON, tag, now);
    }
}

/// Ends the range of Python's hooks that began last on this thread; does nothing if there is none. The
/// `number` belongs to the range's name; 0 for none.
#[inline]
pub fn end(number: u32) {
    let cycle = live::cycle();
    let depth = WAITING.with(|waiting| waiting.depth.get());
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
        WAITING.with(|waiting| {
            waiting.depth.set(depth - 1);
            if depth == 1 {
                waiting.sum.set(waiting.sum.get() + now.saturating_sub(waiting.began.get()));
                if STEPPER.load(Ordering::Relaxed) == ptr::from_ref(waiting).addr() {
                    live::set_waited(waiting.sum.get());
                }
            }
        });
    }
    if cycle != 0 {
        spool::end(cycle, PYTHON, number, now);
    }
}

/// The cycle in which a range of an owner other than Python is to be recorded, 0 if it is only to be
/// followed; `None` if it is not wanted.
#[inline]
pub fn wanted() -> Option<u64> {
    Some(live::cycle()).filter(|&cycle| cycle != 0 || unrecorded::is_followed())
}

/// Begins a range of an owner other than Python on this thread; `cycle` is what [`wanted`] returned. The
/// range never counts as waiting for data.
#[inline]
pub fn push(cycle: u64, owner: u8, tag: Tag) {
    if cycle == 0 {
        unrecorded::begin(owner, tag);
    } else {
        spool::begin(cycle, owner, tag, clock::now());
    }
}

/// Ends the range that this owner began last on this thread; does nothing if there is none.
#[inline]
pub fn pop(owner: u8) {
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

/// The tags of the ranges that are open on this thread, innermost first: of those that are recorded, or,
/// while nothing is, of those that are followed.
pub fn open() -> Vec<Tag> {
    match live::cycle() {
        0 => unrecorded::open(),
        cycle => spool::open(cycle),
    }
}

/// Records a range from `start` (ns) until now, unless `cycle`, in which it began, has ended meanwhile.
pub fn record(tag: Tag, start: u64, cycle: u64) {
    if cycle != 0 && cycle == live::cycle() {
        spool::record(cycle, tag, start, clock::now());
    }
}

/// Records a range of length 0 (an instant event) at the present time.
pub fn mark(cycle: u64, tag: Tag) {
    let now = clock::now();
    spool::record(cycle, tag, now, now);
}

/// Returns the time that this thread has waited for data since it last called this, ns, and remembers the
/// thread as the one that ends steps. A wait that is still going on is split at `now`, ns: the later part
/// counts next time.
pub fn take_waited(now: u64) -> u64 {
    WAITING.with(|waiting| {
        STEPPER.store(ptr::from_ref(waiting).addr(), Ordering::Relaxed);
        let mut sum = waiting.sum.take();
        if waiting.depth.get() > 0 {
            sum += now.saturating_sub(waiting.began.replace(now));
        }
        sum
    })
}

/// The time that this thread has waited for data since [`take_waited`] was last called on it, ns.
pub fn waited() -> u64 {
    WAITING.with(|waiting| waiting.sum.get())
}

/// Takes `part` ns of the time that [`waited`] returns, or all of it if that is less; returns what was taken.
pub fn take_part_of_waited(part: u64) -> u64 {
    WAITING.with(|waiting| {
        let part = part.min(waiting.sum.get());
        waiting.sum.set(waiting.sum.get() - part);
        part
    })
}

/// In the child of a fork, resets the time that this thread waited for data, and drops the open ranges that
/// may end on another thread.
pub fn forget() {
    across::forget();
    unfollow_all();
    WAITING.with(|waiting| {
        waiting.depth.set(0);
        waiting.sum.set(0);
    });
}
