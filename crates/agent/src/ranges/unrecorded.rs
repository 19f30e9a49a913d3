//! The ranges that are open on each thread while nothing is recorded. They are followed only while a stream
//! is captured into a CUDA graph, whose nodes get their names. Knows neither CUDA nor files.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use proftui_wire::chunk::Tag;

/// Most ranges that are followed on a thread at a time.
const DEPTH: usize = 256;

/// How many calls of [`follow`] are not taken back yet: while there is one, ranges are followed.
static WANTED: AtomicU32 = AtomicU32::new(0);
/// How often ranges began to be followed after a time in which they were not.
static TIME: AtomicU32 = AtomicU32::new(0);

/// The followed ranges that are open on a thread.
struct Open {
    /// The value of [`TIME`] when the ranges began.
    time: u32,
    /// The owner and the tag of each range, outermost first; [`DEPTH`] at most.
    ranges: Vec<(u8, Tag)>,
    /// How many open ranges began while `ranges` was full.
    beyond: u32,
}

thread_local! {
    static OPEN: RefCell<Open> = const { RefCell::new(Open { time: 0, ranges: Vec::new(), beyond: 0 }) };
}

/// Has ranges followed until [`unfollow`] has been called as often, or [`unfollow_all`] once.
pub(crate) fn follow() {
    if WANTED.fetch_add(1, Ordering::Relaxed) == 0 {
        TIME.fetch_add(1, Ordering::Relaxed);
    }
}

/// Takes back one call of [`follow`]; does nothing if there is none.
pub(crate) fn unfollow() {
    let _ = WANTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |wanted| wanted.checked_sub(1));
}

/// Takes back all calls of [`follow`].
pub(crate) fn unfollow_all() {
    WANTED.store(0, Ordering::Relaxed);
}

/// True while ranges are followed.
#[inline]
pub(crate) fn is_followed() -> bool {
    WANTED.load(Ordering::Relaxed) > 0
}

/// Notes a range that begins on this thread; only counts it if [`DEPTH`] ranges are open.
pub(super) fn begin(owner: u8, tag: Tag) {
    with(|open| {
        if open.ranges.len() < DEPTH && open.beyond == 0 {
            open.ranges.push((owner, tag));
        } else {
            open.beyond += 1;
        }
    });
}

/// Notes that the range that `owner` began last on this thread ends.
#[inline]
pub(super) fn end(owner: u8) {
    with(|open| {
        if open.beyond > 0 {
            open.beyond -= 1;
        } else if let Some(at) = open.ranges.iter().rposition(|range| range.0 == owner) {
            open.ranges.remove(at);
        }
    });
}

/// The tags of the ranges that are open on this thread, as far as they were followed, innermost first.
pub(super) fn open() -> Vec<Tag> {
    let mut tags = Vec::new();
    with(|open| tags.extend(open.ranges.iter().rev().map(|range| range.1)));
    tags
}

/// Calls `body` with the thread's ranges, unless these are in use or destroyed.
#[inline]
fn with(body: impl FnOnce(&mut Open)) {
    let _ = OPEN.try_with(|open| {
        open.try_borrow_mut().map(|mut open| {
            let time = TIME.load(Ordering::Relaxed);
            if open.time != time {
                *open = Open { time, ranges: Vec::new(), beyond: 0 };
            }
            body(&mut open);
        })
    });
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    /// Takes a lock for a test that follows ranges: waits until no other test has it, and keeps it until the
    /// result is dropped.
    pub(crate) fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tag(name: u32) -> Tag {
        Tag::new(0, name)
    }

    #[test]
    fn ranges_of_an_owner_end_in_their_order() {
        let _alone = alone();
        follow();
        begin(0, tag(1));
        begin(1, tag(2));
        begin(0, tag(3));
        assert_eq!(open(), [tag(3), tag(2), tag(1)]);
        end(1);
        end(1);
        assert_eq!(open(), [tag(3), tag(1)]);
        end(0);
        assert_eq!(open(), [tag(1)]);
        unfollow();
        follow();
        assert!(open().is_empty(), "of an earlier time");
        unfollow();
        unfollow();
        assert!(!is_followed());
    }

    #[test]
    fn ranges_beyond_the_depth_end_before_those_around_them() {
        let _alone = alone();
        follow();
        (0..300).for_each(|name| begin(0, tag(name)));
        assert_eq!((open().len(), open()[0]), (DEPTH, tag(255)));
        (0..44).for_each(|_| end(0));
        assert_eq!(open()[0], tag(255));
        end(0);
        assert_eq!(open()[0], tag(254));
        unfollow_all();
        assert!(!is_followed());
    }
}
