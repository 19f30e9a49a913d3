//! The ranges that are open on each thread while nothing is recorded. They are followed only while a stream is captured into a CUDA graph, of
//! whose nodes they are the names. Knows neither CUDA nor files.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use proftui_wire::chunk::Tag;

/// Most ranges that are followed on a thread: those within them are not.
const DEPTH: usize = 256;

/// True while they are followed.
static IS_FOLLOWED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The owner and the tag of each open range, outermost first.
    static OPEN: RefCell<Vec<(u8, Tag)>> = const { RefCell::new(Vec::new()) };
}

/// Sets whether they are followed from now on.
pub fn follow(is_followed: bool) {
    IS_FOLLOWED.store(is_followed, Ordering::Relaxed);
}

/// True while they are followed.
#[inline]
pub fn is_followed() -> bool {
    IS_FOLLOWED.load(Ordering::Relaxed)
}

/// Begins a range on this thread.
pub fn begin(owner: u8, tag: Tag) {
    with(|open| {
        if open.len() < DEPTH {
            open.push((owner, tag));
        }
    });
}

/// Ends the range that the owner began last on this thread; does nothing if there is none.
#[inline]
pub fn end(owner: u8) {
    with(|open| {
        if let Some(at) = open.iter().rposition(|range| range.0 == owner) {
            open.remove(at);
        }
    });
}

/// The tags of the ranges that are open on this thread, innermost first.
pub fn open() -> Vec<Tag> {
    let mut tags = Vec::new();
    with(|open| tags.extend(open.iter().rev().map(|range| range.1)));
    tags
}

/// Forgets the ranges of this thread, which may have ended meanwhile.
pub fn forget() {
    with(Vec::clear);
}

/// Calls `body` with the thread's ranges; does nothing once the thread's local data is destroyed, and in a signal handler that interrupted
/// this.
#[inline]
fn with(body: impl FnOnce(&mut Vec<(u8, Tag)>)) {
    let _ = OPEN.try_with(|open| open.try_borrow_mut().map(|mut open| body(&mut open)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_an_owner_end_in_their_order() {
        let tag = |name| Tag::new(0, name);
        begin(0, tag(1));
        begin(1, tag(2));
        begin(0, tag(3));
        assert_eq!(open(), [tag(3), tag(2), tag(1)]);
        end(1);
        end(1);
        assert_eq!(open(), [tag(3), tag(1)]);
        end(0);
        assert_eq!(open(), [tag(1)]);
        forget();
        assert!(open().is_empty());
    }
}
