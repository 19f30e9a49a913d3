//! Which live pages this process reads and counts on, and its switches. Those who change them hold the lock
//! of the state, or are the only thread.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use proftui_wire::live::Word;

use crate::page::{Page, Slot};

/// A page in memory, for a process that has no folder or records nothing: its cycle is always 0. Of the
/// counts on it only that of unfinished ranges is ever read, when the folder is made.
static NONE: Page = Page::none();
/// The live page whose cycle this process records: its own, its leader's, or the run's; [`NONE`] if nothing
/// is to be recorded.
static FOLLOWED: Slot = Slot::new(&NONE);
/// The live page with this process's own counts; [`NONE`] before the process has a folder.
static OWN: Slot = Slot::new(&NONE);
/// True once the recorder is off for good: after it was closed, after it panicked, or in the child of a fork
/// that left its state unusable.
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

/// The number of the [`proftui_wire::schedule::State`] on the live page that this process follows: that of
/// the current step of the page's own process, without the steps that other processes ended for it. With
/// recording windows by time always 0.
pub(crate) fn state() -> u64 {
    FOLLOWED.get().get(Word::State)
}

/// The live page whose cycle this process records; if it is to record nothing, a page in memory.
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

/// Keeps this process's counts on `page` from now on. Of the counts on the page in memory, only that of
/// unfinished ranges is carried over.
pub(crate) fn count_on(page: &'static Page) {
    page.set(Word::Unfinished, NONE.get(Word::Unfinished));
    OWN.set(page);
}

/// Keeps this process's counts on a page in memory, until [`count_on`] is called: for the child of a fork,
/// which has no folder yet.
pub(crate) fn count_nowhere() {
    OWN.set(&NONE);
}

/// True with recording windows by time, or if the live page that this process follows is not its own: it then
/// has no cycles of its own.
pub(crate) fn is_follower() -> bool {
    is_by_time() || !ptr::eq(FOLLOWED.get(), OWN.get())
}

/// True once the recorder is off for good: after it was closed, or after a failure.
pub(crate) fn is_off() -> bool {
    IS_OFF.load(Ordering::Acquire)
}

/// Switches the recorder off for good. The live page that this process follows, and so its open cycle, stays:
/// [`follow_none`] ends that.
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
