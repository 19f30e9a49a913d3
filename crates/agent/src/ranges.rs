//! A range begins, a range ends: what every source of ranges calls. Knows neither files nor where a range comes from.
//!
//! Waiting for data is timed even when nothing is recorded: the outermost ranges of that kind, each thread for itself; whoever
//! ends a step takes what its own thread waited. No other range costs a look at the clock then.
//!
//! Ranges of one owner end in the other order of that in which they began: those of the program's Python, those of each of a
//! library's domains. Owners know nothing of each other, so ranges of several may cross.
//!
//! - `across`: ranges that begin on one thread and may end on another.
//! - `reported`: how many ranges libraries report.

mod across;
mod reported;

pub use across::{finish, start, unfinished};
pub use reported::{count_report, expect_own, reported};

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use proftui_wire::chunk::Tag;

use crate::clock;
use crate::process;
use crate::spool;

/// Paddle's number of ranges in which data is waited for.
pub const DATALOADER: u8 = 1;
/// The owner of what Python tells.
const PYTHON: u8 = 0;
/// The owner of what PyTorch tells by ITT. Those of NVTX have the numbers above.
pub const ITT: u8 = 1;

/// Waiting for data, on one thread.
struct Waiting {
    /// Open ranges, from the outermost that waits; 0 outside of one.
    depth: Cell<u32>,
    /// When that began, or the step, if later.
    began: Cell<u64>,
    /// Waited since the step began, ns.
    sum: Cell<u64>,
}

thread_local! {
    static WAITING: Waiting =
        const { Waiting { depth: Cell::new(0), began: Cell::new(0), sum: Cell::new(0) } };
}

/// The thread that steps, by the address of its waiting: what it waits is shown on the live page.
static STEPPER: AtomicUsize = AtomicUsize::new(0);

/// A range begins on this thread.
#[inline]
pub fn begin(tag: Tag) {
    let cycle = process::cycle();
    let depth = WAITING.with(|waiting| waiting.depth.get());
    let is_waiting = depth > 0 || tag.kind() == DATALOADER;
    if cycle == 0 && !is_waiting {
        return;
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

/// The range that began last on this thread ends. Without one, nothing happens.
#[inline]
pub fn end() {
    let cycle = process::cycle();
    let depth = WAITING.with(|waiting| waiting.depth.get());
    if cycle == 0 {
        spool::leave_cycle();
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
                    process::set_waited(waiting.sum.get());
                }
            }
        });
    }
    if cycle != 0 {
        spool::end(cycle, PYTHON, now);
    }
}

/// A range of an owner other than Python begins on this thread. Data is not waited for in it.
#[inline]
pub fn push(cycle: u64, owner: u8, tag: Tag) {
    spool::begin(cycle, owner, tag, clock::now());
}

/// The range that this owner began last on this thread ends. Without one, nothing happens.
#[inline]
pub fn pop(owner: u8) {
    match process::cycle() {
        0 => spool::leave_cycle(),
        cycle => spool::end(cycle, owner, clock::now()),
    }
}

/// Something happened: a range of no length.
pub fn mark(cycle: u64, tag: Tag) {
    let now = clock::now();
    spool::record(cycle, tag, now, now);
}

/// What this thread, which steps, waited since this was last called, ns. A wait that goes on is split here.
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

/// Forgets what this thread waited and what is open across threads: it is a forked process's now.
pub fn forget() {
    across::forget();
    WAITING.with(|waiting| {
        waiting.depth.set(0);
        waiting.sum.set(0);
    });
}
