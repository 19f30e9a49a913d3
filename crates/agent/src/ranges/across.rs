//! Ranges that begin on one thread and may end on another: a table of those that are open, without a lock, since a fork may come
//! at any moment. Knows neither files nor where a range comes from.
//!
//! Such a range is recorded when it ends, on the thread that ends it: a thread writes no other's chunks. One that does not end
//! in the cycle in which it began is lost, and counted when the cycle is over. Until then it is counted on the process's page: of
//! a process that is killed nobody else would know it.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use proftui_wire::chunk::Tag;

use crate::clock;
use crate::process;
use crate::spool;

/// Most that are open at once; further ones are lost, and counted.
const MOST: usize = 4096;
/// Who holds a place that is being read or written; no range has this number.
const BUSY: u64 = u64::MAX;

/// A range that is open.
struct Place {
    /// Its number; 0 for none.
    id: AtomicU64,
    cycle: AtomicU64,
    start: AtomicU64,
    tag: AtomicU32,
}

static PLACES: [Place; MOST] = [const { Place::new() }; MOST];
/// Ranges begun so far.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// Places that are taken: where all are, nobody looks for one.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// A range begins; returns its number, 0 for one that is not recorded.
pub fn start(cycle: u64, tag: Tag) -> u64 {
    let now = clock::now();
    let places = if TAKEN.load(Ordering::Relaxed) < MOST { MOST } else { 0 };
    for _ in 0..places {
        let id = BEGUN.fetch_add(1, Ordering::Relaxed) + 1;
        let place = &PLACES[id as usize % MOST];
        if place.take(0) {
            TAKEN.fetch_add(1, Ordering::Relaxed);
            place.cycle.store(cycle, Ordering::Relaxed);
            place.start.store(now, Ordering::Relaxed);
            place.tag.store(tag.0, Ordering::Relaxed);
            process::count_started(cycle);
            place.id.store(id, Ordering::Release);
            return id;
        }
    }
    process::count_lost();
    0
}

/// The range of this number ends; without one, nothing happens.
pub fn finish(id: u64) {
    let place = &PLACES[id as usize % MOST];
    if id == 0 || id == BUSY || !place.take(id) {
        return;
    }
    let (cycle, start) = (place.cycle.load(Ordering::Relaxed), place.start.load(Ordering::Relaxed));
    let tag = Tag(place.tag.load(Ordering::Relaxed));
    if cycle == process::cycle() {
        place.free();
        spool::record(cycle, tag, start, clock::now());
        process::count_ended(cycle);
    } else {
        // It is counted with what its cycle left open.
        place.id.store(id, Ordering::Release);
    }
}

/// Lets go of what was begun in other cycles than this one; calls `lost` with the cycle of each.
pub fn unfinished(cycle: u64, mut lost: impl FnMut(u64)) {
    if BEGUN.load(Ordering::Relaxed) == 0 {
        return;
    }
    for place in &PLACES {
        let id = place.id.load(Ordering::Acquire);
        let began_in = place.cycle.load(Ordering::Relaxed);
        if id != 0 && id != BUSY && began_in != cycle && place.take(id) {
            place.free();
            lost(began_in);
        }
    }
}

/// Forgets all of it: it is a forked process's now, which began none of it.
pub fn forget() {
    if BEGUN.load(Ordering::Relaxed) > 0 {
        process::forget_unfinished();
        PLACES.iter().for_each(|place| place.id.store(0, Ordering::Relaxed));
        TAKEN.store(0, Ordering::Relaxed);
    }
}

impl Place {
    const fn new() -> Self {
        let [id, cycle, start] = [const { AtomicU64::new(0) }; 3];
        Self { id, cycle, start, tag: AtomicU32::new(0) }
    }

    /// Lets go of it; called by who has hold of it.
    fn free(&self) {
        self.id.store(0, Ordering::Release);
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes hold of it, where it is this range's.
    fn take(&self, id: u64) -> bool {
        self.id.compare_exchange(id, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}
