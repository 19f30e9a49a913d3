//! A bounded pool of buffers for CUPTI's records: 96 large ones, then 512 small ones, 128 MiB in all. Only
//! versions of CUPTI that cannot handle a refusal get more small ones. Large buffers are reused; all are
//! zeroed when they are handed out.
//!
//! CUPTI from CUDA 13 on can fill a buffer per thread, which is switched off; where it refuses that, the
//! small ones are for the threads that the large ones do not suffice for.

#![allow(unsafe_code, reason = "allocates memory that CUPTI writes to")]

pub(super) mod lent;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::lock::Lock;

/// Size of a large buffer, bytes.
pub(super) const BYTES: usize = 1 << 20;
/// How many large buffers there are at most, free or handed out.
const MAX_BUFFERS: usize = 96;
/// Size of a small buffer, bytes.
const SMALL_BYTES: usize = 64 << 10;
/// How many small buffers CUPTI has at most at a time, if its version can handle a refused request; other
/// versions get any number.
const MAX_SMALL: usize = 512;

/// Addresses of the pool's free large buffers; 0 for an unused slot.
static FREE: Lock<[usize; MAX_BUFFERS]> = Lock::new([0; MAX_BUFFERS]);
/// Number of large buffers, free or handed out.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Number of small buffers, which are all handed out.
static SMALL: AtomicUsize = AtomicUsize::new(0);
/// How often CUPTI asked for a buffer and got none since the last call of [`take_refused`].
static REFUSED: AtomicU32 = AtomicU32::new(0);
/// True if at most [`MAX_SMALL`] small buffers are handed out at a time: for versions of CUPTI that can
/// handle a refused request.
static MAY_REFUSE: AtomicBool = AtomicBool::new(false);

/// Sets whether [`get`] hands out at most [`MAX_SMALL`] small buffers at a time, and refuses further
/// requests.
pub(super) fn set_refusing(may_refuse: bool) {
    MAY_REFUSE.store(may_refuse, Ordering::Relaxed);
}

/// Returns how often [`get`] handed out no buffer since the last call of this function.
pub(super) fn take_refused() -> u32 {
    REFUSED.swap(0, Ordering::Relaxed)
}

/// Hands out a zeroed buffer, a large one if possible, and returns its address and its size in bytes; null
/// and 0 if there is none.
pub(super) fn get() -> (*mut u8, usize) {
    let free = FREE.take().and_then(|mut free| {
        let slot = free.iter_mut().find(|slot| **slot != 0)?;
        Some(ptr::with_exposed_provenance_mut(std::mem::take(slot)))
    });
    if let Some(buffer) = free {
        return (buffer, BYTES);
    }
    let most_small = if MAY_REFUSE.load(Ordering::Relaxed) { MAX_SMALL } else { usize::MAX };
    for (count, most, bytes) in [(&COUNT, MAX_BUFFERS, BYTES), (&SMALL, most_small, SMALL_BYTES)] {
        let more = |count: usize| (count < most).then_some(count + 1);
        if count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            continue;
        }
        let buffer = make(bytes);
        if !buffer.is_null() {
            return (buffer, bytes);
        }
        count.fetch_sub(1, Ordering::Relaxed);
    }
    REFUSED.fetch_add(1, Ordering::Relaxed);
    (ptr::null_mut(), 0)
}

/// Takes back a buffer of `bytes` bytes. A large one is kept for a later request and its first `written`
/// bytes are zeroed again (it is freed if the list of free buffers cannot be locked); a small one is freed.
///
/// # Safety
/// The buffer came from [`get`] with this size, and is not used any more.
pub(super) unsafe fn put(buffer: *mut u8, bytes: usize, written: usize) {
    if bytes == BYTES
        && let Some(mut free) = FREE.take()
        && let Some(slot) = free.iter_mut().find(|slot| **slot == 0)
    {
        // SAFETY: the buffer's own bytes.
        unsafe { ptr::write_bytes(buffer, 0, written.min(bytes)) };
        *slot = buffer.expose_provenance();
        return;
    }
    let count = if bytes == BYTES { &COUNT } else { &SMALL };
    count.fetch_sub(1, Ordering::Relaxed);
    if let Some(layout) = layout(bytes) {
        // SAFETY: made with this layout.
        unsafe { dealloc(buffer, layout) };
    }
}

/// Allocates a zeroed buffer; null on failure.
fn make(bytes: usize) -> *mut u8 {
    // SAFETY: the layout is not empty.
    layout(bytes).map_or(ptr::null_mut(), |layout| unsafe { alloc_zeroed(layout) })
}

/// The memory layout of a buffer of `bytes` bytes, aligned to 8 bytes as CUPTI demands; `None` if `bytes` is
/// 0 or too large.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, 8).ok().filter(|layout| layout.size() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again_and_bounded() {
        set_refusing(true);
        let mut taken: Vec<*mut u8> = (0..MAX_BUFFERS)
            .map(|_| get())
            .map(|(buffer, bytes)| {
                assert_eq!((bytes, buffer.addr() % 8), (BYTES, 0));
                buffer
            })
            .collect();
        let mut small: Vec<*mut u8> = (0..MAX_SMALL)
            .map(|_| get())
            .map(|(buffer, bytes)| {
                assert_eq!((bytes, buffer.is_null()), (SMALL_BYTES, false));
                buffer
            })
            .collect();
        assert_eq!(get(), (ptr::null_mut(), 0));
        assert_eq!((take_refused(), take_refused()), (1, 0));
        // Older versions of CUPTI get one all the same.
        set_refusing(false);
        small.push(get().0);
        // SAFETY: from `get`, with their size.
        small.into_iter().for_each(|buffer| unsafe { put(buffer, SMALL_BYTES, 0) });
        assert_eq!(SMALL.load(Ordering::Relaxed), 0);
        let last = taken.pop().expect("one");
        // SAFETY: from `get`, with its size; a byte of it.
        unsafe {
            *last = 7;
            put(last, BYTES, 1);
        }
        let (again, _) = get();
        // SAFETY: a byte of it.
        assert_eq!((again, unsafe { *again }), (last, 0), "zeros again");
        taken.push(again);
        // SAFETY: from `get`, with their size.
        taken.into_iter().for_each(|buffer| unsafe { put(buffer, BYTES, 0) });
    }
}
