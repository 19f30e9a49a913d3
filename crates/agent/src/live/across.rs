//! The table of open ranges that begin on one thread and may end on another. It has no lock, which a fork
//! could leave locked in the child. Knows neither the source of a range nor how a range is recorded.
//!
//! Such a range is recorded when it ends, on the thread that ends it, since a thread writes only its own
//! chunks. A range that does not end in the cycle in which it began is counted as lost when the cycle ends.
//! Until then it is counted as unfinished on the process's live page, where it is found if the process is
//! killed.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use proftui_wire::chunk::Tag;

use super::cells::cycle;
use super::counts::{count_lost, count_started, forget_unfinished};

/// Number of slots of the table of open ranges.
const SLOTS: usize = 4096;
/// The number in a slot while a thread has taken the slot to fill, read or free it; no range has this number.
const BUSY: u64 = u64::MAX;

/// An entry of the table of open ranges; it holds one range or none.
struct Slot {
    /// The range's number; 0 if the slot is free, [`BUSY`] while a thread has taken it.
    id: AtomicU64,
    cycle: AtomicU64,
    start: AtomicU64,
    tag: AtomicU32,
}

/// A range that was taken off the table of open ranges.
pub(crate) struct Taken {
    /// The number of the cycle in which the range began.
    pub cycle: u64,
    /// The range's kind and name.
    pub tag: Tag,
    /// When the range began, ns.
    pub start: u64,
}

static TABLE: [Slot; SLOTS] = [const { Slot::new() }; SLOTS];
/// The last number that was tried for a range; 0 before the first.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// How many slots hold a range.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Adds a range that begins in `cycle` at `now`, ns, to the table, and returns its number; 0 if the table is
/// full: the range is counted as lost.
pub(crate) fn start(cycle: u64, tag: Tag, now: u64) -> u64 {
    let tries = if TAKEN.load(Ordering::Relaxed) < SLOTS { SLOTS } else { 0 };
    for _ in 0..tries {
        let id = BEGUN.fetch_add(1, Ordering::Relaxed) + 1;
        let slot = &TABLE[id as usize % SLOTS];
        if slot.take(0) {
            TAKEN.fetch_add(1, Ordering::Relaxed);
            slot.cycle.store(cycle, Ordering::Relaxed);
            slot.start.store(now, Ordering::Relaxed);
            slot.tag.store(tag.0, Ordering::Relaxed);
            count_started(cycle);
            slot.id.store(id, Ordering::Release);
            return id;
        }
    }
    count_lost();
    0
}

/// Takes the range `id` off the table; `None` if it is not there or its cycle is not open. The caller records
/// it and counts it as ended.
pub(crate) fn take(id: u64) -> Option<Taken> {
    let slot = &TABLE[id as usize % SLOTS];
    if id == 0 || id == BUSY || !slot.take(id) {
        return None;
    }
    let (began_in, start) = (slot.cycle.load(Ordering::Relaxed), slot.start.load(Ordering::Relaxed));
    let tag = Tag(slot.tag.load(Ordering::Relaxed));
    if began_in == cycle() {
        slot.free();
        return Some(Taken { cycle: began_in, tag, start });
    }
    // The range is counted as lost, together with the other open ranges of its cycle.
    slot.id.store(id, Ordering::Release);
    None
}

/// Removes the open ranges of all cycles but `cycle` from the table, and calls `lost` for each with the
/// number of the cycle in which it began.
pub(crate) fn unfinished(cycle: u64, mut lost: impl FnMut(u64)) {
    if BEGUN.load(Ordering::Relaxed) == 0 {
        return;
    }
    for slot in &TABLE {
        let id = slot.id.load(Ordering::Acquire);
        let began_in = slot.cycle.load(Ordering::Relaxed);
        if id != 0 && id != BUSY && began_in != cycle && slot.take(id) {
            slot.free();
            lost(began_in);
        }
    }
}

/// In the child of a fork, empties the table and sets the count of unfinished ranges to 0.
pub(crate) fn forget() {
    if BEGUN.load(Ordering::Relaxed) > 0 {
        forget_unfinished();
        TABLE.iter().for_each(|slot| slot.id.store(0, Ordering::Relaxed));
        TAKEN.store(0, Ordering::Relaxed);
    }
}

impl Slot {
    const fn new() -> Self {
        let [id, cycle, start] = [const { AtomicU64::new(0) }; 3];
        Self { id, cycle, start, tag: AtomicU32::new(0) }
    }

    /// Frees the slot. Only the thread that has taken the slot may call this.
    fn free(&self) {
        self.id.store(0, Ordering::Release);
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes the slot for this thread if it holds the range with this number (0: if it is free); false,
    /// without effect, otherwise.
    fn take(&self, id: u64) -> bool {
        self.id.compare_exchange(id, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}
