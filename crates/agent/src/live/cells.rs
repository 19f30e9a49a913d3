//! Which live pages this process reads and counts on, and its switches. Those who change them hold the lock
//! of the state, or are the only thread.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use proftui_wire::live::Word;

use crate::page::{Page, Slot};

/// A page in memory, used instead of a live page; its cycle is always 0.
static NONE: Page = Page::none();
/// The live page whose cycle this process records; [`NONE`] if there is none.
static FOLLOWED: Slot = Slot::new(&NONE);
/// The live page with this process's own counts; [`NONE`] before the process has a folder.
static OWN: Slot = Slot::new(&NONE);
/// True once the recorder is off for good.
static IS_OFF: AtomicBool = AtomicBool::new(false);
/// True if proftui opens and closes the run's cycles by time (recording windows).
static IS_BY_TIME: AtomicBool = AtomicBool::new(false);
/// True while the process's files are a ring, whose oldest files are removed to make room.
static IS_RING: AtomicBool = AtomicBool::new(false);

/// The number of the cycle that this process records now; 0 for none.
#[inline]
pub(crate) fn cycle() -> u64 {
    FOLLOWED.get().get(Word::Cycle)
}

/// The number of the [`proftui_wire::schedule::State`] on the live page that this process follows.
pub(crate) fn state() -> u64 {
    FOLLOWED.get().get(Word::State)
}

/// The live page whose cycle this process records; if there is none, a page in memory.
pub(crate) fn followed() -> &'static Page {
    FOLLOWED.get()
}

/// Makes this process record the cycles of this live page from now on.
pub(crate) fn follow(page: &'static Page) {
    FOLLOWED.set(page);
}

/// Makes this process record no cycle from now on, not even one that is open.
pub(crate) fn follow_none() {
    FOLLOWED.set(&NONE);
}

/// The live page with this process's own counts; a page in memory before the process has a folder.
pub(crate) fn own() -> &'static Page {
    OWN.get()
}

/// Keeps this process's counts on `page` from now on, with the count of unfinished ranges carried over.
pub(crate) fn count_on(page: &'static Page) {
    page.set(Word::Unfinished, NONE.get(Word::Unfinished));
    OWN.set(page);
}

/// Keeps this process's counts on a page in memory, until [`count_on`] is called.
pub(crate) fn count_nowhere() {
    OWN.set(&NONE);
}

/// True if the cycles that this process records are not its own: with recording windows by time, or if it
/// follows another live page.
pub(crate) fn is_follower() -> bool {
    is_by_time() || !ptr::eq(FOLLOWED.get(), OWN.get())
}

/// True once the recorder is off for good.
pub(crate) fn is_off() -> bool {
    IS_OFF.load(Ordering::Acquire)
}

/// Switches the recorder off for good; the live page that this process follows stays the same.
pub(crate) fn switch_off() {
    IS_OFF.store(true, Ordering::Release);
}

/// True if proftui opens and closes the run's cycles by time.
pub(crate) fn is_by_time() -> bool {
    IS_BY_TIME.load(Ordering::Relaxed)
}

/// Sets whether proftui opens and closes the run's cycles by time.
pub(crate) fn set_by_time(is_by_time: bool) {
    IS_BY_TIME.store(is_by_time, Ordering::Relaxed);
}

/// True while the process's files are a ring, whose oldest files are removed to make room.
pub(crate) fn is_ring() -> bool {
    IS_RING.load(Ordering::Relaxed)
}

/// Sets whether the process's files are a ring.
pub(crate) fn set_ring(is_ring: bool) {
    IS_RING.store(is_ring, Ordering::Relaxed);
}
